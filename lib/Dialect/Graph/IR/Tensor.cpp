//===- Tensor.cpp - Graphs written as expressions -------------------------===//

#include "graph/Dialect/Graph/IR/Tensor.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace graph;

[[noreturn]] static void misuse(Tensor at, const Twine &message) {
  emitError(at.getBuilder().getLoc()) << message;
  llvm::report_fatal_error("cannot build the graph", /*gen_crash_diag=*/false);
}

static SmallVector<int64_t> normalize(Tensor x, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> result;
  for (int64_t dim : dims)
    result.push_back(dim < 0 ? dim + x.getRank() : dim);
  return result;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Tensor graph::full(ImplicitLocOpBuilder &b, RankedTensorType type,
                   double number) {
  Type element = type.getElementType();
  Attribute attr;
  if (isa<FloatType>(element))
    attr = b.getFloatAttr(element, number);
  else if (element.isInteger(1))
    attr = b.getBoolAttr(number != 0);
  else
    attr = b.getIntegerAttr(element, static_cast<int64_t>(number));
  return {b, ConstantOp::create(b, DenseElementsAttr::get(type, attr))};
}

Tensor Tensor::full(double number) const {
  return graph::full(*builder, getType(), number);
}
Tensor Tensor::full(double number, ArrayRef<int64_t> shape) const {
  return graph::full(*builder, getType().clone(shape), number);
}
Tensor graph::iota(ImplicitLocOpBuilder &b, RankedTensorType type,
                   int64_t dim) {
  return {b, IotaOp::create(b, type, dim < 0 ? dim + type.getRank() : dim)};
}

//===----------------------------------------------------------------------===//
// Broadcasting
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> broadcastShapes(Tensor x, Tensor y) {
  int64_t rank = std::max(x.getRank(), y.getRank());
  SmallVector<int64_t> shape(rank);
  for (int64_t i = 1; i <= rank; ++i) {
    int64_t a = i <= x.getRank() ? x.dim(-i) : 1;
    int64_t b = i <= y.getRank() ? y.dim(-i) : 1;
    if (a != b && a != 1 && b != 1)
      misuse(x, "shapes of " + llvm::formatv("{0}", x.getType()).str() +
                    " and " + llvm::formatv("{0}", y.getType()).str() +
                    " do not broadcast");
    shape[rank - i] = a == 1 ? b : a;
  }
  return shape;
}

Tensor graph::broadcastInDims(Tensor x, ArrayRef<int64_t> shape,
                              ArrayRef<int64_t> dims) {
  ImplicitLocOpBuilder &b = x.getBuilder();
  if (x.getShape() == shape)
    return x;
  return {b, BroadcastOp::create(b, x.getType().clone(shape), x, dims)};
}

Tensor graph::broadcastTo(Tensor x, ArrayRef<int64_t> shape) {
  if (x.getShape() == shape)
    return x;
  // Dimensions that are repeated are dropped first: graph.broadcast adds them.
  int64_t lead = static_cast<int64_t>(shape.size()) - x.getRank();
  SmallVector<int64_t> kept, dims;
  for (int64_t i = 0; i < x.getRank(); ++i)
    if (x.dim(i) == shape[lead + i]) {
      kept.push_back(x.dim(i));
      dims.push_back(lead + i);
    } else if (x.dim(i) != 1) {
      misuse(x, "cannot broadcast dimension " + Twine(i) + " of size " +
                    Twine(x.dim(i)) + " to " + Twine(shape[lead + i]));
    }
  return broadcastInDims(reshape(x, kept), shape, dims);
}

template <typename Op>
static Tensor binary(Tensor x, Tensor y) {
  if (x.getElementType() != y.getElementType())
    misuse(x, "operands have types " + llvm::formatv("{0}", x.getType()).str() +
                  " and " + llvm::formatv("{0}", y.getType()).str() +
                  ", expected one element type");
  ImplicitLocOpBuilder &b = x.getBuilder();
  SmallVector<int64_t> shape = broadcastShapes(x, y);
  return {b, Op::create(b, broadcastTo(x, shape), broadcastTo(y, shape))};
}

template <typename Op>
static Tensor unary(Tensor x) {
  ImplicitLocOpBuilder &b = x.getBuilder();
  return {b, Op::create(b, x)};
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

Tensor graph::operator-(Tensor x) { return unary<NegOp>(x); }
Tensor graph::operator+(Tensor x, Tensor y) { return binary<AddOp>(x, y); }
Tensor graph::operator-(Tensor x, Tensor y) { return binary<SubOp>(x, y); }
Tensor graph::operator*(Tensor x, Tensor y) { return binary<MulOp>(x, y); }
Tensor graph::operator/(Tensor x, Tensor y) { return binary<DivOp>(x, y); }
Tensor graph::operator+(Tensor x, double y) { return x + x.full(y); }
Tensor graph::operator-(Tensor x, double y) { return x - x.full(y); }
Tensor graph::operator*(Tensor x, double y) { return x * x.full(y); }
Tensor graph::operator/(Tensor x, double y) { return x / x.full(y); }
Tensor graph::operator+(double x, Tensor y) { return y.full(x) + y; }
Tensor graph::operator-(double x, Tensor y) { return y.full(x) - y; }
Tensor graph::operator*(double x, Tensor y) { return y.full(x) * y; }
Tensor graph::operator/(double x, Tensor y) { return y.full(x) / y; }
Tensor graph::max(Tensor x, Tensor y) { return binary<MaxOp>(x, y); }
Tensor graph::min(Tensor x, Tensor y) { return binary<MinOp>(x, y); }
Tensor graph::max(Tensor x, double y) { return max(x, x.full(y)); }
Tensor graph::min(Tensor x, double y) { return min(x, x.full(y)); }
Tensor graph::pow(Tensor x, Tensor y) { return binary<PowOp>(x, y); }
Tensor graph::pow(Tensor x, double y) { return pow(x, x.full(y)); }

Tensor graph::abs(Tensor x) { return unary<AbsOp>(x); }
Tensor graph::exp(Tensor x) { return unary<ExpOp>(x); }
Tensor graph::log(Tensor x) { return unary<LogOp>(x); }
Tensor graph::sqrt(Tensor x) { return unary<SqrtOp>(x); }
Tensor graph::rsqrt(Tensor x) { return unary<RsqrtOp>(x); }
Tensor graph::tanh(Tensor x) { return unary<TanhOp>(x); }
Tensor graph::erf(Tensor x) { return unary<ErfOp>(x); }
Tensor graph::logistic(Tensor x) { return unary<LogisticOp>(x); }
Tensor graph::sin(Tensor x) { return unary<SinOp>(x); }
Tensor graph::cos(Tensor x) { return unary<CosOp>(x); }

Tensor graph::compare(ComparePredicate predicate, Tensor x, Tensor y) {
  ImplicitLocOpBuilder &b = x.getBuilder();
  SmallVector<int64_t> shape = broadcastShapes(x, y);
  return {b, CompareOp::create(b, predicate, broadcastTo(x, shape),
                               broadcastTo(y, shape))};
}
Tensor graph::compare(ComparePredicate predicate, Tensor x, double y) {
  return compare(predicate, x, x.full(y));
}

Tensor graph::select(Tensor predicate, Tensor onTrue, Tensor onFalse) {
  ImplicitLocOpBuilder &b = predicate.getBuilder();
  SmallVector<int64_t> shape = broadcastShapes(onTrue, onFalse);
  Tensor x = broadcastTo(onTrue, shape), y = broadcastTo(onFalse, shape);
  shape = broadcastShapes(predicate, x);
  x = broadcastTo(x, shape);
  return {b, SelectOp::create(b, x.getType(), broadcastTo(predicate, shape), x,
                              broadcastTo(y, shape))};
}
Tensor graph::select(Tensor predicate, Tensor onTrue, double onFalse) {
  return select(predicate, onTrue, onTrue.full(onFalse));
}

Tensor graph::cast(Tensor x, Type elementType) {
  if (x.getElementType() == elementType)
    return x;
  ImplicitLocOpBuilder &b = x.getBuilder();
  return {b, CastOp::create(b, x.getType().clone(elementType), x)};
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

Tensor graph::reshape(Tensor x, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> sizes(shape);
  for (int64_t &size : sizes)
    if (size == -1) {
      int64_t others = std::accumulate(
          sizes.begin(), sizes.end(), int64_t(-1), std::multiplies<>());
      size = others == 0 ? 0 : x.getNumElements() / others;
    }
  if (x.getShape() == ArrayRef(sizes))
    return x;
  ImplicitLocOpBuilder &b = x.getBuilder();
  return {b, ReshapeOp::create(b, x.getType().clone(sizes), x)};
}

Tensor graph::transpose(Tensor x, ArrayRef<int64_t> perm) {
  ImplicitLocOpBuilder &b = x.getBuilder();
  return {b, TransposeOp::create(b, x, normalize(x, perm))};
}

Tensor graph::swapDims(Tensor x, int64_t a, int64_t b) {
  auto perm = llvm::to_vector(llvm::seq<int64_t>(0, x.getRank()));
  std::swap(perm[a < 0 ? a + x.getRank() : a], perm[b < 0 ? b + x.getRank() : b]);
  return transpose(x, perm);
}

Tensor graph::slice(Tensor x, ArrayRef<int64_t> starts,
                    ArrayRef<int64_t> limits, ArrayRef<int64_t> strides) {
  ImplicitLocOpBuilder &b = x.getBuilder();
  SmallVector<int64_t> ones(x.getRank(), 1);
  return {b, SliceOp::create(b, x, starts, limits,
                             strides.empty() ? ArrayRef(ones) : strides)};
}

Tensor graph::sliceDim(Tensor x, int64_t dim, int64_t start, int64_t limit) {
  SmallVector<int64_t> starts(x.getRank(), 0), limits(x.getShape());
  int64_t along = dim < 0 ? dim + x.getRank() : dim;
  starts[along] = start;
  limits[along] = limit;
  return slice(x, starts, limits);
}

Tensor graph::pad(Tensor x, ArrayRef<int64_t> low, ArrayRef<int64_t> high,
                  ArrayRef<int64_t> interior) {
  ImplicitLocOpBuilder &b = x.getBuilder();
  return {b, PadOp::create(b, x, b.getZeroAttr(x.getElementType()), low, high,
                           interior)};
}

Tensor graph::concat(ArrayRef<Tensor> xs, int64_t dim) {
  ImplicitLocOpBuilder &b = xs.front().getBuilder();
  SmallVector<Value> values(xs.begin(), xs.end());
  return {b, ConcatOp::create(b, values,
                              dim < 0 ? dim + xs.front().getRank() : dim)};
}

Tensor graph::gather(Tensor table, Tensor indices, IndexMode mode) {
  ImplicitLocOpBuilder &b = table.getBuilder();
  return {b, GatherOp::create(b, table, indices, mode)};
}
Tensor graph::scatterAdd(Tensor init, Tensor indices, Tensor updates,
                         IndexMode mode) {
  ImplicitLocOpBuilder &b = init.getBuilder();
  return {b, ScatterAddOp::create(b, init, indices, updates, mode)};
}

//===----------------------------------------------------------------------===//
// Reductions and contractions
//===----------------------------------------------------------------------===//

Tensor graph::reduce(ReduceKind kind, Tensor x, ArrayRef<int64_t> dims,
                     bool keepDims) {
  ImplicitLocOpBuilder &b = x.getBuilder();
  SmallVector<int64_t> reduced = normalize(x, dims);
  llvm::sort(reduced);
  Tensor result(b, ReduceOp::create(b, kind, x, reduced));
  if (!keepDims)
    return result;
  SmallVector<int64_t> shape(x.getShape());
  for (int64_t dim : reduced)
    shape[dim] = 1;
  return reshape(result, shape);
}

Tensor graph::sum(Tensor x, ArrayRef<int64_t> dims, bool keepDims) {
  return reduce(ReduceKind::sum, x, dims, keepDims);
}
Tensor graph::sum(Tensor x) {
  return sum(x, llvm::to_vector(llvm::seq<int64_t>(0, x.getRank())));
}
Tensor graph::mean(Tensor x, ArrayRef<int64_t> dims, bool keepDims) {
  Tensor total = sum(x, dims, keepDims);
  double count = 1;
  for (int64_t dim : dims)
    count *= x.dim(dim);
  return total / count;
}
Tensor graph::mean(Tensor x) {
  return mean(x, llvm::to_vector(llvm::seq<int64_t>(0, x.getRank())));
}

Tensor graph::dot(Tensor lhs, Tensor rhs, const DotDims &dims) {
  ImplicitLocOpBuilder &b = lhs.getBuilder();
  return {b, DotOp::create(b, lhs, rhs, dims.lhsBatch, dims.rhsBatch,
                           dims.lhsContract, dims.rhsContract)};
}

Tensor graph::matmul(Tensor lhs, Tensor rhs) {
  int64_t l = lhs.getRank(), r = rhs.getRank();
  DotDims dims;
  if (r != 2 || l == 2)
    for (int64_t dim = 0; dim < l - 2; ++dim)
      dims.lhsBatch.push_back(dim);
  dims.rhsBatch = dims.lhsBatch;
  dims.lhsContract = {l - 1};
  dims.rhsContract = {r - 2};
  return dot(lhs, rhs, dims);
}

//===----------------------------------------------------------------------===//
// Composites
//===----------------------------------------------------------------------===//

Tensor graph::softmax(Tensor x, int64_t dim) {
  ImplicitLocOpBuilder &b = x.getBuilder();
  return {b, SoftmaxOp::create(b, x, dim < 0 ? dim + x.getRank() : dim)};
}
Tensor graph::logSoftmax(Tensor x, int64_t dim) {
  ImplicitLocOpBuilder &b = x.getBuilder();
  return {b, LogSoftmaxOp::create(b, x, dim < 0 ? dim + x.getRank() : dim)};
}
Tensor graph::layerNorm(Tensor x, Tensor scale, Tensor bias, double epsilon) {
  ImplicitLocOpBuilder &b = x.getBuilder();
  return {b, LayerNormOp::create(b, x.getType(), x, scale, bias,
                                 b.getF64FloatAttr(epsilon))};
}
Tensor graph::gelu(Tensor x, GeluForm form) {
  ImplicitLocOpBuilder &b = x.getBuilder();
  return {b, GeluOp::create(b, x.getType(), form, x)};
}
Tensor graph::relu(Tensor x) { return unary<ReluOp>(x); }
Tensor graph::silu(Tensor x) { return unary<SiluOp>(x); }

Tensor graph::crossEntropy(Tensor logits, Tensor targets) {
  ImplicitLocOpBuilder &b = logits.getBuilder();
  return {b, CrossEntropyOp::create(b, logits, targets)};
}

Tensor graph::attention(Tensor query, Tensor key, Tensor value,
                        const AttentionOptions &options) {
  ImplicitLocOpBuilder &b = query.getBuilder();
  double scale =
      options.scale ? options.scale : 1 / std::sqrt(double(query.dim(-1)));
  return {b, AttentionOp::create(b, query, key, value, options.mask,
                                 options.causal ? b.getUnitAttr() : UnitAttr(),
                                 b.getF64FloatAttr(scale))};
}
