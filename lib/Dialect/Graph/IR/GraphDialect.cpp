//===- GraphDialect.cpp - Registration and function attributes ------------===//

#include "graph/Dialect/Graph/IR/GraphOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
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

//===----------------------------------------------------------------------===//
// Attributes of function arguments and results
//===----------------------------------------------------------------------===//

/// Checks an attribute of the argument or result `index` among those whose
/// dictionaries are `all`; `what` is the word for one of them.
static LogicalResult verifyFunctionAttr(Operation *op, NamedAttribute attr,
                                        unsigned index, ArrayAttr all,
                                        StringRef what) {
  auto self = cast<DictionaryAttr>(all[index]);
  if (attr.getName() == kNameAttr) {
    auto name = dyn_cast<StringAttr>(attr.getValue());
    if (!name || name.empty())
      return op->emitOpError("found '")
             << kNameAttr << "' = " << attr.getValue()
             << ", expected a non-empty string";
    for (unsigned before = 0; before < index; ++before)
      if (cast<DictionaryAttr>(all[before]).get(kNameAttr) == name)
        return op->emitOpError("found name ")
               << name << " on " << what << "s " << before << " and " << index
               << ", expected different names";
    return success();
  }
  if (attr.getName() == kStateAttr) {
    if (!isa<UnitAttr>(attr.getValue()))
      return op->emitOpError("found '")
             << kStateAttr << "' = " << attr.getValue()
             << ", expected a unit attribute";
    if (!self.contains(kNameAttr))
      return op->emitOpError("found '")
             << kStateAttr << "' on " << what << " " << index
             << " without a name, expected '" << kNameAttr << "' beside it";
    return success();
  }
  return op->emitOpError("found attribute '")
         << attr.getName().strref() << "' on " << what << " " << index
         << ", expected '" << kNameAttr << "' or '" << kStateAttr << "'";
}

LogicalResult GraphDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attr) {
  return op->emitOpError("found attribute '")
         << attr.getName().strref()
         << "', expected it on a function argument or result";
}

LogicalResult GraphDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                     unsigned index,
                                                     NamedAttribute attr) {
  ArrayAttr all = cast<FunctionOpInterface>(op).getAllArgAttrs();
  return verifyFunctionAttr(op, attr, index, all, "argument");
}

LogicalResult GraphDialect::verifyRegionResultAttribute(Operation *op, unsigned,
                                                        unsigned index,
                                                        NamedAttribute attr) {
  ArrayAttr all = cast<FunctionOpInterface>(op).getAllResultAttrs();
  return verifyFunctionAttr(op, attr, index, all, "result");
}
