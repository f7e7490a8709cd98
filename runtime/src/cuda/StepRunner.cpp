//===- StepRunner.cpp - Runs steps on a CUDA stream -----------------------===//

#include "StepRunner.h"
#include "Nvtx.h"
#include "TensorMaps.h"

#include "graphrt/ElementType.h"

using namespace graphrt;
using namespace graphrt::cuda;

Status StepRunner::locate(const fb::Step &step, Status status) const {
  if (status)
    status.failure().location =
        program.locations()->Get(step.location())->str();
  return status;
}

std::string StepRunner::describe(const fb::Step &step) const {
  if (const fb::Dispatch *dispatch = step.command_as_Dispatch())
    return "the kernel '" +
           program.kernels()->Get(dispatch->kernel())->symbol()->str() + "'";
  return step.command_as_Gemm() ? "a matrix product" : "a copy";
}

Status StepRunner::enqueue(const fb::Step &step, const rt::Bindings &bindings,
                           CUstream stream) {
  NvtxRange range(program.locations()->Get(step.location())->c_str());
  return locate(step, enqueueCommand(step, bindings, stream));
}

Status StepRunner::enqueueCommand(const fb::Step &step,
                                  const rt::Bindings &bindings,
                                  CUstream stream) {
  switch (step.command_type()) {
  case fb::Command::Dispatch:
    return launch(*step.command_as_Dispatch(), bindings, stream);
  case fb::Command::Gemm:
    return multiply(*step.command_as_Gemm(), bindings, stream);
  case fb::Command::Copy:
    return copy(*step.command_as_Copy(), bindings, stream);
  case fb::Command::NONE:
    break;
  }
  __builtin_unreachable();
}

/// The driver copies what they point to when the kernel is launched.
Status StepRunner::setParameters(const fb::Dispatch &dispatch,
                                 const rt::Bindings &bindings) {
  addresses.clear();
  for (const fb::Buffer *buffer : *dispatch.buffers())
    addresses.push_back(bindings.resolve(*buffer));
  tensorMaps.clear();
  const fb::Kernel &kernel = *program.kernels()->Get(dispatch.kernel());
  if (kernel.tensor_maps())
    for (const fb::TensorMap *map : *kernel.tensor_maps()) {
      Expected<CUtensorMap> encoded =
          encodeTensorMap(context.driver(), *map, addresses[map->buffer()]);
      if (!encoded)
        return encoded.failure();
      tensorMaps.push_back(*encoded);
    }
  parameters.clear();
  for (char *&address : addresses)
    parameters.push_back(&address);
  for (CUtensorMap &map : tensorMaps)
    parameters.push_back(&map);
  return {};
}

Status StepRunner::launch(const fb::Dispatch &dispatch,
                          const rt::Bindings &bindings, CUstream stream) {
  if (dispatch.workgroups() == 0)
    return {};
  if (Status status = setParameters(dispatch, bindings))
    return status;
  const fb::Kernel &kernel = *program.kernels()->Get(dispatch.kernel());
  const Driver &driver = context.driver();
  CUresult result = driver.cuLaunchKernel(
      kernels.function(dispatch.kernel()),
      /*gridDim=*/dispatch.workgroups(), 1, 1,
      /*blockDim=*/kernel.threads(), 1, 1, kernel.shared_bytes(), stream,
      parameters.data(), /*extra=*/nullptr);
  return driver.check(
      result, "launch the kernel '" + kernel.symbol()->str() + "' with " +
                  std::to_string(dispatch.workgroups()) + " workgroups of " +
                  std::to_string(kernel.threads()) + " threads");
}

const fb::Dispatch *StepRunner::kernelOf(const fb::Gemm &gemm) const {
  bool isEmptySum = gemm.k() == 0 && gemm.epilogue() == fb::Epilogue::none;
  bool usesLibrary = gemms && gemms->supports(gemm);
  return isEmptySum || usesLibrary ? nullptr : gemm.kernel();
}

Status StepRunner::multiply(const fb::Gemm &gemm, const rt::Bindings &bindings,
                            CUstream stream) {
  if (gemm.k() == 0 && gemm.epilogue() == fb::Epilogue::none)
    return clear(gemm, bindings, stream);
  if (const fb::Dispatch *kernel = kernelOf(gemm))
    return launch(*kernel, bindings, stream);
  if (gemms && gemms->supports(gemm))
    return gemms->enqueue(gemm, bindings, stream);
  if (gemm.c()->buffer()->size() == 0)
    return {};
  return Failure{
      ErrorCode::Unsupported,
      "found a matrix product of " +
          std::string(fb::EnumNameElementType(gemm.element_type())) +
          " without a kernel of its own, expected one because " +
          (gemms ? "cuBLASLt does not compute it" : "cuBLASLt is not used") +
          " on " + context.name()};
}

/// Writes the result of an empty sum.
Status StepRunner::clear(const fb::Gemm &gemm, const rt::Bindings &bindings,
                         CUstream stream) {
  const fb::Matrix &c = *gemm.c();
  uint64_t size = byteSize(static_cast<ElementType>(gemm.element_type()));
  bool isRowMajor = gemm.n() == 1 || c.column_stride() == 1;
  int64_t lines = isRowMajor ? gemm.m() : gemm.n();
  int64_t length = isRowMajor ? gemm.n() : gemm.m();
  int64_t stride = isRowMajor ? c.row_stride() : c.column_stride();
  int64_t batches = 1;
  for (size_t d = 0; gemm.batch() && d < gemm.batch()->size(); ++d)
    batches *= gemm.batch()->Get(d);
  for (int64_t i = 0; length && i < batches * lines; ++i) {
    int64_t offset = i % lines * stride;
    int64_t rest = i / lines;
    for (size_t d = gemm.batch() ? gemm.batch()->size() : 0; d-- > 0;) {
      offset += rest % gemm.batch()->Get(d) * c.batch_strides()->Get(d);
      rest /= gemm.batch()->Get(d);
    }
    auto address = reinterpret_cast<CUdeviceptr>(bindings.resolve(*c.buffer()) +
                                                 offset * size);
    const Driver &driver = context.driver();
    if (Status status = driver.check(
            driver.cuMemsetD8Async(address, 0, length * size, stream),
            "clear a matrix"))
      return status;
  }
  return {};
}

Status StepRunner::copy(const fb::Copy &copy, const rt::Bindings &bindings,
                        CUstream stream) {
  uint64_t size = copy.source()->size();
  if (size == 0)
    return {};
  const Driver &driver = context.driver();
  auto address = [&](const fb::Buffer &buffer) {
    return reinterpret_cast<CUdeviceptr>(bindings.resolve(buffer));
  };
  return driver.check(driver.cuMemcpyDtoDAsync(address(*copy.destination()),
                                               address(*copy.source()), size,
                                               stream),
                      "copy " + std::to_string(size) + " bytes");
}
