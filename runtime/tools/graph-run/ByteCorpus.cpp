//===- ByteCorpus.cpp - Training data of bytes ----------------------------===//

#include "ByteCorpus.h"
#include "CounterRandom.h"
#include "TensorText.h"
#include "UserError.h"

#include "graphrt/support/AtomicFile.h"

using namespace graphrt;
using namespace graphrt::run;

namespace {

/// Converts bytes to integers of the tensor's type.
template <typename T>
void storeBytes(const Tensor &tensor, size_t begin, std::string_view bytes) {
  auto *to = static_cast<T *>(tensor.data()) + begin;
  for (size_t i = 0; i < bytes.size(); ++i)
    to[i] = static_cast<uint8_t>(bytes[i]);
}

void store(const Tensor &tensor, size_t begin, std::string_view bytes) {
  switch (tensor.info().type) {
  case ElementType::i16:
    return storeBytes<int16_t>(tensor, begin, bytes);
  case ElementType::i32:
    return storeBytes<int32_t>(tensor, begin, bytes);
  default:
    return storeBytes<int64_t>(tensor, begin, bytes);
  }
}

} // namespace

Batch::Batch(const Program &program, uint32_t function) {
  std::vector<TensorInfo> inputs = program.inputs(function);
  std::string where =
      "function '" + std::string(program.function(function).name) + "'";
  std::string found;
  for (const TensorInfo &input : inputs)
    found += (found.empty() ? "" : ", ") + std::string(input.name) + ": " +
             typeText(input);
  bool areNamed = inputs.size() == 2 && inputs[0].name != inputs[1].name;
  for (const TensorInfo &input : inputs)
    areNamed &= input.name == "tokens" || input.name == "targets";
  if (!areNamed || typeText(inputs[0]) != typeText(inputs[1]) ||
      inputs[0].shape.size() != 2 || isFloat(inputs[0].type))
    throw UserError(where + ": found inputs (" + found +
                    "), expected tokens and targets, both [batch, length] and "
                    "of one integer type");
  if (byteSize(inputs[0].type) < 2)
    throw UserError(where + ": found tokens of " + name(inputs[0].type) +
                    ", expected a type that holds 255: i16, i32 or i64");
  if (inputs[0].bytes == 0)
    throw UserError(where + ": found inputs (" + found +
                    "), expected a batch that is not empty");
  tokensFirst = inputs[0].name == "tokens";
  tokens = Tensor::zeros(inputs[0].type, inputs[0].shape);
  targets = Tensor::zeros(inputs[0].type, inputs[0].shape);
}

std::vector<Tensor> Batch::inputs() const {
  if (tokensFirst)
    return {tokens, targets};
  return {targets, tokens};
}

ByteCorpus::ByteCorpus(const std::vector<std::string> &paths) {
  for (const std::string &path : paths) {
    Expected<std::string> file = readWholeFile(path);
    if (!file)
      throw UserError(file.failure().message);
    if (file->empty())
      throw UserError("'" + path + "': found an empty file, expected data");
    bytes += *file;
  }
}

ByteCorpus ByteCorpus::holdOut(double fraction) {
  size_t kept = bytes.size() - static_cast<size_t>(bytes.size() * fraction);
  ByteCorpus heldOut(bytes.substr(kept));
  bytes.resize(kept);
  return heldOut;
}

void ByteCorpus::checkLength(const char *what, const Batch &batch) const {
  size_t window = batch.tokens.info().shape[1] + 1;
  if (bytes.size() < window)
    throw UserError("found " + std::to_string(bytes.size()) + " bytes of " +
                    what + " data, expected at least a window of " +
                    std::to_string(window));
}

void ByteCorpus::fill(Batch &batch, uint64_t seed, uint64_t stream,
                      uint64_t step) const {
  std::span<const int64_t> shape = batch.tokens.info().shape;
  size_t length = shape[1];
  size_t positions = bytes.size() - length;
  for (int64_t row = 0; row < shape[0]; ++row) {
    double unit = randomUnit(seed, stream, step, row);
    size_t begin = static_cast<size_t>(unit * positions);
    std::string_view window = std::string_view(bytes).substr(begin, length + 1);
    store(batch.tokens, row * length, window.substr(0, length));
    store(batch.targets, row * length, window.substr(1));
  }
}
