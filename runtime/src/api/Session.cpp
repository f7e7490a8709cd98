//===- Session.cpp - A program on a device --------------------------------===//

#include "Session.h"

#include "../io/Safetensors.h"

#include "graphrt/support/AtomicFile.h"

#include <cstring>

using namespace graphrt;
using namespace graphrt::rt;

namespace {

using TensorList = flatbuffers::Vector<flatbuffers::Offset<fb::NamedTensor>>;

Failure invalid(std::string message) {
  return {ErrorCode::InvalidArgument, std::move(message)};
}

bool fits(ElementType type, const std::vector<int64_t> &shape,
          const fb::TensorType &expected) {
  return type == static_cast<ElementType>(expected.element_type()) &&
         shape == shapeOf(expected);
}

std::string names(const TensorList *list) {
  std::string result;
  if (list)
    for (const fb::NamedTensor *tensor : *list)
      result += (result.empty() ? "" : ", ") + tensor->name()->str();
  return result.empty() ? "none" : result;
}

Status checkCount(const fb::Function &function, const std::string &what,
                  size_t found, const TensorList *list) {
  size_t expected = list ? list->size() : 0;
  if (found == expected)
    return {};
  return invalid("function '" + function.name()->str() + "': found " +
                 std::to_string(found) + " " + what + "s, expected " +
                 std::to_string(expected) + ": " + names(list));
}

Status checkType(const fb::Function &function, const std::string &what,
                 const Tensor &tensor, const fb::NamedTensor &expected) {
  if (fits(tensor.type, tensor.shape, *expected.type()))
    return {};
  return invalid("function '" + function.name()->str() + "', " + what + " '" +
                 expected.name()->str() + "': found " +
                 typeName(tensor.type, tensor.shape) + ", expected " +
                 typeName(*expected.type()));
}

bool overlaps(const Tensor &a, const Tensor &b) {
  return a.bytes && b.bytes && a.data < b.data + b.bytes &&
         b.data < a.data + a.bytes;
}

bool contains(const flatbuffers::Vector<uint32_t> *indices, uint32_t index) {
  if (indices)
    for (uint32_t other : *indices)
      if (other == index)
        return true;
  return false;
}

} // namespace

Session::Session(std::shared_ptr<const Program> program,
                 std::unique_ptr<Device> device)
    : program(std::move(program)), device(std::move(device)),
      written(this->program->numStates()) {}

Expected<std::unique_ptr<Session>>
Session::create(std::shared_ptr<const Program> program,
                const DeviceOptions &options) {
  Expected<std::unique_ptr<Device>> device = createDevice(program, options);
  if (!device)
    return device.failure();
  return std::unique_ptr<Session>(
      new Session(std::move(program), std::move(*device)));
}

Status Session::checkStates(const fb::Function &function) const {
  if (!function.states_read())
    return {};
  for (uint32_t index : *function.states_read()) {
    if (written[index])
      continue;
    std::string writers;
    for (uint32_t i = 0; i < program->numFunctions(); ++i) {
      const fb::Function &other = program->function(i);
      if (contains(other.states_written(), index) &&
          !contains(other.states_read(), index))
        writers += (writers.empty() ? "'" : "', '") + other.name()->str();
    }
    std::string remedy = writers.empty()
                             ? "load a checkpoint"
                             : "call " + writers + "' or load a checkpoint";
    return Failure{ErrorCode::UninitializedState,
                   "function '" + function.name()->str() + "' reads state '" +
                       program->state(index).name()->str() +
                       "', which is not initialized: first " + remedy};
  }
  return {};
}

Status Session::call(uint32_t index, std::span<const Tensor *const> inputs,
                     std::span<Tensor> outputs) {
  if (index >= program->numFunctions())
    return invalid("found function " + std::to_string(index) +
                   ", expected less than " +
                   std::to_string(program->numFunctions()));
  const fb::Function &function = program->function(index);
  if (Status status =
          checkCount(function, "input", inputs.size(), function.inputs()))
    return status;
  if (Status status =
          checkCount(function, "output", outputs.size(), function.outputs()))
    return status;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const fb::NamedTensor &expected = *function.inputs()->Get(i);
    if (!inputs[i])
      return invalid("function '" + function.name()->str() + "', input '" +
                     expected.name()->str() + "': found no tensor, expected " +
                     typeName(*expected.type()));
    if (Status status = checkType(function, "input", *inputs[i], expected))
      return status;
  }
  std::vector<size_t> missing;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const fb::NamedTensor &expected = *function.outputs()->Get(i);
    std::string name = expected.name()->str();
    if (!outputs[i].data) {
      missing.push_back(i);
      continue;
    }
    if (Status status = checkType(function, "output", outputs[i], expected))
      return status;
    if (outputs[i].isReadOnly)
      return invalid("output '" + name +
                     "': found a read-only tensor, expected a writable one");
    for (const Tensor *input : inputs)
      if (overlaps(outputs[i], *input))
        return invalid("output '" + name + "' overlaps an input");
    for (size_t j = 0; j < i; ++j)
      if (outputs[j].data && overlaps(outputs[i], outputs[j]))
        return invalid("output '" + name + "' overlaps another output");
  }
  if (Status status = checkStates(function))
    return status;

  for (size_t i : missing) {
    const fb::TensorType &type = *function.outputs()->Get(i)->type();
    outputs[i] = *Tensor::describe(
        static_cast<ElementType>(type.element_type()), shapeOf(type));
    outputs[i].allocate();
  }
  std::vector<const char *> inputData;
  std::vector<char *> outputData;
  for (const Tensor *input : inputs)
    inputData.push_back(input->data);
  for (const Tensor &output : outputs)
    outputData.push_back(output.data);

  StepObserver observe;
  if (observer)
    observe = [&](uint32_t step, uint64_t begin, uint64_t end) {
      observer(index, step, begin, end);
    };
  Status status = device->run(index, inputData, outputData, observe);
  if (function.states_written())
    for (uint32_t state : *function.states_written())
      written[state] = !status;
  return status;
}

Expected<Tensor> Session::getState(std::string_view name) const {
  Expected<uint32_t> index = program->findState(name);
  if (!index)
    return index.failure();
  if (!written[*index])
    return Failure{ErrorCode::UninitializedState,
                   "state '" + std::string(name) + "' is not initialized"};
  const fb::TensorType &type = *program->state(*index).type();
  Expected<Tensor> tensor = Tensor::describe(
      static_cast<ElementType>(type.element_type()), shapeOf(type));
  tensor->allocate();
  AlignedMemory scratch;
  Expected<const char *> bytes = device->readState(*index, scratch);
  if (!bytes)
    return bytes.failure();
  std::memcpy(tensor->data, *bytes, tensor->bytes);
  return tensor;
}

Status Session::setState(std::string_view name, const Tensor &tensor) {
  Expected<uint32_t> index = program->findState(name);
  if (!index)
    return index.failure();
  const fb::TensorType &type = *program->state(*index).type();
  if (!fits(tensor.type, tensor.shape, type))
    return invalid("state '" + std::string(name) + "': found " +
                   typeName(tensor.type, tensor.shape) + ", expected " +
                   typeName(type));
  Status status = device->writeState(*index, tensor.data);
  written[*index] = !status;
  return status;
}

Status Session::save(const std::string &path) const {
  safetensors::File file;
  file.metadata = metadata;
  std::vector<AlignedMemory> scratch(written.size());
  for (uint32_t i = 0; i < written.size(); ++i) {
    if (!written[i])
      continue;
    Expected<const char *> bytes = device->readState(i, scratch[i]);
    if (!bytes)
      return bytes.failure();
    const fb::NamedTensor &state = program->state(i);
    file.entries.push_back(
        {state.name()->str(),
         static_cast<ElementType>(state.type()->element_type()),
         shapeOf(*state.type()),
         {*bytes, byteSizeOf(state)}});
  }
  return safetensors::write(path, file);
}

Status Session::load(const std::string &path) {
  Expected<std::string> bytes = readWholeFile(path);
  if (!bytes)
    return bytes.failure();
  Expected<safetensors::File> file = safetensors::parse(*bytes);
  auto located = [&](const Failure &failure) {
    return Failure{failure.code, "'" + path + "': " + failure.message};
  };
  if (!file)
    return located(file.failure());
  std::vector<uint32_t> indices;
  for (const safetensors::Entry &entry : file->entries) {
    Expected<uint32_t> index = program->findState(entry.name);
    if (!index)
      return located(index.failure());
    const fb::TensorType &type = *program->state(*index).type();
    if (!fits(entry.type, entry.shape, type))
      return located(invalid("state '" + entry.name + "': found " +
                             typeName(entry.type, entry.shape) + ", expected " +
                             typeName(type)));
    indices.push_back(*index);
  }
  for (size_t i = 0; i < indices.size(); ++i) {
    Status status =
        device->writeState(indices[i], file->entries[i].data.data());
    written[indices[i]] = !status;
    if (status)
      return status;
  }
  metadata = std::move(file->metadata);
  return {};
}
