//===- linear.cpp - One gradient step, compiled and by hand ---------------===//
//
// The smallest whole path: a graph is written, differentiated, compiled and run
// in one program, and its results are printed beside the closed form.
//
//   z^ = x W + b              x [4, 3], W [3, 2], b [2]
//   L  = 1/2 sum (z - z^)^2   over all examples and outputs
//
//   dL/dW = x^T (z^ - z)      W' = W - rate dL/dW
//   dL/db = sum_n (z^ - z)_n  b' = b - rate dL/db
//
// All numbers are small multiples of powers of two, so f32 is exact and the two
// must be equal.
//
//===----------------------------------------------------------------------===//

#include "graph/Builder/ModuleBuilder.h"
#include "graph/InitAll.h"
#include "graph/Pipelines/Compile.h"

#include "graphrt/graphrt.hpp"

#include <array>
#include <cstdio>

using graph::FunctionBuilder;
using graph::ModuleBuilder;
using graph::Tensor;

static constexpr int64_t examples = 4, inputs = 3, outputs = 2;
static constexpr float rate = 0.125f;

static constexpr std::array<float, examples * inputs> xData = {
    1, 0, -2, 0.5, 1, 1, -1, 2, 0, 3, -0.5, 1};
static constexpr std::array<float, inputs * outputs> wData = {0.5,  -1, 2,
                                                              0.25, 1,  -0.5};
static constexpr std::array<float, outputs> bData = {0.25, -0.75};
static constexpr std::array<float, examples * outputs> zData = {1, 2,  -1, 0.5,
                                                                0, -2, 3,  1};

/// W and b are the session's state; `step` reads and writes them.
static void buildModule(ModuleBuilder &module) {
  auto xType = module.type({examples, inputs});
  auto wType = module.type({inputs, outputs}), bType = module.type({outputs});
  auto zType = module.type({examples, outputs});

  auto loss = module.privateFunction("loss", [&](FunctionBuilder &f) {
    Tensor w = f.input("W", wType), b = f.input("b", bType);
    Tensor x = f.input("x", xType), z = f.input("z", zType);
    Tensor predicted = matmul(x, w) + b;
    Tensor residual = z - predicted;
    f.output("L", 0.5 * sum(residual * residual));
  });
  module.publicFunction("init", [&](FunctionBuilder &f) {
    f.setState("W", f.input("W", wType));
    f.setState("b", f.input("b", bType));
  });
  module.publicFunction("step", [&](FunctionBuilder &f) {
    Tensor w = f.state("W", wType), b = f.state("b", bType);
    Tensor x = f.input("x", xType), z = f.input("z", zType);
    graph::ValueAndGrad result = f.valueAndGrad(loss, {w, b, x, z}, {0, 1});
    Tensor dw = result.gradients[0], db = result.gradients[1];
    f.output("L", result.values[0]);
    f.output("dL/dW", dw);
    f.output("dL/db", db);
    f.setState("W", w - rate * dw);
    f.setState("b", b - rate * db);
  });
}

namespace {
/// What one step gives.
struct Step {
  float loss = 0;
  std::array<float, inputs * outputs> dw{}, w = wData;
  std::array<float, outputs> db{}, b = bData;
};
} // namespace

static Step computeClosedForm() {
  Step step;
  for (int64_t n = 0; n < examples; ++n)
    for (int64_t o = 0; o < outputs; ++o) {
      float predicted = bData[o];
      for (int64_t i = 0; i < inputs; ++i)
        predicted += xData[n * inputs + i] * wData[i * outputs + o];
      float error = predicted - zData[n * outputs + o];
      step.loss += 0.5f * error * error;
      step.db[o] += error;
      for (int64_t i = 0; i < inputs; ++i)
        step.dw[i * outputs + o] += xData[n * inputs + i] * error;
    }
  for (size_t i = 0; i < step.w.size(); ++i)
    step.w[i] -= rate * step.dw[i];
  for (size_t i = 0; i < step.b.size(); ++i)
    step.b[i] -= rate * step.db[i];
  return step;
}

template <size_t size>
static graphrt::Tensor tensor(const std::array<float, size> &values,
                              std::initializer_list<int64_t> shape) {
  return graphrt::Tensor::of<float>(values, std::span(shape));
}

template <size_t size>
static void read(const graphrt::Tensor &tensor,
                 std::array<float, size> &values) {
  std::ranges::copy(tensor.as<const float>(), values.begin());
}

static Step runCompiled(const std::string &artifact) {
  graphrt::Session session(graphrt::Program::fromMemory(artifact));
  session.call("init",
               {tensor(wData, {inputs, outputs}), tensor(bData, {outputs})});
  auto results = session.call("step", {tensor(xData, {examples, inputs}),
                                       tensor(zData, {examples, outputs})});
  Step step;
  step.loss = results[0].as<float>()[0];
  read(results[1], step.dw);
  read(results[2], step.db);
  read(session.state("W"), step.w);
  read(session.state("b"), step.b);
  return step;
}

/// Prints a row and returns whether the two are equal.
static bool compare(const char *name, std::span<const float> compiled,
                    std::span<const float> closedForm) {
  auto print = [](std::span<const float> values) {
    for (float value : values)
      std::printf(" %8.4f", value);
  };
  std::printf("%-6s compiled   ", name);
  print(compiled);
  std::printf("\n       closed form");
  print(closedForm);
  std::printf("\n");
  return std::ranges::equal(compiled, closedForm);
}

int main() {
  mlir::DialectRegistry registry;
  graph::registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  ModuleBuilder module(context);
  buildModule(module);
  if (failed(module.verify()))
    return 1;
  module.print(llvm::outs());
  llvm::outs().flush();

  llvm::FailureOr<std::string> artifact =
      graph::compileToArtifact(module.getModule(), {});
  if (failed(artifact))
    return 1;
  Step found, expected = computeClosedForm();
  try {
    found = runCompiled(*artifact);
  } catch (const graphrt::Error &error) {
    std::fprintf(stderr, "linear: error: %s\n", error.what());
    return 1;
  }
  bool equal = compare("L", {&found.loss, 1}, {&expected.loss, 1});
  equal &= compare("dL/dW", found.dw, expected.dw);
  equal &= compare("dL/db", found.db, expected.db);
  equal &= compare("W'", found.w, expected.w);
  equal &= compare("b'", found.b, expected.b);
  std::puts(equal ? "equal" : "not equal");
  return equal ? 0 : 1;
}
