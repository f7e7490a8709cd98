//===- ElementMemory.cpp - Positions, loads and stores of a kernel --------===//

#include "ElementEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace graph;

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// `value`, an integer of any width, moved into [0, size).
static Value clamp(ImplicitLocOpBuilder &b, Value value, int64_t size) {
  Type type = value.getType();
  unsigned width =
      type.isIndex() ? 64 : getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  value = arith::MaxSIOp::create(b, value, createInteger(b, type, 0));
  if (width < 64 && size - 1 > llvm::maxIntN(width))
    return value;
  return arith::MinSIOp::create(b, value, createInteger(b, type, size - 1));
}

Value ElementEmitter::getVariable(unsigned number) {
  if (Value known = state.variables.lookup(number))
    return known;
  const KernelVariable &variable = plan.variables[number];
  Value value;
  if (variable.kind == KernelVariable::Row) {
    value = clamp(b, evaluate(variable.node), variable.size);
    value = arith::IndexCastOp::create(b, b.getIndexType(), value);
  } else {
    assert(variable.kind == KernelVariable::Derived &&
           "a loop counter without a value");
    value = getPosition(variable.index);
    if (variable.step != 1)
      value = arith::DivSIOp::create(b, value, createIndex(b, variable.step));
    // Where no guard holds the position must not leave the tensor either.
    value = clamp(b, value, variable.size);
  }
  state.variables[number] = value;
  return value;
}

Value ElementEmitter::getPosition(const AffineIndex &index) {
  Value sum;
  auto add = [&](Value term) {
    sum = sum ? Value(arith::AddIOp::create(b, sum, term)) : term;
  };
  for (AffineIndex::Term term : index.terms) {
    Value value = getVariable(term.variable);
    if (term.coefficient != 1)
      value = arith::MulIOp::create(b, value, createIndex(b, term.coefficient));
    add(value);
  }
  if (index.offset != 0 || !sum)
    add(createIndex(b, index.offset));
  return sum;
}

Value ElementEmitter::getLaneVariable(unsigned number) {
  const KernelVariable &variable = plan.variables[number];
  Type type = getLanesType(b.getI64Type(), state.lanes);
  if (variable.kind == KernelVariable::Row) {
    Value value = splat(b, evaluate(variable.node), state.lanes);
    value = clamp(b, value, variable.size);
    if (value.getType() != type)
      value = arith::ExtSIOp::create(b, type, value);
    return value;
  }
  if (variable.kind == KernelVariable::Derived) {
    Value value = getLanePositions(variable.index);
    if (variable.step != 1)
      value = arith::DivSIOp::create(b, value,
                                     createInteger(b, type, variable.step));
    return clamp(b, value, variable.size);
  }
  Value value =
      arith::IndexCastOp::create(b, b.getI64Type(), getVariable(number));
  value = splat(b, value, state.lanes);
  if (number != plan.lane)
    return value;
  SmallVector<int64_t> steps;
  for (unsigned i = 0; i < state.lanes; ++i)
    steps.push_back(i);
  Value offsets = arith::ConstantOp::create(
      b, DenseElementsAttr::get(cast<VectorType>(type), ArrayRef(steps)));
  return arith::AddIOp::create(b, value, offsets);
}

Value ElementEmitter::getLanePositions(const AffineIndex &index) {
  Type type = getLanesType(b.getI64Type(), state.lanes);
  Value sum = createInteger(b, type, index.offset);
  for (AffineIndex::Term term : index.terms) {
    Value value = getLaneVariable(term.variable);
    if (term.coefficient != 1)
      value = arith::MulIOp::create(b, value,
                                    createInteger(b, type, term.coefficient));
    sum = arith::AddIOp::create(b, sum, value);
  }
  return sum;
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

bool ElementEmitter::isContiguous(const AffineIndex &index) const {
  return getLaneStep(plan, index, *plan.lane) == 1 &&
         (!workgroup.needsAlignment() ||
          isAlignedIndex(plan, index, state.lanes));
}

llvm::MaybeAlign ElementEmitter::getAlignment(const AffineIndex &index,
                                              VectorType type) const {
  // What is not said is the alignment of an element.
  if (!workgroup.needsAlignment())
    return {};
  unsigned width = type.getElementTypeBitWidth();
  return llvm::Align(type.getNumElements() * llvm::divideCeil(width, 8));
}

Value ElementEmitter::getPlace(const Buffer &buffer) {
  Value position = getPosition(buffer.index);
  if (!buffer.base)
    return position;
  return arith::AddIOp::create(b, buffer.base, position);
}

Value ElementEmitter::load(const Buffer &buffer, bool isVector, Type storage) {
  const AffineIndex &index = buffer.index;
  if (!isVector)
    return memref::LoadOp::create(b, buffer.memory,
                                  ValueRange{getPlace(buffer)});
  auto type = cast<VectorType>(getLanesType(storage, state.lanes));
  if (isContiguous(index))
    return vector::LoadOp::create(
        b, type, buffer.memory, ValueRange{getPlace(buffer)},
        /*nontemporal=*/false, getAlignment(index, type));
  SmallVector<Value> elements;
  if (std::optional<int64_t> step = getLaneStep(plan, index, *plan.lane)) {
    Value first = getPlace(buffer);
    for (unsigned lane = 0; lane < state.lanes; ++lane) {
      Value position =
          arith::AddIOp::create(b, first, createIndex(b, lane * *step));
      elements.push_back(
          memref::LoadOp::create(b, buffer.memory, ValueRange{position}));
    }
  } else {
    assert(!buffer.base && "buffers are affine in the lane variable");
    Value positions = getLanePositions(index);
    for (unsigned lane = 0; lane < state.lanes; ++lane) {
      Value position = arith::IndexCastOp::create(
          b, b.getIndexType(),
          vector::ExtractOp::create(b, positions, ArrayRef<int64_t>{lane}));
      elements.push_back(
          memref::LoadOp::create(b, buffer.memory, ValueRange{position}));
    }
  }
  return vector::FromElementsOp::create(b, type, elements);
}

Value ElementEmitter::emitLoad(const KernelNode &node, unsigned number) {
  Type element = node.getElementType();
  if (tile && isVector(node)) {
    std::optional<int64_t> step = getLaneStep(plan, node.index, *plan.lane);
    if (step && *step != 1 && node.index.getCoefficient(*plan.transposed) == 1)
      return fromStorage(b, emitTileLoad(node, number, *step), element);
  }
  return fromStorage(b, loadStored(number), element);
}

Value ElementEmitter::loadStored(unsigned number) {
  const KernelNode &node = plan.nodes[number];
  return load({inputs[node.input], node.index, {}}, isVector(node),
              getStorageType(node.getElementType()));
}

void ElementEmitter::setStored(unsigned number, Value stored) {
  state.nodes[number] =
      fromStorage(b, stored, plan.nodes[number].getElementType());
}

Value ElementEmitter::emitTileLoad(const KernelNode &node, unsigned number,
                                   int64_t step) {
  SmallVector<Value> &columns = tile->vectors[number];
  if (columns.empty()) {
    // Where the tile starts along the transposed variable; derived variables
    // may differ there.
    Scope scope(*this);
    llvm::DenseMap<unsigned, Value> counters;
    for (unsigned variable : plan.domain)
      counters[variable] = state.variables[variable];
    counters[*plan.transposed] = tile->start;
    state.variables = counters;
    state.nodes.clear();
    Value first = getPosition(node.index);
    Type type =
        getLanesType(getStorageType(node.getElementType()), state.lanes);
    SmallVector<Value> rows;
    for (unsigned lane = 0; lane < state.lanes; ++lane) {
      Value position =
          arith::AddIOp::create(b, first, createIndex(b, lane * step));
      rows.push_back(vector::LoadOp::create(
          b, cast<VectorType>(type), inputs[node.input], ValueRange{position}));
    }
    columns = transposeSquare(b, rows);
  }
  return columns[tile->row];
}

void ElementEmitter::storeAt(const Buffer &buffer, Value value) {
  Value first = getPlace(buffer);
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector) {
    memref::StoreOp::create(b, value, buffer.memory, ValueRange{first});
    return;
  }
  if (isContiguous(buffer.index)) {
    vector::StoreOp::create(b, value, buffer.memory, ValueRange{first},
                            /*nontemporal=*/false,
                            getAlignment(buffer.index, vector));
    return;
  }
  int64_t step = *getLaneStep(plan, buffer.index, *plan.lane);
  for (unsigned lane = 0; lane < state.lanes; ++lane) {
    Value position =
        arith::AddIOp::create(b, first, createIndex(b, lane * step));
    Value element =
        vector::ExtractOp::create(b, value, ArrayRef<int64_t>{lane});
    memref::StoreOp::create(b, element, buffer.memory, ValueRange{position});
  }
}

void ElementEmitter::store(unsigned output, Value value) {
  const KernelOutput &info = plan.outputs[output];
  Type element = getElementTypeOrSelf(info.value);
  auto emit = [&] {
    storeAt({outputs[output], info.index, {}}, toStorage(b, value, element));
  };
  if (!state.isActive)
    return emit();
  auto branch = scf::IfOp::create(b, state.isActive, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard insertion(b);
  Scope scope(*this);
  b.setInsertionPointToStart(branch.thenBlock());
  emit();
}

void ElementEmitter::restrict(Value condition) {
  state.isActive =
      state.isActive
          ? Value(arith::AndIOp::create(b, state.isActive, condition))
          : condition;
}

Value ElementEmitter::loadOutput(unsigned output) {
  const KernelOutput &info = plan.outputs[output];
  Type element = getElementTypeOrSelf(info.value);
  Value value = load({outputs[output], info.index, {}}, state.lanes > 1,
                     getStorageType(element));
  return fromStorage(b, value, element);
}

void ElementEmitter::setBuffer(unsigned node, Buffer buffer) {
  buffers[node] = buffer;
}

void ElementEmitter::storeBuffer(const Buffer &buffer, Value value) {
  storeAt(buffer, value);
}
