//===- GraphDialect.cpp - Registration and function attributes ------------===//

#include "graph/Dialect/Graph/IR/GraphOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace graph;

#include "graph/Dialect/Graph/IR/GraphDialect.cpp.inc"
#include "graph/Dialect/Graph/IR/GraphEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "graph/Dialect/Graph/IR/GraphAttrs.cpp.inc"
#include "graph/Dialect/Graph/IR/GraphInterfaces.cpp.inc"

namespace {
/// Everything in the dialect may be inlined: all operations are pure.
struct GraphInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Operation *, bool) const final {
    return true;
  }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

void GraphDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "graph/Dialect/Graph/IR/GraphOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "graph/Dialect/Graph/IR/GraphAttrs.cpp.inc"
      >();
  addInterfaces<GraphInlinerInterface>();
}

Operation *GraphDialect::materializeConstant(OpBuilder &builder,
                                             Attribute value, Type type,
                                             Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, elements);
}

static LogicalResult verifyFunctionAttr(Operation *op, NamedAttribute attr) {
  if (attr.getName() == kNameAttr) {
    auto name = dyn_cast<StringAttr>(attr.getValue());
    if (!name || name.empty())
      return op->emitOpError("attribute '")
             << kNameAttr << "' must be a non-empty string, found "
             << attr.getValue();
    return success();
  }
  if (attr.getName() == kStateAttr) {
    if (!isa<UnitAttr>(attr.getValue()))
      return op->emitOpError("attribute '")
             << kStateAttr << "' must be a unit attribute, found "
             << attr.getValue();
    return success();
  }
  return op->emitOpError("unknown attribute '") << attr.getName() << "'";
}

LogicalResult GraphDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attr) {
  return op->emitOpError("attribute '")
         << attr.getName() << "' belongs on a function argument or result";
}

LogicalResult GraphDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                     unsigned,
                                                     NamedAttribute attr) {
  return verifyFunctionAttr(op, attr);
}

LogicalResult GraphDialect::verifyRegionResultAttribute(Operation *op, unsigned,
                                                        unsigned,
                                                        NamedAttribute attr) {
  return verifyFunctionAttr(op, attr);
}
