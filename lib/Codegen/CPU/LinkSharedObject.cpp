//===- LinkSharedObject.cpp - Runs lld inside this process ----------------===//

#include "ObjectEmitter.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace llvm;

/// The functions of the C library that LLVM calls for loops that copy or fill.
static bool isMemoryFunction(StringRef name) {
  return name == "memcpy" || name == "memmove" || name == "memset" ||
         name == "bcmp" || name == "memcmp";
}

/// Whether libm has a function of this name, for doubles or floats, among those
/// that the math dialect and LLVM's intrinsics may become.
static bool isMathFunction(StringRef name) {
  static const StringSet<> names = {
      "acos",  "acosh", "asin", "asinh", "atan",  "atan2", "atanh", "cbrt",
      "ceil",  "cos",   "cosh", "erf",   "erfc",  "exp",   "exp2",  "expm1",
      "fabs",  "floor", "fma",  "fmax",  "fmin",  "fmod",  "log",   "log10",
      "log1p", "log2",  "pow",  "rint",  "round", "sin",   "sinh",  "roundeven",
      "trunc", "sqrt",  "tan",  "tanh",  "ldexp", "sincos"};
  return names.contains(name) ||
         (name.ends_with("f") && names.contains(name.drop_back()));
}

/// The undefined symbols of the objects.
static Expected<StringSet<>>
collectUndefinedSymbols(ArrayRef<std::string> objects) {
  StringSet<> undefined;
  for (const std::string &object : objects) {
    auto file = object::ObjectFile::createELFObjectFile(
        MemoryBufferRef(object, "kernels"));
    if (!file)
      return file.takeError();
    for (const object::SymbolRef &symbol : (*file)->symbols()) {
      Expected<uint32_t> flags = symbol.getFlags();
      Expected<StringRef> name = symbol.getName();
      if (!flags)
        return flags.takeError();
      if (!name)
        return name.takeError();
      if ((*flags & object::SymbolRef::SF_Undefined) && !name->empty())
        undefined.insert(*name);
    }
  }
  return undefined;
}

static Error writeFile(StringRef path, StringRef bytes) {
  std::error_code code;
  raw_fd_ostream stream(path, code);
  if (!code) {
    stream << bytes;
    stream.close();
    code = stream.error();
    stream.clear_error();
  }
  return code ? createStringError(code, path + ": " + code.message())
              : Error::success();
}

static Error runLinker(ArrayRef<std::string> arguments) {
  SmallVector<const char *> argv = {"ld.lld"};
  for (const std::string &argument : arguments)
    argv.push_back(argument.c_str());
  // lld keeps global state during a call.
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  std::string output;
  raw_string_ostream stream(output);
  lld::Result result =
      lld::lldMain(argv, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode)
    return createStringError("the linker failed: " + output);
  return Error::success();
}

Expected<std::string> graph::linkSharedObject(ArrayRef<std::string> objects,
                                              const TargetCPU &cpu) {
  Expected<StringSet<>> undefined = collectUndefinedSymbols(objects);
  if (!undefined)
    return undefined.takeError();
  bool needsMath = false;
  for (const auto &symbol : *undefined) {
    needsMath |= isMathFunction(symbol.first());
    if (!isMathFunction(symbol.first()) && !isMemoryFunction(symbol.first()))
      return createStringError("found a kernel that calls '" + symbol.first() +
                               "', expected functions of libm only");
  }

  // lld works on files.
  SmallString<128> directory;
  if (std::error_code code =
          sys::fs::createUniqueDirectory("graph-kernels", directory))
    return createStringError(code, "cannot create a temporary directory: " +
                                       code.message());
  scope_exit cleanup(
      [&] { sys::fs::remove_directories(directory, /*IgnoreErrors=*/true); });
  auto pathOf = [&](const Twine &name) {
    SmallString<128> path(directory);
    sys::path::append(path, name);
    return path.str().str();
  };
  SmallVector<std::string> arguments = {"-shared",          "-z",
                                        "noexecstack",      "--build-id=none",
                                        "--hash-style=gnu", "--threads=1"};
  for (auto [index, object] : enumerate(objects)) {
    std::string path = pathOf(Twine(index) + ".o");
    if (Error error = writeFile(path, object))
      return error;
    arguments.push_back(path);
  }
  // A library without symbols stands for libm, so that the result is the same
  // on machines that have another version of it, or none.
  if (needsMath) {
    std::string stub = pathOf("libm.so");
    std::string empty = pathOf("empty.ld");
    if (Error error = writeFile(empty, ""))
      return error;
    std::string emulation =
        cpu.architecture == "aarch64" ? "aarch64linux" : "elf_x86_64";
    if (Error error = runLinker({"-shared", "-m", emulation, "-soname",
                                 "libm.so.6", "-o", stub, empty}))
      return error;
    arguments.append({"--no-as-needed", stub});
  }
  std::string output = pathOf("kernels.so");
  arguments.append({"-o", output});
  if (Error error = runLinker(arguments))
    return error;
  auto bytes = MemoryBuffer::getFile(output, /*IsText=*/false,
                                     /*RequiresNullTerminator=*/false);
  if (!bytes)
    return createStringError(bytes.getError(),
                             output + ": " + bytes.getError().message());
  return (*bytes)->getBuffer().str();
}
