//===- Allocation.cpp - Device memory and the order of streams ------------===//

#include "Context.h"

using namespace graphrt::driver;

Result<uint64_t> Context::allocate(uint64_t bytes) {
  auto address = memory->allocate(bytes);
  if (address || address.fault().code != CUDA_ERROR_OUT_OF_MEMORY)
    return address;
  // Queued frees may make room.
  if (Outcome outcome = synchronizeAll())
    return std::move(outcome.fault());
  return memory->allocate(bytes);
}

// The addresses exist from the call on, but the operation that "writes" all the
// bytes must come before every access.
Result<uint64_t> Context::allocateAsync(uint64_t bytes, Stream &stream) {
  if (Outcome outcome =
          forbidCapture(stream, "a stream-ordered allocation, which the "
                                "emulator does not record,"))
    return std::move(outcome.fault());
  auto address = allocate(bytes);
  if (!address)
    return address;
  ByteRange range = {*address, *address + bytes};
  if (Outcome outcome = submit(
          stream, std::make_shared<AllocationWork>(*memory, range, false)))
    return std::move(outcome.fault());
  return address;
}

Outcome Context::freeAsync(uint64_t address, Stream &stream) {
  if (Outcome outcome =
          forbidCapture(stream, "a stream-ordered free, which the emulator "
                                "does not record,"))
    return outcome;
  if (Outcome outcome = memory->checkFree(address))
    return outcome;
  memory->markFreed(address);
  return submit(stream, std::make_shared<AllocationWork>(
                            *memory, memory->rangeOf(address), true));
}

// A driver may wait for queued work here, but need not: whoever still uses the
// memory finds it gone.
Outcome Context::free(uint64_t address) {
  if (Outcome outcome = memory->checkFree(address))
    return outcome;
  history.forget(memory->rangeOf(address));
  return memory->free(address);
}

Outcome Context::freeHost(void *address) {
  ByteRange range = memory->pinnedRange(address);
  if (Outcome outcome = memory->freeHost(address))
    return outcome;
  // Other memory may get these addresses.
  history.forget(range);
  return {};
}
