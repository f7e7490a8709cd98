//===- DeviceChoice.cpp - Which device runs a program ---------------------===//

#include "DeviceChoice.h"

#include <charconv>
#include <string>

using namespace graphrt;
using namespace graphrt::rt;

static std::optional<DeviceChoice> parse(std::string_view name) {
  constexpr std::string_view prefix = "cuda:";
  if (name == "cpu")
    return DeviceChoice{DeviceKind::Cpu};
  if (name == "cuda")
    return DeviceChoice{DeviceKind::Cuda};
  if (name == "cuda-emulated")
    return DeviceChoice{DeviceKind::CudaEmulated};
  if (!name.starts_with(prefix))
    return std::nullopt;
  std::string_view digits = name.substr(prefix.size());
  unsigned index = 0;
  auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (error != std::errc() || end != digits.data() + digits.size())
    return std::nullopt;
  return DeviceChoice{DeviceKind::Cuda, index};
}

Expected<DeviceChoice> graphrt::rt::chooseDevice(std::string_view name,
                                                 std::string_view target) {
  if (target != "cpu" && target != "cuda")
    return Failure{ErrorCode::Unsupported, "found an artifact for target '" +
                                               std::string(target) +
                                               "', expected 'cpu' or 'cuda'"};
  std::optional<DeviceChoice> choice = parse(name.empty() ? target : name);
  if (!choice)
    return Failure{ErrorCode::InvalidArgument,
                   "found device '" + std::string(name) +
                       "', expected 'cpu', 'cuda', 'cuda:' and an index, or "
                       "'cuda-emulated'"};
  bool isForCpu = choice->kind == DeviceKind::Cpu;
  if (isForCpu != (target == "cpu"))
    return Failure{ErrorCode::Unsupported,
                   "found an artifact for target '" + std::string(target) +
                       "', expected '" + (isForCpu ? "cpu" : "cuda") +
                       "' for the device '" + std::string(name) + "'"};
  return *choice;
}
