//===- Stream.cpp - Queues of work ----------------------------------------===//

#include "Context.h"

using namespace graphrt::driver;

Result<Stream *> Context::findStream(CUstream handle) {
  if (!handle)
    return &defaultStream;
  auto stream = streams.find(handle);
  if (!stream)
    return std::move(stream.fault());
  return stream->get();
}

CUstream Context::createStream(bool isBlocking) {
  return streams.add(std::make_shared<Stream>(
      Stream{++streamCount, isBlocking, scheduler.makeLane()}));
}

Outcome Context::destroyStream(CUstream handle) {
  auto stream = streams.remove(handle);
  if (!stream)
    return std::move(stream.fault());
  if ((*stream)->capture)
    (*stream)->capture->flaw = "the end of one of its streams";
  return {};
}

std::vector<OperationRef> Context::implicitPredecessors(const Stream &stream) {
  std::vector<OperationRef> predecessors;
  if (&stream != &defaultStream) {
    if (stream.isBlocking)
      predecessors.push_back(defaultStream.lane.tail);
    return predecessors;
  }
  streams.forEach([&](const Stream &other) {
    if (other.isBlocking)
      predecessors.push_back(other.lane.tail);
  });
  return predecessors;
}

Outcome Context::submit(Stream &stream, WorkRef work) {
  if (stream.capture)
    return capture(stream, std::move(work));
  if (Outcome outcome = forbidImplicitWait(stream))
    return outcome;
  scheduler.submit(stream.lane, stream.number, std::move(work),
                   implicitPredecessors(stream));
  return {};
}

Outcome Context::submitAndFinish(Stream &stream, WorkRef work) {
  if (Outcome outcome = submit(stream, std::move(work)))
    return outcome;
  return synchronize(stream);
}

Outcome Context::synchronize(Stream &stream) {
  if (Outcome outcome = forbidCapture(stream, "a wait of the host"))
    return outcome;
  Outcome outcome = keepFault(scheduler.finish(stream.lane.tail));
  forgetIfQuiet();
  return outcome;
}
