//===- ModuleBuilderTest.cpp - Modules written in C++ ---------------------===//

#include "graph/Builder/ModuleBuilder.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace graph;
using namespace mlir;

namespace {

class ModuleBuilderTest : public ::testing::Test {
protected:
  ModuleBuilderTest()
      : handler(module.getContext(), [&](Diagnostic &diagnostic) {
          errors.push_back(diagnostic.str());
        }) {}

  std::string print() {
    std::string text;
    llvm::raw_string_ostream os(text);
    module.print(os);
    return text;
  }

  func::FuncOp addSquare() {
    return module.privateFunction("square", [&](FunctionBuilder &f) {
      Tensor x = f.input("x", module.type({3}));
      f.output("loss", sum(x * x));
    });
  }

  ModuleBuilder module;
  std::vector<std::string> errors;
  ScopedDiagnosticHandler handler;
};

TEST_F(ModuleBuilderTest, NamesInputsStatesAndOutputs) {
  auto row = module.type({3});
  auto step = module.publicFunction("step", [&](FunctionBuilder &f) {
    Tensor x = f.input("x", row), w = f.state("w", row);
    f.setState("w", w + x);
    f.output("y", w * 2);
  });
  ASSERT_TRUE(succeeded(module.verify()));
  EXPECT_TRUE(step.isPublic());
  auto attrOf = [&](unsigned i) { return step.getArgAttr(i, kStateAttr); };
  EXPECT_FALSE(attrOf(0));
  EXPECT_TRUE(attrOf(1));
  EXPECT_EQ(step.getResultAttrOfType<StringAttr>(0, kNameAttr), "w");
  EXPECT_TRUE(step.getResultAttr(0, kStateAttr));
  EXPECT_EQ(step.getResultAttrOfType<StringAttr>(1, kNameAttr), "y");
}

TEST_F(ModuleBuilderTest, PrintsWhatParsesToTheSame) {
  addSquare();
  std::string text = print();
  auto parsed = parseSourceString<ModuleOp>(text, module.getContext());
  ASSERT_TRUE(parsed);
  std::string again;
  llvm::raw_string_ostream os(again);
  parsed->print(os);
  EXPECT_EQ(again + "\n", text);
}

TEST_F(ModuleBuilderTest, ReadsAStateOnce) {
  auto row = module.type({3});
  module.publicFunction("f", [&](FunctionBuilder &f) {
    Tensor a = f.state("w", row), b = f.state("w", row);
    EXPECT_EQ(a.getValue(), b.getValue());
    f.output("y", a + b);
  });
  EXPECT_TRUE(succeeded(module.verify()));
}

TEST_F(ModuleBuilderTest, CallsAndDifferentiates) {
  auto square = addSquare();
  module.publicFunction("f", [&](FunctionBuilder &f) {
    Tensor x = f.input("x", module.type({3}));
    ValueAndGrad result = f.valueAndGrad(square, {x}, {0});
    ASSERT_EQ(result.values.size(), 1u);
    ASSERT_EQ(result.gradients.size(), 1u);
    EXPECT_EQ(result.gradients[0].getType(), x.getType());
    f.output("loss", f.call(square, {x})[0] + result.values[0]);
    f.output("gradient", result.gradients[0]);
  });
  EXPECT_TRUE(succeeded(module.verify()));
}

TEST_F(ModuleBuilderTest, BorrowsAContext) {
  MLIRContext context;
  ModuleBuilder borrowing(context);
  borrowing.publicFunction("f", [&](FunctionBuilder &f) {
    f.output("x",
             f.input("x", borrowing.type({2}, f.getBuilder().getI32Type())));
  });
  EXPECT_EQ(borrowing.getContext(), &context);
  OwningOpRef<ModuleOp> module = borrowing.takeModule();
  EXPECT_TRUE(module->lookupSymbol("f"));
}

TEST_F(ModuleBuilderTest, RejectsRepeatedNames) {
  module.publicFunction("f", [&](FunctionBuilder &f) {
    Tensor x = f.input("x", module.type({3}));
    f.input("x", module.type({3}));
    f.output("y", x);
    f.output("y", x);
    f.setState("w", x);
    f.setState("w", x);
  });
  EXPECT_TRUE(failed(module.verify()));
  EXPECT_EQ(errors, (std::vector<std::string>{"input 'x' is given twice",
                                              "output 'y' is given twice",
                                              "state 'w' is written twice"}));
}

TEST_F(ModuleBuilderTest, RejectsAStateOfTwoTypes) {
  module.publicFunction("f", [&](FunctionBuilder &f) {
    f.setState("w", f.input("x", module.type({3})));
  });
  module.publicFunction("g", [&](FunctionBuilder &f) {
    f.output("y", f.state("w", module.type({4})));
  });
  EXPECT_TRUE(failed(module.verify()));
  EXPECT_EQ(errors, (std::vector<std::string>{
                        "state 'w' has type 'tensor<4xf32>', expected "
                        "'tensor<3xf32>' as elsewhere in the module"}));
}

TEST_F(ModuleBuilderTest, RejectsOperandsThatDoNotMatchTheCallee) {
  auto square = addSquare();
  module.publicFunction("f", [&](FunctionBuilder &f) {
    f.output("y", f.call(square, {f.input("x", module.type({4}))})[0]);
  });
  EXPECT_TRUE(failed(module.verify()));
  EXPECT_FALSE(errors.empty());
}

TEST_F(ModuleBuilderTest, RejectsWrtOutOfRange) {
  auto square = addSquare();
  module.publicFunction("f", [&](FunctionBuilder &f) {
    Tensor x = f.input("x", module.type({3}));
    f.output("y", f.valueAndGrad(square, {x}, {1}).values[0]);
  });
  EXPECT_TRUE(failed(module.verify()));
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_NE(errors[0].find("found operand 1"), std::string::npos);
}

} // namespace
