//===- StreamApi.cpp - The driver's functions for streams and events ------===//

#include "driver/Call.h"

using namespace graphrt::driver;

namespace {

/// Runs body(Context &, Stream &) -> Outcome.
template <typename Body>
CUresult callStream(const char *name, CUstream handle, Body body) {
  return callContext(name, [&](Context &context) -> Outcome {
    auto stream = context.findStream(handle);
    return stream ? body(context, **stream)
                  : Outcome(std::move(stream.fault()));
  });
}

/// Runs body(Context &, Event &) -> Outcome.
template <typename Body>
CUresult callEvent(const char *name, CUevent handle, Body body) {
  return callContext(name, [&](Context &context) -> Outcome {
    auto event = context.events.find(handle);
    return event ? body(context, **event) : Outcome(std::move(event.fault()));
  });
}

} // namespace

CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  return callContext(__func__, [&](Context &context) -> Outcome {
    if (!stream)
      return nullPointer("room for a stream");
    if (flags != CU_STREAM_DEFAULT && flags != CU_STREAM_NON_BLOCKING)
      return Fault{CUDA_ERROR_INVALID_VALUE,
                   "found flags " + std::to_string(flags) +
                       ", expected default or non-blocking"};
    *stream = context.createStream(flags == CU_STREAM_DEFAULT);
    return {};
  });
}

CUresult cuStreamDestroy(CUstream stream) {
  return callContext(__func__, [&](Context &context) {
    return context.destroyStream(stream);
  });
}

CUresult cuStreamSynchronize(CUstream handle) {
  return callStream(__func__, handle, [](Context &context, Stream &stream) {
    return context.synchronize(stream);
  });
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent handle, unsigned) {
  return callEvent(__func__, handle,
                   [&](Context &context, Event &event) -> Outcome {
                     auto waiting = context.findStream(stream);
                     if (!waiting)
                       return std::move(waiting.fault());
                     return context.wait(**waiting, event);
                   });
}

CUresult cuStreamBeginCapture(CUstream handle, CUstreamCaptureMode mode) {
  return callStream(__func__, handle, [&](Context &context, Stream &stream) {
    return context.beginCapture(stream, mode);
  });
}

CUresult cuStreamEndCapture(CUstream handle, CUgraph *graph) {
  return callStream(__func__, handle,
                    [&](Context &context, Stream &stream) -> Outcome {
                      if (!graph)
                        return nullPointer("room for a graph");
                      *graph = nullptr;
                      auto recorded = context.endCapture(stream);
                      if (!recorded)
                        return std::move(recorded.fault());
                      *graph = context.graphs.add(std::move(*recorded));
                      return {};
                    });
}

CUresult cuEventCreate(CUevent *event, unsigned flags) {
  return callContext(__func__, [&](Context &context) -> Outcome {
    if (!event)
      return nullPointer("room for an event");
    *event = context.createEvent(!(flags & CU_EVENT_DISABLE_TIMING));
    return {};
  });
}

CUresult cuEventDestroy(CUevent handle) {
  return callContext(__func__, [&](Context &context) -> Outcome {
    auto event = context.events.remove(handle);
    return event ? Outcome() : std::move(event.fault());
  });
}

CUresult cuEventRecord(CUevent handle, CUstream stream) {
  return callEvent(__func__, handle,
                   [&](Context &context, Event &event) -> Outcome {
                     auto recording = context.findStream(stream);
                     if (!recording)
                       return std::move(recording.fault());
                     return context.record(event, **recording);
                   });
}

CUresult cuEventSynchronize(CUevent handle) {
  return callEvent(__func__, handle, [](Context &context, Event &event) {
    return context.synchronize(event);
  });
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  return callContext(__func__, [&](Context &context) -> Outcome {
    if (!milliseconds)
      return nullPointer("room for a time");
    auto first = context.events.find(start), last = context.events.find(end);
    if (!first)
      return std::move(first.fault());
    if (!last)
      return std::move(last.fault());
    auto elapsed = context.elapsed(**first, **last);
    if (!elapsed)
      return std::move(elapsed.fault());
    *milliseconds = *elapsed;
    return {};
  });
}
