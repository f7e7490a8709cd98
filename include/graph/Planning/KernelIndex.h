//===- KernelIndex.h - Affine positions within a kernel ---------*- C++ -*-===//
//
// Inside a kernel the position of an element of a value is kept as one
// row-major number, an affine form of the kernel's variables:
//
//   offset + sum of coefficient * variable
//
// A reshape leaves it unchanged. An operation that looks at dimensions takes
// it apart (`unflatten`) into one affine form per dimension; this is possible
// where every variable lies within one dimension, which the planner achieves
// by splitting variables.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_PLANNING_KERNELINDEX_H
#define GRAPH_PLANNING_KERNELINDEX_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace graph {

/// A set of kernel variables, by number; a kernel has at most 64 of them.
using VariableSet = uint64_t;

struct AffineIndex {
  struct Term {
    unsigned variable;
    int64_t coefficient;
    bool operator==(const Term &other) const = default;
    auto operator<=>(const Term &other) const = default;
  };

  int64_t offset = 0;
  /// Ordered by variable, no coefficient is 0.
  llvm::SmallVector<Term, 4> terms;

  static AffineIndex constant(int64_t offset) { return {offset, {}}; }
  static AffineIndex variable(unsigned variable) {
    return {0, {{variable, 1}}};
  }

  AffineIndex &operator+=(const AffineIndex &other);
  AffineIndex operator+(const AffineIndex &other) const;
  AffineIndex operator*(int64_t factor) const;
  bool operator==(const AffineIndex &other) const {
    return offset == other.offset && terms == other.terms;
  }

  /// 0 where the variable does not occur.
  int64_t getCoefficient(unsigned variable) const;
  VariableSet getVariables() const;
  /// Puts `index` in the place of `variable`.
  void substitute(unsigned variable, const AffineIndex &index);
};

/// Cutting `variable` into outer * `inner` + rest would help.
struct SplitRequest {
  unsigned variable;
  int64_t inner;
};

/// The sizes of variables: position v runs from 0 to sizes(v) - 1.
using VariableSizes = llvm::function_ref<int64_t(unsigned)>;

/// The index of every dimension of `shape` at the row-major position `index`.
/// Fails where a variable straddles a dimension's boundary; `split` is set
/// where cutting it would mend that.
llvm::FailureOr<llvm::SmallVector<AffineIndex>>
unflatten(const AffineIndex &index, llvm::ArrayRef<int64_t> shape,
          VariableSizes sizes, std::optional<SplitRequest> &split);

/// The row-major position of `indices` in `shape`.
AffineIndex flatten(llvm::ArrayRef<AffineIndex> indices,
                    llvm::ArrayRef<int64_t> shape);

} // namespace graph

#endif // GRAPH_PLANNING_KERNELINDEX_H
