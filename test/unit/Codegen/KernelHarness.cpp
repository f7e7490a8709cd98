//===- KernelHarness.cpp - Compiles and runs kernels in process -----------===//

#include "KernelHarness.h"

#include "graph/Codegen/Passes.h"
#include "graph/Reference/Interpreter.h"
#include "graph/Reference/RandomInputs.h"
#include "graph/Reference/RawData.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/TargetSelect.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstdlib>

using namespace mlir;
using namespace graph;
using namespace graph::test;

void graph::test::registerAll(MLIRContext &context) {
  DialectRegistry registry;
  registry.insert<GraphDialect, arith::ArithDialect, func::FuncDialect,
                  math::MathDialect, memref::MemRefDialect, scf::SCFDialect,
                  vector::VectorDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
}

static void decompose(ModuleOp module, const KernelTarget &target) {
  SmallVector<DecomposableOpInterface> worklist;
  do {
    worklist.clear();
    module.walk([&](DecomposableOpInterface op) {
      auto attention = dyn_cast<AttentionOpInterface>(*op);
      if (!attention || !hasAttentionKernel(attention))
        worklist.push_back(op);
    });
    for (DecomposableOpInterface op : worklist) {
      ImplicitLocOpBuilder b(op->getLoc(), op);
      op->replaceAllUsesWith(op.decompose(b));
      op->erase();
    }
  } while (!worklist.empty());
}

/// Moves the body of `function` into a fusion.
static FusionOp wrapIntoFusion(func::FuncOp function) {
  Block &body = function.getBody().front();
  Operation *terminator = body.getTerminator();
  ImplicitLocOpBuilder b(function.getLoc(), terminator);
  auto fusion = FusionOp::create(b, function.getResultTypes(),
                                 ValueRange(body.getArguments()));
  Block *inner = b.createBlock(&fusion.getBody());
  for (BlockArgument argument : body.getArguments()) {
    Value copy = inner->addArgument(argument.getType(), argument.getLoc());
    argument.replaceAllUsesExcept(copy, fusion);
  }
  inner->getOperations().splice(inner->end(), body.getOperations(),
                                body.begin(), Block::iterator(fusion));
  b.setInsertionPointToEnd(inner);
  YieldOp::create(b, terminator->getOperands());
  terminator->setOperands(fusion.getResults());
  return fusion;
}

static LogicalResult lower(ModuleOp kernels) {
  PassManager pm(kernels.getContext());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createCodegenLowerMath());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  ConvertFuncToLLVMPassOptions options;
  options.useBarePtrCallConv = true;
  pm.addPass(createConvertFuncToLLVMPass(options));
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  return pm.run(kernels);
}

std::unique_ptr<CompiledKernel>
CompiledKernel::create(MLIRContext &context, StringRef source,
                       const KernelTarget &target) {
  auto result = std::make_unique<CompiledKernel>();
  result->module = parseSourceString<ModuleOp>(source, &context);
  if (!result->module)
    return nullptr;
  decompose(*result->module, target);
  result->reference = result->module->clone();
  result->function = *result->reference->getOps<func::FuncOp>().begin();
  FusionOp fusion =
      wrapIntoFusion(*result->module->getOps<func::FuncOp>().begin());
  std::string whyNot;
  FailureOr<KernelPlan> plan = planKernel(fusion, target, &whyNot);
  if (failed(plan)) {
    fusion.emitOpError("is not one kernel: ") << whyNot;
    return nullptr;
  }
  result->plan = *plan;

  OwningOpRef<ModuleOp> kernels = ModuleOp::create(fusion.getLoc());
  auto kernel = emitKernel(fusion, target, *kernels, "kernel");
  if (failed(kernel) || failed(kernels->verify()))
    return nullptr;
  if (std::getenv("DUMP_KERNELS"))
    kernels->dump();
  if (failed(lower(*kernels)))
    return nullptr;

  auto builder =
      llvm::cantFail(llvm::orc::JITTargetMachineBuilder::detectHost());
  auto machine = llvm::cantFail(builder.createTargetMachine());
  ExecutionEngineOptions options;
  auto optimize = makeOptimizingTransformer(3, 0, machine.get());
  options.transformer = optimize;
  options.jitCodeGenOptLevel = llvm::CodeGenOptLevel::Aggressive;
  auto engine = ExecutionEngine::create(*kernels, options);
  if (!engine) {
    emitError(kernels->getLoc(), llvm::toString(engine.takeError()));
    return nullptr;
  }
  result->engine = std::move(*engine);
  return result;
}

void CompiledKernel::run(ArrayRef<void *> buffers) {
  SmallVector<void *> pointers(buffers);
  int64_t workgroup;
  SmallVector<void *> arguments;
  for (void *&pointer : pointers)
    arguments.push_back(&pointer);
  arguments.push_back(&workgroup);
  for (workgroup = getNumWorkgroups(); workgroup-- > 0;)
    llvm::cantFail(engine->invokePacked("kernel", arguments));
}

std::vector<ReferenceTensor>
CompiledKernel::run(ArrayRef<ReferenceTensor> inputs) {
  // A margin around every buffer shows accesses out of bounds as wrong bytes.
  constexpr size_t kMargin = 64;
  constexpr uint8_t kPattern = 0xa5;
  std::vector<std::vector<uint8_t>> storage;
  std::vector<void *> buffers;
  auto add = [&](ArrayRef<uint8_t> bytes) {
    std::vector<uint8_t> &all = storage.emplace_back(kMargin, kPattern);
    all.insert(all.end(), bytes.begin(), bytes.end());
    all.insert(all.end(), kMargin, kPattern);
  };
  for (const ReferenceTensor &input : inputs)
    add(toBytes(input));
  std::vector<RankedTensorType> types;
  for (Type type : function.getResultTypes()) {
    types.push_back(cast<RankedTensorType>(type));
    size_t size = toBytes(ReferenceTensor(types.back())).size();
    add(std::vector<uint8_t>(size, kPattern));
  }
  for (std::vector<uint8_t> &bytes : storage)
    buffers.push_back(bytes.data() + kMargin);
  run(buffers);

  std::vector<ReferenceTensor> results;
  for (auto [i, type] : llvm::enumerate(types)) {
    ArrayRef<uint8_t> bytes = storage[inputs.size() + i];
    EXPECT_TRUE(llvm::all_of(bytes.take_front(kMargin),
                             [](uint8_t b) { return b == kPattern; }));
    EXPECT_TRUE(llvm::all_of(bytes.take_back(kMargin),
                             [](uint8_t b) { return b == kPattern; }));
    results.push_back(
        fromBytes(type, bytes.drop_front(kMargin).drop_back(kMargin)));
  }
  return results;
}

std::vector<ReferenceTensor>
CompiledKernel::interpret(ArrayRef<ReferenceTensor> inputs) {
  EvaluateOptions options;
  auto round = [](Operation *, ArrayRef<const ReferenceTensor *>,
                  MutableArrayRef<ReferenceTensor> results) {
    for (ReferenceTensor &result : results)
      if (result.isFloat() && result.getWidth() < 32)
        for (double &value : result.floats())
          value = roundToType(cast<FloatType>(result.getElementType()), value);
  };
  options.onResults = round;
  auto results = evaluate(function, inputs, options);
  if (failed(results))
    return {};
  return {results->begin(), results->end()};
}

double graph::test::getError(const ReferenceTensor &found,
                             const ReferenceTensor &expected) {
  double worst = 0;
  if (!found.isFloat()) {
    for (auto [x, y] : llvm::zip_equal(found.ints(), expected.ints()))
      if (x != y)
        return std::numeric_limits<double>::infinity();
    return 0;
  }
  auto type = cast<FloatType>(found.getElementType());
  double epsilon =
      std::ldexp(1.0, 1 - static_cast<int>(type.getFPMantissaWidth()));
  for (auto [x, y] : llvm::zip_equal(found.floats(), expected.floats())) {
    double want = roundToType(type, y);
    if (x == want || (std::isnan(x) && std::isnan(want)))
      continue;
    double error = std::abs(x - want) / std::max(1.0, std::abs(want)) / epsilon;
    worst = std::isfinite(error) ? std::max(worst, error)
                                 : std::numeric_limits<double>::infinity();
  }
  return worst;
}

void graph::test::expectMatches(MLIRContext &context, StringRef source,
                                Hero hero, double tolerance,
                                bool specialValues) {
  SCOPED_TRACE(source.str());
  auto kernel = CompiledKernel::create(context, source);
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->getPlan().hero, hero);
  RandomInputOptions options;
  options.seed = 1;
  options.specialValues = specialValues;
  auto inputs = getRandomInputs(kernel->getFunction(), options);
  auto found = kernel->run(inputs);
  auto expected = kernel->interpret(inputs);
  ASSERT_EQ(found.size(), expected.size());
  for (auto [number, pair] : llvm::enumerate(llvm::zip(found, expected)))
    EXPECT_LE(getError(std::get<0>(pair), std::get<1>(pair)), tolerance)
        << "result " << number;
}
