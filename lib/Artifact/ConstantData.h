//===- ConstantData.h - The bytes of constants ------------------*- C++ -*-===//

#ifndef GRAPH_LIB_ARTIFACT_CONSTANTDATA_H
#define GRAPH_LIB_ARTIFACT_CONSTANTDATA_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/Support/LLVM.h"
#include <string>

namespace graph {

/// Appends the elements of `value` in row-major order, little endian, i1 as one
/// byte. Fails for a kind of attribute whose elements are not at hand, such as
/// a resource that was elided when the IR was printed.
llvm::LogicalResult appendElements(mlir::ElementsAttr value,
                                   std::string &bytes);

} // namespace graph

#endif // GRAPH_LIB_ARTIFACT_CONSTANTDATA_H
