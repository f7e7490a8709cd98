//===- Capture.cpp - Recording of work as graphs --------------------------===//

#include "Context.h"

#include <algorithm>

using namespace graphrt::driver;

namespace {

/// The first node that `tail` does not depend on, or the number of nodes.
NodeIndex findUnjoined(const Graph &graph, const std::vector<NodeIndex> &tail) {
  std::vector<bool> isReached(graph.nodes.size());
  for (NodeIndex index : tail)
    isReached[index] = true;
  for (NodeIndex index = graph.nodes.size(); index-- > 0;)
    if (isReached[index])
      for (NodeIndex dependency : graph.nodes[index].dependencies)
        isReached[dependency] = true;
  return std::ranges::find(isReached, false) - isReached.begin();
}

} // namespace

Outcome Context::spoil(Capture &capture, CUresult code,
                       const std::string &what) {
  if (capture.flaw.empty())
    capture.flaw = what;
  return Fault{code, "found " + what + " during a capture"};
}

Outcome Context::checkCapture(const Capture &capture) {
  if (capture.flaw.empty())
    return {};
  return Fault{CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
               "the capture is spoilt by " + capture.flaw};
}

Outcome Context::forbidCapture(Stream &stream, const char *what) {
  if (!stream.capture)
    return {};
  return spoil(*stream.capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
               std::string(what) + " on a stream that takes part");
}

Outcome Context::forbidCaptures(const char *what) {
  Outcome outcome;
  for (const std::weak_ptr<Capture> &reference : captures) {
    std::shared_ptr<Capture> capture = reference.lock();
    if (!capture || capture->mode == CU_STREAM_CAPTURE_MODE_RELAXED)
      continue;
    if (capture->mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL &&
        capture->thread != std::this_thread::get_id())
      continue;
    outcome = spoil(*capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, what);
  }
  return outcome;
}

Outcome Context::forbidImplicitWait(const Stream &stream) {
  Outcome outcome;
  if (&stream != &defaultStream)
    return outcome;
  streams.forEach([&](Stream &other) {
    if (other.isBlocking && other.capture)
      outcome = spoil(*other.capture, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
                      "work on the default stream, which waits for a stream "
                      "that takes part,");
  });
  return outcome;
}

Outcome Context::beginCapture(Stream &stream, CUstreamCaptureMode mode) {
  if (&stream == &defaultStream)
    return Fault{CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                 "found the default stream, expected one that can capture"};
  if (stream.capture)
    return Fault{CUDA_ERROR_ILLEGAL_STATE,
                 "found a stream that is capturing, expected one that is not"};
  std::erase_if(captures,
                [](const auto &capture) { return capture.expired(); });
  stream.capture = std::make_shared<Capture>(Capture{&stream, mode});
  stream.captureTail.clear();
  captures.push_back(stream.capture);
  return {};
}

Outcome Context::capture(Stream &stream, WorkRef work) {
  if (Outcome outcome = checkCapture(*stream.capture))
    return outcome;
  std::vector<Graph::Node> &nodes = stream.capture->graph->nodes;
  nodes.push_back({std::move(work), std::move(stream.captureTail)});
  stream.captureTail = {NodeIndex(nodes.size() - 1)};
  return {};
}

Outcome Context::joinCapture(Stream &stream, const Event &event) {
  std::shared_ptr<Capture> capture = event.capture.lock();
  if (!capture)
    return Fault{CUDA_ERROR_INVALID_VALUE,
                 "found event " + std::to_string(event.number) +
                     ", recorded in a capture that has ended"};
  if (Outcome outcome = checkCapture(*capture))
    return outcome;
  if (&stream == &defaultStream)
    return spoil(*capture, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
                 "a wait of the default stream");
  if (!stream.capture) {
    stream.capture = capture;
    stream.captureTail.clear();
  }
  if (stream.capture != capture) {
    (void)spoil(*capture, CUDA_ERROR_STREAM_CAPTURE_MERGE,
                "a wait of another capture");
    return spoil(*stream.capture, CUDA_ERROR_STREAM_CAPTURE_MERGE,
                 "a wait for an event of another capture");
  }
  for (NodeIndex node : event.captured)
    if (std::ranges::find(stream.captureTail, node) == stream.captureTail.end())
      stream.captureTail.push_back(node);
  return {};
}

Result<std::shared_ptr<Graph>> Context::endCapture(Stream &stream) {
  std::shared_ptr<Capture> capture = stream.capture;
  if (!capture)
    return Fault{CUDA_ERROR_ILLEGAL_STATE,
                 "found a stream that is not capturing, expected one that is"};
  if (capture->origin != &stream)
    return std::move(spoil(*capture, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED,
                           "an end on another stream than that of the begin")
                         .fault());
  if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED &&
      capture->thread != std::this_thread::get_id())
    return Fault{CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,
                 "found an end of a capture on another thread than its begin"};
  std::vector<NodeIndex> tail = stream.captureTail;
  streams.forEach([&](Stream &member) {
    if (member.capture == capture)
      member.capture = nullptr;
  });
  if (Outcome outcome = checkCapture(*capture))
    return std::move(outcome.fault());
  const std::vector<Graph::Node> &nodes = capture->graph->nodes;
  NodeIndex unjoined = findUnjoined(*capture->graph, tail);
  if (unjoined < nodes.size())
    return Fault{CUDA_ERROR_STREAM_CAPTURE_UNJOINED,
                 "found " + nodes[unjoined].work->describe() +
                     ", which the capturing stream does not wait for before "
                     "the capture ends"};
  return capture->graph;
}

Outcome Context::launch(GraphExec &graph, Stream &stream) {
  if (Outcome outcome = forbidCapture(stream, "a launch of a graph"))
    return outcome;
  if (Outcome outcome = forbidImplicitWait(stream))
    return outcome;
  graph.launch(scheduler, stream.lane, stream.number,
               implicitPredecessors(stream));
  return {};
}
