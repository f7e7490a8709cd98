//===- OperandLayout.cpp - Operands of products in memory -----------------===//

#include "graph/Analysis/OperandLayout.h"

#include <numeric>

using namespace mlir;
using namespace graph;

unsigned graph::getAccessWidth(unsigned elementBytes, int64_t offset,
                               ArrayRef<int64_t> batch,
                               ArrayRef<int64_t> batchStrides, int64_t lines,
                               int64_t lineStride) {
  int64_t width = std::gcd<int64_t>(16 / elementBytes, offset);
  for (auto [size, stride] : llvm::zip_equal(batch, batchStrides))
    if (size > 1)
      width = std::gcd(width, stride);
  return lines > 1 ? std::gcd(width, lineStride) : width;
}

static OperandLayout getLayout(const MatrixView &view,
                               ArrayRef<int64_t> batchSizes, int64_t outer,
                               int64_t depth, int64_t outerStride,
                               int64_t depthStride, unsigned elementBytes) {
  OperandLayout layout = {outer,       depth,        outerStride,
                          depthStride, elementBytes, /*width=*/1};
  bool depthRuns = layout.isDepthContiguous();
  layout.width = getAccessWidth(elementBytes, view.offset, batchSizes,
                                view.batchStrides, depthRuns ? outer : depth,
                                depthRuns ? outerStride : depthStride);
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
