//===- MemoryApi.cpp - The driver's functions for memory ------------------===//

#include "driver/Call.h"

using namespace graphrt::driver;

namespace {

CopyWork::End deviceEnd(CUdeviceptr address) { return {address, true}; }

CopyWork::End hostEnd(const void *address) {
  return {reinterpret_cast<uint64_t>(address), false};
}

Outcome checkEnd(Context &context, CopyWork::End end, uint64_t bytes) {
  return end.isDevice ? context.memory->checkDevice(end.address, bytes)
                      : context.memory->checkHost(
                            reinterpret_cast<void *>(end.address), bytes);
}

/// Copies as the driver documents: pinned host memory is accessed when the copy
/// runs; pageable memory is read before the call returns, and written too.
CUresult copyAsync(const char *name, CopyWork::End target, CopyWork::End source,
                   size_t bytes, CUstream handle) {
  return callContext(name, [&](Context &context) -> Outcome {
    if (Outcome outcome = checkEnd(context, target, bytes))
      return outcome;
    if (Outcome outcome = checkEnd(context, source, bytes))
      return outcome;
    auto stream = context.findStream(handle);
    if (!stream)
      return std::move(stream.fault());
    if (bytes == 0)
      return {};
    auto copy =
        std::make_shared<CopyWork>(*context.memory, target, source, bytes);
    bool isRecorded = (*stream)->capture != nullptr;
    if (copy->readsPageable() && !isRecorded)
      copy->stage();
    if (copy->writesPageable() && !isRecorded)
      return context.submitAndFinish(**stream, copy);
    return context.submit(**stream, copy);
  });
}

/// Stores what an allocation found, or returns its fault.
template <typename Pointer, typename Address>
Outcome store(Pointer *result, Result<Address> address) {
  if (!address)
    return std::move(address.fault());
  *result = *address;
  return {};
}

} // namespace

CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes) {
  return callContext(__func__, [&](Context &context) -> Outcome {
    if (!address)
      return nullPointer("room for an address");
    if (Outcome outcome = context.forbidCaptures("a device allocation"))
      return outcome;
    return store(address, context.allocate(bytes));
  });
}

CUresult cuMemFree(CUdeviceptr address) {
  return callContext(__func__, [&](Context &context) -> Outcome {
    if (!address)
      return {};
    if (Outcome outcome = context.forbidCaptures("a free of device memory"))
      return outcome;
    return context.free(address);
  });
}

CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream handle) {
  return callContext(__func__, [&](Context &context) -> Outcome {
    if (!address)
      return nullPointer("room for an address");
    auto stream = context.findStream(handle);
    if (!stream)
      return std::move(stream.fault());
    return store(address, context.allocateAsync(bytes, **stream));
  });
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream handle) {
  return callContext(__func__, [&](Context &context) -> Outcome {
    auto stream = context.findStream(handle);
    if (!stream)
      return std::move(stream.fault());
    return context.freeAsync(address, **stream);
  });
}

CUresult cuMemPoolSetAttribute(CUmemoryPool handle,
                               CUmemPool_attribute attribute, void *value) {
  return callDriver(__func__, [&](Driver &driver) -> Outcome {
    auto pool = driver.findPool(handle);
    if (!pool)
      return std::move(pool.fault());
    if (!value)
      return nullPointer("a value");
    if (attribute != CU_MEMPOOL_ATTR_RELEASE_THRESHOLD)
      return Fault{CUDA_ERROR_INVALID_VALUE,
                   "found memory pool attribute " + std::to_string(attribute) +
                       ", expected the release threshold"};
    (*pool)->releaseThreshold = *static_cast<cuuint64_t *>(value);
    return {};
  });
}

CUresult cuMemGetInfo(size_t *free, size_t *total) {
  return callContext(__func__, [&](Context &context) -> Outcome {
    if (!free || !total)
      return nullPointer("room for a size");
    *total = context.memory->device().capacity();
    *free = *total - context.memory->device().used();
    return {};
  });
}

CUresult cuMemHostAlloc(void **address, size_t bytes, unsigned) {
  return callContext(__func__, [&](Context &context) -> Outcome {
    if (!address)
      return nullPointer("room for an address");
    if (Outcome outcome = context.forbidCaptures("a host allocation"))
      return outcome;
    return store(address, context.memory->allocateHost(bytes));
  });
}

CUresult cuMemFreeHost(void *address) {
  return callContext(__func__, [&](Context &context) -> Outcome {
    if (!address)
      return {};
    if (Outcome outcome = context.forbidCaptures("a free of host memory"))
      return outcome;
    return context.freeHost(address);
  });
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr target, const void *source, size_t bytes,
                           CUstream stream) {
  return copyAsync(__func__, deviceEnd(target), hostEnd(source), bytes, stream);
}

CUresult cuMemcpyDtoHAsync(void *target, CUdeviceptr source, size_t bytes,
                           CUstream stream) {
  return copyAsync(__func__, hostEnd(target), deviceEnd(source), bytes, stream);
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr target, CUdeviceptr source, size_t bytes,
                           CUstream stream) {
  return copyAsync(__func__, deviceEnd(target), deviceEnd(source), bytes,
                   stream);
}

CUresult cuMemsetD8Async(CUdeviceptr target, unsigned char value, size_t count,
                         CUstream stream) {
  return callContext(__func__, [&](Context &context) -> Outcome {
    if (Outcome outcome = context.memory->checkDevice(target, count))
      return outcome;
    auto found = context.findStream(stream);
    if (!found)
      return std::move(found.fault());
    if (count == 0)
      return {};
    return context.submit(
        **found,
        std::make_shared<FillWork>(*context.memory,
                                   ByteRange{target, target + count}, value));
  });
}
