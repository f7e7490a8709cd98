//===- graphrt.hpp - C++ interface of the runtime ---------------*- C++ -*-===//
//
// A header-only layer over graphrt.h: objects that free themselves and
// exceptions in place of status values.
//
//   graphrt::Program program = graphrt::Program::load("model.gx");
//   graphrt::Session session(program, {.threads = 4});
//   session.call("init", {graphrt::Tensor::scalar<int64_t>(42)});
//   std::vector<graphrt::Tensor> results = session.call("logits", {tokens});
//   std::span<const float> logits = results[0].as<float>();
//
// Program and Tensor are handles: copies refer to the same object. Errors are
// thrown as graphrt::Error.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPHRT_GRAPHRT_HPP
#define GRAPHRT_GRAPHRT_HPP

#include "graphrt/ElementType.h"
#include "graphrt/graphrt.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace graphrt {

/// A failure of the runtime. what() says what was found and expected.
class Error : public std::runtime_error {
public:
  Error(grt_status_code code, const std::string &message, std::string location)
      : std::runtime_error(message), statusCode(code),
        sourceLocation(std::move(location)) {}

  grt_status_code code() const { return statusCode; }
  /// The source operation that failed, empty if the error is not of one.
  const std::string &location() const { return sourceLocation; }

  /// Throws a failure and frees it; returns for null.
  static void throwIf(grt_status *status) {
    if (!status)
      return;
    Error error(grt_status_get_code(status), grt_status_get_message(status),
                grt_status_get_location(status));
    grt_status_destroy(status);
    throw error;
  }

private:
  grt_status_code statusCode;
  std::string sourceLocation;
};

/// The element type that holds a C++ type; 16-bit floats have no C++ type.
template <typename T>
constexpr ElementType elementTypeOf() {
  if constexpr (std::is_same_v<T, double>)
    return ElementType::f64;
  else if constexpr (std::is_same_v<T, float>)
    return ElementType::f32;
  else if constexpr (std::is_same_v<T, bool>)
    return ElementType::i1;
  else {
    static_assert(std::is_integral_v<T> && std::is_signed_v<T>,
                  "no element type for this C++ type");
    return sizeof(T) == 1   ? ElementType::i8
           : sizeof(T) == 2 ? ElementType::i16
           : sizeof(T) == 4 ? ElementType::i32
                            : ElementType::i64;
  }
}

/// Name, type and shape; refers to memory of the object it was asked of.
struct TensorInfo {
  std::string_view name;
  ElementType type;
  std::span<const int64_t> shape;
  uint64_t bytes;

  explicit TensorInfo(const grt_tensor_info &info)
      : name(info.name ? info.name : ""),
        type(static_cast<ElementType>(info.element_type)),
        shape(info.shape, info.rank), bytes(info.bytes) {}
};

/// A dense array. A default-constructed one is null.
class Tensor {
public:
  Tensor() = default;

  /// Takes over a handle of the C interface.
  explicit Tensor(grt_tensor *handle) : handle(handle, grt_tensor_destroy) {}

  static Tensor zeros(ElementType type, std::span<const int64_t> shape) {
    grt_tensor *handle = nullptr;
    Error::throwIf(grt_tensor_create(static_cast<grt_element_type>(type),
                                     shape.size(), shape.data(), &handle));
    return Tensor(handle);
  }

  /// A tensor in memory of the caller, which must outlive all copies.
  static Tensor borrow(void *data, ElementType type,
                       std::span<const int64_t> shape) {
    grt_tensor *handle = nullptr;
    Error::throwIf(grt_tensor_borrow(data, static_cast<grt_element_type>(type),
                                     shape.size(), shape.data(), nullptr,
                                     nullptr, &handle));
    return Tensor(handle);
  }

  /// A copy of `values`, in row-major order.
  template <typename T>
  static Tensor of(std::span<const T> values, std::span<const int64_t> shape) {
    Tensor tensor = zeros(elementTypeOf<T>(), shape);
    std::span<T> elements = tensor.as<T>();
    if (elements.size() != values.size())
      throw Error(GRT_INVALID_ARGUMENT,
                  "found " + std::to_string(values.size()) +
                      " values, expected " + std::to_string(elements.size()),
                  "");
    std::copy(values.begin(), values.end(), elements.begin());
    return tensor;
  }

  template <typename T>
  static Tensor scalar(T value) {
    return of<T>({&value, 1}, {});
  }

  /// Takes over a DLPack tensor; see grt_tensor_from_dlpack.
  static Tensor fromDlpack(DLManagedTensorVersioned *managed) {
    grt_tensor *handle = nullptr;
    Error::throwIf(grt_tensor_from_dlpack(managed, &handle));
    return Tensor(handle);
  }

  /// A DLPack tensor that shares the memory; the consumer calls its deleter.
  DLManagedTensorVersioned *toDlpack() const {
    DLManagedTensorVersioned *managed = nullptr;
    Error::throwIf(grt_tensor_to_dlpack(get(), &managed));
    return managed;
  }

  TensorInfo info() const {
    grt_tensor_info info;
    grt_tensor_get_info(get(), &info);
    return TensorInfo(info);
  }

  void *data() const { return grt_tensor_get_data(get()); }

  /// The elements; T must be the C++ type of the element type.
  template <typename T>
  std::span<T> as() const {
    TensorInfo self = info();
    constexpr ElementType expected = elementTypeOf<std::remove_const_t<T>>();
    if (self.type != expected)
      throw Error(GRT_INVALID_ARGUMENT,
                  std::string("found a tensor of ") + name(self.type) +
                      ", expected " + name(expected),
                  "");
    return {static_cast<T *>(data()), self.bytes / sizeof(T)};
  }

  grt_tensor *get() const { return handle.get(); }
  explicit operator bool() const { return handle != nullptr; }

private:
  std::shared_ptr<grt_tensor> handle;
};

/// An artifact.
class Program {
public:
  static Program load(const std::string &path) {
    grt_program *handle = nullptr;
    Error::throwIf(grt_program_load_file(path.c_str(), &handle));
    return Program(handle);
  }

  /// The bytes are copied.
  static Program fromMemory(std::string_view bytes) {
    grt_program *handle = nullptr;
    Error::throwIf(
        grt_program_load_memory(bytes.data(), bytes.size(), &handle));
    return Program(handle);
  }

  grt_program_info info() const {
    grt_program_info info;
    grt_program_get_info(get(), &info);
    return info;
  }

  /// The index of a function; throws if there is none of that name.
  uint32_t findFunction(const std::string &name) const {
    uint32_t index = 0;
    Error::throwIf(grt_program_find_function(get(), name.c_str(), &index));
    return index;
  }

  grt_function_info function(uint32_t index) const {
    grt_function_info info;
    Error::throwIf(grt_program_get_function(get(), index, &info));
    return info;
  }

  grt_section_info section(uint32_t index) const {
    grt_section_info info;
    Error::throwIf(grt_program_get_section(get(), index, &info));
    return info;
  }

  grt_kernel_info kernel(uint32_t index) const {
    grt_kernel_info info;
    Error::throwIf(grt_program_get_kernel(get(), index, &info));
    return info;
  }

  std::vector<TensorInfo> inputs(uint32_t function) const {
    return list(GRT_INPUTS, function, this->function(function).inputs);
  }
  std::vector<TensorInfo> outputs(uint32_t function) const {
    return list(GRT_OUTPUTS, function, this->function(function).outputs);
  }
  std::vector<TensorInfo> states() const {
    return list(GRT_STATES, 0, info().states);
  }

  grt_program *get() const { return handle.get(); }

private:
  explicit Program(grt_program *handle) : handle(handle, grt_program_destroy) {}

  std::vector<TensorInfo> list(grt_tensor_list list, uint32_t function,
                               uint32_t count) const {
    std::vector<TensorInfo> result;
    for (uint32_t i = 0; i < count; ++i) {
      grt_tensor_info info;
      Error::throwIf(grt_program_get_tensor(get(), list, function, i, &info));
      result.emplace_back(info);
    }
    return result;
  }

  std::shared_ptr<grt_program> handle;
};

struct SessionOptions {
  /// 0: GRAPHRT_NUM_THREADS, else the number of available cores.
  unsigned threads = 0;
  /// "cpu", "cuda", "cuda:1", "cuda-emulated"; empty for what the program was
  /// compiled for.
  std::string device = {};
};

/// A program on a device, with its memory and threads; for one thread at a
/// time.
class Session {
public:
  explicit Session(const Program &program, SessionOptions options = {})
      : sessionProgram(program), handle(nullptr, grt_session_destroy) {
    grt_session_options cOptions = {options.threads, options.device.c_str()};
    grt_session *session = nullptr;
    Error::throwIf(grt_session_create(program.get(), &cOptions, &session));
    handle.reset(session);
  }

  const Program &program() const { return sessionProgram; }

  /// For people, such as "cpu" or "cuda:0 (NVIDIA H200)".
  std::string device() const { return grt_session_get_device(get()); }

  /// Runs a function and returns new tensors.
  std::vector<Tensor> call(const std::string &function,
                           std::span<const Tensor> inputs) {
    return call(sessionProgram.findFunction(function), inputs);
  }
  std::vector<Tensor> call(const std::string &function,
                           std::initializer_list<Tensor> inputs = {}) {
    return call(function, std::span(inputs.begin(), inputs.size()));
  }
  std::vector<Tensor> call(uint32_t function, std::span<const Tensor> inputs) {
    std::vector<Tensor> outputs(sessionProgram.function(function).outputs);
    call(function, inputs, outputs);
    return outputs;
  }

  /// Runs a function, fills the outputs given and replaces the null ones.
  void call(uint32_t function, std::span<const Tensor> inputs,
            std::span<Tensor> outputs) {
    std::vector<const grt_tensor *> in;
    std::vector<grt_tensor *> out;
    for (const Tensor &input : inputs)
      in.push_back(input.get());
    for (const Tensor &output : outputs)
      out.push_back(output.get());
    Error::throwIf(grt_session_call(get(), function, in.data(), in.size(),
                                    out.data(), out.size()));
    for (size_t i = 0; i < outputs.size(); ++i)
      if (!outputs[i])
        outputs[i] = Tensor(out[i]);
  }

  /// Passes every command of later calls to `observe`, which must not use the
  /// session; an empty function ends it.
  void setObserver(std::function<void(const grt_event &)> observe) {
    observer =
        observe ? std::make_unique<Observer>(std::move(observe)) : nullptr;
    if (!observer)
      return grt_session_set_observer(get(), nullptr, nullptr);
    grt_session_set_observer(
        get(),
        [](void *context, const grt_event *event) {
          (*static_cast<Observer *>(context))(*event);
        },
        observer.get());
  }

  Tensor state(const std::string &name) const {
    grt_tensor *tensor = nullptr;
    Error::throwIf(grt_session_get_state(get(), name.c_str(), &tensor));
    return Tensor(tensor);
  }
  void setState(const std::string &name, const Tensor &tensor) {
    Error::throwIf(grt_session_set_state(get(), name.c_str(), tensor.get()));
  }
  bool hasState(uint32_t index) const {
    return grt_session_has_state(get(), index);
  }

  std::optional<std::string> metadata(const std::string &key) const {
    const char *value = grt_session_get_metadata(get(), key.c_str());
    return value ? std::optional<std::string>(value) : std::nullopt;
  }
  void setMetadata(const std::string &key, const std::string &value) {
    Error::throwIf(grt_session_set_metadata(get(), key.c_str(), value.c_str()));
  }

  void save(const std::string &path) const {
    Error::throwIf(grt_session_save(get(), path.c_str()));
  }
  void load(const std::string &path) {
    Error::throwIf(grt_session_load(get(), path.c_str()));
  }

  grt_session *get() const { return handle.get(); }

private:
  using Observer = std::function<void(const grt_event &)>;

  Program sessionProgram;
  std::unique_ptr<Observer> observer;
  std::unique_ptr<grt_session, void (*)(grt_session *)> handle;
};

} // namespace graphrt

#endif // GRAPHRT_GRAPHRT_HPP
