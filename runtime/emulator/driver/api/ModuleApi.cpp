//===- ModuleApi.cpp - The driver's functions for code --------------------===//

#include "driver/Call.h"
#include "driver/TensorMaps.h"

#include <cstring>

using namespace graphrt::driver;

namespace {

/// Runs body(Context &, LoadedFunction &) -> Outcome.
template <typename Body>
CUresult callFunction(const char *name, CUfunction handle, Body body) {
  return callContext(name, [&](Context &context) -> Outcome {
    auto function = context.functions.find(handle);
    return function ? body(context, **function)
                    : Outcome(std::move(function.fault()));
  });
}

/// The buffer that cuModuleLoadDataEx's options name for a module's errors.
struct ErrorLog {
  char *text = nullptr;
  size_t size = 0;

  ErrorLog(unsigned count, const CUjit_option *options, void *const *values) {
    for (unsigned i = 0; i < count; ++i) {
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
        text = static_cast<char *>(values[i]);
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
        size = unsigned(reinterpret_cast<uintptr_t>(values[i]));
    }
  }

  void write(const std::string &message) {
    if (!text || size == 0)
      return;
    size_t copied = std::min(size - 1, message.size());
    std::memcpy(text, message.data(), copied);
    text[copied] = 0;
  }
};

} // namespace

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                            CUjit_option *options, void **values) {
  return callContext(__func__, [&](Context &context) -> Outcome {
    if (!module || !image)
      return nullPointer("a module's text and room for it");
    auto code = loadModule(context.architecture, image);
    if (!code) {
      ErrorLog(count, options, values).write(code.fault().message);
      return std::move(code.fault());
    }
    *module = context.modules.add(
        std::make_shared<LoadedModule>(LoadedModule{.code = std::move(*code)}));
    return {};
  });
}

CUresult cuModuleUnload(CUmodule handle) {
  return callContext(__func__, [&](Context &context) -> Outcome {
    auto module = context.modules.remove(handle);
    if (!module)
      return std::move(module.fault());
    context.unload(**module);
    return {};
  });
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule handle,
                             const char *name) {
  return callContext(__func__, [&](Context &context) -> Outcome {
    if (!function || !name)
      return nullPointer("a name and room for a function");
    auto module = context.modules.find(handle);
    if (!module)
      return std::move(module.fault());
    const graphrt::ptx::Kernel *kernel = (*module)->code->findKernel(name);
    if (!kernel)
      return Fault{CUDA_ERROR_NOT_FOUND,
                   "found no kernel '" + std::string(name) + "' in the module"};
    CUfunction &known = (*module)->functions[name];
    if (!known)
      known = context.functions.add(
          std::make_shared<LoadedFunction>(*module, *kernel));
    *function = known;
    return {};
  });
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute,
                            CUfunction handle) {
  return callFunction(
      __func__, handle,
      [&](Context &context, LoadedFunction &function) -> Outcome {
        if (!value)
          return nullPointer("room for a value");
        auto found = function.attribute(attribute, context.architecture);
        if (!found)
          return std::move(found.fault());
        *value = *found;
        return {};
      });
}

CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute,
                            int value) {
  return callFunction(
      __func__, handle, [&](Context &context, LoadedFunction &function) {
        return function.setAttribute(attribute, value, context.architecture);
      });
}

CUresult cuLaunchKernel(CUfunction handle, unsigned gridX, unsigned gridY,
                        unsigned gridZ, unsigned blockX, unsigned blockY,
                        unsigned blockZ, unsigned dynamicShared,
                        CUstream stream, void **parameters, void **extra) {
  return callFunction(
      __func__, handle,
      [&](Context &context, LoadedFunction &function) -> Outcome {
        auto target = context.findStream(stream);
        if (!target)
          return std::move(target.fault());
        graphrt::exec::LaunchConfig shape;
        shape.grid = {gridX, gridY, gridZ};
        shape.block = {blockX, blockY, blockZ};
        shape.sharedBytes = dynamicShared;
        auto arguments = function.packArguments(parameters, extra);
        if (!arguments)
          return std::move(arguments.fault());
        if (Outcome outcome = function.checkLaunch(shape))
          return outcome;
        return context.submit(**target, std::make_shared<KernelWork>(
                                            context.environment(),
                                            function.module, *function.kernel,
                                            shape, std::move(*arguments)));
      });
}

CUresult cuTensorMapEncodeTiled(
    CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
    const cuuint64_t *extents, const cuuint64_t *strides, const cuuint32_t *box,
    const cuuint32_t *elementStrides, CUtensorMapInterleave interleave,
    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion,
    CUtensorMapFloatOOBfill fill) {
  return callDriver(__func__, [&](Driver &) -> Outcome {
    if (!map || !address || !extents || !box || !elementStrides ||
        (rank > 1 && !strides))
      return nullPointer("the tensor's description");
    if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE)
      return Fault{CUDA_ERROR_NOT_SUPPORTED,
                   "found an interleaved tensor map, expected a plain one"};
    return encodeTensorMap(map, {type, rank,
                                 reinterpret_cast<uint64_t>(address), extents,
                                 strides, box, elementStrides, swizzle, fill});
  });
}
