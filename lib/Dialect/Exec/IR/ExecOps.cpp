//===- ExecOps.cpp - Assembly and verifiers of exec operations ------------===//

#include "graph/Dialect/Exec/IR/ExecOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace exec;

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

/// `(x: tensor<4xf32>, "a b": tensor<f32>)`
static ParseResult parseNamedTensors(OpAsmParser &parser, ArrayAttr &names,
                                     ArrayAttr &types) {
  SmallVector<Attribute> nameAttrs, typeAttrs;
  auto parseOne = [&]() -> ParseResult {
    std::string name;
    RankedTensorType type;
    if (parser.parseKeywordOrString(&name) || parser.parseColonType(type))
      return failure();
    nameAttrs.push_back(parser.getBuilder().getStringAttr(name));
    typeAttrs.push_back(TypeAttr::get(type));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseOne))
    return failure();
  names = parser.getBuilder().getArrayAttr(nameAttrs);
  types = parser.getBuilder().getArrayAttr(typeAttrs);
  return success();
}

static void printNamedTensors(OpAsmPrinter &printer, Operation *,
                              ArrayAttr names, ArrayAttr types) {
  printer << '(';
  llvm::interleaveComma(
      llvm::zip_equal(names, types), printer, [&](auto named) {
        printer.printKeywordOrString(
            cast<StringAttr>(std::get<0>(named)).getValue());
        printer << ": " << cast<TypeAttr>(std::get<1>(named)).getValue();
      });
  printer << ')';
}

#define GET_OP_CLASSES
#include "graph/Dialect/Exec/IR/ExecOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Module level
//===----------------------------------------------------------------------===//

static LogicalResult verifyTensor(Operation *op, const Twine &what,
                                  RankedTensorType type) {
  if (!type.hasStaticShape() || !type.getElementType().isIntOrFloat())
    return op->emitOpError() << what << ": found " << type
                             << ", expected a tensor of static shape of "
                                "integers or floats";
  return success();
}

LogicalResult StateOp::verify() {
  return verifyTensor(*this, "state", getType());
}

static LogicalResult verifyNamedTensors(FuncOp op, StringRef what,
                                        ArrayAttr names, ArrayAttr types) {
  if (names.size() != types.size())
    return op.emitOpError() << "found " << names.size() << " names of " << what
                            << "s, expected " << types.size();
  llvm::SmallSet<StringRef, 8> seen;
  for (auto [name, type] : llvm::zip_equal(names.getAsValueRange<StringAttr>(),
                                           types.getAsRange<TypeAttr>())) {
    if (!seen.insert(name).second)
      return op.emitOpError()
             << "found two " << what << "s named '" << name << "'";
    if (failed(verifyTensor(op, what + Twine(" '") + name + "'",
                            cast<RankedTensorType>(type.getValue()))))
      return failure();
  }
  return success();
}

LogicalResult FuncOp::verify() {
  if (failed(verifyNamedTensors(*this, "input", getInputNames(),
                                getInputTypes())) ||
      failed(verifyNamedTensors(*this, "output", getOutputNames(),
                                getOutputTypes())))
    return failure();
  return success();
}

LogicalResult FuncOp::verifyRegions() {
  for (Operation &op : getBody().front()) {
    if (!isa<ExecDialect>(op.getDialect()))
      return op.emitOpError("found in an exec.func, expected operations of the "
                            "exec dialect only");
    if (getPlanAttr() && isa<AllocOp>(op))
      return op.emitOpError(
          "found in a function with a memory plan, expected exec.arena");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Checks that the buffer holds exactly a tensor of `type`.
static LogicalResult verifySize(Operation *op, BufferType buffer,
                                ShapedType type) {
  if (buffer.getSize() == getByteSize(type))
    return success();
  return op->emitOpError() << "found a buffer of " << buffer.getSize()
                           << " bytes, expected " << getByteSize(type)
                           << " for " << type;
}

/// Checks a reference by name to an input or output.
static LogicalResult verifyNamedBuffer(Operation *op, StringRef what,
                                       StringRef name, BufferType buffer,
                                       ArrayAttr names, ArrayAttr types) {
  for (auto [other, type] : llvm::zip_equal(names.getAsValueRange<StringAttr>(),
                                            types.getAsRange<TypeAttr>()))
    if (other == name)
      return verifySize(op, buffer, cast<ShapedType>(type.getValue()));
  return op->emitOpError() << "found '" << name << "', expected an " << what
                           << " of the function";
}

LogicalResult InputOp::verify() {
  auto function = cast<FuncOp>((*this)->getParentOp());
  return verifyNamedBuffer(*this, "input", getName(), getBuffer().getType(),
                           function.getInputNames(), function.getInputTypes());
}

LogicalResult OutputOp::verify() {
  auto function = cast<FuncOp>((*this)->getParentOp());
  return verifyNamedBuffer(*this, "output", getName(), getBuffer().getType(),
                           function.getOutputNames(),
                           function.getOutputTypes());
}

LogicalResult StateRefOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto state = tables.lookupNearestSymbolFrom<StateOp>(*this, getStateAttr());
  if (!state)
    return emitOpError() << "found " << getStateAttr()
                         << ", expected the name of an exec.state";
  return verifySize(*this, getBuffer().getType(), state.getType());
}

LogicalResult ConstantRefOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto constant =
      tables.lookupNearestSymbolFrom<ConstantOp>(*this, getConstantAttr());
  if (!constant)
    return emitOpError() << "found " << getConstantAttr()
                         << ", expected the name of an exec.constant";
  return verifySize(*this, getBuffer().getType(),
                    constant.getValue().getShapedType());
}

/// Checks that `size` bytes at `offset` lie inside `limit` bytes.
static LogicalResult verifyRange(Operation *op, int64_t offset, int64_t size,
                                 int64_t limit) {
  if (offset >= 0 && offset <= limit && size <= limit - offset)
    return success();
  return op->emitOpError() << "found " << size << " bytes at offset " << offset
                           << ", expected a range inside " << limit << " bytes";
}

LogicalResult ArenaOp::verify() {
  PlanAttr plan = cast<FuncOp>((*this)->getParentOp()).getPlanAttr();
  if (!plan)
    return emitOpError("found in a function without a memory plan");
  return verifyRange(*this, getOffset(), getBuffer().getType().getSize(),
                     plan.getArena());
}

LogicalResult ViewOp::verify() {
  return verifyRange(*this, getOffset(), getBuffer().getType().getSize(),
                     getSource().getType().getSize());
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

/// The operation that names the memory a value is part of.
static Operation *getRoot(Value value) {
  while (auto view = value.getDefiningOp<ViewOp>())
    value = view.getSource();
  return value.getDefiningOp();
}

/// Checks that the written operands may be written.
static LogicalResult verifyWrites(CommandOpInterface command) {
  for (Value written : command.getWrites())
    if (Operation *root = getRoot(written); isa<InputOp, ConstantRefOp>(root))
      return command->emitOpError() << "found a write to " << root->getName()
                                    << ", expected memory that may be written";
  return success();
}

OperandRange DispatchOp::getReads() { return getIns(); }
MutableOperandRange DispatchOp::getWritesMutable() { return getOutsMutable(); }

bool DispatchOp::canWriteInPlace(unsigned write, unsigned read) {
  if (!getInPlaceAttr())
    return false;
  auto reads = cast<ArrayAttr>(getInPlaceAttr()[write]);
  return llvm::any_of(reads.getAsRange<IntegerAttr>(),
                      [&](IntegerAttr attr) { return attr.getInt() == read; });
}

LogicalResult DispatchOp::verify() {
  if (auto workgroups = static_cast<int64_t>(getWorkgroups()); workgroups < 0)
    return emitOpError() << "found " << workgroups
                         << " workgroups, expected 0 or more";
  if (ArrayAttr inPlace = getInPlaceAttr()) {
    if (inPlace.size() != getOuts().size())
      return emitOpError() << "found " << inPlace.size()
                           << " lists in in_place, expected "
                           << getOuts().size();
    for (auto reads : inPlace.getAsRange<ArrayAttr>())
      for (auto read : reads.getAsRange<IntegerAttr>())
        if (read.getInt() < 0 ||
            static_cast<uint64_t>(read.getInt()) >= getIns().size())
          return emitOpError()
                 << "found operand " << read.getInt()
                 << " in in_place, expected less than " << getIns().size();
  }
  return verifyWrites(*this);
}

/// Checks that `symbol` names a kernel whose parameters are the buffers, in
/// this order; a func.func has the number of the workgroup too, a gpu.func its
/// tensor maps.
static LogicalResult verifyKernel(Operation *op, SymbolRefAttr symbol,
                                  ValueRange operands,
                                  SymbolTableCollection &tables) {
  auto kernel = dyn_cast_or_null<FunctionOpInterface>(
      tables.lookupNearestSymbolFrom(op, symbol));
  if (!kernel)
    return op->emitOpError()
           << "found " << symbol << ", expected the name of a kernel";
  ArrayRef<Type> parameters = kernel.getArgumentTypes();
  // A gpu.func reads the number of its workgroup from gpu.block_id.
  if (isa<func::FuncOp>(kernel)) {
    if (parameters.empty() || !parameters.back().isIndex())
      return op->emitOpError("found a kernel without the number of the "
                             "workgroup as its last parameter");
    parameters = parameters.drop_back();
  }
  parameters = parameters.drop_back(
      std::min(getTensorMaps(kernel).size(), parameters.size()));
  if (parameters.size() != operands.size())
    return op->emitOpError() << "found " << operands.size()
                             << " buffers, expected " << parameters.size();
  for (auto [operand, parameter] : llvm::zip_equal(operands, parameters)) {
    auto type = dyn_cast<MemRefType>(parameter);
    if (!type || !type.hasStaticShape() || !type.getLayout().isIdentity())
      return op->emitOpError()
             << "found a kernel with a parameter of type " << parameter
             << ", expected a memref of static shape";
    if (failed(verifySize(op, cast<BufferType>(operand.getType()), type)))
      return failure();
  }
  return success();
}

LogicalResult DispatchOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyKernel(*this, getKernelAttr(), getOperands(), tables);
}

OperandRange GemmOp::getReads() {
  return getOperands().drop_back(getExtraOuts().size() + 1);
}
MutableOperandRange GemmOp::getWritesMutable() {
  unsigned count = getExtraOuts().size() + 1;
  return MutableOperandRange(*this, getNumOperands() - count, count);
}

/// Checks that a batch of `rows` x `columns` matrices lies inside its buffer.
static LogicalResult verifyMatrix(GemmOp op, StringRef name, int64_t rows,
                                  int64_t columns, Value buffer,
                                  ArrayRef<int64_t> strides) {
  if (strides.size() != op.getBatch().size() + 2)
    return op.emitOpError()
           << "operand '" << name << "': found " << strides.size()
           << " strides, expected " << op.getBatch().size() + 2;
  SmallVector<int64_t> extents(op.getBatch());
  extents.append({rows, columns});
  int64_t last = 0;
  for (auto [extent, stride] : llvm::zip_equal(extents, strides)) {
    if (stride < 0)
      return op.emitOpError() << "operand '" << name << "': found stride "
                              << stride << ", expected 0 or more";
    last += (extent - 1) * stride;
  }
  if (llvm::is_contained(extents, 0))
    return success();
  int64_t bytes = (last + 1) * getElementSize(op.getElementType());
  int64_t size = cast<BufferType>(buffer.getType()).getSize();
  if (bytes > size)
    return op.emitOpError() << "operand '" << name << "': found " << size
                            << " bytes, expected at least " << bytes;
  bool isRowMajor = columns == 1 || strides.back() == 1;
  bool isColumnMajor = rows == 1 || strides[strides.size() - 2] == 1;
  if (!isRowMajor && !isColumnMajor)
    return op.emitOpError() << "operand '" << name << "': found strides "
                            << strides[strides.size() - 2] << " and "
                            << strides.back() << ", expected one to be 1";
  return success();
}

namespace {
/// The operands that an epilogue has beside a, b and c.
struct Extras {
  bool bias = false;
  /// Matrices as large as c: read, or written if wanted.
  bool reads = false, mayWrite = false;
  /// The sums of a's rows or of b's columns, which are written.
  bool rowSums = false, columnSums = false;
};
} // namespace

static Extras getExtras(std::optional<Epilogue> epilogue) {
  if (!epilogue)
    return {};
  switch (*epilogue) {
  case Epilogue::bias:
  case Epilogue::relu_bias:
    return {.bias = true};
  case Epilogue::relu:
    return {};
  case Epilogue::gelu:
    return {.mayWrite = true};
  case Epilogue::gelu_bias:
    return {.bias = true, .mayWrite = true};
  case Epilogue::dgelu:
    return {.reads = true};
  case Epilogue::bgrad_a:
    return {.rowSums = true};
  case Epilogue::bgrad_b:
    return {.columnSums = true};
  }
}

static LogicalResult verifyExtras(GemmOp op) {
  Extras extras = getExtras(op.getEpilogue());
  size_t ins = op.getExtraIns().size(), outs = op.getExtraOuts().size();
  if (ins != size_t(extras.bias + extras.reads))
    return op.emitOpError() << "found " << ins << " extra ins, expected "
                            << extras.bias + extras.reads;
  bool writesSums = extras.rowSums || extras.columnSums;
  if (writesSums && outs != 1)
    return op.emitOpError() << "found " << outs
                            << " extra outs, expected the sums of an operand";
  if (!writesSums && outs > extras.mayWrite)
    return op.emitOpError()
           << "found " << outs << " extra outs, expected at most "
           << int(extras.mayWrite);
  if (ins + outs != 0 && !op.getBatch().empty())
    return op.emitOpError() << "found " << op.getBatch().size()
                            << " batch dimensions beside extra operands, "
                               "expected none";
  auto verifyBytes = [&](Value buffer, int64_t elements) -> LogicalResult {
    int64_t found = cast<BufferType>(buffer.getType()).getSize();
    int64_t expected = elements * getElementSize(op.getElementType());
    if (found == expected)
      return success();
    return op.emitOpError() << "found an extra operand of " << found
                            << " bytes, expected " << expected;
  };
  int64_t rows = op.getM(), columns = op.getN();
  if (extras.bias && failed(verifyBytes(op.getExtraIns()[0], columns)))
    return failure();
  if (extras.reads && failed(verifyBytes(op.getExtraIns()[0], rows * columns)))
    return failure();
  int64_t written = extras.rowSums      ? rows
                    : extras.columnSums ? columns
                                        : rows * columns;
  for (Value extra : op.getExtraOuts())
    if (failed(verifyBytes(extra, written)))
      return failure();
  return success();
}

LogicalResult GemmOp::verifySymbolUses(SymbolTableCollection &tables) {
  if (!getKernelAttr())
    return success();
  SmallVector<Value> operands(getKernelIns());
  llvm::append_range(operands, getWrites());
  return verifyKernel(*this, getKernelAttr(), operands, tables);
}

LogicalResult GemmOp::verify() {
  int64_t m = getM(), n = getN(), k = getK();
  SmallVector<int64_t> extents(getBatch());
  extents.append({m, n, k});
  for (int64_t extent : extents)
    if (extent < 0)
      return emitOpError() << "found extent " << extent
                           << ", expected 0 or more";
  if (failed(verifyMatrix(*this, "a", m, k, getA(), getAStrides())) ||
      failed(verifyMatrix(*this, "b", k, n, getB(), getBStrides())) ||
      failed(verifyMatrix(*this, "c", m, n, getC(), getCStrides())) ||
      failed(verifyExtras(*this)))
    return failure();
  return verifyWrites(*this);
}

OperandRange CopyOp::getReads() { return getOperands().take_front(1); }
MutableOperandRange CopyOp::getWritesMutable() {
  return getDestinationMutable();
}
LogicalResult CopyOp::verify() { return verifyWrites(*this); }
