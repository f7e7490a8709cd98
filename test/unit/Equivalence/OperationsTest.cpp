//===- OperationsTest.cpp - Every operation, compiled ---------------------===//
//
// Each operation in its element types and in shapes with odd, single, empty
// and no dimensions: compiled as one module with a function per combination,
// and compared with the interpreter.
//
//===----------------------------------------------------------------------===//

#include "Properties.h"

#include "graph/Builder/ModuleBuilder.h"
#include "graph/InitAll.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace graph;

namespace {

using Shape = std::vector<int64_t>;
using Shapes = std::vector<Shape>;

/// Writes functions that differ in shape and element type.
class Cases {
public:
  explicit Cases(ModuleBuilder &module)
      : module(module), b(module.getContext()) {}

  std::vector<Type> floats() {
    return {b.getF32Type(), b.getBF16Type(), b.getF16Type(), b.getF64Type()};
  }
  std::vector<Type> integers() {
    return {b.getI8Type(), b.getI16Type(), b.getI32Type(), b.getI64Type()};
  }
  std::vector<Type> numbers() { return concat(floats(), integers()); }
  std::vector<Type> all() { return concat(numbers(), {b.getI1Type()}); }

  /// A function whose arguments have the given types.
  void add(ArrayRef<RankedTensorType> types,
           function_ref<Tensor(ArrayRef<Tensor>)> body) {
    module.publicFunction(
        "f" + std::to_string(count++), [&](FunctionBuilder &f) {
          SmallVector<Tensor> arguments;
          for (auto [i, type] : llvm::enumerate(types))
            arguments.push_back(f.input("x" + std::to_string(i), type));
          f.output("y", body(arguments));
        });
  }
  /// The same for every combination; the arguments are of one type.
  void add(ArrayRef<Type> elements, const Shapes &shapes, unsigned numArguments,
           function_ref<Tensor(ArrayRef<Tensor>)> body) {
    for (Type element : elements)
      for (const Shape &shape : shapes)
        add(SmallVector<RankedTensorType>(numArguments, type(shape, element)),
            body);
  }

  RankedTensorType type(ArrayRef<int64_t> shape, Type element) {
    return RankedTensorType::get(shape, element);
  }

  ModuleBuilder &module;
  Builder b;

private:
  static std::vector<Type> concat(std::vector<Type> x, std::vector<Type> y) {
    llvm::append_range(x, y);
    return x;
  }
  unsigned count = 0;
};

const Shapes kAnyShapes = {{},     {1},    {0},       {7},   {64},
                           {3, 5}, {2, 0}, {5, 1, 9}, {1000}};
const Shapes kMatrices = {{1, 1},  {3, 5},   {8, 0},   {0, 8},
                          {7, 64}, {300, 3}, {3, 300}, {33, 65}};

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

template <Tensor (*fn)(Tensor)> void unary(Cases &c) {
  c.add(c.floats(), kAnyShapes, 1, [](auto x) { return fn(x[0]); });
}
template <Tensor (*fn)(Tensor)> void unaryNumber(Cases &c) {
  c.add(c.numbers(), kAnyShapes, 1, [](auto x) { return fn(x[0]); });
}
template <Tensor (*fn)(Tensor, Tensor)> void binary(Cases &c) {
  c.add(c.numbers(), kAnyShapes, 2, [](auto x) { return fn(x[0], x[1]); });
}

void extrema(Cases &c) {
  c.add(c.all(), kAnyShapes, 2, [](auto x) { return max(x[0], x[1]); });
  c.add(c.all(), kAnyShapes, 2, [](auto x) { return min(x[0], x[1]); });
}
void powers(Cases &c) {
  c.add(c.floats(), kAnyShapes, 2, [](auto x) { return pow(x[0], x[1]); });
}
void gelus(Cases &c) {
  for (GeluForm form : {GeluForm::erf, GeluForm::tanh})
    c.add(c.floats(), kAnyShapes, 1, [&](auto x) { return gelu(x[0], form); });
}
void comparisons(Cases &c) {
  for (unsigned predicate = 0; predicate < 6; ++predicate)
    c.add(c.all(), {{}, {17}, {3, 5}}, 2, [&](auto x) {
      return compare(static_cast<ComparePredicate>(predicate), x[0], x[1]);
    });
}
void selections(Cases &c) {
  for (Type element : c.all())
    for (const Shape &shape : kAnyShapes)
      c.add({c.type(shape, c.b.getI1Type()), c.type(shape, element),
             c.type(shape, element)},
            [](auto x) { return select(x[0], x[1], x[2]); });
}
void casts(Cases &c) {
  for (Type to : c.all())
    c.add(c.all(), {{}, {33}}, 1, [&](auto x) { return cast(x[0], to); });
}

//===----------------------------------------------------------------------===//
// Sources and movements
//===----------------------------------------------------------------------===//

void iotas(Cases &c) {
  for (Type element : c.numbers())
    for (int64_t dim : {0, 1})
      c.add({c.type({}, element)}, [&](ArrayRef<Tensor> x) {
        return iota(x[0].getBuilder(), c.type({7, 33}, element), dim) + x[0];
      });
}
void randoms(Cases &c) {
  for (Type element : c.floats())
    for (const Shape &shape : kAnyShapes) {
      auto key = c.type({}, c.b.getI64Type()), result = c.type(shape, element);
      c.add({key}, [&](ArrayRef<Tensor> x) {
        ImplicitLocOpBuilder &b = x[0].getBuilder();
        return Tensor(b, RandomUniformOp::create(b, result, x[0], 3));
      });
      c.add({key}, [&](ArrayRef<Tensor> x) {
        ImplicitLocOpBuilder &b = x[0].getBuilder();
        return Tensor(b, RandomNormalOp::create(b, result, x[0], -1));
      });
    }
}
void broadcasts(Cases &c) {
  c.add(c.all(), {{5}}, 1,
        [](auto x) { return broadcastInDims(x[0], {5, 7}, {0}); });
  c.add(c.all(), {{5}}, 1,
        [](auto x) { return broadcastInDims(x[0], {3, 5, 2}, {1}); });
  c.add(c.all(), {{}}, 1,
        [](auto x) { return broadcastInDims(x[0], {3, 33}, {}); });
  c.add(c.all(), {{2, 33}}, 1,
        [](auto x) { return broadcastInDims(x[0], {2, 4, 33}, {0, 2}); });
}
void reshapes(Cases &c) {
  c.add(c.all(), {{6, 4}}, 1, [](auto x) { return reshape(x[0], {4, 6}); });
  c.add(c.all(), {{6, 4}}, 1,
        [](auto x) { return reshape(x[0], {2, 3, 1, 4}); });
  c.add(c.all(), {{1, 1}}, 1, [](auto x) { return reshape(x[0], {}); });
}
void transposes(Cases &c) {
  c.add(c.all(), {{1, 1}, {3, 5}, {0, 4}, {33, 65}, {64, 128}}, 1,
        [](auto x) { return transpose(x[0], {1, 0}); });
  c.add(c.all(), {{2, 3, 4}, {5, 33, 17}}, 1,
        [](auto x) { return transpose(x[0], {2, 0, 1}); });
  c.add(c.all(), {{2, 3, 4, 5}, {2, 9, 3, 16}}, 1,
        [](auto x) { return transpose(x[0], {0, 2, 1, 3}); });
}
void slices(Cases &c) {
  c.add(c.all(), {{17}}, 1, [](auto x) { return slice(x[0], {2}, {16}, {3}); });
  c.add(c.all(), {{9, 33}}, 1,
        [](auto x) { return slice(x[0], {1, 3}, {8, 33}, {2, 1}); });
  c.add(c.all(), {{5}}, 1, [](auto x) { return slice(x[0], {2}, {2}); });
}
void pads(Cases &c) {
  c.add(c.all(), {{0}, {1}, {17}}, 1,
        [](auto x) { return pad(x[0], {2}, {1}, {3}); });
  c.add(c.all(), {{3, 17}}, 1,
        [](auto x) { return pad(x[0], {1, 0}, {0, 2}, {0, 0}); });
}
void concats(Cases &c) {
  for (int64_t dim : {0, 1})
    c.add(c.all(), {{1, 1}, {3, 5}, {0, 4}, {7, 33}}, 3,
          [&](auto x) { return concat({x[0], x[1], x[2]}, dim); });
}
void rowsByIndex(Cases &c) {
  for (Type element : c.all())
    for (IndexMode mode : {IndexMode::fill, IndexMode::clip})
      for (const Shape &table : Shapes{{6}, {5, 3}, {4, 33}, {3, 2, 7}})
        for (const Shape &indices : Shapes{{}, {9}, {2, 3}, {0}}) {
          auto index = c.type(indices, c.b.getI32Type());
          c.add({c.type(table, element), index},
                [&](auto x) { return gather(x[0], x[1], mode); });
          if (element.isInteger(1))
            continue;
          Shape updates = indices;
          updates.insert(updates.end(), table.begin() + 1, table.end());
          c.add({c.type(table, element), index, c.type(updates, element)},
                [&](auto x) { return scatterAdd(x[0], x[1], x[2], mode); });
        }
}

//===----------------------------------------------------------------------===//
// Reductions, contractions, composites
//===----------------------------------------------------------------------===//

void reductions(Cases &c) {
  for (unsigned kind = 0; kind < 4; ++kind)
    for (const Shape &dims : Shapes{{0}, {1}, {0, 1}, {}})
      c.add(kind < 2 ? c.numbers() : c.all(), kMatrices, 1, [&](auto x) {
        return reduce(static_cast<ReduceKind>(kind), x[0], dims);
      });
}
void middleReductions(Cases &c) {
  for (const Shape &dims : Shapes{{1}, {0, 2}, {1, 3}})
    c.add(c.floats(), {{2, 3, 5, 7}, {3, 17, 2, 33}}, 1,
          [&](auto x) { return sum(x[0], dims); });
}

void dots(Cases &c) {
  struct {
    Shape lhs, rhs;
    DotDims dims;
  } shapes[] = {
      {{3, 5}, {5, 7}, {{}, {}, {1}, {0}}},
      {{5, 3}, {5, 7}, {{}, {}, {0}, {0}}},
      {{3, 5}, {7, 5}, {{}, {}, {1}, {1}}},
      {{5, 3}, {7, 5}, {{}, {}, {0}, {1}}},
      {{33, 65}, {65, 17}, {{}, {}, {1}, {0}}},
      {{2, 3, 5}, {2, 5, 4}, {{0}, {0}, {2}, {1}}},
      {{3, 2, 5}, {5, 4, 2}, {{1}, {2}, {2}, {0}}},
      {{2, 3, 4, 5}, {2, 3, 6, 5}, {{0, 1}, {0, 1}, {3}, {3}}},
      {{2, 4, 3, 5}, {2, 6, 3, 5}, {{0, 2}, {0, 2}, {3}, {3}}},
      {{4, 3, 5}, {3, 5, 2}, {{}, {}, {1, 2}, {0, 1}}},
      {{6}, {6}, {{}, {}, {0}, {0}}},
      {{6}, {3}, {{}, {}, {}, {}}},
      {{4, 6}, {6}, {{}, {}, {1}, {0}}},
      {{2, 0}, {0, 3}, {{}, {}, {1}, {0}}},
      {{0, 2}, {2, 3}, {{}, {}, {1}, {0}}},
      {{}, {3, 4}, {{}, {}, {}, {}}},
  };
  for (auto &[lhs, rhs, dims] : shapes)
    for (Type element : c.numbers())
      c.add({c.type(lhs, element), c.type(rhs, element)},
            [&](auto x) { return dot(x[0], x[1], dims); });
}

void softmaxes(Cases &c) {
  const Shapes shapes = {{1, 1}, {3, 5}, {7, 64}, {0, 4}, {3, 300}, {33, 65}};
  for (int64_t dim : {0, 1}) {
    c.add(c.floats(), shapes, 1, [&](auto x) { return softmax(x[0], dim); });
    c.add(c.floats(), shapes, 1, [&](auto x) { return logSoftmax(x[0], dim); });
  }
}
void layerNorms(Cases &c) {
  for (Type element : c.floats())
    for (const Shape &shape : Shapes{{1}, {7}, {3, 5}, {2, 3, 64}, {4, 129}}) {
      auto row = c.type({shape.back()}, element);
      c.add({c.type(shape, element), row, row},
            [](auto x) { return layerNorm(x[0], x[1], x[2], 1e-2); });
    }
}
void crossEntropies(Cases &c) {
  for (Type element : c.floats())
    for (const Shape &shape : Shapes{{7}, {3, 5}, {2, 3, 64}, {17, 256}})
      for (Type index : {c.b.getI32Type(), c.b.getI64Type()})
        c.add({c.type(shape, element),
               c.type(ArrayRef(shape).drop_back(), index)},
              [](auto x) { return crossEntropy(x[0], x[1]); });
}
void attentions(Cases &c) {
  for (Type element : c.floats())
    for (auto [s, t] :
         std::vector<std::pair<int64_t, int64_t>>{{5, 5}, {1, 7}, {7, 3}})
      for (bool causal : {false, true}) {
        auto query = c.type({2, 3, s, 8}, element);
        auto key = c.type({2, 3, t, 8}, element);
        auto value = c.type({2, 3, t, 4}, element);
        auto mask = c.type({s, t}, c.b.getI1Type());
        c.add({query, key, value}, [&](auto x) {
          return attention(x[0], x[1], x[2], {.causal = causal});
        });
        c.add({query, key, value, mask}, [&](auto x) {
          return attention(x[0], x[1], x[2],
                           {.causal = causal, .mask = x[3], .scale = 0.7});
        });
      }
}

struct OperationCase {
  const char *name;
  void (*write)(Cases &);
  /// Whether special values have one meaning whatever the order of evaluation.
  bool hasSpecialValues;
};

const OperationCase kCases[] = {
    {"neg", unaryNumber<[](Tensor x) { return -x; }>, true},
    {"abs", unaryNumber<abs>, true},
    {"exp", unary<exp>, true},
    {"log", unary<log>, true},
    {"sqrt", unary<sqrt>, true},
    {"rsqrt", unary<rsqrt>, true},
    {"tanh", unary<tanh>, true},
    {"erf", unary<erf>, true},
    {"logistic", unary<logistic>, true},
    {"sin", unary<sin>, true},
    {"cos", unary<cos>, true},
    {"relu", unary<relu>, true},
    {"silu", unary<silu>, true},
    {"gelu", gelus, true},
    {"add", binary<[](Tensor x, Tensor y) { return x + y; }>, true},
    {"sub", binary<[](Tensor x, Tensor y) { return x - y; }>, true},
    {"mul", binary<[](Tensor x, Tensor y) { return x * y; }>, true},
    {"div", binary<[](Tensor x, Tensor y) { return x / y; }>, true},
    {"max_min", extrema, true},
    {"pow", powers, true},
    {"compare", comparisons, true},
    {"select", selections, true},
    {"cast", casts, true},
    {"iota", iotas, false},
    {"random", randoms, true},
    {"broadcast", broadcasts, true},
    {"reshape", reshapes, true},
    {"transpose", transposes, true},
    {"slice", slices, true},
    {"pad", pads, true},
    {"concat", concats, true},
    {"gather_scatter", rowsByIndex, true},
    {"reduce", reductions, true},
    {"reduce_middle", middleReductions, true},
    {"dot", dots, false},
    {"softmax", softmaxes, true},
    {"layer_norm", layerNorms, false},
    {"cross_entropy", crossEntropies, false},
    {"attention", attentions, false},
};

struct Operations : testing::TestWithParam<OperationCase> {
  Operations() : context(registry()) { context.loadAllAvailableDialects(); }

  static DialectRegistry registry() {
    DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }

  void check(const Property &property) {
    ModuleBuilder builder(context);
    Cases cases(builder);
    GetParam().write(cases);
    ASSERT_TRUE(succeeded(builder.verify()));
    ComparisonCounts counts;
    std::optional<std::string> problem = property(builder.getModule(), counts);
    EXPECT_FALSE(problem) << *problem;
    EXPECT_LE(counts.skipped, counts.compared / 50);
  }

  MLIRContext context;
};

} // namespace

TEST_P(Operations, CompiledEqualsInterpreted) { check(checkCompiled); }

TEST_P(Operations, CompiledEqualsInterpretedOnSpecialValues) {
  if (GetParam().hasSpecialValues)
    check(checkCompiledSpecial);
}

#ifdef GRAPH_HAS_EMULATOR
TEST_P(Operations, EmulatedEqualsInterpreted) { check(checkEmulated); }

TEST_P(Operations, EmulatedEqualsInterpretedOnSpecialValues) {
  if (GetParam().hasSpecialValues)
    check(checkEmulatedSpecial);
}
#endif

INSTANTIATE_TEST_SUITE_P(, Operations, testing::ValuesIn(kCases),
                         [](const auto &info) { return info.param.name; });
