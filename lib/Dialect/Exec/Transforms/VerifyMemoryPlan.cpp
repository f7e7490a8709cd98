//===- VerifyMemoryPlan.cpp - No live buffer is overwritten ---------------===//

#include "MemoryPlanning.h"

using namespace mlir;
using namespace exec;

namespace {
/// An arena buffer and the commands that access it, by position.
struct ArenaBuffer {
  ArenaOp op;
  unsigned first = 0, last = 0;
  Operation *lastCommand = nullptr;
  bool isUsed = false;

  int64_t begin() { return op.getOffset(); }
  int64_t end() { return begin() + op.getBuffer().getType().getSize(); }
};
} // namespace

static Value getRoot(Value value) {
  while (auto view = value.getDefiningOp<ViewOp>())
    value = view.getSource();
  return value;
}

/// Whether `command` may write `second` over `first`, which it reads.
static bool mayOverwrite(Operation *command, ArenaBuffer &first,
                         ArenaBuffer &second) {
  if (first.begin() != second.begin() || first.end() != second.end())
    return false;
  auto op = cast<CommandOpInterface>(command);
  for (auto [w, written] : llvm::enumerate(op.getWrites())) {
    if (getRoot(written) != second.op.getBuffer())
      continue;
    for (auto [r, read] : llvm::enumerate(op.getReads()))
      if (getRoot(read) == first.op.getBuffer() &&
          (read != first.op.getBuffer() || !op.canWriteInPlace(w, r)))
        return false;
  }
  // It must not write both.
  return llvm::none_of(op.getWrites(), [&](Value written) {
    return getRoot(written) == first.op.getBuffer();
  });
}

LogicalResult exec::verifyMemoryPlan(FuncOp function) {
  SmallVector<ArenaBuffer> buffers;
  DenseMap<Value, unsigned> numbers;
  for (auto op : function.getBody().getOps<ArenaOp>()) {
    numbers[op.getBuffer()] = buffers.size();
    buffers.push_back({op});
  }
  unsigned position = 0;
  for (auto command : function.getBody().getOps<CommandOpInterface>()) {
    for (Value operand : command->getOperands()) {
      auto found = numbers.find(getRoot(operand));
      if (found == numbers.end())
        continue;
      ArenaBuffer &buffer = buffers[found->second];
      if (!buffer.isUsed)
        buffer.first = position;
      buffer.isUsed = true;
      buffer.last = position;
      buffer.lastCommand = command;
    }
    ++position;
  }
  llvm::erase_if(buffers, [](ArenaBuffer &buffer) { return !buffer.isUsed; });
  llvm::stable_sort(buffers, [](const ArenaBuffer &a, const ArenaBuffer &b) {
    return a.first < b.first;
  });
  for (auto second = buffers.begin(); second != buffers.end(); ++second)
    for (auto first = buffers.begin(); first != second; ++first) {
      if (first->last < second->first || first->end() <= second->begin() ||
          second->end() <= first->begin())
        continue;
      if (first->last == second->first && first->first < second->first &&
          mayOverwrite(first->lastCommand, *first, *second))
        continue;
      InFlightDiagnostic error =
          second->op.emitError("found a buffer over another live one");
      error.attachNote(first->op.getLoc()) << "the other one";
      return error;
    }
  return success();
}
