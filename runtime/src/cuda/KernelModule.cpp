//===- KernelModule.cpp - The loaded code of an artifact ------------------===//

#include "KernelModule.h"

#include <string>

using namespace graphrt;
using namespace graphrt::cuda;
using artifact::SectionKind;

namespace {

Failure tooMuch(const Context &context, const fb::Kernel &kernel, int found,
                const std::string &what, int expected) {
  return {ErrorCode::Unsupported,
          "kernel '" + kernel.symbol()->str() + "': found " +
              std::to_string(found) + " " + what + ", expected at most " +
              std::to_string(expected) + " on " + context.name()};
}

/// Has the driver load an image: PTX that ends with a null byte, or a cubin.
Expected<Module> loadImage(const Context &context, const void *image) {
  const Driver &driver = context.driver();
  char log[4096] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  // The driver takes integers in the place of pointers.
  void *values[] = {log, reinterpret_cast<void *>(uintptr_t(sizeof(log)))};
  CUmodule module = nullptr;
  Status status =
      driver.check(driver.cuModuleLoadDataEx(&module, image, std::size(options),
                                             options, values),
                   "load the artifact's code on " + context.name());
  if (!status)
    return Module(driver, module);
  std::string words(log, ::strnlen(log, sizeof(log)));
  while (!words.empty() && (words.back() == '\n' || words.back() == ' '))
    words.pop_back();
  if (!words.empty())
    status.failure().message += ": " + words;
  return status.failure();
}

} // namespace

Expected<KernelModule> KernelModule::load(const Context &context,
                                          const rt::Program &program) {
  KernelModule result;
  const fb::Program &image = program.image();
  if (Status status =
          context.checkArchitecture(image.architecture()->string_view()))
    return status.failure();
  if (!image.kernels() || image.kernels()->size() == 0)
    return result;
  if (Status status = result.open(context, program))
    return status.failure();
  for (const fb::Kernel *kernel : *image.kernels())
    if (Status status = result.findFunction(context, *kernel))
      return status.failure();
  return result;
}

Status KernelModule::open(const Context &context, const rt::Program &program) {
  std::string_view cubin = program.section(SectionKind::Cubin);
  if (!cubin.empty() && !context.isEmulated()) {
    Expected<Module> loaded = loadImage(context, cubin.data());
    if (loaded) {
      module = std::move(*loaded);
      return {};
    }
    // A cubin is for one generation of devices; PTX is for later ones too.
  }
  std::string ptx(program.section(SectionKind::Code));
  if (ptx.empty())
    return Failure{ErrorCode::Corrupt,
                   "found no code section, expected the kernels' PTX"};
  Expected<Module> loaded = loadImage(context, ptx.c_str());
  if (!loaded)
    return loaded.failure();
  module = std::move(*loaded);
  return {};
}

Status KernelModule::findFunction(const Context &context,
                                  const fb::Kernel &kernel) {
  const Driver &driver = context.driver();
  std::string symbol = kernel.symbol()->str();
  CUfunction function = nullptr;
  CUresult result =
      driver.cuModuleGetFunction(&function, module.get(), symbol.c_str());
  if (result == CUDA_ERROR_NOT_FOUND)
    return Failure{ErrorCode::Corrupt,
                   "the artifact's code does not define the kernel '" + symbol +
                       "'"};
  if (Status status = driver.check(result, "find the kernel '" + symbol + "'"))
    return status;
  functions.push_back(function);

  int threads = 0, shared = 0;
  if (Status status = driver.check(
          driver.cuFuncGetAttribute(
              &threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function),
          "ask for the kernel's threads"))
    return status;
  if (Status status = driver.check(
          driver.cuFuncGetAttribute(
              &shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function),
          "ask for the kernel's shared memory"))
    return status;
  if (int64_t(kernel.threads()) > threads)
    return tooMuch(context, kernel, kernel.threads(), "threads", threads);
  int offered =
      context.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  if (int64_t(kernel.shared_bytes()) + shared > offered)
    return tooMuch(context, kernel, kernel.shared_bytes() + shared,
                   "bytes of shared memory", offered);
  // What every launch may use; more must be asked for.
  constexpr uint32_t granted = 48 << 10;
  if (kernel.shared_bytes() + shared <= granted)
    return {};
  return driver.check(
      driver.cuFuncSetAttribute(function,
                                CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                kernel.shared_bytes()),
      "reserve " + std::to_string(kernel.shared_bytes()) +
          " bytes of shared memory for the kernel '" + symbol + "'");
}
