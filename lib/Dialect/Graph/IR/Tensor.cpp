//===- Tensor.cpp - Graphs written as expressions -------------------------===//

#include "graph/Dialect/Graph/IR/Tensor.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mlir;
using namespace graph;

[[noreturn]] static void misuse(ImplicitLocOpBuilder &b, const Twine &message) {
  emitError(b.getLoc()) << message;
  llvm::report_fatal_error("cannot build the graph", /*gen_crash_diag=*/false);
}

static std::string toString(Type type) {
  return llvm::formatv("{0}", type).str();
}

/// A dimension counted from the front; `dim` may count from the end.
static int64_t normalize(ImplicitLocOpBuilder &b, int64_t rank, int64_t dim) {
  if (dim < -rank || dim >= rank)
    misuse(b, "found dimension " + Twine(dim) + ", expected one in [" +
                  Twine(-rank) + ", " + Twine(rank) + ")");
  return dim < 0 ? dim + rank : dim;
}

static int64_t normalize(Tensor x, int64_t dim) {
  return normalize(x.getBuilder(), x.getRank(), dim);
}

static SmallVector<int64_t> normalize(Tensor x, ArrayRef<int64_t> dims) {
  return llvm::map_to_vector(dims,
                             [&](int64_t dim) { return normalize(x, dim); });
}

static void checkSameElementType(Tensor x, Tensor y) {
  if (x.getElementType() != y.getElementType())
    misuse(x.getBuilder(), "found operands of types " + toString(x.getType()) +
                               " and " + toString(y.getType()) +
                               ", expected one element type");
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
  return {b, IotaOp::create(b, type, normalize(b, type.getRank(), dim))};
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
      misuse(x.getBuilder(), "found shapes of " + toString(x.getType()) +
                                 " and " + toString(y.getType()) +
                                 ", expected shapes that broadcast");
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
  auto check = [&](bool isPossible) {
    if (!isPossible)
      misuse(x.getBuilder(), "found " + toString(x.getType()) +
                                 ", expected a shape that broadcasts to " +
                                 toString(x.getType().clone(shape)));
  };
  int64_t lead = static_cast<int64_t>(shape.size()) - x.getRank();
  check(lead >= 0);
  // Dimensions that are repeated are dropped first: graph.broadcast adds them.
  SmallVector<int64_t> kept, dims;
  for (int64_t i = 0; i < x.getRank(); ++i) {
    check(x.dim(i) == shape[lead + i] || x.dim(i) == 1);
    if (x.dim(i) != shape[lead + i])
      continue;
    kept.push_back(x.dim(i));
    dims.push_back(lead + i);
  }
  return broadcastInDims(reshape(x, kept), shape, dims);
}

template <typename Op> static Tensor binary(Tensor x, Tensor y) {
  checkSameElementType(x, y);
  ImplicitLocOpBuilder &b = x.getBuilder();
  SmallVector<int64_t> shape = broadcastShapes(x, y);
  return {b, Op::create(b, broadcastTo(x, shape), broadcastTo(y, shape))};
}

template <typename Op> static Tensor unary(Tensor x) {
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
  checkSameElementType(x, y);
  ImplicitLocOpBuilder &b = x.getBuilder();
  SmallVector<int64_t> shape = broadcastShapes(x, y);
  return {b, CompareOp::create(b, predicate, broadcastTo(x, shape),
                               broadcastTo(y, shape))};
}
Tensor graph::compare(ComparePredicate predicate, Tensor x, double y) {
  return compare(predicate, x, x.full(y));
}

Tensor graph::select(Tensor predicate, Tensor onTrue, Tensor onFalse) {
  checkSameElementType(onTrue, onFalse);
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
  auto free = llvm::find(sizes, -1);
  if (free != sizes.end()) {
    *free = 1;
    int64_t others = ShapedType::getNumElements(sizes);
    *free = others == 0 ? 0 : x.getNumElements() / others;
  }
  if (x.getShape() == ArrayRef(sizes))
    return x;
  RankedTensorType type = x.getType().clone(sizes);
  if (llvm::any_of(sizes, [](int64_t size) { return size < 0; }) ||
      type.getNumElements() != x.getNumElements())
    misuse(x.getBuilder(),
           "found a reshape of " + toString(x.getType()) + " to [" +
               llvm::formatv("{0:$[, ]}",
                             llvm::make_range(shape.begin(), shape.end())) +
               "], expected as many elements");
  return {x.getBuilder(), ReshapeOp::create(x.getBuilder(), type, x)};
}

Tensor graph::transpose(Tensor x, ArrayRef<int64_t> perm) {
  ImplicitLocOpBuilder &b = x.getBuilder();
  return {b, TransposeOp::create(b, x, normalize(x, perm))};
}

Tensor graph::swapDims(Tensor x, int64_t a, int64_t b) {
  auto perm = llvm::to_vector(llvm::seq<int64_t>(0, x.getRank()));
  std::swap(perm[normalize(x, a)], perm[normalize(x, b)]);
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
  int64_t along = normalize(x, dim);
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
  return {b, ConcatOp::create(b, values, normalize(xs.front(), dim))};
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
  return {b, SoftmaxOp::create(b, x, normalize(x, dim))};
}
Tensor graph::logSoftmax(Tensor x, int64_t dim) {
  ImplicitLocOpBuilder &b = x.getBuilder();
  return {b, LogSoftmaxOp::create(b, x, normalize(x, dim))};
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
  auto op = AttentionOp::create(b, query, key, value, options.mask,
                                options.causal ? b.getUnitAttr() : UnitAttr(),
                                b.getF64FloatAttr(scale));
  return {b, op.getResult()};
}
