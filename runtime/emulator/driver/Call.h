//===- Call.h - What every function of the driver does ----------*- C++ -*-===//
//
// Takes the lock, checks that the driver is initialised and, where the function
// needs one, that a context is current and not lost, runs the body, and turns a
// fault into its code after keeping its text.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPHRT_EMULATOR_DRIVER_CALL_H
#define GRAPHRT_EMULATOR_DRIVER_CALL_H

#include "Context.h"
#include "Driver.h"

#include <new>

namespace graphrt::driver {

/// Runs body(Driver &) -> Outcome for the function called `name`, also before
/// cuInit.
template <typename Body>
CUresult callAlways(const char *name, Body body) {
  Driver &driver = Driver::instance();
  std::lock_guard lock(driver.mutex);
  try {
    return driver.finishCall(name, body(driver));
  } catch (const std::bad_alloc &) {
    return driver.finishCall(
        name, Fault{CUDA_ERROR_OUT_OF_MEMORY, "the host has no more memory"});
  }
}

/// As above, after cuInit.
template <typename Body>
CUresult callDriver(const char *name, Body body) {
  return callAlways(name, [&](Driver &driver) -> Outcome {
    if (!driver.isInitialized())
      return Fault{CUDA_ERROR_NOT_INITIALIZED, "cuInit has not been called"};
    return body(driver);
  });
}

/// Runs body(Context &) -> Outcome with the thread's current context.
template <typename Body>
CUresult callContext(const char *name, Body body) {
  return callDriver(name, [&](Driver &driver) -> Outcome {
    auto context = driver.currentContext();
    if (!context)
      return std::move(context.fault());
    if (Fault *lost = (*context)->lost())
      return *lost;
    return body(**context);
  });
}

/// The fault of a null pointer where the function called writes a result.
inline Fault nullPointer(const char *what) {
  return {CUDA_ERROR_INVALID_VALUE,
          std::string("found a null pointer, expected ") + what};
}

} // namespace graphrt::driver

#endif // GRAPHRT_EMULATOR_DRIVER_CALL_H
