//===- Event.cpp - Points in the work of streams --------------------------===//

#include "Context.h"

using namespace graphrt::driver;

CUevent Context::createEvent(bool hasTiming) {
  return events.add(std::make_shared<Event>(Event{++eventCount, hasTiming}));
}

Outcome Context::record(Event &event, Stream &stream) {
  if (stream.capture) {
    if (Outcome outcome = checkCapture(*stream.capture))
      return outcome;
    event.isCaptured = true;
    event.capture = stream.capture;
    event.captured = stream.captureTail;
    return {};
  }
  auto marker = std::make_shared<MarkerWork>("record of event " +
                                             std::to_string(event.number));
  if (Outcome outcome = submit(stream, marker))
    return outcome;
  event.isCaptured = false;
  event.record = stream.lane.tail;
  return {};
}

Outcome Context::wait(Stream &stream, Event &event) {
  if (event.isCaptured)
    return joinCapture(stream, event);
  if (!event.record)
    return {};
  if (stream.capture)
    return spoil(*stream.capture, CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
                 "a wait for an event that was recorded outside of it");
  if (Outcome outcome = forbidImplicitWait(stream))
    return outcome;
  std::vector<OperationRef> predecessors = implicitPredecessors(stream);
  predecessors.push_back(event.record);
  scheduler.submit(stream.lane, stream.number,
                   std::make_shared<MarkerWork>("wait for event " +
                                                std::to_string(event.number)),
                   predecessors);
  return {};
}

Outcome Context::forbidCaptured(const Event &event) {
  if (!event.isCaptured)
    return {};
  Fault fault = {CUDA_ERROR_CAPTURED_EVENT,
                 "found event " + std::to_string(event.number) +
                     ", whose last record was captured, expected one that a "
                     "stream will reach"};
  if (std::shared_ptr<Capture> capture = event.capture.lock())
    capture->flaw = fault.message;
  return fault;
}

Outcome Context::synchronize(Event &event) {
  if (Outcome outcome = forbidCaptured(event))
    return outcome;
  Outcome outcome = keepFault(scheduler.finish(event.record));
  forgetIfQuiet();
  return outcome;
}

Result<float> Context::elapsed(const Event &start, const Event &end) {
  for (const Event *event : {&start, &end}) {
    std::string name = "found event " + std::to_string(event->number);
    if (!event->hasTiming)
      return Fault{CUDA_ERROR_INVALID_HANDLE,
                   name + ", created without timing"};
    if (!event->record)
      return Fault{CUDA_ERROR_INVALID_HANDLE, name + ", which has no record"};
    if (!event->record->isDone)
      return Fault{CUDA_ERROR_NOT_READY, {}};
  }
  return std::chrono::duration<float, std::milli>(end.record->doneAt -
                                                  start.record->doneAt)
      .count();
}
