//===- DeviceApi.cpp - The driver's functions for devices -----------------===//

#include "driver/Call.h"

#include <cstdio>

using namespace graphrt::driver;

namespace {

/// Runs body(Driver &) -> Outcome if `result` is not null and there is such a
/// device.
template <typename Body>
CUresult callDevice(const char *name, const void *result, CUdevice device,
                    Body body) {
  return callDriver(name, [&](Driver &driver) -> Outcome {
    if (!result)
      return nullPointer("room for the result");
    if (Outcome outcome = driver.checkDevice(device))
      return outcome;
    return body(driver);
  });
}

} // namespace

CUresult cuInit(unsigned flags) {
  return callAlways(__func__, [&](Driver &driver) -> Outcome {
    if (flags)
      return Fault{CUDA_ERROR_INVALID_VALUE, "found flags, expected 0"};
    Outcome outcome = driver.initialize();
    // Who calls cuInit may know nothing of the emulator's own functions.
    if (outcome)
      std::fprintf(stderr, "graphrt-cuda-emulator: %s\n",
                   outcome.fault().message.c_str());
    return outcome;
  });
}

CUresult cuDriverGetVersion(int *version) {
  if (!version)
    return CUDA_ERROR_INVALID_VALUE;
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count) {
  return callDriver(__func__, [&](Driver &driver) -> Outcome {
    if (!count)
      return nullPointer("room for a number");
    *count = driver.options().devices;
    return {};
  });
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  return callDevice(__func__, device, ordinal, [&](Driver &) -> Outcome {
    *device = ordinal;
    return {};
  });
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
  return callDevice(__func__, name, device, [&](Driver &driver) -> Outcome {
    std::snprintf(name, length, "Emulated CUDA device %s",
                  driver.options().architecture->name);
    return {};
  });
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                              CUdevice device) {
  return callDevice(__func__, value, device, [&](Driver &driver) -> Outcome {
    auto found =
        findAttribute(*driver.options().architecture, device, attribute);
    if (!found)
      return std::move(found.fault());
    *value = *found;
    return {};
  });
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device) {
  return callDevice(__func__, pool, device, [&](Driver &driver) -> Outcome {
    *pool = driver.defaultPool(device);
    return {};
  });
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  return callDevice(__func__, context, device, [&](Driver &driver) -> Outcome {
    auto retained = driver.retainPrimary(device);
    if (!retained)
      return std::move(retained.fault());
    *context = *retained;
    return {};
  });
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  return callDriver(__func__, [&](Driver &driver) -> Outcome {
    if (Outcome outcome = driver.checkDevice(device))
      return outcome;
    return driver.releasePrimary(device);
  });
}

CUresult cuCtxSetCurrent(CUcontext context) {
  return callDriver(__func__, [&](Driver &driver) -> Outcome {
    return driver.setCurrent(context);
  });
}
