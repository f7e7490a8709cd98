//===- FusionRecompute.cpp - Copies of nodes in other groups --------------===//

#include "FusionGraph.h"

using namespace mlir;
using namespace graph;

/// A value with more readers is better kept.
static constexpr size_t kMaxReaders = 4;
/// Longer chains are work, whatever the model says.
static constexpr size_t kMaxRecomputed = 8;

/// The groups that read the node's result from memory.
SmallVector<unsigned> FusionGraph::getReadingGroups(unsigned node) const {
  llvm::SmallSetVector<unsigned, 4> found;
  auto add = [&](unsigned group) {
    if (group != groupOf[node] && !llvm::is_contained(copies[node], group))
      found.insert(group);
  };
  for (unsigned user : nodes[node].users) {
    add(groupOf[user]);
    for (unsigned group : copies[user])
      add(group);
  }
  return found.takeVector();
}

/// The node and what it needs that is not in memory. False if that is too much,
/// or more than elementwise operations.
bool FusionGraph::collectRecomputed(unsigned node,
                                    SmallVectorImpl<unsigned> &found) const {
  found.push_back(node);
  for (size_t i = 0; i < found.size(); ++i) {
    if (found.size() > kMaxRecomputed ||
        !isa<ScalarBodyOpInterface>(nodes[found[i]].op))
      return false;
    for (unsigned operand : nodes[found[i]].operands)
      if (!isOutput(operand, groups[groupOf[operand]].nodes) &&
          !llvm::is_contained(found, operand))
        found.push_back(operand);
  }
  return true;
}

void FusionGraph::tryRecompute(unsigned node) {
  unsigned owner = groupOf[node];
  SmallVector<unsigned> affected = getReadingGroups(node);
  SmallVector<unsigned> recomputed;
  if (nodes[node].escapes || groups[owner].isFixed || affected.empty() ||
      affected.size() > kMaxReaders || !collectRecomputed(node, recomputed))
    return;

  SmallVector<unsigned> added;
  for (unsigned reader : affected)
    for (unsigned copy : recomputed)
      if (groupOf[copy] != reader &&
          !llvm::is_contained(copies[copy], reader)) {
        copies[copy].push_back(reader);
        added.push_back(copy);
      }

  affected.push_back(owner);
  SmallVector<double> times;
  double before = 0, after = 0;
  for (unsigned group : affected) {
    std::optional<double> time = getTime(groups[group].nodes, group);
    if (!time)
      break;
    times.push_back(*time);
    before += groups[group].time;
    after += *time;
  }
  if (times.size() == affected.size() && after < before) {
    for (auto [group, time] : llvm::zip_equal(affected, times))
      groups[group].time = time;
    return;
  }
  for (unsigned copy : llvm::reverse(added))
    copies[copy].pop_back();
}

void FusionGraph::recompute() {
  for (unsigned node = 0; node < nodes.size(); ++node)
    tryRecompute(node);
}
