//===- Stream.h - Streams and events ----------------------------*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_DRIVER_STREAM_H
#define GRAPHRT_EMULATOR_DRIVER_STREAM_H

#include "Graph.h"
#include "Scheduler.h"

#include <thread>

namespace graphrt::driver {

struct Stream;

/// The work that a group of streams records instead of doing it.
struct Capture {
  const Stream *origin;
  CUstreamCaptureMode mode;
  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
  std::thread::id thread = std::this_thread::get_id();
  /// Why it cannot end well; empty while it can.
  std::string flaw = {};
};

struct Stream {
  /// For messages; 0 is the default stream.
  unsigned number = 0;
  /// Whether it is ordered with the default stream.
  bool isBlocking = false;
  Lane lane = {};

  /// While capturing: the capture, the nodes that the next one depends on.
  std::shared_ptr<Capture> capture = nullptr;
  std::vector<NodeIndex> captureTail = {};
};

struct Event {
  unsigned number;
  bool hasTiming;
  /// The last record; null before the first.
  OperationRef record = nullptr;
  /// If the last record was captured: by what, after which nodes.
  std::weak_ptr<Capture> capture = {};
  std::vector<NodeIndex> captured = {};
  bool isCaptured = false;
};

} // namespace graphrt::driver

#endif // GRAPHRT_EMULATOR_DRIVER_STREAM_H
