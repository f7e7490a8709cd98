//===- Driver.cpp - The CUDA driver, loaded at run time -------------------===//

#include "Driver.h"

#include <dlfcn.h>
#include <map>
#include <memory>
#include <mutex>

using namespace graphrt;
using namespace graphrt::cuda;

namespace {

constexpr int oldestVersion = 12000;

std::string versionText(int version) {
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

Failure unsupported(std::string message) {
  return {ErrorCode::Unsupported, std::move(message)};
}

} // namespace

bool graphrt::cuda::isSticky(CUresult code) {
  switch (code) {
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case CUDA_ERROR_INVALID_PC:
  case CUDA_ERROR_HARDWARE_STACK_ERROR:
  case CUDA_ERROR_LAUNCH_FAILED:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_ASSERT:
  case CUDA_ERROR_ECC_UNCORRECTABLE:
  case CUDA_ERROR_UNKNOWN:
    return true;
  default:
    return false;
  }
}

Expected<const Driver *> Driver::load(const std::string &library) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<const Driver>> loaded;
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<const Driver> &known = loaded[library];
  if (known)
    return known.get();
  std::unique_ptr<Driver> driver(new Driver(library));
  if (Status status = driver->open())
    return status.failure();
  known = std::move(driver);
  return known.get();
}

Status Driver::open() {
  handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return unsupported(std::string("found no CUDA driver: ") + ::dlerror());
  if (Status status = findFunctions())
    return status;
  lastFault = reinterpret_cast<decltype(lastFault)>(
      ::dlsym(handle, "graphrt_emulator_last_fault"));
  return check(cuInit(0), "initialize the CUDA driver");
}

Status Driver::findFunctions() {
  // The version first: it explains best why others are missing.
  auto *getVersion = reinterpret_cast<decltype(&::cuDriverGetVersion)>(
      ::dlsym(handle, "cuDriverGetVersion"));
  if (!getVersion || getVersion(&driverVersion) != CUDA_SUCCESS)
    return unsupported("found no version in '" + path +
                       "', expected a CUDA driver");
  if (driverVersion < oldestVersion)
    return unsupported("found a CUDA driver of version " +
                       versionText(driverVersion) + ", expected " +
                       versionText(oldestVersion) + " or newer");

  const char *missing = nullptr;
  auto find = [&](const char *name, auto &function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        ::dlsym(handle, name));
    if (!function && !missing)
      missing = name;
  };
#define GRAPHRT_STRINGIFY(name) #name
#define GRAPHRT_CUDA_FUNCTION(name) find(GRAPHRT_STRINGIFY(name), name);
#include "DriverSymbols.def"
#undef GRAPHRT_STRINGIFY
  if (missing)
    return unsupported("found a CUDA driver of version " +
                       versionText(driverVersion) + " without the function '" +
                       missing + "'");
  return {};
}

Status Driver::check(CUresult code, const std::string &action) const {
  if (code == CUDA_SUCCESS)
    return {};
  const char *name = nullptr, *text = nullptr;
  cuGetErrorName(code, &name);
  cuGetErrorString(code, &text);
  std::string message = "cannot " + action + ": " +
                        (name ? name : "CUDA error " + std::to_string(code)) +
                        (text ? std::string(" (") + text + ")" : "");
  const char *fault = lastFault ? lastFault() : "";
  if (fault && *fault)
    message += std::string(": ") + fault;
  switch (code) {
  case CUDA_ERROR_OUT_OF_MEMORY:
    return Failure{ErrorCode::OutOfMemory, message};
  case CUDA_ERROR_NO_DEVICE:
  case CUDA_ERROR_INVALID_DEVICE:
  case CUDA_ERROR_NO_BINARY_FOR_GPU:
  case CUDA_ERROR_INVALID_PTX:
  case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
  case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
  case CUDA_ERROR_SYSTEM_NOT_READY:
    return Failure{ErrorCode::Unsupported, message};
  default:
    return Failure{ErrorCode::Internal, message};
  }
}
