//===- GraphGenerator.cpp - Random valid graphs ---------------------------===//

#include "GraphGenerator.h"

#include "graph/Dialect/Graph/IR/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include <cmath>
#include <numeric>
#include <random>

using namespace mlir;
using namespace graph;

namespace {

using Shape = SmallVector<int64_t>;

class Generator {
public:
  Generator(MLIRContext &context, const GeneratorOptions &options)
      : options(options), random(options.seed),
        module(ModuleOp::create(UnknownLoc::get(&context))),
        b(module->getLoc(), module->getBodyRegion()) {}

  OwningOpRef<ModuleOp> generate();

private:
  using Recipe = Tensor (Generator::*)();

  // Choices.
  int64_t below(int64_t limit) { return random() % limit; }
  bool chance(int percent) { return below(100) < percent; }
  template <typename Range> auto &pick(Range &&range) {
    return range[below(std::size(range))];
  }
  Shape pickShape(unsigned minRank, unsigned maxRank);
  /// A value of at least this rank, without empty dimensions if so wanted;
  /// null if there is none.
  Tensor pickFloat(int64_t minRank = 0, bool nonEmpty = false);
  int64_t pickDim(Tensor x) { return below(x.getRank()); }

  // Arguments.
  Tensor argument(ArrayRef<int64_t> shape, Type elementType);
  /// Another value of the shape and type of `x`, or one that broadcasts to it.
  Tensor partner(Tensor x);
  /// i1 of a shape, known exactly.
  Tensor predicate(ArrayRef<int64_t> shape);

  // One recipe each.
  Tensor makeUnary();
  Tensor makeBinary();
  Tensor makeSelect();
  Tensor makeCast();
  Tensor makeBroadcast();
  Tensor makeReshape();
  Tensor makeTranspose();
  Tensor makeSlice();
  Tensor makePad();
  Tensor makeConcat();
  Tensor makeReduce();
  Tensor makeDot();
  IndexMode pickMode(Tensor table);
  Tensor makeGather();
  Tensor makeScatterAdd();
  Tensor makeSoftmax();
  Tensor makeLayerNorm();
  Tensor makeCrossEntropy();
  Tensor makeAttention();
  Tensor makeSource();
  Tensor makeIntegers();

  static constexpr int64_t kMaxElements = 8192;

  const GeneratorOptions &options;
  std::mt19937_64 random;
  OwningOpRef<ModuleOp> module;
  ImplicitLocOpBuilder b;
  Block *body = nullptr;
  SmallVector<int64_t> sizes;
  /// The usual element type, and the one that casts go to.
  Type mainType, otherType;
  SmallVector<Tensor> floats;
};

} // namespace

//===----------------------------------------------------------------------===//
// Choices and arguments
//===----------------------------------------------------------------------===//

Shape Generator::pickShape(unsigned minRank, unsigned maxRank) {
  Shape shape(minRank + below(maxRank - minRank + 1));
  for (int64_t &size : shape)
    size = pick(sizes);
  while (computeProduct(shape) > kMaxElements / 4)
    shape[below(shape.size())] = 1;
  return shape;
}

Tensor Generator::pickFloat(int64_t minRank, bool nonEmpty) {
  for (int attempt = 0; attempt < 8; ++attempt) {
    // Recent values more often: chains rather than stars.
    size_t count = floats.size();
    size_t from = chance(60) && count > 3 ? count - 3 : 0;
    Tensor x = floats[from + below(count - from)];
    if (x.getRank() >= minRank && (!nonEmpty || x.getNumElements() > 0))
      return x;
  }
  return {};
}

Tensor Generator::argument(ArrayRef<int64_t> shape, Type elementType) {
  return Tensor(b, body->addArgument(RankedTensorType::get(shape, elementType),
                                     b.getLoc()));
}

Tensor Generator::partner(Tensor x) {
  if (chance(50))
    for (Tensor y : llvm::reverse(floats))
      if (y.getType() == x.getType() && y.getValue() != x.getValue())
        return y;
  // An argument of the last dimensions, some of them of size 1.
  ArrayRef<int64_t> trailing = x.getShape().drop_front(below(x.getRank() + 1));
  Shape shape(trailing);
  for (int64_t &size : shape)
    if (chance(20))
      size = 1;
  return argument(shape, x.getElementType());
}

Tensor Generator::predicate(ArrayRef<int64_t> shape) {
  if (chance(50))
    return argument(shape, b.getI1Type());
  auto kind = static_cast<ComparePredicate>(below(6));
  if (chance(50) || shape.empty())
    return compare(kind, argument(shape, mainType), argument(shape, mainType));
  auto type = RankedTensorType::get(shape, b.getI32Type());
  return compare(kind, iota(b, type, below(shape.size())), double(below(6)));
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

Tensor Generator::makeUnary() {
  static constexpr Tensor (*functions[])(Tensor) = {
      [](Tensor x) { return -x; },
      [](Tensor x) { return abs(x); },
      [](Tensor x) { return exp(min(x, 2)); },
      [](Tensor x) { return log(abs(x) + 0.5); },
      [](Tensor x) { return sqrt(abs(x) + 0.1); },
      [](Tensor x) { return rsqrt(abs(x) + 0.5); },
      [](Tensor x) { return tanh(x); },
      [](Tensor x) { return erf(x); },
      [](Tensor x) { return logistic(x); },
      [](Tensor x) { return sin(x); },
      [](Tensor x) { return cos(x); },
      [](Tensor x) { return relu(x); },
      [](Tensor x) { return silu(x); },
      [](Tensor x) { return gelu(x, GeluForm::erf); },
      [](Tensor x) { return gelu(x, GeluForm::tanh); }};
  return pick(functions)(pickFloat());
}

Tensor Generator::makeBinary() {
  static constexpr Tensor (*functions[])(Tensor, Tensor) = {
      [](Tensor x, Tensor y) { return x + y; },
      [](Tensor x, Tensor y) { return x - y; },
      [](Tensor x, Tensor y) { return x * y; },
      [](Tensor x, Tensor y) { return x / (abs(y) + 0.5); },
      [](Tensor x, Tensor y) { return max(x, y); },
      [](Tensor x, Tensor y) { return min(x, y); },
      [](Tensor x, Tensor y) { return pow(abs(x) + 0.5, max(min(y, 2), -2)); }};
  Tensor x = pickFloat();
  return pick(functions)(x, partner(x));
}

Tensor Generator::makeSelect() {
  Tensor x = pickFloat();
  return select(predicate(x.getShape()), x, partner(x));
}

Tensor Generator::makeCast() {
  Tensor x = pickFloat();
  return cast(x, x.getElementType() == mainType ? otherType : mainType);
}

//===----------------------------------------------------------------------===//
// Sources and movements
//===----------------------------------------------------------------------===//

Tensor Generator::makeSource() {
  Shape shape = pickShape(1, 3);
  auto type = RankedTensorType::get(shape, mainType);
  if (chance(50))
    return iota(b, type, below(shape.size())) * 0.125;
  Tensor key = argument({}, b.getI64Type());
  if (chance(50))
    return Tensor(b, RandomUniformOp::create(b, type, key, below(3)));
  return Tensor(b, RandomNormalOp::create(b, type, key, below(3)));
}

Tensor Generator::makeIntegers() {
  static const unsigned widths[] = {8, 16, 32, 64};
  Shape shape = pickShape(1, 3);
  Type type = b.getIntegerType(pick(widths));
  Tensor x = argument(shape, type), y = argument(shape, type);
  Tensor z = chance(50) ? x * y - x : x / y + max(x, y);
  if (chance(50))
    z = reduce(static_cast<ReduceKind>(below(4)), z, {pickDim(z)});
  // Wrapped products are large.
  return sin(cast(cast(z, b.getI8Type()), mainType) * 0.25);
}

Tensor Generator::makeBroadcast() {
  Tensor x = pickFloat();
  Shape shape(x.getShape()), dims(x.getRank());
  int64_t position = below(x.getRank() + 1);
  shape.insert(shape.begin() + position, pick(sizes));
  std::iota(dims.begin(), dims.end(), 0);
  for (int64_t &dim : dims)
    dim += dim >= position;
  return broadcastInDims(x, shape, dims);
}

Tensor Generator::makeReshape() {
  Tensor x = pickFloat();
  Shape shape(x.getShape());
  if (shape.size() > 1 && chance(50)) {
    // Merge two neighbours.
    int64_t dim = below(shape.size() - 1);
    shape[dim] *= shape[dim + 1];
    shape.erase(shape.begin() + dim + 1);
    return reshape(x, shape);
  }
  if (!shape.empty() && chance(70)) {
    // Split one dimension.
    int64_t dim = pickDim(x), factor = 2 + below(3);
    if (shape[dim] % factor == 0) {
      shape[dim] /= factor;
      shape.insert(shape.begin() + dim + below(2), factor);
      return reshape(x, shape);
    }
  }
  shape.insert(shape.begin() + below(shape.size() + 1), 1);
  return reshape(x, shape);
}

Tensor Generator::makeTranspose() {
  Tensor x = pickFloat(2);
  if (!x)
    return {};
  Shape perm(x.getRank());
  std::iota(perm.begin(), perm.end(), 0);
  for (size_t i = perm.size(); i > 1; --i)
    std::swap(perm[i - 1], perm[below(i)]);
  return transpose(x, perm);
}

Tensor Generator::makeSlice() {
  Tensor x = pickFloat(1);
  if (!x)
    return {};
  Shape starts, limits, strides;
  for (int64_t size : x.getShape()) {
    int64_t start = below(size / 2 + 1);
    starts.push_back(start);
    limits.push_back(size - below((size - start) / 2 + 1));
    strides.push_back(chance(70) ? 1 : 1 + below(3));
  }
  return slice(x, starts, limits, strides);
}

Tensor Generator::makePad() {
  Tensor x = pickFloat(1);
  if (!x)
    return {};
  Shape low, high, interior;
  for (int64_t i = 0; i < x.getRank(); ++i) {
    low.push_back(below(3));
    high.push_back(below(3));
    interior.push_back(chance(80) ? 0 : below(3));
  }
  return pad(x, low, high, interior);
}

Tensor Generator::makeConcat() {
  Tensor x = pickFloat(1);
  if (!x)
    return {};
  SmallVector<Tensor> parts = {x};
  for (int64_t count = 1 + below(2); count > 0; --count)
    parts.push_back(chance(50) ? x
                               : argument(x.getShape(), x.getElementType()));
  return concat(parts, pickDim(x));
}

/// There is no row to clip an index to in an empty table.
IndexMode Generator::pickMode(Tensor table) {
  return chance(50) || table.dim(0) == 0 ? IndexMode::fill : IndexMode::clip;
}

Tensor Generator::makeGather() {
  Tensor x = pickFloat(1);
  if (!x)
    return {};
  Tensor indices = argument(pickShape(0, 2), b.getI32Type());
  IndexMode mode = pickMode(x);
  return gather(x, indices - double(below(3)), mode);
}

Tensor Generator::makeScatterAdd() {
  Tensor x = pickFloat(1);
  if (!x)
    return {};
  Shape shape = pickShape(0, 2);
  Tensor indices = argument(shape, b.getI64Type());
  llvm::append_range(shape, x.getShape().drop_front());
  IndexMode mode = pickMode(x);
  return scatterAdd(x, indices - double(below(3)),
                    argument(shape, x.getElementType()), mode);
}

//===----------------------------------------------------------------------===//
// Reductions, contractions, composites
//===----------------------------------------------------------------------===//

Tensor Generator::makeReduce() {
  Tensor x = pickFloat(1);
  if (!x)
    return {};
  Shape dims;
  int64_t count = 1;
  for (int64_t dim = 0; dim < x.getRank(); ++dim)
    if (chance(50)) {
      dims.push_back(dim);
      count *= x.dim(dim);
    }
  auto kind = static_cast<ReduceKind>(below(4));
  // Large products leave the range; an empty extremum is an infinity.
  if (count == 0 || (kind == ReduceKind::prod && count > 8))
    kind = ReduceKind::sum;
  Tensor y = reduce(kind, x, dims, chance(30));
  return kind == ReduceKind::sum && chance(70) ? y / std::max<double>(count, 1)
                                               : y;
}

Tensor Generator::makeDot() {
  Tensor x = pickFloat(1);
  if (!x)
    return {};
  // Each dimension of lhs is a batch dimension, contracted or free; rhs has
  // the former two and up to two of its own, in a random order.
  DotDims dims;
  SmallVector<std::pair<int64_t, SmallVector<int64_t> *>> rhs;
  int64_t count = 1;
  for (int64_t dim = 0; dim < x.getRank(); ++dim) {
    bool isBatch = chance(25), isContracted = !isBatch && chance(50);
    if (isBatch) {
      dims.lhsBatch.push_back(dim);
      rhs.push_back({x.dim(dim), &dims.rhsBatch});
    } else if (isContracted) {
      dims.lhsContract.push_back(dim);
      rhs.push_back({x.dim(dim), &dims.rhsContract});
      count *= x.dim(dim);
    }
  }
  Shape order(rhs.size());
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[below(i)]);
  Shape shape, position(rhs.size());
  for (int64_t i : order) {
    if (chance(30))
      shape.push_back(pick(sizes));
    position[i] = shape.size();
    shape.push_back(rhs[i].first);
  }
  for (int64_t free = below(2); free > 0; --free)
    shape.push_back(pick(sizes));
  for (auto [i, entry] : llvm::enumerate(rhs))
    entry.second->push_back(position[i]);
  return dot(x, argument(shape, x.getElementType()), dims) /
         std::sqrt(std::max<double>(count, 1));
}

Tensor Generator::makeSoftmax() {
  Tensor x = pickFloat(1, /*nonEmpty=*/true);
  if (!x)
    return {};
  return chance(60) ? softmax(x, pickDim(x)) : logSoftmax(x, pickDim(x));
}

Tensor Generator::makeLayerNorm() {
  Tensor x = pickFloat(1, /*nonEmpty=*/true);
  if (!x)
    return {};
  Tensor scale = argument({x.dim(-1)}, x.getElementType());
  Tensor bias = argument({x.dim(-1)}, x.getElementType());
  return layerNorm(x, scale, bias, 1e-2);
}

Tensor Generator::makeCrossEntropy() {
  Tensor x = pickFloat(1, /*nonEmpty=*/true);
  if (!x)
    return {};
  Tensor targets = argument(x.getShape().drop_back(), b.getI32Type());
  return crossEntropy(x, targets);
}

Tensor Generator::makeAttention() {
  Tensor query = pickFloat(2, /*nonEmpty=*/true);
  if (!query)
    return {};
  Shape shape(query.getShape()), scores(shape);
  int64_t &numKeys = shape[shape.size() - 2];
  if (chance(50))
    numKeys = std::max<int64_t>(pick(sizes), 1);
  scores.back() = numKeys;
  Tensor key = argument(shape, query.getElementType());
  shape.back() = std::max<int64_t>(pick(sizes), 1);
  Tensor value = argument(shape, query.getElementType());
  AttentionOptions attentionOptions;
  attentionOptions.causal = chance(50);
  if (chance(30))
    attentionOptions.mask =
        argument(ArrayRef(scores).take_back(2), b.getI1Type());
  return attention(query, key, value, attentionOptions);
}

//===----------------------------------------------------------------------===//
// Whole graphs
//===----------------------------------------------------------------------===//

OwningOpRef<ModuleOp> Generator::generate() {
  static constexpr int64_t allSizes[] = {1, 2,  3,  4,  5,  7,
                                         8, 12, 16, 17, 31, 64};
  for (int i = 0; i < 3; ++i)
    sizes.push_back(pick(allSizes));
  if (!options.isDifferentiable && chance(5))
    sizes.push_back(0);
  Type types[] = {b.getF32Type(), b.getBF16Type(), b.getF16Type(),
                  b.getF64Type()};
  mainType = options.isDifferentiable ? types[0]
             : chance(60)             ? types[0]
                                      : pick(types);
  otherType = options.isDifferentiable ? types[3] : pick(types);

  auto function = func::FuncOp::create(b, "main", b.getFunctionType({}, {}));
  body = function.addEntryBlock();
  b.setInsertionPointToStart(body);
  for (int i = 0; i < 2; ++i)
    floats.push_back(argument(pickShape(1, 3), mainType));

  static constexpr Recipe recipes[] = {
      &Generator::makeUnary,      &Generator::makeUnary,
      &Generator::makeBinary,     &Generator::makeBinary,
      &Generator::makeBinary,     &Generator::makeSelect,
      &Generator::makeCast,       &Generator::makeBroadcast,
      &Generator::makeReshape,    &Generator::makeTranspose,
      &Generator::makeSlice,      &Generator::makePad,
      &Generator::makeConcat,     &Generator::makeReduce,
      &Generator::makeReduce,     &Generator::makeDot,
      &Generator::makeDot,        &Generator::makeGather,
      &Generator::makeScatterAdd, &Generator::makeSoftmax,
      &Generator::makeLayerNorm,  &Generator::makeCrossEntropy,
      &Generator::makeAttention,  &Generator::makeSource,
      &Generator::makeIntegers};
  int64_t steps =
      options.minSteps + below(options.maxSteps - options.minSteps + 1);
  for (int64_t step = 0; step < steps; ++step) {
    Operation *last = body->empty() ? nullptr : &body->back();
    Tensor y = (this->*pick(recipes))();
    if (!y)
      continue;
    if (y.getNumElements() <= kMaxElements) {
      floats.push_back(y);
      continue;
    }
    // Too large: take it back.
    while (!body->empty() && &body->back() != last)
      body->back().erase();
  }

  SmallVector<Value> results;
  for (Tensor x : floats)
    if (x.getValue().use_empty() && x.getValue().getDefiningOp())
      results.push_back(x);
  if (results.empty())
    results.push_back(floats.back());
  if (options.isDifferentiable) {
    // The sum of the means of sines: bounded, and sensitive to every element.
    Tensor loss = full(b, RankedTensorType::get({}, b.getF64Type()), 0);
    for (Value result : results)
      loss = loss + mean(sin(cast(Tensor(b, result), b.getF64Type())));
    results = {loss};
  }
  func::ReturnOp::create(b, results);
  function.setType(b.getFunctionType(body->getArgumentTypes(),
                                     TypeRange(ValueRange(results))));
  return std::move(module);
}

OwningOpRef<ModuleOp> graph::generateGraph(MLIRContext &context,
                                           const GeneratorOptions &options) {
  return Generator(context, options).generate();
}
