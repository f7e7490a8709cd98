//===- TensorText.cpp - Tensors as text -----------------------------------===//

#include "TensorText.h"
#include "UserError.h"

#include "graphrt/support/ElementVisit.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <type_traits>

using namespace graphrt;
using namespace graphrt::run;

namespace {

template <typename T>
std::string numberText(T value) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof(text), value).ptr};
}

std::string elementText(const Tensor &tensor, size_t index) {
  return visitElementType(tensor.info().type, [&](auto zero) {
    auto element = static_cast<decltype(zero) *>(tensor.data())[index];
    if constexpr (std::is_arithmetic_v<decltype(zero)>)
      return numberText(element);
    else
      return numberText(static_cast<float>(element));
  });
}

std::string nestedText(const Tensor &tensor, size_t dimension, size_t &index) {
  std::span<const int64_t> shape = tensor.info().shape;
  if (dimension == shape.size())
    return elementText(tensor, index++);
  std::string text = "[";
  for (int64_t i = 0; i < shape[dimension]; ++i)
    text += (i ? ", " : "") + nestedText(tensor, dimension + 1, index);
  return text + "]";
}

} // namespace

std::string graphrt::run::typeText(const TensorInfo &info) {
  std::string text = "tensor<";
  for (int64_t extent : info.shape)
    text += std::to_string(extent) + "x";
  return text + name(info.type) + ">";
}

std::string graphrt::run::bytesText(uint64_t bytes) {
  if (bytes < 1024)
    return std::to_string(bytes) + " B";
  const char *units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = bytes / 1024.0;
  unsigned unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit)
    value /= 1024;
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f %s", value, units[unit]);
  return text;
}

std::string graphrt::run::valueText(const Tensor &tensor) {
  constexpr size_t small = 64;
  TensorInfo info = tensor.info();
  size_t count = info.bytes / byteSize(info.type);
  if (count <= small) {
    size_t index = 0;
    return nestedText(tensor, 0, index);
  }
  double least = INFINITY, greatest = -INFINITY, sum = 0;
  size_t nonFinite = 0;
  for (size_t i = 0; i < count; ++i) {
    double value = elementAt(tensor, i);
    nonFinite += !std::isfinite(value);
    least = std::fmin(least, value);
    greatest = std::fmax(greatest, value);
    sum += value;
  }
  char text[160];
  std::snprintf(text, sizeof(text), "min %.6g, max %.6g, mean %.6g", least,
                greatest, sum / count);
  return nonFinite ? text + (", " + std::to_string(nonFinite)) + " not finite"
                   : text;
}

double graphrt::run::elementAt(const Tensor &tensor, size_t index) {
  return visitElementType(tensor.info().type, [&](auto zero) {
    return static_cast<double>(
        static_cast<decltype(zero) *>(tensor.data())[index]);
  });
}

void graphrt::run::setElement(const Tensor &tensor, size_t index,
                              double value) {
  visitElementType(tensor.info().type, [&](auto zero) {
    using T = decltype(zero);
    static_cast<T *>(tensor.data())[index] = static_cast<T>(value);
  });
}

Tensor graphrt::run::parseScalar(const TensorInfo &expected,
                                 const std::string &text) {
  std::string input = "input '" + std::string(expected.name) + "'";
  if (!expected.shape.empty())
    throw UserError(input + ": found the value '" + text +
                    "', expected a .npy file of " + typeText(expected));
  Tensor tensor = Tensor::zeros(expected.type, {});
  const char *end = text.data() + text.size();
  auto parse = [&](auto &value) {
    auto result = std::from_chars(text.data(), end, value);
    if (result.ec != std::errc() || result.ptr != end)
      throw UserError(input + ": found '" + text + "', expected a value of " +
                      typeText(expected) + " or a .npy file");
  };
  if (isFloat(expected.type)) {
    double value = 0;
    parse(value);
    setElement(tensor, 0, value);
    return tensor;
  }
  visitElementType(expected.type, [&](auto value) {
    if constexpr (std::is_integral_v<decltype(value)>) {
      parse(value);
      if (expected.type == ElementType::i1 && value != 0 && value != 1)
        throw UserError(input + ": found '" + text + "', expected 0 or 1");
      std::memcpy(tensor.data(), &value, sizeof(value));
    }
  });
  return tensor;
}
