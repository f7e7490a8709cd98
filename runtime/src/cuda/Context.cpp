//===- Context.cpp - One CUDA device --------------------------------------===//

#include "Context.h"

#include <charconv>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>

using namespace graphrt;
using namespace graphrt::cuda;
using rt::DeviceKind;

namespace {

/// The emulator lies beside the library that this code is in, wherever that was
/// installed.
std::string emulatorPath() {
  constexpr const char *name = "libgraphrt-cuda-emulator.so";
  Dl_info info;
  if (!::dladdr(reinterpret_cast<void *>(&emulatorPath), &info))
    return name;
  std::filesystem::path path =
      std::filesystem::path(info.dli_fname).parent_path() / name;
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) ? path.string() : name;
}

std::string driverPath(DeviceKind kind) {
  bool isEmulated = kind == DeviceKind::CudaEmulated;
  const char *variable =
      std::getenv(isEmulated ? "GRAPHRT_CUDA_EMULATOR" : "GRAPHRT_CUDA_DRIVER");
  if (variable)
    return variable;
  return isEmulated ? emulatorPath() : "libcuda.so.1";
}

/// The process's position among those on this machine, as launchers tell it.
unsigned localRank() {
  for (const char *name :
       {"LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"}) {
    const char *text = std::getenv(name);
    unsigned rank = 0;
    if (!text)
      continue;
    std::string_view digits = text;
    auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), rank);
    if (error == std::errc() && end == digits.data() + digits.size())
      return rank;
  }
  return 0;
}

} // namespace

Expected<std::unique_ptr<Context>> Context::create(rt::DeviceChoice choice) {
  Expected<const Driver *> driver = Driver::load(driverPath(choice.kind));
  if (!driver)
    return driver.failure();
  std::unique_ptr<Context> context(new Context(**driver, choice));
  if (Status status = context->open())
    return status.failure();
  return context;
}

Status Context::open() {
  int count = 0;
  if (Status status =
          table.check(table.cuDeviceGetCount(&count), "count the devices"))
    return status;
  if (count == 0)
    return Failure{ErrorCode::Unsupported,
                   "found no CUDA device, expected at least one"};
  unsigned index = choice.index.value_or(localRank() % count);
  if (index >= unsigned(count))
    return Failure{ErrorCode::InvalidArgument,
                   "found device 'cuda:" + std::to_string(index) +
                       "', expected an index less than " +
                       std::to_string(count)};
  char name[256] = "";
  if (Status status =
          table.check(table.cuDeviceGet(&handle, index), "find the device"))
    return status;
  if (Status status = table.check(
          table.cuDeviceGetName(name, sizeof(name), handle), "name the device"))
    return status;
  displayName = (isEmulated() ? "cuda-emulated ("
                              : "cuda:" + std::to_string(index) + " (") +
                std::string(name) + ")";
  return table.check(table.cuDevicePrimaryCtxRetain(&context, handle),
                     "create a context on " + displayName);
}

Context::~Context() {
  if (!context)
    return;
  table.cuCtxSetCurrent(nullptr);
  table.cuDevicePrimaryCtxRelease(handle);
}

int Context::attribute(CUdevice_attribute attribute) const {
  int value = 0;
  table.cuDeviceGetAttribute(&value, attribute, handle);
  return value;
}

Status Context::checkArchitecture(std::string_view architecture) const {
  constexpr std::string_view prefix = "sm_";
  Failure unreadable{ErrorCode::Unsupported,
                     "found code for architecture '" +
                         std::string(architecture) +
                         "', expected 'sm_' and a number"};
  if (!architecture.starts_with(prefix))
    return unreadable;
  std::string_view digits = architecture.substr(prefix.size());
  int wanted = 0;
  auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), wanted);
  std::string_view suffix = digits.substr(end - digits.data());
  if (error != std::errc() || suffix.size() > 1)
    return unreadable;

  int found = 10 * attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
              attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  // "a": this architecture alone; "f": newer ones of the same family too.
  bool fits = suffix == "a"   ? found == wanted
              : suffix == "f" ? found / 10 == wanted / 10 && found >= wanted
                              : found >= wanted;
  if (fits && (suffix.empty() || suffix == "a" || suffix == "f"))
    return {};
  return Failure{ErrorCode::Unsupported,
                 "found code for architecture '" + std::string(architecture) +
                     "', expected code for 'sm_" + std::to_string(found) +
                     "' of " + displayName +
                     (suffix.empty() ? " or older" : "")};
}
