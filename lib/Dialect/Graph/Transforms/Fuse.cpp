//===- Fuse.cpp - Form kernels --------------------------------------------===//
//
// Greedy: the pair of groups whose merging saves the most time is merged, again
// and again, until no pair saves any. Pairs are an operation and its operand,
// and two readers of the same value. Which groups are possible, and what they
// cost, is the business of FusionGraph.
//
//===----------------------------------------------------------------------===//

#include "FusionGraph.h"
#include "graph/Dialect/Graph/Transforms/Passes.h"
#include "graph/Planning/TargetOption.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <queue>

namespace graph {
#define GEN_PASS_DEF_GRAPHFUSE
#include "graph/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace graph

using namespace mlir;
using namespace graph;

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

namespace {
class GreedyFuser {
public:
  explicit GreedyFuser(FusionGraph &graph)
      : graph(graph), versions(graph.getNumGroups()) {}

  void run();

private:
  /// A pair of groups as they were when it was looked at. Of equal pairs the
  /// later one in the program comes first.
  struct Candidate {
    double benefit;
    unsigned lhs, rhs;
    unsigned lhsVersion, rhsVersion;
    bool operator<(const Candidate &other) const {
      return std::tuple(benefit, lhs, rhs) <
             std::tuple(other.benefit, other.lhs, other.rhs);
    }
  };

  void consider(unsigned lhs, unsigned rhs);
  void considerReaders();
  void considerSmall();
  bool mergeAll();

  FusionGraph &graph;
  std::priority_queue<Candidate> candidates;
  /// Counts the merges into a group.
  std::vector<unsigned> versions;
};
} // namespace

void GreedyFuser::consider(unsigned lhs, unsigned rhs) {
  if (lhs == rhs || graph.getGroup(lhs).isFixed || graph.getGroup(rhs).isFixed)
    return;
  std::optional<double> benefit = graph.getBenefit(lhs, rhs);
  if (benefit && *benefit > 0)
    candidates.push({*benefit, lhs, rhs, versions[lhs], versions[rhs]});
}

/// Merges all candidates and those that come up on the way, the best first.
bool GreedyFuser::mergeAll() {
  bool changed = false;
  while (!candidates.empty()) {
    Candidate candidate = candidates.top();
    candidates.pop();
    if (candidate.lhsVersion != versions[candidate.lhs] ||
        candidate.rhsVersion != versions[candidate.rhs])
      continue;
    std::optional<unsigned> merged =
        graph.tryMerge(candidate.lhs, candidate.rhs);
    if (!merged)
      continue;
    changed = true;
    ++versions[candidate.lhs];
    ++versions[candidate.rhs];
    for (unsigned other : graph.getPredecessors(*merged))
      consider(other, *merged);
    for (unsigned other : graph.getSuccessors(*merged))
      consider(*merged, other);
  }
  return changed;
}

/// Readers of one value, each with the two before it: the sum of a gradient,
/// the product for its operand and that for the weights, of which the first and
/// the last share a kernel.
void GreedyFuser::considerReaders() {
  llvm::DenseSet<std::pair<unsigned, unsigned>> seen;
  for (const auto &[value, readers] : graph.getReaders())
    for (size_t i = 1; i < readers.size(); ++i)
      for (size_t j = i - std::min<size_t>(i, 2); j < i; ++j) {
        unsigned lhs = graph.getGroupOf(readers[j]);
        unsigned rhs = graph.getGroupOf(readers[i]);
        if (seen.insert({lhs, rhs}).second)
          consider(lhs, rhs);
      }
}

/// Kernels that are hardly more than a launch, each with the one before it that
/// has the same types of results and first operand.
void GreedyFuser::considerSmall() {
  llvm::DenseMap<std::pair<Type, Type>, unsigned> last;
  for (unsigned group = 0; group < graph.getNumGroups(); ++group) {
    const FusionGraph::Group &small = graph.getGroup(group);
    if (small.isFixed || small.nodes.empty() ||
        small.time > 2 * graph.getCosts().launch)
      continue;
    Operation *first = graph.getNodes()[small.nodes.front()].op;
    Value output = graph.getOutputs(group).back();
    if (first->getNumOperands() == 0)
      continue;
    auto [it, isNew] = last.try_emplace(
        {first->getOperand(0).getType(), output.getType()}, group);
    if (!isNew)
      consider(it->second, group);
    it->second = group;
  }
}

void GreedyFuser::run() {
  for (unsigned node = 0; node < graph.getNodes().size(); ++node)
    for (unsigned operand : graph.getNodes()[node].operands)
      consider(graph.getGroupOf(operand), graph.getGroupOf(node));
  mergeAll();
  // A merge may make more possible, but what has not settled after a few rounds
  // gains little.
  constexpr int kRounds = 3;
  bool changed = true;
  for (int round = 0; round < kRounds && changed; ++round) {
    considerReaders();
    considerSmall();
    changed = mergeAll();
  }
}

/// A remark for each pair of groups that an edge joins.
static void explainEdges(const FusionGraph &graph) {
  llvm::DenseSet<std::pair<unsigned, unsigned>> seen;
  for (const FusionGraph::Node &node : graph.getNodes())
    for (unsigned operand : node.operands) {
      unsigned user = graph.getGroupOf(&node - graph.getNodes().data());
      unsigned producer = graph.getGroupOf(operand);
      if (graph.isInside(graph.getNodes()[operand].op, user) ||
          graph.getGroup(user).isFixed || graph.getGroup(producer).isFixed ||
          !seen.insert({producer, user}).second)
        continue;
      std::string whyNot;
      graph.getBenefit(producer, user, &whyNot);
      Operation *from = graph.getNodes()[operand].op;
      InFlightDiagnostic remark = node.op->emitRemark()
                                  << "not fused with its operand '"
                                  << from->getName() << "': " << whyNot;
      remark.attachNote(from->getLoc()) << "the operand";
    }
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

namespace {
/// Replaces the groups of a block by fusions.
class FusionBuilder {
public:
  FusionBuilder(Block &block, const FusionGraph &graph)
      : block(block), graph(graph) {
    for (Operation &op : block)
      places[&op] = places.size();
  }

  void run();

private:
  SmallVector<Operation *> getBody(unsigned group,
                                   ArrayRef<Value> outputs) const;
  void build(unsigned group);
  bool isPlainDot(unsigned group) const;
  void sortBlock();

  Block &block;
  const FusionGraph &graph;
  /// Where an operation stood in the block; a fusion stands where the last of
  /// its operations did.
  llvm::DenseMap<Operation *, unsigned> places;
};
} // namespace

/// What the group computes for its outputs, in program order.
SmallVector<Operation *> FusionBuilder::getBody(unsigned group,
                                                ArrayRef<Value> outputs) const {
  llvm::SetVector<Operation *> body;
  for (Value output : outputs)
    body.insert(output.getDefiningOp());
  for (size_t i = 0; i < body.size(); ++i)
    for (Value operand : body[i]->getOperands())
      if (Operation *op = operand.getDefiningOp();
          op && graph.isInside(op, group))
        body.insert(op);
  SmallVector<Operation *> sorted = body.takeVector();
  llvm::sort(sorted, [&](Operation *lhs, Operation *rhs) {
    return places.lookup(lhs) < places.lookup(rhs);
  });
  return sorted;
}

void FusionBuilder::build(unsigned group) {
  SmallVector<Value> outputs = graph.getOutputs(group);
  if (outputs.empty())
    return;
  SmallVector<Operation *> ops = getBody(group, outputs);
  llvm::SmallPtrSet<Operation *, 16> inside(ops.begin(), ops.end());
  llvm::SetVector<Value> inputs;
  for (Operation *op : ops)
    for (Value operand : op->getOperands())
      if (!inside.contains(operand.getDefiningOp()))
        inputs.insert(operand);

  Operation *last = outputs.back().getDefiningOp();
  SmallVector<Location> locs =
      llvm::map_to_vector(outputs, [](Value value) { return value.getLoc(); });
  OpBuilder builder(last);
  auto fusion =
      FusionOp::create(builder, builder.getFusedLoc(locs),
                       ValueRange(outputs).getTypes(), inputs.getArrayRef());
  places[fusion] = places.lookup(last);

  Block &body = fusion.getBody().emplaceBlock();
  builder.setInsertionPointToStart(&body);
  IRMapping mapping;
  for (Value input : inputs)
    mapping.map(input, body.addArgument(input.getType(), input.getLoc()));
  for (Operation *op : ops)
    builder.clone(*op, mapping);
  YieldOp::create(builder, fusion.getLoc(),
                  llvm::map_to_vector(outputs, [&](Value value) {
                    return mapping.lookup(value);
                  }));
  for (auto [output, result] : llvm::zip_equal(outputs, fusion.getResults()))
    output.replaceAllUsesWith(result);
}

/// Puts operations after those that they use, otherwise in the order of their
/// places.
void FusionBuilder::sortBlock() {
  llvm::DenseMap<Operation *, unsigned> missing;
  using Entry = std::pair<unsigned, Operation *>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  auto isHere = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return op && op->getBlock() == &block;
  };
  for (Operation &op : block)
    if (unsigned count = llvm::count_if(op.getOperands(), isHere))
      missing[&op] = count;
    else
      ready.push({places.lookup(&op), &op});
  SmallVector<Operation *> sorted;
  while (!ready.empty()) {
    Operation *op = ready.top().second;
    ready.pop();
    sorted.push_back(op);
    // One entry for each operand that is a result of op.
    for (Operation *user : op->getUsers())
      if (--missing[user] == 0)
        ready.push({places.lookup(user), user});
  }
  for (Operation *op : sorted)
    op->moveBefore(&block, block.end());
}

/// A dot alone stays as it is, unless its kernel computes operands for it.
bool FusionBuilder::isPlainDot(unsigned group) const {
  return llvm::all_of(getBody(group, graph.getOutputs(group)),
                      llvm::IsaPred<DotOp, FusionOp, ReshapeOp>) &&
         graph.getGroup(group).nodes.size() == 1 &&
         isa<DotOp, FusionOp>(
             graph.getNodes()[graph.getGroup(group).nodes.front()].op);
}

void FusionBuilder::run() {
  SmallVector<Operation *> ops;
  for (Operation &op : block)
    ops.push_back(&op);
  llvm::DenseSet<Operation *> fused;
  for (unsigned i = 0; i < graph.getNumGroups(); ++i) {
    const FusionGraph::Group &group = graph.getGroup(i);
    if (group.isFixed || group.nodes.empty() || isPlainDot(i))
      continue;
    build(i);
    for (unsigned node : group.nodes)
      fused.insert(graph.getNodes()[node].op);
  }
  for (Operation *op : llvm::reverse(ops))
    if ((fused.contains(op) || graph.isFree(op)) && op->use_empty())
      op->erase();
  sortBlock();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct Fuse : graph::impl::GraphFuseBase<Fuse> {
  using GraphFuseBase::GraphFuseBase;

  void runOnOperation() override {
    FailureOr<KernelTarget> parsed = parseTargetOption(getOperation(), target);
    if (failed(parsed))
      return signalPassFailure();
    for (Block &block : getOperation().getBody())
      fuse(block, *parsed);
  }

  void fuse(Block &block, const KernelTarget &target) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
    FusionGraph graph(block, CostModel::get(target), target);
    GreedyFuser(graph).run();
    graph.recompute();
    if (explain)
      explainEdges(graph);
    FusionBuilder(block, graph).run();
    numFusions += llvm::range_size(block.getOps<FusionOp>());
  }
};
} // namespace
