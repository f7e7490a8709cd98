//===- Evaluators.cpp - From operation names to their meaning -------------===//
//
// Hands the operands and attributes of an operation to the function of its
// name in Ops.h: one line per operation.
//
//===----------------------------------------------------------------------===//

#include "Evaluators.h"

#include "graph/Reference/Ops.h"

using namespace mlir;
using namespace graph;

namespace {

class Table {
public:
  template <typename OpTy>
  void unary(ReferenceTensor (*fn)(const ReferenceTensor &)) {
    add<OpTy>([fn](OpTy, Operands v) { return fn(*v[0]); });
  }
  template <typename OpTy>
  void binary(ReferenceTensor (*fn)(const ReferenceTensor &,
                                    const ReferenceTensor &)) {
    add<OpTy>([fn](OpTy, Operands v) { return fn(*v[0], *v[1]); });
  }
  /// `fn(op, operands)` or `fn(op, operands, options)` gives the only result or
  /// all of them.
  template <typename OpTy, typename Fn> void add(Fn fn) {
    evaluators[OpTy::getOperationName()] =
        [fn](Operation *op, Operands v,
             const EvaluateOptions &options) -> Results {
      if constexpr (std::is_invocable_v<Fn, OpTy, Operands>)
        return asResults(fn(mlir::cast<OpTy>(op), v));
      else
        return asResults(fn(mlir::cast<OpTy>(op), v, options));
    };
  }

  llvm::StringMap<Evaluator> evaluators;

private:
  using Results = SmallVector<ReferenceTensor>;

  static Results asResults(Results results) { return results; }
  static Results asResults(ReferenceTensor result) {
    return {std::move(result)};
  }
};

void addElementwise(Table &table) {
  table.unary<NegOp>(reference::neg);
  table.unary<AbsOp>(reference::abs);
  table.unary<ExpOp>(reference::exp);
  table.unary<LogOp>(reference::log);
  table.unary<SqrtOp>(reference::sqrt);
  table.unary<RsqrtOp>(reference::rsqrt);
  table.unary<TanhOp>(reference::tanh);
  table.unary<ErfOp>(reference::erf);
  table.unary<LogisticOp>(reference::logistic);
  table.unary<SinOp>(reference::sin);
  table.unary<CosOp>(reference::cos);
  table.binary<AddOp>(reference::add);
  table.binary<SubOp>(reference::sub);
  table.binary<MulOp>(reference::mul);
  table.binary<DivOp>(reference::div);
  table.binary<MaxOp>(reference::max);
  table.binary<MinOp>(reference::min);
  table.binary<PowOp>(reference::pow);
  table.add<CompareOp>([](CompareOp op, Operands v) {
    return reference::compare(op.getPredicate(), *v[0], *v[1]);
  });
  table.add<SelectOp>([](SelectOp, Operands v) {
    return reference::select(*v[0], *v[1], *v[2]);
  });
  table.add<CastOp>([](CastOp op, Operands v, const EvaluateOptions &options) {
    return reference::cast(*v[0], op.getType(), options.roundCasts);
  });
}

void addSources(Table &table) {
  table.add<IotaOp>([](IotaOp op, Operands) {
    return reference::iota(op.getDim(), op.getType());
  });
  table.add<RandomUniformOp>([](RandomUniformOp op, Operands v) {
    return reference::randomUniform(*v[0], op.getStream(), op.getType());
  });
  table.add<RandomNormalOp>([](RandomNormalOp op, Operands v) {
    return reference::randomNormal(*v[0], op.getStream(), op.getType());
  });
}

void addMovements(Table &table) {
  table.add<BroadcastOp>([](BroadcastOp op, Operands v) {
    return reference::broadcast(*v[0], op.getDims(), op.getType());
  });
  table.add<ReshapeOp>([](ReshapeOp op, Operands v) {
    return reference::reshape(*v[0], op.getType());
  });
  table.add<TransposeOp>([](TransposeOp op, Operands v) {
    return reference::transpose(*v[0], op.getPerm());
  });
  table.add<SliceOp>([](SliceOp op, Operands v) {
    return reference::slice(*v[0], op.getStarts(), op.getStrides(),
                            op.getType());
  });
  table.add<PadOp>([](PadOp op, Operands v) {
    return reference::pad(*v[0], op.getValue(), op.getLow(), op.getInterior(),
                          op.getType());
  });
  table.add<ConcatOp>([](ConcatOp op, Operands v) {
    return reference::concat(v, op.getDim(), op.getType());
  });
  table.add<GatherOp>([](GatherOp op, Operands v) {
    return reference::gather(*v[0], *v[1], op.getMode(), op.getType());
  });
  table.add<ScatterAddOp>([](ScatterAddOp op, Operands v) {
    return reference::scatterAdd(*v[0], *v[1], *v[2], op.getMode());
  });
}

void addContractions(Table &table) {
  table.add<ReduceOp>([](ReduceOp op, Operands v) {
    return reference::reduce(op.getKind(), *v[0], op.getDims());
  });
  table.add<DotOp>([](DotOp op, Operands v) {
    return reference::dot(*v[0], *v[1], op.getLhsBatch(), op.getRhsBatch(),
                          op.getLhsContract(), op.getRhsContract(),
                          op.getType());
  });
}

void addComposites(Table &table) {
  table.unary<ReluOp>(reference::relu);
  table.unary<SiluOp>(reference::silu);
  table.add<GeluOp>([](GeluOp op, Operands v) {
    return reference::gelu(op.getForm(), *v[0]);
  });
  table.add<SoftmaxOp>([](SoftmaxOp op, Operands v) {
    return reference::softmax(*v[0], op.getDim());
  });
  table.add<LogSoftmaxOp>([](LogSoftmaxOp op, Operands v) {
    return reference::logSoftmax(*v[0], op.getDim());
  });
  table.add<LayerNormOp>([](LayerNormOp op, Operands v) {
    return reference::layerNorm(*v[0], *v[1], *v[2],
                                op.getEpsilon().convertToDouble());
  });
  table.binary<CrossEntropyOp>(reference::crossEntropy);
  table.add<AttentionOp>([](AttentionOp op, Operands v) {
    return reference::attention(*v[0], *v[1], *v[2],
                                op.getMask() ? v[3] : nullptr, op.getCausal(),
                                op.getScale().convertToDouble());
  });
  table.add<AttentionGradOp>([](AttentionGradOp op, Operands v) {
    return reference::attentionGrad(
        *v[0], *v[1], *v[2], *v[3], *v[4], *v[5], op.getMask() ? v[6] : nullptr,
        op.getCausal(), op.getScale().convertToDouble());
  });
}

} // namespace

const llvm::StringMap<Evaluator> &graph::getEvaluators() {
  static const llvm::StringMap<Evaluator> evaluators = [] {
    Table table;
    addElementwise(table);
    addSources(table);
    addMovements(table);
    addContractions(table);
    addComposites(table);
    return std::move(table.evaluators);
  }();
  return evaluators;
}
