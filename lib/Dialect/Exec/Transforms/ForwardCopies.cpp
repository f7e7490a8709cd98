//===- ForwardCopies.cpp - Write results where they are wanted ------------===//

#include "MemoryPlanning.h"

using namespace mlir;
using namespace exec;

/// Whether the copy can go if the command `writer`, which computes its source,
/// writes its destination instead; adds the edges which that needs.
static bool orderReaders(CommandGraph &graph, unsigned copy, unsigned writer) {
  unsigned source = graph.getCommands()[copy].reads.front().memory;
  unsigned destination = graph.getCommands()[copy].writes.front().memory;
  SmallVector<unsigned> readers = graph.getReaders(destination);
  for (unsigned reader : readers) {
    // It sees the old value in place, or not at all after `writer` began.
    if (reader == writer ? !graph.canReuse(writer, source, destination)
                         : graph.reaches(writer, reader))
      return false;
  }
  for (unsigned reader : readers)
    graph.addEdge(reader, writer);
  return true;
}

static bool tryForward(CommandGraph &graph, unsigned copy) {
  const Command &command = graph.getCommands()[copy];
  Access source = command.reads.front();
  Access destination = command.writes.front();
  if (!source.isWhole || !destination.isWhole ||
      graph.getMemories()[source.memory].kind != Memory::Scratch ||
      graph.getMemories()[destination.memory].kind == Memory::Scratch)
    return false;
  SmallVector<unsigned> writers = graph.getWriters(source.memory);
  // Nothing looks at the destination after the copy, and only the copy
  // writes it.
  if (writers.size() != 1 || !graph.getSuccessors(copy).empty() ||
      graph.getWriters(destination.memory).size() != 1 ||
      !orderReaders(graph, copy, writers.front()))
    return false;
  graph.forwardCopy(copy);
  return true;
}

void exec::forwardCopies(CommandGraph &graph) {
  for (unsigned i = 0; i < graph.getCommands().size(); ++i)
    if (isa<CopyOp>(graph.getCommands()[i].op))
      tryForward(graph, i);
}
