//===- ReferenceTensor.h - A tensor of the interpreter ----------*- C++ -*-===//
//
// Elements of every floating-point type are held in double precision, elements
// of every integer type and of i1 in int64_t, both in row-major order. Values
// of a narrow floating-point type are not rounded to it: the interpreter says
// what an operation means, not what a machine makes of it. Integers are always
// within their width, sign extended; i1 is 0 or 1.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_REFERENCE_REFERENCETENSOR_H
#define GRAPH_REFERENCE_REFERENCETENSOR_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include <variant>
#include <vector>

namespace graph {

class ReferenceTensor {
public:
  /// A tensor of zeros.
  explicit ReferenceTensor(mlir::RankedTensorType type);
  /// The elements must be as many as the type says, and of the right kind.
  ReferenceTensor(mlir::RankedTensorType type, std::vector<double> elements)
      : type(type), storage(std::move(elements)) {}
  ReferenceTensor(mlir::RankedTensorType type, std::vector<int64_t> elements)
      : type(type), storage(std::move(elements)) {}

  mlir::RankedTensorType getType() const { return type; }
  mlir::Type getElementType() const { return type.getElementType(); }
  llvm::ArrayRef<int64_t> getShape() const { return type.getShape(); }
  int64_t getNumElements() const { return type.getNumElements(); }
  bool isFloat() const { return std::holds_alternative<Floats>(storage); }
  /// Bits of the element type.
  unsigned getWidth() const { return type.getElementTypeBitWidth(); }

  /// The elements; only for a floating-point element type.
  llvm::MutableArrayRef<double> floats() { return std::get<Floats>(storage); }
  llvm::ArrayRef<double> floats() const { return std::get<Floats>(storage); }
  /// The elements; only for an integer element type.
  llvm::MutableArrayRef<int64_t> ints() { return std::get<Ints>(storage); }
  llvm::ArrayRef<int64_t> ints() const { return std::get<Ints>(storage); }

  /// The elements as T, which is double or int64_t.
  template <typename T> llvm::MutableArrayRef<T> elements() {
    return std::get<std::vector<T>>(storage);
  }
  template <typename T> llvm::ArrayRef<T> elements() const {
    return std::get<std::vector<T>>(storage);
  }

private:
  using Floats = std::vector<double>;
  using Ints = std::vector<int64_t>;

  mlir::RankedTensorType type;
  std::variant<Floats, Ints> storage;
};

/// Calls `fn` with a null pointer to double or to int64_t, whichever holds the
/// elements of `tensor`: how a template is chosen by element type.
template <typename Fn>
decltype(auto) dispatchByStorage(const ReferenceTensor &tensor, Fn fn) {
  if (tensor.isFloat())
    return fn(static_cast<double *>(nullptr));
  return fn(static_cast<int64_t *>(nullptr));
}

/// `value` rounded to the nearest value of `type`, ties to even.
double roundToType(mlir::FloatType type, double value);

/// `value` reduced to `width` bits and sign extended; width 1 gives 0 or 1.
int64_t wrapToWidth(int64_t value, unsigned width);

/// The elements of a constant. Fails where they were elided from the text.
llvm::FailureOr<ReferenceTensor> getConstantElements(mlir::ElementsAttr attr);

} // namespace graph

#endif // GRAPH_REFERENCE_REFERENCETENSOR_H
