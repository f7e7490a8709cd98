//===- CommandGraph.h - Which command must wait for which -------*- C++ -*-===//
//
// The commands of a function with the memories that they access, and the edges
// that keep their meaning: from a write to the reads of what it wrote, and from
// a read to the next write of the same memory. Any topological order of the
// graph computes the same.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_LIB_DIALECT_EXEC_TRANSFORMS_COMMANDGRAPH_H
#define GRAPH_LIB_DIALECT_EXEC_TRANSFORMS_COMMANDGRAPH_H

#include "graph/Dialect/Exec/IR/ExecOps.h"

namespace exec {

/// Something with bytes of its own: not a view.
struct Memory {
  enum Kind { Scratch, Output, State, ReadOnly };
  Kind kind;
  /// One of the values that stand for it.
  mlir::Value value;
  /// Rounded up to the alignment of the arena.
  int64_t size;
};

struct Access {
  unsigned memory;
  /// All of the memory, as opposed to a view of it.
  bool isWhole;
};

struct Command {
  CommandOpInterface op;
  /// In the order of op.getReads() and op.getWrites().
  llvm::SmallVector<Access> reads, writes;
};

/// A result that takes the place of an operand, as memories.
struct Reuse {
  unsigned written, read;
};

class CommandGraph {
public:
  explicit CommandGraph(FuncOp function);

  llvm::ArrayRef<Memory> getMemories() const { return memories; }
  llvm::ArrayRef<Command> getCommands() const { return commands; }
  /// The commands that access a memory, in program order.
  llvm::SmallVector<unsigned> getReaders(unsigned memory) const;
  llvm::SmallVector<unsigned> getWriters(unsigned memory) const;

  llvm::ArrayRef<unsigned> getSuccessors(unsigned command) const {
    return successors[command];
  }
  llvm::ArrayRef<unsigned> getPredecessors(unsigned command) const {
    return predecessors[command];
  }
  void addEdge(unsigned from, unsigned to);
  /// Whether `to` must run after `from`.
  bool reaches(unsigned from, unsigned to) const;

  /// Whether `command` may write `written` where `read` lies: it is written
  /// whole, and every access of the command to `read` allows it.
  bool canReuse(unsigned command, unsigned written, unsigned read) const;
  /// Pairs of different scratch memories for which canReuse holds, of equal
  /// size, where `isDying(read)`; each memory at most once.
  llvm::SmallVector<Reuse>
  getReuses(unsigned command, llvm::function_ref<bool(unsigned)> isDying) const;

  /// Erases a copy of `source` into `destination`; whatever accessed `source`
  /// accesses `destination`. The copy has no successors.
  void forwardCopy(unsigned copy);
  bool isErased(unsigned command) const { return !commands[command].op; }

private:
  Access getAccess(mlir::Value value);
  unsigned getMemory(mlir::Value root);
  void addHazards();

  llvm::SmallVector<Memory> memories;
  llvm::SmallVector<Command> commands;
  llvm::SmallVector<llvm::SmallVector<unsigned>> successors, predecessors;
  /// By value, or by the attribute that names a state or an output.
  llvm::DenseMap<const void *, unsigned> memoryNumbers;
};

} // namespace exec

#endif // GRAPH_LIB_DIALECT_EXEC_TRANSFORMS_COMMANDGRAPH_H
