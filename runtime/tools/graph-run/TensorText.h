//===- TensorText.h - Tensors as text ---------------------------*- C++ -*-===//

#ifndef GRAPHRT_TOOLS_GRAPHRUN_TENSORTEXT_H
#define GRAPHRT_TOOLS_GRAPHRUN_TENSORTEXT_H

#include "graphrt/graphrt.hpp"

#include <string>

namespace graphrt::run {

/// "tensor<2x3xf32>".
std::string typeText(const TensorInfo &info);

/// "1.5 MiB".
std::string bytesText(uint64_t bytes);

/// Small tensors as nested lists, others as their least, greatest and mean
/// element.
std::string valueText(const Tensor &tensor);

/// One element, converted.
double elementAt(const Tensor &tensor, size_t index);

/// Converts `value` and stores it as element `index`.
void setElement(const Tensor &tensor, size_t index, double value);

/// A scalar from a literal such as "42" or "1e-3"; throws UserError if the text
/// is not a value of the type.
Tensor parseScalar(const TensorInfo &expected, const std::string &text);

} // namespace graphrt::run

#endif // GRAPHRT_TOOLS_GRAPHRUN_TENSORTEXT_H
