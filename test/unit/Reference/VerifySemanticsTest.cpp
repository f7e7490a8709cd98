//===- VerifySemanticsTest.cpp - Passes that change the meaning -----------===//

#include "graph/Reference/VerifySemantics.h"

#include "graph/Dialect/Graph/IR/GraphOps.h"
#include "graph/Reference/Interpreter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace graph;

namespace {

/// Changes every function in the way it is told.
struct MutatePass : PassWrapper<MutatePass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MutatePass)

  explicit MutatePass(std::function<void(func::FuncOp)> mutate)
      : mutate(std::move(mutate)) {}
  StringRef getArgument() const override { return "mutate"; }
  void runOnOperation() override { mutate(getOperation()); }

  std::function<void(func::FuncOp)> mutate;
};

struct VerifySemanticsTest : testing::Test {
  VerifySemanticsTest() {
    context.loadDialect<GraphDialect, func::FuncDialect>();
  }

  /// Runs passes with the given effects; returns the error, empty for none.
  std::string run(StringRef text,
                  std::vector<std::function<void(func::FuncOp)>> effects) {
    auto module = parseSourceString<ModuleOp>(text, &context);
    std::string message;
    ScopedDiagnosticHandler handler(
        &context, [&](Diagnostic &diagnostic) { message += diagnostic.str(); });
    PassManager passes(&context);
    bool foundDifference = false;
    verifySemantics(passes, /*seed=*/0, foundDifference);
    for (auto &effect : effects)
      passes.addNestedPass<func::FuncOp>(std::make_unique<MutatePass>(effect));
    EXPECT_TRUE(succeeded(passes.run(*module)));
    EXPECT_EQ(foundDifference, !message.empty());
    return message;
  }

  MLIRContext context;
};

constexpr StringLiteral kSelect = R"mlir(
func.func @f(%x: tensor<2x2xf32>) -> (tensor<2x2xf32> {graph.name = "y"}) {
  %0 = graph.constant dense<[[true, true], [false, true]]> : tensor<2x2xi1>
  %1 = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %2 = graph.constant dense<5.0> : tensor<2x2xf32>
  %3 = graph.select %0, %1, %2 : tensor<2x2xf32>
  return %3 : tensor<2x2xf32>
})mlir";

void keep(func::FuncOp) {}

/// Exchanges what is selected where the predicate is false.
void selectTrue(func::FuncOp function) {
  function.walk(
      [](SelectOp op) { op.getOnFalseMutable().assign(op.getOnTrue()); });
}

void dropArgument(func::FuncOp function) { (void)function.eraseArgument(0); }

} // namespace

TEST_F(VerifySemanticsTest, NamesTheFirstPassFunctionResultAndElement) {
  EXPECT_EQ(run(kSelect, {keep, selectTrue, selectTrue}),
            "pass 'mutate' changed result 'y' of @f at [1, 0]: found 3.000000, "
            "expected 5.000000");
}

TEST_F(VerifySemanticsTest, AcceptsPassesThatKeepTheMeaning) {
  EXPECT_EQ(run(kSelect, {keep, keep}), "");
}

TEST_F(VerifySemanticsTest, ReportsAChangedType) {
  EXPECT_EQ(run(kSelect, {dropArgument}),
            "pass 'mutate' changed the type of @f: found '() -> "
            "tensor<2x2xf32>', expected '(tensor<2x2xf32>) -> "
            "tensor<2x2xf32>'");
}

TEST_F(VerifySemanticsTest, LeavesOutWhatIsNotExpanded) {
  EXPECT_EQ(run(R"mlir(
func.func private @square(%x: tensor<f32>) -> tensor<f32> {
  %0 = graph.mul %x, %x : tensor<f32>
  return %0 : tensor<f32>
}
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %0:2 = graph.value_and_grad @square(%x) wrt = [0] : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#1 : tensor<f32>
})mlir",
                {keep}),
            "");
}

TEST_F(VerifySemanticsTest, UnexpandedGradientIsAnErrorOfTheInterpreter) {
  auto module = parseSourceString<ModuleOp>(R"mlir(
func.func private @square(%x: tensor<f32>) -> tensor<f32> {
  %0 = graph.mul %x, %x : tensor<f32>
  return %0 : tensor<f32>
}
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %0:2 = graph.value_and_grad @square(%x) wrt = [0] : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#1 : tensor<f32>
})mlir",
                                            &context);
  std::string message;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
  auto function = module->lookupSymbol<func::FuncOp>("f");
  ReferenceTensor x(cast<RankedTensorType>(function.getArgumentTypes()[0]));
  EXPECT_TRUE(failed(evaluate(function, x)));
  EXPECT_FALSE(isEvaluable(function));
  EXPECT_EQ(message, "'graph.value_and_grad' op cannot be interpreted: expand "
                     "it with --graph-autodiff first");
}
