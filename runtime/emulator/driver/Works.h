//===- Works.h - What streams can be asked to do ----------------*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_DRIVER_WORKS_H
#define GRAPHRT_EMULATOR_DRIVER_WORKS_H

#include "Memory.h"
#include "Module.h"
#include "Operation.h"
#include "Report.h"

namespace graphrt::driver {

/// Nothing but a place in the order: an event's record or wait, a graph's end.
class MarkerWork : public Work {
public:
  explicit MarkerWork(std::string text) : text(std::move(text)) {}
  std::string describe() const override { return text; }
  Outcome run(Accesses &) const override { return {}; }

private:
  std::string text;
};

/// A copy of bytes. Host memory is accessed when the copy runs.
class CopyWork : public Work {
public:
  /// An address, of the device or of the host.
  struct End {
    uint64_t address;
    bool isDevice;
  };

  CopyWork(Memory &memory, End target, End source, uint64_t bytes);

  /// Takes the source's bytes at once: the host may change them from now on.
  void stage();
  /// Whether host memory at an end can be paged out, and so the host waits.
  bool readsPageable() const { return isPageable(source, sourcePinned); }
  bool writesPageable() const { return isPageable(target, targetPinned); }

  std::string describe() const override;
  Outcome run(Accesses &accesses) const override;

private:
  static bool isPageable(End end, uint64_t pinned) {
    return !end.isDevice && !pinned;
  }
  Outcome checkPinned(End end, uint64_t pinned) const;
  Status move() const;

  Memory &memory;
  End target, source;
  uint64_t bytes;
  /// The numbers of the pinned memory at either end.
  uint64_t targetPinned, sourcePinned;
  std::vector<std::byte> staged;
};

/// Sets `count` elements of `width` bytes.
class FillWork : public Work {
public:
  FillWork(Memory &memory, ByteRange range, uint8_t value)
      : memory(memory), range(range), value(value) {}

  std::string describe() const override;
  Outcome run(Accesses &accesses) const override;

private:
  Memory &memory;
  ByteRange range;
  uint8_t value;
};

/// The point from which on a stream-ordered allocation may be used, or no
/// longer. Both count as writes of all its bytes: an access that is not ordered
/// after the first and before the second is a race.
class AllocationWork : public Work {
public:
  AllocationWork(Memory &memory, ByteRange range, bool isFree)
      : memory(memory), range(range), isFree(isFree) {}

  std::string describe() const override;
  Outcome run(Accesses &accesses) const override;

private:
  Memory &memory;
  ByteRange range;
  bool isFree;
};

/// A launch of a kernel, with its own copy of the arguments.
class KernelWork : public Work {
public:
  /// What launches of one context share.
  struct Environment {
    Memory &memory;
    Report &report;
    exec::Options options;
  };

  /// `arguments` holds the bytes of all parameters at their offsets.
  KernelWork(Environment environment,
             std::shared_ptr<const LoadedModule> module,
             const ptx::Kernel &kernel, const exec::LaunchConfig &shape,
             std::vector<std::byte> arguments)
      : environment(environment), module(std::move(module)), kernel(kernel),
        shape(shape), arguments(std::move(arguments)) {}

  std::string describe() const override;
  Outcome run(Accesses &accesses) const override;

private:
  Environment environment;
  std::shared_ptr<const LoadedModule> module;
  const ptx::Kernel &kernel;
  /// Without parameters.
  exec::LaunchConfig shape;
  std::vector<std::byte> arguments;
};

} // namespace graphrt::driver

#endif // GRAPHRT_EMULATOR_DRIVER_WORKS_H
