//===- Driver.cpp - The emulated driver of a process ----------------------===//

#include "Driver.h"

#include <cstdio>
#include <fstream>

using namespace graphrt::driver;

namespace {

/// A context is current to a thread, by the driver's own definition.
thread_local CUcontext threadContext = nullptr;

} // namespace

Driver &Driver::instance() {
  // Never destroyed: applications call the driver from destructors of theirs
  // that run after ours.
  static Driver &driver = *new Driver;
  struct ReportAtExit {
    ~ReportAtExit() { driver.writeReport(); }
  };
  static ReportAtExit atExit;
  return driver;
}

Outcome Driver::initialize() {
  if (initialized)
    return {};
  auto options = parseEnvironment();
  if (!options)
    return std::move(options.fault());
  if (options->devices == 0)
    return Fault{CUDA_ERROR_NO_DEVICE, "GRAPHRT_EMULATOR_DEVICES is 0"};
  currentOptions = std::move(*options);
  for (int device = 0; device < currentOptions.devices; ++device)
    devices.push_back({.pool = pools.add(std::make_shared<MemoryPool>())});
  initialized = true;
  return {};
}

void Driver::reset() {
  writeReport();
  contexts.clear();
  pools.clear();
  devices.clear();
  report = Report();
  faultText.clear();
  initialized = false;
}

Outcome Driver::checkDevice(CUdevice device) const {
  if (device >= 0 && device < int(devices.size()))
    return {};
  return Fault{CUDA_ERROR_INVALID_DEVICE,
               "found device " + std::to_string(device) +
                   ", expected one of the " + std::to_string(devices.size())};
}

Result<CUcontext> Driver::retainPrimary(CUdevice index) {
  Device &device = devices[index];
  if (device.retains == 0) {
    auto context =
        Context::create(currentOptions, index, ++contextCount, report);
    if (!context)
      return std::move(context.fault());
    device.primary = contexts.add(std::move(*context));
  }
  ++device.retains;
  return device.primary;
}

Outcome Driver::releasePrimary(CUdevice index) {
  Device &device = devices[index];
  if (device.retains == 0)
    return Fault{CUDA_ERROR_INVALID_CONTEXT,
                 "found a release of a primary context that nobody retains"};
  if (--device.retains > 0)
    return {};
  auto context = contexts.remove(device.primary);
  Outcome outcome;
  if (!(*context)->lost())
    outcome = (*context)->synchronizeAll();
  writeReport();
  return outcome;
}

Outcome Driver::setCurrent(CUcontext handle) {
  if (handle)
    if (auto context = contexts.find(handle); !context)
      return Fault{CUDA_ERROR_INVALID_CONTEXT, context.fault().message};
  threadContext = handle;
  return {};
}

Result<std::shared_ptr<Context>> Driver::currentContext() const {
  if (!threadContext)
    return Fault{CUDA_ERROR_INVALID_CONTEXT,
                 "this thread has no current context"};
  auto context = contexts.find(threadContext);
  if (!context)
    return Fault{CUDA_ERROR_CONTEXT_IS_DESTROYED, context.fault().message};
  return context;
}

CUresult Driver::finishCall(const char *function, Outcome outcome) {
  if (!outcome)
    return CUDA_SUCCESS;
  // Not ready is an answer, not a fault.
  if (outcome.fault().code != CUDA_ERROR_NOT_READY)
    faultText = std::string(function) + ": " + outcome.fault().message;
  return outcome.fault().code;
}

std::string Driver::reportText() const {
  return report.toJson(initialized ? currentOptions.architecture->name : "");
}

void Driver::writeReport() const {
  if (!initialized || currentOptions.reportPath.empty())
    return;
  std::ofstream file(currentOptions.reportPath);
  file << reportText();
  if (!file.flush())
    std::fprintf(stderr,
                 "graphrt-cuda-emulator: cannot write the report '%s'\n",
                 currentOptions.reportPath.c_str());
}
