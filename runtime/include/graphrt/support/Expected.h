//===- Expected.h - A value or the reason for its absence -------*- C++ -*-===//
//
// How the libraries of the runtime report errors to each other: by value, never
// by exception. The C ABI turns a Failure into a grt_status.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPHRT_SUPPORT_EXPECTED_H
#define GRAPHRT_SUPPORT_EXPECTED_H

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace graphrt {

/// What kind of thing went wrong. The values equal those of grt_status_code.
enum class ErrorCode {
  /// A call with arguments that do not fit the program.
  InvalidArgument = 1,
  /// No function, tensor, state or file of that name.
  NotFound = 2,
  /// A file that is not what it claims to be: truncated, flipped, malformed.
  Corrupt = 3,
  /// A well-formed request that this build or this machine cannot serve.
  Unsupported = 4,
  /// The operating system refused to read or write.
  IO = 5,
  /// A function reads a state that nothing has written yet.
  UninitializedState = 6,
  OutOfMemory = 7,
  /// A defect of the runtime or of a library below it.
  Internal = 8,
};

/// An error: its kind, one sentence without a full stop, and the source
/// operation it belongs to (empty where there is none).
struct Failure {
  ErrorCode code;
  std::string message;
  std::string location = {};
};

/// Success, or a Failure.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(Failure failure) : error(std::move(failure)) {}

  /// True for a failure.
  explicit operator bool() const { return error.has_value(); }
  Failure &failure() { return *error; }

private:
  std::optional<Failure> error;
};

/// A T, or a Failure.
template <typename T>
class [[nodiscard]] Expected {
public:
  Expected(T value) : storage(std::in_place_index<0>, std::move(value)) {}
  Expected(Failure failure)
      : storage(std::in_place_index<1>, std::move(failure)) {}

  /// True for a value.
  explicit operator bool() const { return storage.index() == 0; }
  T &operator*() { return *std::get_if<0>(&storage); }
  T *operator->() { return std::get_if<0>(&storage); }
  Failure &failure() { return *std::get_if<1>(&storage); }

private:
  std::variant<T, Failure> storage;
};

} // namespace graphrt

#endif // GRAPHRT_SUPPORT_EXPECTED_H
