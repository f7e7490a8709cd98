//===- Graph.h - Recorded work ----------------------------------*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_DRIVER_GRAPH_H
#define GRAPHRT_EMULATOR_DRIVER_GRAPH_H

#include "Scheduler.h"

namespace graphrt::driver {

using NodeIndex = uint32_t;

/// Works in an order in which every one comes after those it depends on.
struct Graph {
  struct Node {
    WorkRef work;
    std::vector<NodeIndex> dependencies;
  };
  std::vector<Node> nodes;
};

/// A graph that can be launched.
class GraphExec {
public:
  /// Cuts the graph into chains, each with a lane of its own.
  GraphExec(const Graph &graph, Scheduler &scheduler);

  /// Submits all nodes after `stream`'s last operation and after the launch
  /// before, and their common end to the stream.
  void launch(Scheduler &scheduler, Lane &stream, unsigned streamNumber,
              std::span<const OperationRef> predecessors);

private:
  std::vector<Graph::Node> nodes;
  std::vector<Lane> lanes;
  /// For every node, its lane.
  std::vector<size_t> laneOf;
  /// Nodes that no other one depends on.
  std::vector<NodeIndex> sinks;
  OperationRef lastEnd;
};

} // namespace graphrt::driver

#endif // GRAPHRT_EMULATOR_DRIVER_GRAPH_H
