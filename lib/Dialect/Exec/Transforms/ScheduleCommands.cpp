//===- ScheduleCommands.cpp - An order with a low peak --------------------===//
//
// Finding the best order is NP-hard. Three list schedules are simulated, and
// the one with the lowest peak is taken; the program's own order wins ties.
//
//===----------------------------------------------------------------------===//

#include "MemoryPlanning.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"
#include <set>

using namespace mlir;
using namespace exec;

/// The scratch memories that a command accesses, each once.
static llvm::SmallSetVector<unsigned, 8> getScratch(const CommandGraph &graph,
                                                    unsigned command) {
  llvm::SmallSetVector<unsigned, 8> scratch;
  const Command &accesses = graph.getCommands()[command];
  for (ArrayRef<Access> list :
       {ArrayRef<Access>(accesses.reads), ArrayRef<Access>(accesses.writes)})
    for (Access access : list)
      if (graph.getMemories()[access.memory].kind == Memory::Scratch)
        scratch.insert(access.memory);
  return scratch;
}

namespace {

/// Scratch memory while the commands run one after the other.
class LiveMemory {
public:
  explicit LiveMemory(const CommandGraph &graph)
      : graph(graph), numAccesses(graph.getMemories().size()),
        isLive(graph.getMemories().size()) {
    for (unsigned i = 0; i < graph.getCommands().size(); ++i) {
      scratch.push_back(getScratch(graph, i));
      for (unsigned memory : scratch.back())
        ++numAccesses[memory];
    }
  }

  /// By how many bytes more would be alive after `command` than before it.
  int64_t getGrowth(unsigned command) const {
    return getAllocated(command) - getFreed(command);
  }

  void run(unsigned command) {
    int64_t needed = getAllocated(command);
    auto isDying = [&](unsigned memory) { return numAccesses[memory] == 1; };
    for (Reuse reuse : graph.getReuses(command, isDying))
      if (!isLive.test(reuse.written))
        needed -= graph.getMemories()[reuse.written].size;
    peak = std::max(peak, live + needed);
    live += getGrowth(command);
    for (unsigned memory : scratch[command]) {
      isLive.set(memory);
      --numAccesses[memory];
    }
  }

  int64_t getPeak() const { return peak; }

private:
  int64_t getAllocated(unsigned command) const {
    int64_t bytes = 0;
    for (unsigned memory : scratch[command])
      if (!isLive.test(memory))
        bytes += graph.getMemories()[memory].size;
    return bytes;
  }
  int64_t getFreed(unsigned command) const {
    int64_t bytes = 0;
    for (unsigned memory : scratch[command])
      if (numAccesses[memory] == 1)
        bytes += graph.getMemories()[memory].size;
    return bytes;
  }

  const CommandGraph &graph;
  SmallVector<llvm::SmallSetVector<unsigned, 8>> scratch;
  /// How many commands will still access a memory.
  SmallVector<unsigned> numAccesses;
  llvm::BitVector isLive;
  int64_t live = 0, peak = 0;
};

enum class Strategy {
  /// The program's order, as far as the edges allow.
  ProgramOrder,
  /// The same, but commands that free memory go first.
  FreeEarly,
  /// Always the command after which least is alive.
  LeastGrowth,
};

struct Schedule {
  SmallVector<unsigned> order;
  int64_t peak;
};

} // namespace

static unsigned choose(const std::set<unsigned> &ready, const LiveMemory &live,
                       Strategy strategy) {
  unsigned best = *ready.begin();
  if (strategy == Strategy::ProgramOrder)
    return best;
  int64_t bestGrowth = live.getGrowth(best);
  if (strategy == Strategy::FreeEarly)
    bestGrowth = std::min<int64_t>(bestGrowth, 0);
  for (unsigned command : ready)
    if (int64_t growth = live.getGrowth(command); growth < bestGrowth) {
      best = command;
      bestGrowth = growth;
    }
  return best;
}

static Schedule schedule(const CommandGraph &graph, Strategy strategy) {
  LiveMemory live(graph);
  SmallVector<unsigned> numWaiting;
  std::set<unsigned> ready;
  for (unsigned i = 0; i < graph.getCommands().size(); ++i) {
    numWaiting.push_back(graph.getPredecessors(i).size());
    if (!graph.isErased(i) && numWaiting[i] == 0)
      ready.insert(i);
  }
  Schedule result;
  while (!ready.empty()) {
    unsigned command = choose(ready, live, strategy);
    ready.erase(command);
    live.run(command);
    result.order.push_back(command);
    for (unsigned next : graph.getSuccessors(command))
      if (--numWaiting[next] == 0)
        ready.insert(next);
  }
  result.peak = live.getPeak();
  return result;
}

SmallVector<unsigned> exec::scheduleCommands(const CommandGraph &graph) {
  Schedule best = schedule(graph, Strategy::ProgramOrder);
  for (Strategy strategy : {Strategy::FreeEarly, Strategy::LeastGrowth}) {
    Schedule other = schedule(graph, strategy);
    if (other.peak < best.peak)
      best = std::move(other);
  }
  return best.order;
}

/// For every command, those that must run after it.
static SmallVector<llvm::BitVector> getDescendants(const CommandGraph &graph,
                                                   ArrayRef<unsigned> order) {
  unsigned size = graph.getCommands().size();
  SmallVector<llvm::BitVector> descendants(size, llvm::BitVector(size));
  for (unsigned command : llvm::reverse(order))
    for (unsigned next : graph.getSuccessors(command)) {
      descendants[command].set(next);
      descendants[command] |= descendants[next];
    }
  return descendants;
}

int64_t exec::getLowerBound(const CommandGraph &graph) {
  SmallVector<unsigned> order = schedule(graph, Strategy::ProgramOrder).order;
  SmallVector<llvm::BitVector> descendants = getDescendants(graph, order);
  SmallVector<SmallVector<unsigned>> accessors(graph.getMemories().size());
  for (unsigned command : order)
    for (unsigned memory : getScratch(graph, command))
      accessors[memory].push_back(command);

  int64_t bound = 0;
  for (unsigned command : order) {
    auto isAfter = [&](unsigned other) {
      return descendants[command].test(other);
    };
    auto isBefore = [&](unsigned other) {
      return descendants[other].test(command);
    };
    int64_t live = 0;
    for (auto [memory, users] : llvm::enumerate(accessors))
      if (llvm::is_contained(users, command) ||
          (llvm::any_of(users, isBefore) && llvm::any_of(users, isAfter)))
        live += graph.getMemories()[memory].size;
    auto mayDie = [&](unsigned memory) {
      return llvm::none_of(accessors[memory], isAfter);
    };
    for (Reuse reuse : graph.getReuses(command, mayDie))
      live -= graph.getMemories()[reuse.written].size;
    bound = std::max(bound, live);
  }
  return bound;
}
