//===- Vjp.h - Rules of reverse-mode differentiation ------------*- C++ -*-===//
//
// The cotangent of a value is the derivative of the loss with respect to it: a
// tensor of the same type. The VJP (vector-Jacobian product) of an operation
// y = f(x0, x1, ...) takes the cotangent g of y to those of the operands. A
// rule is one formula per operand:
//
//   rules.add<MulOp>([](auto &v) { return v.g * v.x(1); },
//                    [](auto &v) { return v.g * v.x(0); });
//
// A formula is evaluated only where its operand is on a path from an operand
// that is differentiated for, so nothing is built that nobody uses. Where the
// formulas have terms in common, one function without a result takes their
// place and hands over each cotangent itself:
//
//   rules.add<FooOp>([](auto &v) {
//     Tensor common = v.g * exp(v.x(0));
//     if (v.needs(0))
//       v.add(0, common * v.x(1));
//     if (v.needs(1))
//       v.add(1, common);
//   });
//
// Rules build operations of the graph dialect, which have rules themselves:
// derivatives can be differentiated again. For this, a formula must be finite
// also where `select` discards it: zero times infinity is NaN.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_AUTODIFF_VJP_H
#define GRAPH_AUTODIFF_VJP_H

#include "graph/Dialect/Graph/IR/Decompositions.h"

#include "llvm/ADT/StringMap.h"
#include <functional>

namespace graph {

/// Whose convention holds where a function has several sub-gradients; see
/// docs/autodiff.md for the table.
enum class Subgradient { torch, jax };

/// The differentiation of one operation, as the driver asks for it.
struct VjpRequest {
  mlir::Operation *op;
  /// The cotangent of each result, of its type, and absent where the loss does
  /// not depend on it. One at least is there.
  llvm::ArrayRef<Tensor> cotangents;
  Subgradient subgradient;
  /// Whether the cotangent of an operand is wanted.
  llvm::function_ref<bool(unsigned operand)> needs;
  /// Receives the cotangent of an operand, of the operand's type.
  llvm::function_ref<void(unsigned operand, Tensor cotangent)> add;
};

/// What a rule for `OpT` sees: the operation, its values, its cotangent.
template <typename OpT> class Vjp {
public:
  Vjp(const VjpRequest &request, bool inF32)
      : op(llvm::cast<OpT>(request.op)), subgradient(request.subgradient),
        request(request), inF32(inF32) {
    g = cotangent(0);
  }

  OpT op;
  /// The cotangent of the first result; that of an only result is there.
  Tensor g;
  Subgradient subgradient;

  /// An operand, as the forward pass has it.
  Tensor x(unsigned operand = 0) const { return wrap(op->getOperand(operand)); }
  /// The result, as the forward pass has it.
  Tensor y() const { return wrap(op->getResult(0)); }

  /// The cotangent of a result, or none.
  Tensor cotangent(unsigned result) const {
    Tensor tensor = request.cotangents[result];
    return inF32 && tensor ? widen(tensor) : tensor;
  }

  bool needs(unsigned operand) const { return request.needs(operand); }
  /// Rounds to the element type of the operand.
  void add(unsigned operand, Tensor cotangent) const {
    mlir::Type type = op->getOperand(operand).getType();
    request.add(operand, cast(cotangent, mlir::getElementTypeOrSelf(type)));
  }

private:
  Tensor wrap(mlir::Value value) const {
    Tensor &tensor = values[value];
    if (!tensor) {
      tensor = {g.getBuilder(), value};
      if (inF32)
        tensor = widen(tensor);
    }
    return tensor;
  }

  const VjpRequest &request;
  bool inF32;
  /// Each value is widened once.
  mutable llvm::SmallDenseMap<mlir::Value, Tensor, 4> values;
};

/// The formula of an operand whose type has no derivative (integers, i1).
inline constexpr auto notDifferentiable = [](auto &) -> Tensor {
  llvm_unreachable("no cotangent is asked for an integer");
};

/// All rules, by operation.
class VjpTable {
public:
  using Rule = std::function<void(const VjpRequest &)>;

  /// Computes in the element type of the operation.
  template <typename OpT, typename... Fns> void add(Fns... fns) {
    insert<OpT>(/*inF32=*/false, fns...);
  }
  /// Computes bf16 and f16 in f32 and rounds each cotangent once: for formulas
  /// of several steps.
  template <typename OpT, typename... Fns> void addInF32(Fns... fns) {
    insert<OpT>(/*inF32=*/true, fns...);
  }

  /// Null where the operation has no rule.
  const Rule *lookup(mlir::OperationName name) const;

private:
  template <typename OpT, typename... Fns> void insert(bool inF32, Fns... fns) {
    rules[OpT::getOperationName()] = [=](const VjpRequest &request) {
      Vjp<OpT> v(request, inF32);
      unsigned operand = 0;
      (apply(v, operand++, fns), ...);
    };
  }

  template <typename V, typename Fn>
  static void apply(V &v, unsigned operand, Fn fn) {
    if constexpr (std::is_void_v<std::invoke_result_t<Fn, V &>>)
      fn(v);
    else if (v.needs(operand))
      v.add(operand, fn(v));
  }

  llvm::StringMap<Rule> rules;
};

/// The rules of the graph dialect, one function per file of lib/Autodiff/Rules.
void populateElementwiseVjps(VjpTable &rules);
void populateShapeVjps(VjpTable &rules);
void populateContractionVjps(VjpTable &rules);
void populateCompositeVjps(VjpTable &rules);

} // namespace graph

#endif // GRAPH_AUTODIFF_VJP_H
