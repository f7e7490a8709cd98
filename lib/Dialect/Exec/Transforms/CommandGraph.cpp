//===- CommandGraph.cpp - Which command must wait for which ---------------===//

#include "CommandGraph.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace exec;

CommandGraph::CommandGraph(FuncOp function) {
  for (auto op : function.getBody().getOps<CommandOpInterface>()) {
    Command command{op, {}, {}};
    for (Value read : op.getReads())
      command.reads.push_back(getAccess(read));
    for (Value written : op.getWrites())
      command.writes.push_back(getAccess(written));
    commands.push_back(std::move(command));
  }
  successors.resize(commands.size());
  predecessors.resize(commands.size());
  addHazards();
}

Access CommandGraph::getAccess(Value value) {
  bool isWhole = true;
  while (auto view = value.getDefiningOp<ViewOp>()) {
    value = view.getSource();
    isWhole = false;
  }
  return {getMemory(value), isWhole};
}

unsigned CommandGraph::getMemory(Value root) {
  using Identity = std::pair<Memory::Kind, const void *>;
  auto [kind, key] =
      TypeSwitch<Operation *, Identity>(root.getDefiningOp())
          .Case([](StateRefOp op) {
            return Identity(Memory::State,
                            op.getStateAttr().getAsOpaquePointer());
          })
          .Case([](OutputOp op) {
            return Identity(Memory::Output,
                            op.getNameAttr().getAsOpaquePointer());
          })
          .Case([&](AllocOp) {
            return Identity(Memory::Scratch, root.getAsOpaquePointer());
          })
          .Default([&](Operation *) {
            return Identity(Memory::ReadOnly, root.getAsOpaquePointer());
          });
  auto [entry, isNew] = memoryNumbers.try_emplace(key, memories.size());
  if (isNew) {
    int64_t size = cast<BufferType>(root.getType()).getSize();
    memories.push_back(
        {kind, root,
         static_cast<int64_t>(llvm::alignTo(size, kBufferAlignment))});
  }
  return entry->second;
}

void CommandGraph::addHazards() {
  struct History {
    SmallVector<unsigned> writers, readersSince;
  };
  SmallVector<History> histories(memories.size());
  for (auto [number, command] : llvm::enumerate(commands)) {
    for (Access read : command.reads)
      for (unsigned writer : histories[read.memory].writers)
        addEdge(writer, number);
    for (Access written : command.writes) {
      for (unsigned reader : histories[written.memory].readersSince)
        addEdge(reader, number);
      for (unsigned writer : histories[written.memory].writers)
        addEdge(writer, number);
    }
    for (Access read : command.reads)
      histories[read.memory].readersSince.push_back(number);
    for (Access written : command.writes) {
      // A part leaves earlier writes visible.
      if (written.isWhole)
        histories[written.memory].writers.clear();
      histories[written.memory].writers.push_back(number);
      histories[written.memory].readersSince.clear();
    }
  }
}

void CommandGraph::addEdge(unsigned from, unsigned to) {
  if (from == to || llvm::is_contained(successors[from], to))
    return;
  successors[from].push_back(to);
  predecessors[to].push_back(from);
}

bool CommandGraph::reaches(unsigned from, unsigned to) const {
  llvm::BitVector seen(commands.size());
  SmallVector<unsigned> worklist = {from};
  while (!worklist.empty()) {
    unsigned command = worklist.pop_back_val();
    if (command == to)
      return true;
    for (unsigned next : successors[command])
      if (!seen.test(next)) {
        seen.set(next);
        worklist.push_back(next);
      }
  }
  return false;
}

static bool accesses(ArrayRef<Access> accesses, unsigned memory) {
  return llvm::any_of(accesses,
                      [&](Access access) { return access.memory == memory; });
}

SmallVector<unsigned> CommandGraph::getReaders(unsigned memory) const {
  SmallVector<unsigned> readers;
  for (auto [number, command] : llvm::enumerate(commands))
    if (command.op && accesses(command.reads, memory))
      readers.push_back(number);
  return readers;
}

SmallVector<unsigned> CommandGraph::getWriters(unsigned memory) const {
  SmallVector<unsigned> writers;
  for (auto [number, command] : llvm::enumerate(commands))
    if (command.op && accesses(command.writes, memory))
      writers.push_back(number);
  return writers;
}

bool CommandGraph::canReuse(unsigned number, unsigned written,
                            unsigned read) const {
  const Command &command = commands[number];
  CommandOpInterface op = command.op;
  for (auto [w, write] : llvm::enumerate(command.writes)) {
    if (write.memory != written)
      continue;
    if (!write.isWhole)
      return false;
    for (auto [r, access] : llvm::enumerate(command.reads))
      if (access.memory == read &&
          (!access.isWhole || !op.canWriteInPlace(w, r)))
        return false;
  }
  return true;
}

SmallVector<Reuse>
CommandGraph::getReuses(unsigned number,
                        function_ref<bool(unsigned)> isDying) const {
  const Command &command = commands[number];
  SmallVector<Reuse> reuses;
  for (Access write : command.writes) {
    const Memory &written = memories[write.memory];
    if (written.kind != Memory::Scratch)
      continue;
    for (Access access : command.reads) {
      const Memory &read = memories[access.memory];
      bool isTaken = llvm::any_of(reuses, [&](Reuse reuse) {
        return reuse.read == access.memory || reuse.written == write.memory;
      });
      if (isTaken || read.kind != Memory::Scratch ||
          read.size != written.size || read.size == 0 ||
          access.memory == write.memory || !isDying(access.memory) ||
          !canReuse(number, write.memory, access.memory))
        continue;
      reuses.push_back({write.memory, access.memory});
    }
  }
  return reuses;
}

void CommandGraph::forwardCopy(unsigned copy) {
  assert(successors[copy].empty() && "something waits for the copy");
  unsigned source = commands[copy].reads.front().memory;
  unsigned destination = commands[copy].writes.front().memory;
  memories[source].value.replaceAllUsesWith(memories[destination].value);
  commands[copy].op->erase();
  commands[copy] = Command();
  for (unsigned predecessor : predecessors[copy])
    llvm::erase(successors[predecessor], copy);
  predecessors[copy].clear();
  for (Command &command : commands)
    for (SmallVector<Access> *list : {&command.reads, &command.writes})
      for (Access &access : *list)
        if (access.memory == source)
          access.memory = destination;
}
