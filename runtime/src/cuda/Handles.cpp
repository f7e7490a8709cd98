//===- Handles.cpp - Owned objects of the CUDA driver ---------------------===//

#include "Handles.h"

using namespace graphrt;
using namespace graphrt::cuda;

Expected<Stream> graphrt::cuda::createStream(const Driver &driver) {
  CUstream stream = nullptr;
  if (Status status =
          driver.check(driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING),
                       "create a stream"))
    return status.failure();
  return Stream(driver, stream);
}

Expected<Event> graphrt::cuda::createEvent(const Driver &driver, bool isTimed) {
  CUevent event = nullptr;
  unsigned flags = isTimed ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING;
  if (Status status =
          driver.check(driver.cuEventCreate(&event, flags), "create an event"))
    return status.failure();
  return Event(driver, event);
}
