//===- OperandLayout.cpp - Operands of products in memory -----------------===//

#include "graph/Analysis/OperandLayout.h"

#include <numeric>

using namespace mlir;
using namespace graph;

static OperandLayout getLayout(const MatrixView &view,
                               ArrayRef<int64_t> batchSizes, int64_t outer,
                               int64_t depth, int64_t outerStride,
                               int64_t depthStride, unsigned elementBytes) {
  OperandLayout layout = {outer,       depth,        outerStride,
                          depthStride, elementBytes, /*width=*/1};
  int64_t common = std::gcd<int64_t>(16 / elementBytes, view.offset);
  for (auto [size, stride] : llvm::zip_equal(batchSizes, view.batchStrides))
    if (size > 1)
      common = std::gcd(common, stride);
  bool depthRuns = layout.isDepthContiguous();
  if ((depthRuns ? outer : depth) > 1)
    common = std::gcd(common, depthRuns ? outerStride : depthStride);
  layout.width = common;
  return layout;
}

OperandLayout graph::getLhsLayout(const GemmForm &form, unsigned elementBytes) {
  return getLayout(form.a, form.batch, form.m, form.k, form.a.rowStride,
                   form.a.columnStride, elementBytes);
}

OperandLayout graph::getRhsLayout(const GemmForm &form, unsigned elementBytes) {
  return getLayout(form.b, form.batch, form.n, form.k, form.b.columnStride,
                   form.b.rowStride, elementBytes);
}
