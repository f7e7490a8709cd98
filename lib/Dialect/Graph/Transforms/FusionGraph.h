//===- FusionGraph.h - Operations of a block and their groups ---*- C++ -*-===//
//
// What `--graph-fuse` works on: the operations of one block, partitioned into
// groups that become kernels.
//
// An operation is one of
//  - *fixed*: no kernel of ours computes it (calls, the terminator, and dots
//  where
//    the target has no kernels for them);
//  - *free*: every kernel that needs it computes it again, because that moves
//  no
//    more bytes than reading its result would: splat constants, iotas,
//    broadcasts, slices, reshapes, cheap operations on those;
//  - a *node*: a member of exactly one group. Other groups may hold a copy of
//  it
//    and compute it again (see `recompute`).
//
// Edges lead from node to node and look through free operations:
//
//   %m = graph.reduce max, %x             node 0
//   %b = graph.broadcast %m               free
//   %s = graph.sub %x, %b                 node 1, operands {node 0}
//
// The groups are kept in a topological order while they merge (after Pearce and
// Kelly, "A dynamic topological sort algorithm for directed acyclic graphs"),
// which makes the search for a cycle local.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_LIB_DIALECT_GRAPH_TRANSFORMS_FUSIONGRAPH_H
#define GRAPH_LIB_DIALECT_GRAPH_TRANSFORMS_FUSIONGRAPH_H

#include "graph/Planning/CostModel.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace graph {

class FusionGraph {
public:
  struct Node {
    mlir::Operation *op;
    bool isFixed;
    /// A fixed operation uses the result, directly or under another shape.
    bool escapes;
    /// Without repetition, in program order.
    llvm::SmallVector<unsigned, 4> operands, users;
  };

  /// Groups are known by numbers that stay valid; a group that was merged into
  /// another is empty.
  struct Group {
    /// In program order.
    llvm::SmallVector<unsigned, 4> nodes;
    /// Of the kernel that the group is; not valid for fixed ones.
    double time = 0;
    bool isFixed = false;
  };

  FusionGraph(mlir::Block &block, const CostModel &costs,
              const KernelTarget &target);

  llvm::ArrayRef<Node> getNodes() const { return nodes; }
  const Group &getGroup(unsigned group) const { return groups[group]; }
  const CostModel &getCosts() const { return costs; }
  unsigned getNumGroups() const { return groups.size(); }
  unsigned getGroupOf(unsigned node) const { return groupOf[node]; }
  bool isFree(mlir::Operation *op) const { return freeOps.contains(op); }
  /// Whether the group computes `op`: a member, a copy or a free operation.
  bool isInside(mlir::Operation *op, unsigned group) const;
  /// For every value that is read from memory the nodes that read it, in
  /// program order.
  const llvm::MapVector<mlir::Value, llvm::SmallVector<unsigned, 2>> &
  getReaders() const {
    return readers;
  }

  /// The results of the group that are used outside of it. There are none where
  /// all users compute them again.
  llvm::SmallVector<mlir::Value> getOutputs(unsigned group) const {
    return getOutputs(groups[group].nodes);
  }

  /// The groups with an operand (a user) of the group, each once.
  llvm::SmallVector<unsigned> getPredecessors(unsigned group) const;
  llvm::SmallVector<unsigned> getSuccessors(unsigned group) const;

  /// The time that one kernel for both groups saves, nothing where there is no
  /// such kernel. `whyNot`, where given, says what stands against it.
  std::optional<double> getBenefit(unsigned lhs, unsigned rhs,
                                   std::string *whyNot = nullptr) const;

  /// Merges two groups if that saves time; returns the number of the merged
  /// one, `lhs` or `rhs`. The other one is empty then.
  std::optional<unsigned> tryMerge(unsigned lhs, unsigned rhs);

  /// Copies elementwise nodes into the groups that read them, where computing
  /// them again takes less time than writing and reading them: x + bias, which
  /// the backward pass needs too, is cheaper to add twice. No group may be
  /// merged afterwards.
  void recompute();

private:
  /// What computing a free operation again costs.
  struct FreeCost {
    int64_t bytesRead, flops;
  };

  bool isFixed(mlir::Operation *op) const;
  std::optional<FreeCost> getFreeCost(mlir::Operation *op) const;
  void classify(mlir::Block &block);
  void connect(mlir::Block &block);

  bool isOutput(unsigned node, llvm::ArrayRef<unsigned> members) const;
  llvm::SmallVector<mlir::Value>
  getOutputs(llvm::ArrayRef<unsigned> members) const;
  std::optional<double> getTime(llvm::ArrayRef<unsigned> members,
                                unsigned group,
                                std::string *whyNot = nullptr) const;
  llvm::SmallVector<unsigned> getReadingGroups(unsigned node) const;
  bool collectRecomputed(unsigned node,
                         llvm::SmallVectorImpl<unsigned> &found) const;
  void tryRecompute(unsigned node);
  bool collectBetween(unsigned from, unsigned to, bool forward,
                      llvm::SmallVectorImpl<unsigned> &found) const;
  struct Merge {
    /// In the topological order.
    unsigned first, second;
    llvm::SmallVector<unsigned, 8> nodes;
    double time;
    /// What lies between them in the order and must run before (after) both.
    llvm::SmallVector<unsigned> ancestors, descendants;
  };
  std::optional<Merge> planMerge(unsigned lhs, unsigned rhs,
                                 std::string *whyNot) const;

  CostModel costs;
  KernelTarget target;
  std::vector<Node> nodes;
  std::vector<Group> groups;
  std::vector<unsigned> groupOf;
  /// The other groups that compute a node.
  std::vector<llvm::SmallVector<unsigned, 1>> copies;
  /// The place of a group in the topological order.
  std::vector<unsigned> order;
  llvm::DenseMap<mlir::Operation *, unsigned> nodeOf;
  llvm::DenseMap<mlir::Operation *, FreeCost> freeOps;
  /// Operations whose result lies in memory for a fixed operation or for a dot
  /// and others, directly or under another shape; those that only a dot uses.
  llvm::DenseSet<mlir::Operation *> escaping, multiplied;
  /// What a free operation reads, looking through others.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value, 2>> sources;
  llvm::MapVector<mlir::Value, llvm::SmallVector<unsigned, 2>> readers;
};

} // namespace graph

#endif // GRAPH_LIB_DIALECT_GRAPH_TRANSFORMS_FUSIONGRAPH_H
