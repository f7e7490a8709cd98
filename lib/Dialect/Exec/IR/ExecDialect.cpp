//===- ExecDialect.cpp - Registration, types, sizes -----------------------===//

#include "graph/Dialect/Exec/IR/ExecOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace exec;

#include "graph/Dialect/Exec/IR/ExecDialect.cpp.inc"
#include "graph/Dialect/Exec/IR/ExecEnums.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "graph/Dialect/Exec/IR/ExecTypes.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "graph/Dialect/Exec/IR/ExecAttrs.cpp.inc"
#include "graph/Dialect/Exec/IR/ExecInterfaces.cpp.inc"

void ExecDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "graph/Dialect/Exec/IR/ExecOps.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "graph/Dialect/Exec/IR/ExecTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "graph/Dialect/Exec/IR/ExecAttrs.cpp.inc"
      >();
}

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t size) {
  if (size < 0)
    return emitError() << "found a buffer of " << size
                       << " bytes, expected 0 or more";
  return success();
}

Operation *exec::getKernels(ModuleOp module) {
  for (Operation &op : module.getOps())
    if (op.hasTrait<OpTrait::SymbolTable>())
      return &op;
  return nullptr;
}

ArrayRef<Attribute> exec::getTensorMaps(Operation *kernel) {
  auto maps = kernel->getAttrOfType<ArrayAttr>(kTensorMapsAttr);
  return maps ? maps.getValue() : ArrayRef<Attribute>();
}

int64_t exec::getElementSize(Type elementType) {
  return llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8);
}

int64_t exec::getByteSize(ShapedType type) {
  return type.getNumElements() * getElementSize(type.getElementType());
}
