//===- Outcome.h - Results of driver calls and operations -------*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_DRIVER_OUTCOME_H
#define GRAPHRT_EMULATOR_DRIVER_OUTCOME_H

#include "cuda/CudaHeader.h"

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace graphrt::driver {

/// Why a call is refused or an operation failed: the code that the application
/// sees, and one sentence for graphrt_emulator_last_fault.
struct Fault {
  CUresult code;
  std::string message;
};

/// Success, or a Fault.
class [[nodiscard]] Outcome {
public:
  Outcome() = default;
  Outcome(Fault fault) : error(std::move(fault)) {}

  /// True for a fault.
  explicit operator bool() const { return error.has_value(); }
  Fault &fault() { return *error; }

private:
  std::optional<Fault> error;
};

/// A T, or a Fault.
template <typename T>
class [[nodiscard]] Result {
public:
  Result(T value) : storage(std::in_place_index<0>, std::move(value)) {}
  Result(Fault fault) : storage(std::in_place_index<1>, std::move(fault)) {}

  /// True for a value.
  explicit operator bool() const { return storage.index() == 0; }
  T &operator*() { return *std::get_if<0>(&storage); }
  T *operator->() { return std::get_if<0>(&storage); }
  Fault &fault() { return *std::get_if<1>(&storage); }

private:
  std::variant<T, Fault> storage;
};

} // namespace graphrt::driver

#endif // GRAPHRT_EMULATOR_DRIVER_OUTCOME_H
