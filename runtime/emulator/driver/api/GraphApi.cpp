//===- GraphApi.cpp - The driver's functions for graphs -------------------===//

#include "driver/Call.h"

using namespace graphrt::driver;

CUresult cuGraphInstantiate(CUgraphExec *exec, CUgraph handle,
                            unsigned long long flags) {
  return callContext(__func__, [&](Context &context) -> Outcome {
    if (!exec)
      return nullPointer("room for an executable graph");
    if (flags)
      return Fault{CUDA_ERROR_NOT_SUPPORTED,
                   "found flags " + std::to_string(flags) + ", expected 0"};
    auto graph = context.graphs.find(handle);
    if (!graph)
      return std::move(graph.fault());
    *exec = context.instantiate(**graph);
    return {};
  });
}

CUresult cuGraphLaunch(CUgraphExec handle, CUstream stream) {
  return callContext(__func__, [&](Context &context) -> Outcome {
    auto graph = context.graphExecs.find(handle);
    if (!graph)
      return std::move(graph.fault());
    auto launching = context.findStream(stream);
    if (!launching)
      return std::move(launching.fault());
    return context.launch(**graph, **launching);
  });
}

CUresult cuGraphExecDestroy(CUgraphExec handle) {
  return callContext(__func__, [&](Context &context) -> Outcome {
    auto graph = context.graphExecs.remove(handle);
    return graph ? Outcome() : std::move(graph.fault());
  });
}

CUresult cuGraphDestroy(CUgraph handle) {
  return callContext(__func__, [&](Context &context) -> Outcome {
    auto graph = context.graphs.remove(handle);
    return graph ? Outcome() : std::move(graph.fault());
  });
}
