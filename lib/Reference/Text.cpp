//===- Text.cpp - Tensors for people --------------------------------------===//

#include "graph/Reference/Text.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <charconv>
#include <cmath>

using namespace mlir;
using namespace graph;

namespace {
class ElementPrinter {
public:
  ElementPrinter(raw_ostream &os, const ReferenceTensor &tensor,
                 const TextOptions &options)
      : os(os), tensor(tensor), options(options),
        isElided(tensor.getNumElements() > options.maxElements) {}

  /// Prints dimension `dim` and those inside it, from element `offset` on.
  void print(unsigned dim, int64_t offset) {
    ArrayRef<int64_t> shape = tensor.getShape();
    if (dim == shape.size())
      return printElement(offset);
    constexpr int64_t kShown = 3;
    int64_t size = shape[dim];
    int64_t stride = computeProduct(shape.drop_front(dim + 1));
    os << '[';
    for (int64_t i = 0; i < size; ++i) {
      if (i > 0)
        separate(dim);
      if (isElided && i == kShown && size > 2 * kShown) {
        os << "...";
        separate(dim);
        i = size - kShown;
      }
      print(dim + 1, offset + i * stride);
    }
    os << ']';
  }

private:
  /// Between two positions of `dim`: rows begin on a new line, below the first.
  void separate(unsigned dim) {
    if (dim + 1 == tensor.getShape().size())
      os << ", ";
    else
      (os << ",\n").indent(dim + 1);
  }

  void printElement(int64_t i) {
    if (!tensor.isFloat()) {
      if (tensor.getWidth() == 1)
        os << (tensor.ints()[i] ? "true" : "false");
      else
        os << tensor.ints()[i];
      return;
    }
    double value = tensor.floats()[i];
    if (std::isnan(value)) {
      // Without the sign, which means nothing.
      os << "nan";
    } else if (options.fullPrecision) {
      char digits[32];
      os << StringRef(
          digits, std::to_chars(digits, std::end(digits), value).ptr - digits);
    } else {
      os << llvm::format("%.6g", value);
    }
  }

  raw_ostream &os;
  const ReferenceTensor &tensor;
  const TextOptions &options;
  bool isElided;
};
} // namespace

void graph::printElements(raw_ostream &os, const ReferenceTensor &tensor,
                          const TextOptions &options) {
  ElementPrinter(os, tensor, options).print(0, 0);
}

FailureOr<ReferenceTensor> graph::parseScalar(StringRef literal,
                                              RankedTensorType type) {
  ReferenceTensor scalar(type);
  if (type.getRank() != 0)
    return failure();
  if (scalar.isFloat()) {
    double value;
    if (literal.getAsDouble(value))
      return failure();
    scalar.floats()[0] =
        roundToType(cast<FloatType>(type.getElementType()), value);
    return scalar;
  }
  if (scalar.getWidth() == 1) {
    if (literal != "true" && literal != "false")
      return failure();
    scalar.ints()[0] = literal == "true";
    return scalar;
  }
  int64_t value;
  if (literal.getAsInteger(10, value) ||
      value != wrapToWidth(value, scalar.getWidth()))
    return failure();
  scalar.ints()[0] = value;
  return scalar;
}
