//===- Handles.h - The objects behind the driver's handles ------*- C++ -*-===//
//
// A handle is a number, never an address, and no number is given twice: a
// destroyed, foreign or mistaken handle is recognised and named.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPHRT_EMULATOR_DRIVER_HANDLES_H
#define GRAPHRT_EMULATOR_DRIVER_HANDLES_H

#include "Outcome.h"

#include <cstdint>
#include <memory>
#include <unordered_map>

namespace graphrt::driver {

enum class HandleKind : uint64_t {
  Context = 1,
  Module,
  Function,
  Stream,
  Event,
  Graph,
  GraphExec,
  MemoryPool,
};

/// "a stream", "an event", ...
const char *nameOf(HandleKind kind);

/// What is wrong with `value`, which does not lead to an object of `kind` that
/// the owner numbered `owner` has. `created` is how many of the kind it made.
std::string describeBadHandle(uint64_t value, HandleKind kind, uint64_t owner,
                              uint64_t created);

/// The objects of one kind that one owner (the driver, a context) has.
template <typename Handle, typename T>
class HandleTable {
public:
  HandleTable(HandleKind kind, uint64_t owner)
      : kind(kind), owner(owner & 0xffff) {}

  Handle add(std::shared_ptr<T> object) {
    uint64_t value = uint64_t(kind) << 60 | owner << 44 | ++created << 4;
    objects.emplace(value, std::move(object));
    return reinterpret_cast<Handle>(value);
  }

  Result<std::shared_ptr<T>> find(Handle handle) const {
    auto it = objects.find(reinterpret_cast<uint64_t>(handle));
    if (it != objects.end())
      return it->second;
    return Fault{CUDA_ERROR_INVALID_HANDLE,
                 describeBadHandle(reinterpret_cast<uint64_t>(handle), kind,
                                   owner, created)};
  }

  /// Takes the object out: from now on the handle is a destroyed one.
  Result<std::shared_ptr<T>> remove(Handle handle) {
    auto object = find(handle);
    if (object)
      objects.erase(reinterpret_cast<uint64_t>(handle));
    return object;
  }

  void clear() { objects.clear(); }

  /// Calls visit(object) for every object, in no order.
  template <typename Visit>
  void forEach(Visit visit) const {
    for (const auto &[value, object] : objects)
      visit(*object);
  }

private:
  HandleKind kind;
  uint64_t owner;
  uint64_t created = 0;
  std::unordered_map<uint64_t, std::shared_ptr<T>> objects;
};

} // namespace graphrt::driver

#endif // GRAPHRT_EMULATOR_DRIVER_HANDLES_H
