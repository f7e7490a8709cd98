//===- Works.cpp - What streams can be asked to do ------------------------===//

#include "Works.h"

#include <chrono>
#include <cstring>

using namespace graphrt;
using namespace graphrt::driver;

namespace {

void *toPointer(uint64_t address) { return reinterpret_cast<void *>(address); }

std::string bytesText(uint64_t bytes) {
  return std::to_string(bytes) + " bytes";
}

/// The memory was there when the call was made, but is gone now.
Outcome toOutcome(Status status, const Work &work) {
  if (!status)
    return {};
  return Fault{CUDA_ERROR_ILLEGAL_ADDRESS,
               work.describe() + ": " + status.failure().message};
}

CUresult codeOf(exec::FaultKind kind) {
  switch (kind) {
  case exec::FaultKind::IllegalAddress:
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  case exec::FaultKind::MisalignedAddress:
    return CUDA_ERROR_MISALIGNED_ADDRESS;
  case exec::FaultKind::EndlessLoop:
    return CUDA_ERROR_LAUNCH_TIMEOUT;
  case exec::FaultKind::None:
  case exec::FaultKind::Other:
    return CUDA_ERROR_LAUNCH_FAILED;
  }
  return CUDA_ERROR_UNKNOWN;
}

} // namespace

CopyWork::CopyWork(Memory &memory, End target, End source, uint64_t bytes)
    : memory(memory), target(target), source(source), bytes(bytes) {
  auto findPinned = [&](End end) {
    return end.isDevice ? 0 : memory.findPinned(toPointer(end.address));
  };
  targetPinned = findPinned(target);
  sourcePinned = findPinned(source);
}

void CopyWork::stage() {
  const auto *begin = static_cast<const std::byte *>(toPointer(source.address));
  staged.assign(begin, begin + bytes);
}

std::string CopyWork::describe() const {
  auto name = [](End end) { return end.isDevice ? "device" : "host"; };
  return "copy of " + bytesText(bytes) + " from " + name(source) + " to " +
         name(target);
}

Outcome CopyWork::checkPinned(End end, uint64_t pinned) const {
  if (!pinned || memory.findPinned(toPointer(end.address)) == pinned)
    return {};
  return Fault{CUDA_ERROR_ILLEGAL_ADDRESS,
               describe() + ": its pinned host memory is freed"};
}

Status CopyWork::move() const {
  const void *host = staged.empty() ? toPointer(source.address) : staged.data();
  if (!source.isDevice && target.isDevice)
    return memory.device().write(target.address, host, bytes);
  if (source.isDevice && !target.isDevice)
    return memory.device().read(toPointer(target.address), source.address,
                                bytes);
  if (source.isDevice)
    return memory.device().copy(target.address, source.address, bytes);
  std::memmove(toPointer(target.address), host, bytes);
  return {};
}

Outcome CopyWork::run(Accesses &accesses) const {
  if (Outcome outcome = checkPinned(target, targetPinned))
    return outcome;
  if (Outcome outcome = checkPinned(source, sourcePinned))
    return outcome;
  if (staged.empty() && !readsPageable())
    accesses.reads.push_back({source.address, source.address + bytes});
  if (!writesPageable())
    accesses.writes.push_back({target.address, target.address + bytes});
  return toOutcome(move(), *this);
}

std::string FillWork::describe() const {
  return "fill of " + bytesText(range.end - range.begin);
}

Outcome FillWork::run(Accesses &accesses) const {
  accesses.writes.push_back(range);
  return toOutcome(
      memory.device().fill(range.begin, value, range.end - range.begin), *this);
}

std::string AllocationWork::describe() const {
  return std::string(isFree ? "free" : "allocation") + " of " +
         bytesText(range.end - range.begin);
}

Outcome AllocationWork::run(Accesses &accesses) const {
  accesses.writes.push_back(range);
  return isFree ? memory.free(range.begin) : Outcome();
}

std::string KernelWork::describe() const {
  return "kernel '" + kernel.name + "'";
}

Outcome KernelWork::run(Accesses &accesses) const {
  if (!module->isLoaded)
    return Fault{CUDA_ERROR_LAUNCH_FAILED,
                 describe() + ": its module is unloaded"};
  std::vector<const void *> pointers;
  for (const ptx::Parameter &parameter : kernel.parameters)
    pointers.push_back(arguments.data() + parameter.offset);
  exec::LaunchConfig config = shape;
  config.parameters = pointers;
  exec::LaunchRecord record;
  auto begin = std::chrono::steady_clock::now();
  auto counters = exec::launch(kernel, config, environment.memory.device(),
                               environment.options, &record);
  for (auto [begin, end] : record.reads)
    accesses.reads.push_back({begin, end});
  for (auto [begin, end] : record.writes)
    accesses.writes.push_back({begin, end});
  if (!counters)
    return Fault{codeOf(record.fault), counters.failure().message};
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - begin;
  environment.report.add(kernel.name, *counters, elapsed.count());
  return {};
}
