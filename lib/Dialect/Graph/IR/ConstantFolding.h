//===- ConstantFolding.h - Evaluation on constant tensors -------*- C++ -*-===//
//
// What the folders share: they apply a function to every element of constant
// operands. A splat is evaluated once and stays a splat; anything else only
// while the constant is small, so that folding is bounded in time and never
// grows a module by much.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_DIALECT_GRAPH_IR_CONSTANTFOLDING_H
#define GRAPH_DIALECT_GRAPH_IR_CONSTANTFOLDING_H

#include "graph/Dialect/Graph/IR/GraphOps.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace graph {

/// Constants that are no splat are computed up to this size.
inline constexpr int64_t kFoldedBytes = 64 * 1024;

/// Whether a constant of this type is computed element by element.
bool isFoldable(mlir::RankedTensorType type);

/// `attr` where it has elements that can be read here (no resource, not
/// empty), null otherwise.
mlir::DenseElementsAttr getElements(mlir::Attribute attr);

/// `x` rounded once, as graph.cast does.
llvm::APFloat convert(llvm::APFloat x, const llvm::fltSemantics &semantics);

/// Rounds what was computed to `semantics` as the kernels do, which compute
/// bf16 and f16 in f32.
llvm::APFloat round(llvm::APFloat x, const llvm::fltSemantics &semantics);

/// Whether every element of the constant `attr` is `number`; zeros are told
/// apart by their sign.
bool isSplatOf(mlir::Attribute attr, double number);

/// The constant of `type` whose elements are `fn` of the operands' elements,
/// which are read as `In` (APInt or APFloat). Null where an operand is not a
/// constant or the result is too large.
template <typename In, typename Fn>
mlir::Attribute foldElements(mlir::RankedTensorType type,
                             llvm::ArrayRef<mlir::Attribute> operands, Fn fn) {
  using Out = decltype(fn(std::declval<llvm::ArrayRef<In>>()));
  llvm::SmallVector<mlir::DenseElementsAttr, 3> constants;
  for (mlir::Attribute operand : operands) {
    constants.push_back(getElements(operand));
    if (!constants.back())
      return {};
  }
  auto isSplat = [](mlir::DenseElementsAttr attr) { return attr.isSplat(); };
  bool allSplat = llvm::all_of(constants, isSplat);
  if (!allSplat && !isFoldable(type))
    return {};
  llvm::SmallVector<decltype(constants[0].value_begin<In>()), 3> iterators;
  for (mlir::DenseElementsAttr constant : constants)
    iterators.push_back(constant.value_begin<In>());
  llvm::SmallVector<Out> results;
  llvm::SmallVector<In, 3> elements;
  for (int64_t i = 0, e = allSplat ? 1 : type.getNumElements(); i < e; ++i) {
    elements.clear();
    for (auto &it : iterators)
      elements.push_back(*it++);
    results.push_back(fn(elements));
  }
  return mlir::DenseElementsAttr::get(type, llvm::ArrayRef<Out>(results));
}

/// The constant of `type` whose element i is element `source(i)` of `operand`.
mlir::Attribute moveElements(mlir::RankedTensorType type,
                             mlir::Attribute operand,
                             llvm::function_ref<int64_t(int64_t)> source);

/// The position along each dimension of row-major element `i`, and back.
llvm::SmallVector<int64_t> delinearize(int64_t i,
                                       llvm::ArrayRef<int64_t> shape);
int64_t linearize(llvm::ArrayRef<int64_t> position,
                  llvm::ArrayRef<int64_t> shape);

} // namespace graph

#endif // GRAPH_DIALECT_GRAPH_IR_CONSTANTFOLDING_H
