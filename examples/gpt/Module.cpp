//===- Module.cpp - The entry points of a GPT training module -------------===//

#include "Gpt.h"

using namespace graph;
using namespace gpt;
using llvm::SmallVector;

static constexpr llvm::StringLiteral firstMoment = "adam_m.";
static constexpr llvm::StringLiteral secondMoment = "adam_v.";
static constexpr llvm::StringLiteral stepCounter = "step";

namespace {
/// Writes the functions of one module.
class GptModule {
public:
  GptModule(ModuleBuilder &module, const ModelOptions &model,
            const AdamWOptions &optimizer)
      : module(module), model(model), optimizer(optimizer),
        parameters(listParameters(model)),
        i64(mlir::IntegerType::get(module.getContext(), 64)),
        i32(mlir::IntegerType::get(module.getContext(), 32)) {}

  void build() {
    addInit();
    loss = addLoss();
    addTrainStep();
    addEvalLoss();
    addLogits();
  }

private:
  void addInit();
  mlir::func::FuncOp addLoss();
  void addTrainStep();
  void addEvalLoss();
  void addLogits();

  mlir::RankedTensorType tokensType(int64_t batch) {
    return module.type({batch, model.context}, i32);
  }
  SmallVector<Tensor> readStates(FunctionBuilder &f,
                                 llvm::StringRef prefix = "") {
    return llvm::map_to_vector(parameters, [&](const Parameter &parameter) {
      return f.state(prefix.str() + parameter.name,
                     module.type(parameter.shape));
    });
  }
  void writeStates(FunctionBuilder &f, llvm::StringRef prefix,
                   llvm::ArrayRef<Tensor> values) {
    for (auto [parameter, value] : llvm::zip_equal(parameters, values))
      f.setState(prefix.str() + parameter.name, value);
  }

  ModuleBuilder &module;
  const ModelOptions &model;
  const AdamWOptions &optimizer;
  std::vector<Parameter> parameters;
  mlir::Type i64, i32;
  mlir::func::FuncOp loss;
};
} // namespace

void GptModule::addInit() {
  module.publicFunction("init", [&](FunctionBuilder &f) {
    mlir::ImplicitLocOpBuilder &b = f.getBuilder();
    Tensor seed = f.input("seed", module.type({}, i64));
    // A stream of its own for each parameter: equal shapes differ.
    for (auto [stream, parameter] : llvm::enumerate(parameters)) {
      mlir::RankedTensorType type = module.type(parameter.shape);
      Tensor zero = full(b, type, 0);
      Tensor value = full(b, type, parameter.fill);
      if (parameter.deviation != 0)
        value = Tensor(b, RandomNormalOp::create(b, type, seed, stream)) *
                parameter.deviation;
      f.setState(parameter.name, value);
      f.setState(firstMoment.str() + parameter.name, zero);
      f.setState(secondMoment.str() + parameter.name, zero);
    }
    f.setState(stepCounter, full(b, module.type({}, i64), 0));
  });
}

mlir::func::FuncOp GptModule::addLoss() {
  return module.privateFunction("loss", [&](FunctionBuilder &f) {
    SmallVector<Tensor> weights;
    for (const Parameter &parameter : parameters)
      weights.push_back(f.input(parameter.name, module.type(parameter.shape)));
    Tensor tokens = f.input("tokens", tokensType(model.batch));
    Tensor targets = f.input("targets", tokensType(model.batch));
    f.output("loss", buildLoss(model, weights, tokens, targets));
  });
}

void GptModule::addTrainStep() {
  module.publicFunction("train_step", [&](FunctionBuilder &f) {
    Tensor tokens = f.input("tokens", tokensType(model.batch));
    Tensor targets = f.input("targets", tokensType(model.batch));
    SmallVector<Tensor> weights = readStates(f);
    SmallVector<Tensor> operands = weights;
    operands.append({tokens, targets});
    auto wrt = llvm::to_vector(llvm::seq<int64_t>(0, weights.size()));
    ValueAndGrad result = f.valueAndGrad(loss, operands, wrt);

    Tensor step = f.state(stepCounter, module.type({}, i64));
    AdamWUpdate update =
        buildAdamW(optimizer, step, weights, result.gradients,
                   readStates(f, firstMoment), readStates(f, secondMoment));
    writeStates(f, "", update.weights);
    writeStates(f, firstMoment, update.firstMoments);
    writeStates(f, secondMoment, update.secondMoments);
    f.setState(stepCounter, step + 1);
    f.output("loss", result.values[0]);
    f.output("grad_norm", update.gradientNorm);
    f.output("learning_rate", update.learningRate);
  });
}

void GptModule::addEvalLoss() {
  module.publicFunction("eval_loss", [&](FunctionBuilder &f) {
    Tensor tokens = f.input("tokens", tokensType(model.batch));
    Tensor targets = f.input("targets", tokensType(model.batch));
    SmallVector<Tensor> operands = readStates(f);
    operands.append({tokens, targets});
    f.output("loss", f.call(loss, operands)[0]);
  });
}

void GptModule::addLogits() {
  module.publicFunction("logits", [&](FunctionBuilder &f) {
    Tensor tokens = f.input("tokens", tokensType(/*batch=*/1));
    f.output("logits", buildLogits(model, readStates(f), tokens));
  });
}

void gpt::buildModule(ModuleBuilder &module, const ModelOptions &model,
                      const AdamWOptions &optimizer) {
  GptModule(module, model, optimizer).build();
}
