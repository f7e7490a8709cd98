//===- PlanMemory.cpp - Order commands and place buffers ------------------===//

#include "MemoryPlanning.h"
#include "graph/Dialect/Exec/Transforms/ArenaLayout.h"
#include "graph/Dialect/Exec/Transforms/Passes.h"

namespace exec {
#define GEN_PASS_DEF_EXECPLANMEMORY
#include "graph/Dialect/Exec/Transforms/Passes.h.inc"
} // namespace exec

using namespace mlir;
using namespace exec;

namespace {
/// Scratch memories that share their bytes one after the other.
struct Slots {
  /// By memory; meaningless for what is not scratch or never accessed.
  SmallVector<unsigned> slotOf;
  SmallVector<Lifetime> lifetimes;
};
} // namespace

/// When each scratch memory is accessed first and last, by position in `order`.
static SmallVector<std::optional<Lifetime>>
getLifetimes(const CommandGraph &graph, ArrayRef<unsigned> order) {
  SmallVector<std::optional<Lifetime>> lifetimes(graph.getMemories().size());
  for (auto [position, number] : llvm::enumerate(order)) {
    const Command &command = graph.getCommands()[number];
    for (ArrayRef<Access> list :
         {ArrayRef<Access>(command.reads), ArrayRef<Access>(command.writes)})
      for (Access access : list) {
        const Memory &memory = graph.getMemories()[access.memory];
        if (memory.kind != Memory::Scratch)
          continue;
        std::optional<Lifetime> &lifetime = lifetimes[access.memory];
        if (!lifetime)
          lifetime = {memory.size, static_cast<unsigned>(position), 0};
        lifetime->last = position;
      }
  }
  return lifetimes;
}

/// One slot per scratch memory, except that a result takes the slot of an
/// operand that dies where it is written.
static Slots assignSlots(const CommandGraph &graph, ArrayRef<unsigned> order) {
  SmallVector<std::optional<Lifetime>> lifetimes = getLifetimes(graph, order);
  Slots slots;
  slots.slotOf.resize(lifetimes.size());
  for (auto [position, number] : llvm::enumerate(order)) {
    auto isDying = [&, position = position](unsigned memory) {
      return lifetimes[memory]->last == position;
    };
    SmallVector<Reuse> reuses = graph.getReuses(number, isDying);
    auto assign = [&, position = position](unsigned memory) {
      const std::optional<Lifetime> &lifetime = lifetimes[memory];
      if (!lifetime || lifetime->first != position)
        return;
      auto reuse = llvm::find_if(
          reuses, [&](Reuse reuse) { return reuse.written == memory; });
      if (reuse != reuses.end()) {
        slots.slotOf[memory] = slots.slotOf[reuse->read];
        slots.lifetimes[slots.slotOf[memory]].last = lifetime->last;
        return;
      }
      slots.slotOf[memory] = slots.lifetimes.size();
      slots.lifetimes.push_back(*lifetime);
    };
    // Memory may be read that nothing writes: an empty tensor.
    for (Access read : graph.getCommands()[number].reads)
      assign(read.memory);
    for (Access write : graph.getCommands()[number].writes)
      assign(write.memory);
  }
  return slots;
}

/// Puts what names memory first and the commands into `order`.
static void reorder(FuncOp function, const CommandGraph &graph,
                    ArrayRef<unsigned> order) {
  Block &body = function.getBody().front();
  for (unsigned number : order)
    graph.getCommands()[number].op->moveBefore(&body, body.end());
}

/// Replaces every alloc by its place in the arena; drops unused ones.
static void place(FuncOp function, const CommandGraph &graph,
                  const Slots &slots, const ArenaLayout &layout) {
  for (auto [number, memory] : llvm::enumerate(graph.getMemories())) {
    auto alloc = memory.value.getDefiningOp<AllocOp>();
    if (!alloc || alloc->use_empty())
      continue;
    OpBuilder builder(alloc);
    alloc.replaceAllUsesWith(
        ArenaOp::create(builder, alloc.getLoc(), alloc.getType(),
                        layout.offsets[slots.slotOf[number]])
            .getBuffer());
  }
  for (AllocOp alloc :
       llvm::make_early_inc_range(function.getBody().getOps<AllocOp>())) {
    assert(alloc->use_empty() && "an alloc that no command accesses");
    alloc.erase();
  }
}

namespace {
struct PlanMemory : exec::impl::ExecPlanMemoryBase<PlanMemory> {
  void runOnOperation() override {
    FuncOp function = getOperation();
    CommandGraph graph(function);
    forwardCopies(graph);
    SmallVector<unsigned> order = scheduleCommands(graph);
    Slots slots = assignSlots(graph, order);
    ArenaLayout layout = layOutArena(slots.lifetimes);
    reorder(function, graph, order);
    place(function, graph, slots, layout);
    function.setPlanAttr(PlanAttr::get(&getContext(), layout.size,
                                       getMaxLive(slots.lifetimes),
                                       getLowerBound(graph)));
    if (failed(verifyMemoryPlan(function)))
      signalPassFailure();
  }
};
} // namespace
