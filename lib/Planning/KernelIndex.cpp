//===- KernelIndex.cpp - Affine positions within a kernel -----------------===//

#include "graph/Planning/KernelIndex.h"

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace graph;

AffineIndex &AffineIndex::operator+=(const AffineIndex &other) {
  offset += other.offset;
  for (Term term : other.terms) {
    auto *it = llvm::lower_bound(
        terms, term.variable,
        [](const Term &t, unsigned variable) { return t.variable < variable; });
    if (it == terms.end() || it->variable != term.variable) {
      terms.insert(it, term);
      continue;
    }
    it->coefficient += term.coefficient;
    if (it->coefficient == 0)
      terms.erase(it);
  }
  return *this;
}

AffineIndex AffineIndex::operator+(const AffineIndex &other) const {
  AffineIndex sum = *this;
  return sum += other;
}

AffineIndex AffineIndex::operator*(int64_t factor) const {
  if (factor == 0)
    return {};
  AffineIndex product = *this;
  product.offset *= factor;
  for (Term &term : product.terms)
    term.coefficient *= factor;
  return product;
}

int64_t AffineIndex::getCoefficient(unsigned variable) const {
  for (Term term : terms)
    if (term.variable == variable)
      return term.coefficient;
  return 0;
}

VariableSet AffineIndex::getVariables() const {
  VariableSet set = 0;
  for (Term term : terms)
    set |= VariableSet(1) << term.variable;
  return set;
}

void AffineIndex::substitute(unsigned variable, const AffineIndex &index) {
  int64_t coefficient = getCoefficient(variable);
  if (coefficient == 0)
    return;
  llvm::erase_if(terms, [&](Term t) { return t.variable == variable; });
  *this += index * coefficient;
}

static SmallVector<int64_t> getStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  return strides;
}

FailureOr<SmallVector<AffineIndex>>
graph::unflatten(const AffineIndex &index, ArrayRef<int64_t> shape,
                 VariableSizes sizes, std::optional<SplitRequest> &split) {
  SmallVector<AffineIndex> dims(shape.size());
  if (llvm::is_contained(shape, 0))
    return dims;
  SmallVector<int64_t> strides = getStrides(shape);

  int64_t offset = index.offset;
  if (offset < 0)
    return failure();
  for (size_t d = 0; d < shape.size(); ++d) {
    dims[d].offset = offset / strides[d];
    offset %= strides[d];
  }

  for (AffineIndex::Term term : index.terms) {
    if (term.coefficient < 0)
      return failure();
    // The dimension with the largest stride that the coefficient reaches.
    size_t d = 0;
    while (d < shape.size() && (shape[d] == 1 || strides[d] > term.coefficient))
      ++d;
    if (d == shape.size() || term.coefficient % strides[d] != 0)
      return failure();
    int64_t coefficient = term.coefficient / strides[d];
    int64_t size = sizes(term.variable);
    if (coefficient * (size - 1) >= shape[d]) {
      int64_t inner = shape[d] / coefficient;
      if (shape[d] % coefficient == 0 && inner > 1 && size % inner == 0)
        split = {term.variable, inner};
      return failure();
    }
    dims[d] += AffineIndex::variable(term.variable) * coefficient;
  }

  // No carry from one dimension into the next.
  for (auto [dim, size] : llvm::zip_equal(dims, shape)) {
    int64_t largest = dim.offset;
    for (AffineIndex::Term term : dim.terms)
      largest += term.coefficient * (sizes(term.variable) - 1);
    if (largest >= size)
      return failure();
  }
  return dims;
}

AffineIndex graph::flatten(ArrayRef<AffineIndex> indices,
                           ArrayRef<int64_t> shape) {
  AffineIndex flat;
  for (auto [index, stride] : llvm::zip_equal(indices, getStrides(shape)))
    flat += index * stride;
  return flat;
}
