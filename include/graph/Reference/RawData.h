//===- RawData.h - Tensors as bytes of their element type -------*- C++ -*-===//

#ifndef GRAPH_REFERENCE_RAWDATA_H
#define GRAPH_REFERENCE_RAWDATA_H

#include "graph/Reference/ReferenceTensor.h"

#include "graphrt/io/Npy.h"
#include "llvm/Support/Error.h"

namespace graph {

/// The runtime's name of an element type of the graph dialect, and back.
graphrt::ElementType getRuntimeType(mlir::Type elementType);
mlir::Type getElementType(mlir::MLIRContext *context,
                          graphrt::ElementType type);

/// The elements as the runtime and files hold them: row-major, little endian,
/// floats rounded to the element type, i1 as one byte.
std::vector<uint8_t> toBytes(const ReferenceTensor &tensor);

/// The reverse; `bytes` must have the size that the type says.
ReferenceTensor fromBytes(mlir::RankedTensorType type,
                          llvm::ArrayRef<uint8_t> bytes);

/// Reads a `.npy` file into a tensor of `type`; the message of a failure says
/// found and expected.
llvm::Expected<ReferenceTensor> readNpy(const std::string &path,
                                        mlir::RankedTensorType type);
llvm::Error writeNpy(const std::string &path, const ReferenceTensor &tensor);

} // namespace graph

#endif // GRAPH_REFERENCE_RAWDATA_H
