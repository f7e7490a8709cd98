//===- Warp.cpp - Thirty-two lanes and their registers --------------------===//

#include "exec/Warp.h"

#include "exec/AsyncCopy.h"
#include "exec/Block.h"
#include "exec/DeviceMemory.h"
#include "exec/WarpGroupProduct.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace graphrt;
using namespace graphrt::exec;

namespace {

/// Instructions of one warp before the others of the block get their turn.
constexpr uint64_t turn = 20000;
constexpr uint32_t never = ~uint32_t(0);

uint8_t *allocateAligned(size_t bytes) {
  void *memory = std::aligned_alloc(64, (bytes + 127) / 64 * 64);
  std::memset(memory, 0, bytes);
  return static_cast<uint8_t *>(memory);
}

std::string hex(uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof(text), "0x%08x", value);
  return text;
}

} // namespace

void Warp::Deleter::operator()(uint8_t *memory) const { std::free(memory); }

Warp::Warp(Block &block, unsigned index)
    : block(block), index(index),
      registers(allocateAligned(block.launch.kernel.registerFileBytes)),
      localBytes((block.launch.kernel.localBytes + 15) / 16 * 16) {
  localData.reset(allocateAligned(localBytes * warpSize));
  localStates.reset(allocateAligned(localBytes * warpSize));
  fillConstants();
}

Warp::~Warp() = default;
Warp::Warp(Warp &&) noexcept = default;

const ptx::Slot *Warp::slotList(const ptx::Instruction &instruction) const {
  return block.launch.kernel.slotLists.data() + instruction.list;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

namespace {

/// The value of a constant in one lane.
uint64_t valueOf(const ptx::Constant &constant, const Block &block,
                 unsigned warp, unsigned lane) {
  using ptx::Special;
  const LaunchState &launch = block.launch;
  const auto &extents = launch.config.block;
  uint32_t thread = warp * warpSize + lane;
  switch (constant.kind) {
  case Special::Immediate:
    return constant.value;
  case Special::VariableAddress:
    return launch.variables[constant.variable] + constant.value;
  case Special::DynamicSharedAddress:
    return launch.kernel.sharedBytes + constant.value;
  case Special::ParameterAddress:
    return reinterpret_cast<uint64_t>(launch.parameters) + constant.value;
  case Special::Tid:
    return constant.value == 0   ? thread % extents[0]
           : constant.value == 1 ? thread / extents[0] % extents[1]
                                 : thread / extents[0] / extents[1];
  case Special::Ntid:
    return extents[constant.value];
  case Special::Ctaid:
    return block.position[constant.value];
  case Special::Nctaid:
    return launch.config.grid[constant.value];
  case Special::Laneid:
    return lane;
  case Special::Warpid:
    return warp;
  case Special::Nwarpid:
    return (launch.threadsPerBlock + warpSize - 1) / warpSize;
  case Special::Nsmid:
    return 1;
  case Special::Smid:
  case Special::Gridid:
    return 0;
  case Special::LanemaskEq:
    return LaneMask(1) << lane;
  case Special::LanemaskLt:
    return (LaneMask(1) << lane) - 1;
  case Special::LanemaskLe:
    return (LaneMask(2) << lane) - 1;
  case Special::LanemaskGe:
    return ~((LaneMask(1) << lane) - 1);
  case Special::LanemaskGt:
    return ~((LaneMask(2) << lane) - 1);
  case Special::DynamicSharedSize:
    return launch.config.sharedBytes;
  case Special::TotalSharedSize:
    return block.sharedBytes;
  }
  return 0;
}

} // namespace

void Warp::fillConstant(const ptx::Constant &constant) {
  if (constant.bits == 1) {
    predicate(constant.slot) = constant.value;
    return;
  }
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    uint64_t value = valueOf(constant, block, index, lane);
    if (constant.bits == 16)
      lanes<uint16_t>(constant.slot)[lane] = value;
    else if (constant.bits == 32)
      lanes<uint32_t>(constant.slot)[lane] = value;
    else
      lanes<uint64_t>(constant.slot)[lane] = value;
  }
}

void Warp::fillConstants() {
  for (const ptx::Constant &constant : block.launch.kernel.constants)
    fillConstant(constant);
}

void Warp::start(LaneMask lanes) {
  for (const ptx::Constant &constant : block.launch.kernel.constants)
    if (constant.kind == ptx::Special::Ctaid)
      fillConstant(constant);
  std::memset(localStates.get(), int(ByteState::Uninitialized),
              localBytes * warpSize);
  groups.assign(1, LaneGroup{0, lanes});
  alive = lanes;
  executed = 0;
  copies.clear();
  products.clear();
  committedProducts = 0;
  std::fill_n(committedCopies, warpSize, 0);
  std::fill_n(committedBulk, warpSize, 0);
  std::fill_n(clock.seen, Clock::maxWarps, block.time);
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// Groups at the same instruction become one. A group that waits at a barrier
/// is already past its instruction.
void Warp::mergeGroups() {
  using State = LaneGroup::State;
  for (size_t first = 0; first < groups.size(); ++first)
    for (size_t second = groups.size(); second-- > first + 1;) {
      LaneGroup &one = groups[first], &other = groups[second];
      if (one.pc != other.pc || one.state == State::AtBarrier ||
          other.state == State::AtBarrier)
        continue;
      one.lanes |= other.lanes;
      one.state = State::Ready;
      groups.erase(groups.begin() + second);
    }
}

/// Groups that waited only for lanes that have ended are ready again.
bool Warp::retryConverging() {
  bool any = false;
  for (LaneGroup &group : groups)
    if (group.state == LaneGroup::State::Converging && !group.countsEnded &&
        (group.required & alive & ~group.lanes) == 0) {
      group.state = LaneGroup::State::Ready;
      any = true;
    }
  return any;
}

bool Warp::selectGroup() {
  using State = LaneGroup::State;
  if (groups.size() > 1)
    mergeGroups();
  do {
    uint32_t lowest = never;
    limit = never;
    for (size_t index = 0; index < groups.size(); ++index) {
      if (groups[index].state != State::Ready)
        continue;
      if (groups[index].pc < lowest) {
        limit = lowest;
        lowest = groups[index].pc;
        current = index;
      } else {
        limit = std::min(limit, groups[index].pc);
      }
    }
    if (lowest != never) {
      pc = lowest;
      groupLanes = groups[current].lanes;
      return true;
    }
  } while (retryConverging());
  bool anyConverging =
      std::any_of(groups.begin(), groups.end(), [](const LaneGroup &group) {
        return group.state == State::Converging;
      });
  bool anyAtBarrier =
      std::any_of(groups.begin(), groups.end(), [](const LaneGroup &group) {
        return group.state == State::AtBarrier;
      });
  if (anyConverging && !anyAtBarrier)
    reportDivergence();
  return false;
}

void Warp::reportDivergence() {
  for (size_t index = 0; index < groups.size(); ++index) {
    LaneGroup &group = groups[index];
    if (group.state != LaneGroup::State::Converging)
      continue;
    pc = group.pc;
    LaneMask missing = group.required & ~group.lanes;
    std::string rest;
    if (LaneMask ended = missing & ~alive)
      rest += ", lanes " + hex(ended) + " have ended";
    for (const LaneGroup &other : groups)
      if (&other != &group && (other.lanes & missing))
        rest += ", lanes " + hex(other.lanes) + " wait in line " +
                std::to_string(block.launch.kernel.code[other.pc].line);
    return fault(std::countr_zero(group.lanes),
                 "divergent barrier: lanes " + hex(group.lanes) +
                     " of the warp wait for lanes " + hex(missing) + rest);
  }
}

void Warp::removeCurrent() {
  groups.erase(groups.begin() + current);
  regroup = true;
}

void Warp::branch(uint32_t target) {
  if (active == groupLanes) {
    nextPc = target;
    return;
  }
  ++block.counters.divergentBranches;
  groups[current].pc = pc + 1;
  groups[current].lanes = groupLanes & ~active;
  groups.push_back({target, active});
  regroup = true;
}

void Warp::branchEach(const uint32_t *targets) {
  LaneMask rest = active;
  LaneMask stay = groupLanes & ~active;
  std::vector<LaneGroup> split;
  while (rest != 0) {
    uint32_t target = targets[std::countr_zero(rest)];
    LaneMask same = 0;
    for (LaneMask left = rest; left != 0; left &= left - 1)
      if (targets[std::countr_zero(left)] == target)
        same |= left & -left;
    split.push_back({target, same});
    rest &= ~same;
  }
  if (stay == 0 && split.size() == 1) {
    nextPc = split[0].pc;
    return;
  }
  ++block.counters.divergentBranches;
  if (stay != 0)
    split.push_back({pc + 1, stay});
  groups[current] = split.back();
  groups.insert(groups.end(), split.begin(), split.end() - 1);
  regroup = true;
}

void Warp::exit() {
  alive &= ~active;
  if (LaneMask rest = groupLanes & ~active) {
    groups[current].pc = pc + 1;
    groups[current].lanes = rest;
    regroup = true;
  } else {
    removeCurrent();
  }
  block.recheckBarriers();
}

bool Warp::converge(LaneMask required, bool countsEnded) {
  LaneMask needed = countsEnded ? required : required & alive;
  if ((needed & ~active) == 0)
    return true;
  // The lanes whose guard is off go their way.
  if (LaneMask rest = groupLanes & ~active)
    groups.push_back({pc + 1, rest});
  LaneGroup &group = groups[current];
  group.pc = pc;
  group.lanes = active;
  group.state = LaneGroup::State::Converging;
  group.required = required;
  group.countsEnded = countsEnded;
  regroup = true;
  return false;
}

void Warp::waitAt(unsigned barrier) {
  if (LaneMask rest = groupLanes & ~active)
    groups.push_back({pc + 1, rest});
  LaneGroup &group = groups[current];
  group.pc = pc + 1;
  group.lanes = active;
  group.state = LaneGroup::State::AtBarrier;
  group.barrier = barrier;
  regroup = true;
}

LaneMask Warp::release(unsigned barrier) {
  LaneMask released = 0;
  for (LaneGroup &group : groups)
    if (group.state == LaneGroup::State::AtBarrier &&
        group.barrier == barrier) {
      group.state = LaneGroup::State::Ready;
      released |= group.lanes;
    }
  return released;
}

void Warp::yield() {
  groups[current].pc = nextPc;
  regroup = yielded = true;
}

void Warp::synchronize() { clock.seen[index] = block.tick(); }

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

Warp::Outcome Warp::run() {
  const ptx::Instruction *code = block.launch.kernel.code.data();
  uint64_t quota = turn, threadInstructions = 0;
  Outcome outcome = Outcome::Blocked;
  while (quota != 0 && !faulted && selectGroup()) {
    regroup = yielded = false;
    for (;;) {
      const ptx::Instruction &instruction = code[pc];
      active = groupLanes;
      if (instruction.guard != ptx::noSlot)
        active &= predicate(instruction.guard) ^ instruction.guardMask;
      nextPc = pc + 1;
      threadInstructions += std::popcount(active);
      --quota;
      if (active != 0)
        instruction.execute(*this, instruction);
      if (regroup)
        break;
      pc = nextPc;
      if (pc >= limit || quota == 0) {
        groups[current].pc = pc;
        break;
      }
    }
    if (yielded)
      break;
  }
  if (quota != turn)
    outcome = yielded ? Outcome::Yielded : Outcome::Preempted;
  if (groups.empty())
    outcome = Outcome::Ended;
  executed += turn - quota;
  block.counters.warpInstructions += turn - quota;
  block.counters.threadInstructions += threadInstructions;
  if (executed > block.launch.options.maxWarpInstructions && !faulted &&
      outcome != Outcome::Ended)
    fault(groups.empty() ? 0 : std::countr_zero(groups[current].lanes),
          "endless loop: a warp has executed " + std::to_string(executed) +
              " instructions, expected at most " +
              std::to_string(block.launch.options.maxWarpInstructions),
          FaultKind::EndlessLoop);
  return outcome;
}

const ptx::Instruction &Warp::currentInstruction() const {
  return block.launch.kernel.code[pc];
}

uint32_t Warp::waitingLine() const {
  for (const LaneGroup &group : groups)
    if (group.state == LaneGroup::State::AtBarrier)
      return block.launch.kernel.code[group.pc - 1].line;
  // A loop around an instruction that fails to wait: that instruction.
  if (yielded && current < groups.size())
    return block.launch.kernel.code[groups[current].pc - 1].line;
  return groups.empty() ? 0 : block.launch.kernel.code[groups[0].pc].line;
}

void Warp::fault(unsigned lane, const std::string &what, FaultKind kind) {
  faulted = regroup = true;
  const ptx::Kernel &kernel = block.launch.kernel;
  uint32_t line = kernel.code[pc].line;
  block.launch.fail(
      {ErrorCode::Internal, what + " in kernel '" + kernel.name + "', " +
                                block.describeThread(index * warpSize + lane) +
                                ", line " + std::to_string(line) + ": " +
                                std::string(kernel.module->line(line))},
      kind);
}
