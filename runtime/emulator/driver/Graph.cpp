//===- Graph.cpp - Recorded work ------------------------------------------===//

#include "Graph.h"

#include "Works.h"

using namespace graphrt::driver;

GraphExec::GraphExec(const Graph &graph, Scheduler &scheduler)
    : nodes(graph.nodes), laneOf(graph.nodes.size()) {
  // A node continues the chain of the first of its dependencies that no other
  // node has continued.
  std::vector<bool> isContinued(nodes.size()), isNeeded(nodes.size());
  for (NodeIndex index = 0; index < nodes.size(); ++index) {
    const std::vector<NodeIndex> &dependencies = nodes[index].dependencies;
    for (NodeIndex dependency : dependencies)
      isNeeded[dependency] = true;
    auto open = std::ranges::find_if(dependencies, [&](NodeIndex dependency) {
      return !isContinued[dependency];
    });
    if (open == dependencies.end()) {
      laneOf[index] = lanes.size();
      lanes.push_back(scheduler.makeLane());
    } else {
      laneOf[index] = laneOf[*open];
      isContinued[*open] = true;
    }
  }
  for (NodeIndex index = 0; index < nodes.size(); ++index)
    if (!isNeeded[index])
      sinks.push_back(index);
}

void GraphExec::launch(Scheduler &scheduler, Lane &stream,
                       unsigned streamNumber,
                       std::span<const OperationRef> predecessors) {
  std::vector<OperationRef> before(predecessors.begin(), predecessors.end());
  before.push_back(stream.tail);
  before.push_back(lastEnd);
  std::vector<OperationRef> operations;
  for (size_t index = 0; index < nodes.size(); ++index) {
    std::vector<OperationRef> awaited;
    for (NodeIndex dependency : nodes[index].dependencies)
      awaited.push_back(operations[dependency]);
    if (awaited.empty())
      awaited = before;
    operations.push_back(scheduler.submit(lanes[laneOf[index]], streamNumber,
                                          nodes[index].work, awaited));
  }
  std::vector<OperationRef> last = before;
  for (NodeIndex sink : sinks)
    last.push_back(operations[sink]);
  lastEnd =
      scheduler.submit(stream, streamNumber,
                       std::make_shared<MarkerWork>("end of a graph"), last);
}
