//===- FusionGraph.cpp - Operations of a block and their groups -----------===//

#include "FusionGraph.h"

#include "graph/Planning/DotEpilogue.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace graph;

/// Larger kernels gain nothing and cost registers and compile time.
static constexpr size_t kMaxGroupSize = 128;
/// A search for a path gives up after this many groups: what lies so far apart
/// would keep much memory alive if it were one kernel.
static constexpr size_t kMaxSearch = 1024;

static bool isSplat(Operation *op) {
  return matchPattern(op, m_Constant<SplatElementsAttr>(nullptr));
}

static bool isContraction(Operation *op) {
  auto fusion = dyn_cast<FusionOp>(op);
  return isa<DotOp>(op) || (fusion && getFusedDot(fusion));
}

/// Whether kernels compute such an operation at all.
bool FusionGraph::isFixed(Operation *op) const {
  if (isContraction(op))
    return !target.hasContraction();
  return !isa<IterationSpaceOpInterface>(op) ||
         isa<DecomposableOpInterface>(op) ||
         (isa<ConstantOp>(op) && !isSplat(op));
}

FusionGraph::FusionGraph(Block &block, const CostModel &costs,
                         const KernelTarget &target)
    : costs(costs), target(target) {
  classify(block);
  connect(block);
  groups.resize(nodes.size());
  copies.resize(nodes.size());
  for (unsigned i = 0; i < nodes.size(); ++i) {
    groupOf.push_back(i);
    order.push_back(i);
    groups[i].nodes = {i};
    groups[i].isFixed = nodes[i].isFixed;
  }
  for (auto [number, group] : llvm::enumerate(groups)) {
    if (group.isFixed)
      continue;
    std::optional<double> time = getTime(group.nodes, number);
    group.isFixed = !time;
    group.time = time.value_or(0);
  }
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

std::optional<FusionGraph::FreeCost>
FusionGraph::getFreeCost(Operation *op) const {
  // Chains of cheap operations add up; a transcendental one is never cheap.
  constexpr int64_t kCheap = 8;
  if (isSplat(op))
    return FreeCost{0, 0};
  // Whether a dot computes its operand is worth a decision.
  if (isa<ReshapeOp>(op) ||
      (!escaping.contains(op) && !multiplied.contains(op))) {
    int64_t size = getTensorBytes(op->getResult(0).getType());
    FreeCost cost = {0, 0};
    for (Value operand : op->getOperands()) {
      auto it = freeOps.find(operand.getDefiningOp());
      bool isAgain = it != freeOps.end();
      cost.bytesRead +=
          isAgain ? it->second.bytesRead : getTensorBytes(operand.getType());
      cost.flops += isAgain ? it->second.flops : 0;
    }
    if (isa<IotaOp, BroadcastOp, ReshapeOp>(op))
      return cost;
    if (isa<SliceOp>(op))
      return FreeCost{std::min(size, cost.bytesRead), cost.flops};
    if (auto scalar = dyn_cast<ScalarBodyOpInterface>(op)) {
      cost.flops += scalar.getFlopsPerElement();
      if (cost.flops <= kCheap && cost.bytesRead <= size)
        return cost;
    }
  }
  return std::nullopt;
}

void FusionGraph::classify(Block &block) {
  auto isUsed = [](Operation &op, const llvm::DenseSet<Operation *> &known,
                   auto isUser) {
    return llvm::any_of(op.getUsers(), [&](Operation *user) {
      return isUser(user) || (isa<ReshapeOp>(user) && known.contains(user));
    });
  };
  for (Operation &op : llvm::reverse(block)) {
    if (isFixed(&op))
      continue;
    // What others read too lies in memory anyway.
    bool isMultiplied = isUsed(op, multiplied, isContraction);
    if (isUsed(op, escaping, [&](Operation *user) { return isFixed(user); }) ||
        (isMultiplied && !op.hasOneUse()))
      escaping.insert(&op);
    else if (isMultiplied)
      multiplied.insert(&op);
  }
  for (Operation &op : block)
    if (!isFixed(&op))
      if (std::optional<FreeCost> cost = getFreeCost(&op))
        freeOps.try_emplace(&op, *cost);
}

void FusionGraph::connect(Block &block) {
  for (Operation &op : block) {
    llvm::SmallSetVector<Value, 4> operands;
    for (Value operand : op.getOperands()) {
      auto source = sources.find(operand.getDefiningOp());
      if (source == sources.end())
        operands.insert(operand);
      else
        operands.insert_range(source->second);
    }
    if (freeOps.contains(&op)) {
      sources[&op].assign(operands.begin(), operands.end());
      continue;
    }
    unsigned number = nodes.size();
    Node node = {&op, isFixed(&op), escaping.contains(&op), {}, {}};
    for (Value operand : operands) {
      readers[operand].push_back(number);
      auto it = nodeOf.find(operand.getDefiningOp());
      if (it == nodeOf.end())
        continue;
      node.operands.push_back(it->second);
      nodes[it->second].users.push_back(number);
    }
    nodes.push_back(std::move(node));
    nodeOf[&op] = number;
  }
}

/// Whether a kernel of `members`, one of them `number`, must write its result.
bool FusionGraph::isOutput(unsigned number, ArrayRef<unsigned> members) const {
  auto reads = [&](unsigned group) {
    return !llvm::is_contained(copies[number], group);
  };
  return nodes[number].escapes ||
         llvm::any_of(nodes[number].users, [&](unsigned user) {
           bool isMember =
               std::binary_search(members.begin(), members.end(), user);
           return (!isMember && reads(groupOf[user])) ||
                  llvm::any_of(copies[user], [&](unsigned group) {
                    return group != groupOf[number] && reads(group);
                  });
         });
}

SmallVector<Value> FusionGraph::getOutputs(ArrayRef<unsigned> members) const {
  SmallVector<Value> outputs;
  for (unsigned member : members)
    if (isOutput(member, members))
      outputs.push_back(nodes[member].op->getResult(0));
  return outputs;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

SmallVector<unsigned> FusionGraph::getPredecessors(unsigned group) const {
  llvm::SmallSetVector<unsigned, 8> found;
  for (unsigned node : groups[group].nodes)
    for (unsigned operand : nodes[node].operands)
      if (groupOf[operand] != group)
        found.insert(groupOf[operand]);
  return found.takeVector();
}

SmallVector<unsigned> FusionGraph::getSuccessors(unsigned group) const {
  llvm::SmallSetVector<unsigned, 8> found;
  for (unsigned node : groups[group].nodes)
    for (unsigned user : nodes[node].users)
      if (groupOf[user] != group)
        found.insert(groupOf[user]);
  return found.takeVector();
}

bool FusionGraph::isInside(Operation *op, unsigned group) const {
  if (freeOps.contains(op))
    return true;
  auto it = nodeOf.find(op);
  return it != nodeOf.end() && (groupOf[it->second] == group ||
                                llvm::is_contained(copies[it->second], group));
}

/// The time of a kernel of `members` and the copies that `group` holds.
std::optional<double> FusionGraph::getTime(ArrayRef<unsigned> members,
                                           unsigned group,
                                           std::string *whyNot) const {
  SmallVector<Value> outputs = getOutputs(members);
  if (outputs.empty())
    return 0;
  auto isInKernel = [&](Operation *op) {
    if (isInside(op, group))
      return true;
    auto it = nodeOf.find(op);
    return it != nodeOf.end() &&
           std::binary_search(members.begin(), members.end(), it->second);
  };
  FailureOr<KernelPlan> plan =
      planKernel({}, outputs, isInKernel, target, whyNot);
  if (failed(plan))
    return std::nullopt;
  double time = costs.getTime(plan->cost);
  if (plan->contraction && !matchDotEpilogue(*plan))
    time += plan->cost.dotFlops * costs.productPenalty;
  return time;
}

/// Collects the groups that `from` reaches (that reach it, if not `forward`) on
/// this side of `to` in the topological order. False if one of them leads to
/// `to`, or if there are too many.
bool FusionGraph::collectBetween(unsigned from, unsigned to, bool forward,
                                 SmallVectorImpl<unsigned> &found) const {
  llvm::SmallDenseSet<unsigned> seen;
  auto expand = [&](unsigned group) {
    for (unsigned next :
         forward ? getSuccessors(group) : getPredecessors(group)) {
      if (next == to) {
        if (group != from)
          return false;
        continue;
      }
      bool isBetween =
          forward ? order[next] < order[to] : order[next] > order[to];
      if (isBetween && seen.insert(next).second)
        found.push_back(next);
    }
    return found.size() <= kMaxSearch;
  };
  if (!expand(from))
    return false;
  for (size_t i = 0; i < found.size(); ++i)
    if (!expand(found[i]))
      return false;
  return true;
}

std::optional<FusionGraph::Merge>
FusionGraph::planMerge(unsigned lhs, unsigned rhs, std::string *whyNot) const {
  auto fail = [&](const Twine &reason) {
    if (whyNot)
      *whyNot = reason.str();
    return std::nullopt;
  };
  Merge merge;
  merge.first = order[lhs] < order[rhs] ? lhs : rhs;
  merge.second = merge.first == lhs ? rhs : lhs;
  const Group &first = groups[merge.first], &second = groups[merge.second];
  if (first.isFixed || second.isFixed)
    return fail("no kernel computes one of them");
  if (first.nodes.size() + second.nodes.size() > kMaxGroupSize)
    return fail("the kernel would have more than " + Twine(kMaxGroupSize) +
                " operations");
  std::merge(first.nodes.begin(), first.nodes.end(), second.nodes.begin(),
             second.nodes.end(), std::back_inserter(merge.nodes));
  std::optional<double> time = getTime(merge.nodes, merge.second, whyNot);
  if (!time)
    return std::nullopt;
  merge.time = *time;
  if (!collectBetween(merge.first, merge.second, /*forward=*/true,
                      merge.descendants) ||
      !collectBetween(merge.second, merge.first, /*forward=*/false,
                      merge.ancestors))
    return fail("something between them must run after one and before the "
                "other");
  return merge;
}

std::optional<double> FusionGraph::getBenefit(unsigned lhs, unsigned rhs,
                                              std::string *whyNot) const {
  std::optional<Merge> merge = planMerge(lhs, rhs, whyNot);
  if (!merge)
    return std::nullopt;
  double apart = groups[lhs].time + groups[rhs].time;
  if (merge->time >= apart && whyNot)
    *whyNot = llvm::formatv("one kernel would take {0:f1} us, two take {1:f1} "
                            "us",
                            merge->time / 1000, apart / 1000)
                  .str();
  return apart - merge->time;
}

/// The nodes of `first` go to `second`. What must run before both comes first
/// in the order, then the merged group, then what must run after; all other
/// groups keep their places.
std::optional<unsigned> FusionGraph::tryMerge(unsigned lhs, unsigned rhs) {
  std::optional<Merge> merge = planMerge(lhs, rhs, /*whyNot=*/nullptr);
  if (!merge || merge->time >= groups[lhs].time + groups[rhs].time)
    return std::nullopt;

  unsigned second = merge->second;
  for (unsigned node : groups[merge->first].nodes)
    groupOf[node] = second;
  groups[merge->first].nodes.clear();
  groups[second].nodes.assign(merge->nodes.begin(), merge->nodes.end());
  groups[second].time = merge->time;

  auto byOrder = [&](unsigned lhs, unsigned rhs) {
    return order[lhs] < order[rhs];
  };
  llvm::sort(merge->ancestors, byOrder);
  llvm::sort(merge->descendants, byOrder);
  SmallVector<unsigned> sequence = std::move(merge->ancestors);
  sequence.push_back(second);
  llvm::append_range(sequence, merge->descendants);
  SmallVector<unsigned> places = llvm::map_to_vector(
      sequence, [&](unsigned group) { return order[group]; });
  llvm::sort(places);
  for (auto [group, place] : llvm::zip_equal(sequence, places))
    order[group] = place;
  return second;
}
