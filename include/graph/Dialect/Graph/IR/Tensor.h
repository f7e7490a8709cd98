//===- Tensor.h - Graphs written as expressions -----------------*- C++ -*-===//
//
// `Tensor` is a value of the graph dialect together with the builder that
// extends its graph, so that graphs, decompositions and derivatives are written
// as formulas:
//
//   Tensor mean = sum(x, {-1}, /*keepDims=*/true) / x.dim(-1);
//   Tensor y = (x - mean) * rsqrt(variance + 1e-5) * scale + bias;
//
// Binary operators broadcast as NumPy does: shapes are aligned at the last
// dimension, and a dimension of size 1 is repeated. A plain number takes the
// element type of the tensor beside it. Negative dimensions count from the end.
//
// Misuse (shapes that do not broadcast, mixed element types) is a mistake of
// the program that builds the graph: it is reported as an MLIR error at the
// builder's location and then stops the program.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_DIALECT_GRAPH_IR_TENSOR_H
#define GRAPH_DIALECT_GRAPH_IR_TENSOR_H

#include "graph/Dialect/Graph/IR/GraphOps.h"

namespace graph {

class Tensor {
public:
  /// No value: an absent cotangent, an absent mask.
  Tensor() = default;
  /// `builder` must outlive the expression.
  Tensor(mlir::ImplicitLocOpBuilder &builder, mlir::Value value)
      : value(value), builder(&builder) {}

  explicit operator bool() const { return static_cast<bool>(value); }
  operator mlir::Value() const { return value; }
  mlir::Value getValue() const { return value; }
  mlir::ImplicitLocOpBuilder &getBuilder() const { return *builder; }

  mlir::RankedTensorType getType() const {
    return llvm::cast<mlir::RankedTensorType>(value.getType());
  }
  mlir::Type getElementType() const { return getType().getElementType(); }
  llvm::ArrayRef<int64_t> getShape() const { return getType().getShape(); }
  int64_t getRank() const { return getType().getRank(); }
  int64_t getNumElements() const { return getType().getNumElements(); }
  /// The size of a dimension; negative counts from the end.
  int64_t dim(int64_t i) const { return getShape()[i < 0 ? i + getRank() : i]; }

  /// A tensor of this one's type (or of another shape) filled with a number.
  Tensor full(double number) const;
  Tensor full(double number, llvm::ArrayRef<int64_t> shape) const;

private:
  mlir::Value value;
  mlir::ImplicitLocOpBuilder *builder = nullptr;
};

/// A constant of `type` filled with `number`.
Tensor full(mlir::ImplicitLocOpBuilder &builder, mlir::RankedTensorType type,
            double number);
/// Positions along `dim`.
Tensor iota(mlir::ImplicitLocOpBuilder &builder, mlir::RankedTensorType type,
            int64_t dim);

// Arithmetic.
Tensor operator-(Tensor x);
Tensor operator+(Tensor x, Tensor y);
Tensor operator-(Tensor x, Tensor y);
Tensor operator*(Tensor x, Tensor y);
Tensor operator/(Tensor x, Tensor y);
Tensor operator+(Tensor x, double y);
Tensor operator-(Tensor x, double y);
Tensor operator*(Tensor x, double y);
Tensor operator/(Tensor x, double y);
Tensor operator+(double x, Tensor y);
Tensor operator-(double x, Tensor y);
Tensor operator*(double x, Tensor y);
Tensor operator/(double x, Tensor y);
Tensor max(Tensor x, Tensor y);
Tensor min(Tensor x, Tensor y);
Tensor max(Tensor x, double y);
Tensor min(Tensor x, double y);
Tensor pow(Tensor x, Tensor y);
Tensor pow(Tensor x, double y);

Tensor abs(Tensor x);
Tensor exp(Tensor x);
Tensor log(Tensor x);
Tensor sqrt(Tensor x);
Tensor rsqrt(Tensor x);
Tensor tanh(Tensor x);
Tensor erf(Tensor x);
Tensor logistic(Tensor x);
Tensor sin(Tensor x);
Tensor cos(Tensor x);

Tensor compare(ComparePredicate predicate, Tensor x, Tensor y);
Tensor compare(ComparePredicate predicate, Tensor x, double y);
/// Element by element; the three are broadcast against each other.
Tensor select(Tensor predicate, Tensor onTrue, Tensor onFalse);
Tensor select(Tensor predicate, Tensor onTrue, double onFalse);
/// Returns `x` itself where it already has the type.
Tensor cast(Tensor x, mlir::Type elementType);

// Shapes.
/// NumPy's broadcast_to: dimensions are aligned at the end, 1 is repeated.
Tensor broadcastTo(Tensor x, llvm::ArrayRef<int64_t> shape);
/// graph.broadcast: operand dimension i becomes result dimension dims[i].
Tensor broadcastInDims(Tensor x, llvm::ArrayRef<int64_t> shape,
                       llvm::ArrayRef<int64_t> dims);
/// One size may be -1: whatever is left.
Tensor reshape(Tensor x, llvm::ArrayRef<int64_t> shape);
Tensor transpose(Tensor x, llvm::ArrayRef<int64_t> perm);
/// Exchanges two dimensions.
Tensor swapDims(Tensor x, int64_t a, int64_t b);
Tensor slice(Tensor x, llvm::ArrayRef<int64_t> starts,
             llvm::ArrayRef<int64_t> limits,
             llvm::ArrayRef<int64_t> strides = {});
/// [start, limit) of one dimension.
Tensor sliceDim(Tensor x, int64_t dim, int64_t start, int64_t limit);
/// Zero padding.
Tensor pad(Tensor x, llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> high,
           llvm::ArrayRef<int64_t> interior);
Tensor concat(llvm::ArrayRef<Tensor> xs, int64_t dim);
Tensor gather(Tensor table, Tensor indices, IndexMode mode = IndexMode::fill);
Tensor scatterAdd(Tensor init, Tensor indices, Tensor updates,
                  IndexMode mode = IndexMode::fill);

// Reductions and contractions.
Tensor reduce(ReduceKind kind, Tensor x, llvm::ArrayRef<int64_t> dims,
              bool keepDims = false);
Tensor sum(Tensor x, llvm::ArrayRef<int64_t> dims, bool keepDims = false);
/// Over all dimensions.
Tensor sum(Tensor x);
Tensor mean(Tensor x);
Tensor mean(Tensor x, llvm::ArrayRef<int64_t> dims, bool keepDims = false);
struct DotDims {
  llvm::SmallVector<int64_t> lhsBatch = {}, rhsBatch = {}, lhsContract = {},
                             rhsContract = {};
};
Tensor dot(Tensor lhs, Tensor rhs, const DotDims &dims);
/// NumPy's matmul for operands of rank 2 or more with equal leading
/// dimensions, or an rhs of rank 2 shared by all of them.
Tensor matmul(Tensor lhs, Tensor rhs);

// Composites.
Tensor softmax(Tensor x, int64_t dim = -1);
Tensor logSoftmax(Tensor x, int64_t dim = -1);
Tensor layerNorm(Tensor x, Tensor scale, Tensor bias, double epsilon = 1e-5);
Tensor gelu(Tensor x, GeluForm form = GeluForm::erf);
Tensor relu(Tensor x);
Tensor silu(Tensor x);
/// Per example; take `mean` of it for the usual loss.
Tensor crossEntropy(Tensor logits, Tensor targets);
struct AttentionOptions {
  bool causal = false;
  Tensor mask = {};
  /// 0 means 1 / sqrt(head size).
  double scale = 0;
};
Tensor attention(Tensor query, Tensor key, Tensor value,
                 const AttentionOptions &options = {});

} // namespace graph

#endif // GRAPH_DIALECT_GRAPH_IR_TENSOR_H
