//===- GemmFormTest.cpp - Strided forms compute what their dots mean ------===//
//
// Random dots behind random views are prepared; every strided form that comes
// out is carried out on flat memory and compared with the interpreter.
//
//===----------------------------------------------------------------------===//

#include "graph/Analysis/GemmForm.h"

#include "graph/Dialect/Graph/IR/Tensor.h"
#include "graph/Dialect/Graph/Transforms/Passes.h"
#include "graph/Reference/Interpreter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace mlir;
using namespace graph;

namespace {

using Values = llvm::DenseMap<Value, ReferenceTensor>;

/// Small integers: all sums are exact.
ReferenceTensor getNumbers(RankedTensorType type, std::mt19937 &random) {
  std::vector<double> numbers(type.getNumElements());
  for (double &number : numbers)
    number = static_cast<int>(random() % 9) - 4;
  return ReferenceTensor(type, std::move(numbers));
}

/// c of the form, with a and b in flat memory.
std::vector<double> multiply(const GemmForm &form, ArrayRef<double> a,
                             ArrayRef<double> b, size_t size) {
  std::vector<double> c(size, NAN);
  int64_t matrices = llvm::product_of(form.batch);
  for (int64_t matrix = 0; matrix < matrices; ++matrix) {
    int64_t offsets[] = {form.a.offset, form.b.offset, form.c.offset};
    int64_t rest = matrix;
    for (size_t d = form.batch.size(); d-- > 0; rest /= form.batch[d]) {
      int64_t index = rest % form.batch[d];
      offsets[0] += index * form.a.batchStrides[d];
      offsets[1] += index * form.b.batchStrides[d];
      offsets[2] += index * form.c.batchStrides[d];
    }
    auto at = [&](int which, const MatrixView &view, int64_t row,
                  int64_t column) {
      return offsets[which] + row * view.rowStride + column * view.columnStride;
    };
    for (int64_t i = 0; i < form.m; ++i)
      for (int64_t j = 0; j < form.n; ++j) {
        double sum = 0;
        for (int64_t l = 0; l < form.k; ++l)
          sum += a[at(0, form.a, i, l)] * b[at(1, form.b, l, j)];
        c.at(at(2, form.c, i, j)) = sum;
      }
  }
  return c;
}

void checkLayout(const MatrixView &view, int64_t rows, int64_t columns) {
  EXPECT_TRUE((view.columnStride == 1 && view.rowStride >= columns) ||
              (view.rowStride == 1 && view.columnStride >= rows))
      << view.rowStride << ", " << view.columnStride << " of " << rows << " x "
      << columns;
}

void checkForm(Operation *op, const GemmForm &form, const Values &values) {
  checkLayout(form.a, form.m, form.k);
  checkLayout(form.b, form.k, form.n);
  EXPECT_EQ(form.c.columnStride, 1);
  auto getMemory = [&](const MatrixView &view) {
    auto argument = dyn_cast<BlockArgument>(view.base);
    bool isInner = argument && argument.getOwner()->getParentOp() == op;
    Value value = isInner ? op->getOperand(argument.getArgNumber()) : view.base;
    return values.find(value)->second.floats();
  };
  ArrayRef<double> result = values.find(op->getResult(0))->second.floats();
  EXPECT_EQ(multiply(form, getMemory(form.a), getMemory(form.b), result.size()),
            std::vector<double>(result.begin(), result.end()));
}

/// Writes functions with one dot in the middle of movements.
class RandomDot {
public:
  explicit RandomDot(unsigned seed) : random(seed) {}

  func::FuncOp build(ModuleOp module);
  std::mt19937 random;

private:
  SmallVector<int64_t> shuffle(int64_t size) {
    SmallVector<int64_t> order(size);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    return order;
  }
  /// An argument of which a tensor of this shape is a view.
  RankedTensorType getArgumentType(ArrayRef<int64_t> shape);
  Tensor view(Tensor argument, ArrayRef<int64_t> shape);

  /// How the argument of the next operand is laid out.
  struct Layout {
    SmallVector<int64_t> order;
    bool isSliced, isFlat;
  };
  std::vector<Layout> layouts;
  size_t nextLayout = 0;
  MLIRContext *context = nullptr;
};

RankedTensorType RandomDot::getArgumentType(ArrayRef<int64_t> shape) {
  Layout layout = {shuffle(shape.size()), random() % 2 == 0, random() % 2 == 0};
  SmallVector<int64_t> stored;
  for (int64_t dim : layout.order)
    stored.push_back(shape[dim]);
  if (layout.isSliced)
    stored.insert(stored.begin() + stored.size() / 2, 3);
  if (layout.isFlat)
    stored = {llvm::product_of(stored)};
  layouts.push_back(layout);
  return RankedTensorType::get(stored, Float64Type::get(context));
}

Tensor RandomDot::view(Tensor argument, ArrayRef<int64_t> shape) {
  Layout layout = layouts[nextLayout++];
  SmallVector<int64_t> stored;
  for (int64_t dim : layout.order)
    stored.push_back(shape[dim]);
  SmallVector<int64_t> unsliced = stored;
  int64_t middle = stored.size() / 2;
  if (layout.isSliced)
    unsliced.insert(unsliced.begin() + middle, 3);
  Tensor x = layout.isFlat ? reshape(argument, unsliced) : argument;
  if (layout.isSliced)
    x = reshape(sliceDim(x, middle, 1, 2), stored);
  SmallVector<int64_t> inverse(layout.order.size());
  for (auto [i, dim] : llvm::enumerate(layout.order))
    inverse[dim] = i;
  return transpose(x, inverse);
}

func::FuncOp RandomDot::build(ModuleOp module) {
  context = module.getContext();
  // Every loop of the dot: batch, contracted, free in lhs, free in rhs.
  SmallVector<int64_t> sizes[4];
  for (auto &kind : sizes)
    for (unsigned i = random() % 3; i > 0; --i)
      kind.push_back(1 + random() % 4);
  DotDims dims;
  SmallVector<int64_t> shapes[2];
  for (int side = 0; side < 2; ++side) {
    SmallVector<int64_t> all = sizes[0];
    llvm::append_range(all, sizes[1]);
    llvm::append_range(all, sizes[2 + side]);
    SmallVector<int64_t> order = shuffle(all.size());
    shapes[side].resize(all.size());
    for (size_t i = 0; i < all.size(); ++i) {
      shapes[side][order[i]] = all[i];
      if (i < sizes[0].size())
        (side ? dims.rhsBatch : dims.lhsBatch).push_back(order[i]);
      else if (i < sizes[0].size() + sizes[1].size())
        (side ? dims.rhsContract : dims.lhsContract).push_back(order[i]);
    }
  }
  SmallVector<Type> types = {getArgumentType(shapes[0]),
                             getArgumentType(shapes[1])};
  auto function = func::FuncOp::create(UnknownLoc::get(context), "f",
                                       FunctionType::get(context, types, {}));
  module.push_back(function);
  ImplicitLocOpBuilder builder(function.getLoc(), context);
  builder.setInsertionPointToStart(function.addEntryBlock());
  Tensor lhs = view({builder, function.getArgument(0)}, shapes[0]);
  Tensor rhs = view({builder, function.getArgument(1)}, shapes[1]);
  Tensor result = dot(lhs, rhs, dims);
  result = transpose(result, shuffle(result.getRank()));
  result = reshape(result, {result.getNumElements()});
  func::ReturnOp::create(builder, result.getValue());
  function.setFunctionType(
      FunctionType::get(context, types, {result.getType()}));
  return function;
}

TEST(GemmFormTest, RandomDots) {
  MLIRContext context;
  context.loadDialect<GraphDialect, func::FuncDialect>();
  unsigned numForms = 0, numViews = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
    RandomDot generator(seed);
    func::FuncOp function = generator.build(*module);
    PassManager passes(&context);
    passes.addNestedPass<func::FuncOp>(createGraphPrepareDots());
    ASSERT_TRUE(succeeded(passes.run(*module)));

    Values values;
    SmallVector<ReferenceTensor> arguments;
    for (BlockArgument argument : function.getArguments()) {
      arguments.push_back(getNumbers(cast<RankedTensorType>(argument.getType()),
                                     generator.random));
      values.try_emplace(argument, arguments.back());
    }
    EvaluateOptions options;
    auto record = [&](Operation *op, ArrayRef<const ReferenceTensor *>,
                      MutableArrayRef<ReferenceTensor> results) {
      for (auto [value, tensor] : llvm::zip_equal(op->getResults(), results))
        values.insert_or_assign(value, tensor);
    };
    options.onResults = record;
    ASSERT_TRUE(succeeded(evaluate(function, arguments, options)));

    for (Operation &op : function.getBody().front()) {
      FailureOr<GemmForm> form = failure();
      if (auto dot = dyn_cast<DotOp>(op))
        form = getGemmForm(dot);
      else if (auto fusion = dyn_cast<FusionOp>(op))
        form = getGemmForm(fusion);
      else
        continue;
      ASSERT_TRUE(succeeded(form));
      checkForm(&op, *form, values);
      ++numForms;
      numViews += isa<FusionOp>(op);
    }
  }
  EXPECT_EQ(numForms, 300u);
  EXPECT_GT(numViews, 100u);
}

} // namespace
