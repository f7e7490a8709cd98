//===- GPUWorkgroup.cpp - A workgroup of GPU threads ----------------------===//

#include "Arithmetic.h"
#include "Workgroup.h"

#include "graph/Dialect/Exec/IR/ExecOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace graph;

/// Shared buffers begin where the widest accesses may.
static constexpr int64_t kSharedAlignment = 16;
/// What the shared variables of a kernel may have; the launch may give more.
static constexpr int64_t kMaxStaticBytes = 48 * 1024;

namespace {
class GPUWorkgroup : public Workgroup {
public:
  GPUWorkgroup(ImplicitLocOpBuilder &b, StringRef name, TypeRange types,
               const KernelTarget &target, ThreadShape shape)
      : Workgroup(b, shape), warpSize(target.warpSize) {
    op = gpu::GPUFuncOp::create(b, name, b.getFunctionType(types, {}));
    op->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
    int32_t threads = shape.getNumThreads();
    op.setKnownBlockSizeAttr(b.getDenseI32ArrayAttr({threads, 1, 1}));
    function = op;
    b.setInsertionPointToStart(&op.getBody().front());
    llvm::append_range(buffers, op.getArguments());
    number = gpu::BlockIdOp::create(b, gpu::Dimension::x);
    thread = threads == 1
                 ? createIndex(b, 0)
                 : Value(gpu::ThreadIdOp::create(b, gpu::Dimension::x));
    team = createIndex(b, 0);
    if (shape.teams > 1) {
      Value size = createIndex(b, shape.teamSize);
      team = arith::DivUIOp::create(b, thread, size);
      thread = arith::RemUIOp::create(b, thread, size);
    }
  }

  void close() override { gpu::ReturnOp::create(b); }
  bool needsAlignment() const override { return true; }

  Value allocate(Type element, int64_t count) override {
    auto type = MemRefType::get({count}, element, MemRefLayoutAttrInterface(),
                                getSharedSpace());
    int64_t bytes = llvm::alignTo(
        count * llvm::divideCeil(element.getIntOrFloatBitWidth(), 8),
        kSharedAlignment);
    if (staticBytes + bytes > kMaxStaticBytes)
      return allocateDynamic(type, bytes);
    staticBytes += bytes;
    Value memory = op.addWorkgroupAttribution(type, b.getLoc());
    op.setWorkgroupAttributionAttr(op.getNumWorkgroupAttributions() - 1,
                                   "llvm.align",
                                   b.getI64IntegerAttr(kSharedAlignment));
    return memory;
  }

  void synchronize() override { gpu::BarrierOp::create(b); }

  Value combine(ReduceKind kind, Value value) override {
    unsigned width = std::min(shape.teamSize, warpSize);
    // A butterfly: the operands of every step are the same two in all threads
    // that make it, hence all get the same bits.
    for (unsigned distance = width / 2; distance > 0; distance /= 2)
      value = graph::combine(b, kind, value, exchange(value, distance));
    if (shape.teamSize <= warpSize)
      return value;
    assert(shape.teams == 1 && "teams share the barrier");
    unsigned warps = shape.teamSize / warpSize;
    Value memory = allocate(value.getType(), warps);
    Value warp = arith::DivUIOp::create(b, thread, createIndex(b, warpSize));
    Value inWarp = arith::RemUIOp::create(b, thread, createIndex(b, warpSize));
    ifTrue(isEqual(inWarp, 0), [&] {
      memref::StoreOp::create(b, value, memory, ValueRange{warp});
    });
    synchronize();
    Value all;
    for (unsigned i = 0; i < warps; ++i) {
      Value part =
          memref::LoadOp::create(b, memory, ValueRange{createIndex(b, i)});
      all = all ? graph::combine(b, kind, all, part) : part;
    }
    // The memory may be used again in the next row.
    synchronize();
    return all;
  }

  Value combineTeams(ReduceKind kind, Value value) override {
    if (shape.teams == 1)
      return value;
    Type element = getElementTypeOrSelf(value.getType());
    value = toStorage(b, value, element);
    auto vector = dyn_cast<VectorType>(value.getType());
    int64_t lanes = vector ? vector.getNumElements() : 1;
    Value memory =
        allocate(getStorageType(element), lanes * shape.getNumThreads());
    auto position = [&](Value teamNumber) -> Value {
      Value place =
          arith::MulIOp::create(b, teamNumber, createIndex(b, shape.teamSize));
      place = arith::AddIOp::create(b, place, thread);
      return arith::MulIOp::create(b, place, createIndex(b, lanes));
    };
    // A thread's lanes lie together: 16-byte accesses have no bank conflicts.
    if (vector)
      vector::StoreOp::create(b, value, memory, ValueRange{position(team)},
                              /*nontemporal=*/false, getAlignment(vector));
    else
      memref::StoreOp::create(b, value, memory, ValueRange{position(team)});
    synchronize();
    Value all;
    for (unsigned i = 0; i < shape.teams; ++i) {
      Value place = position(createIndex(b, i));
      Value part = vector
                       ? Value(vector::LoadOp::create(b, vector, memory, place,
                                                      /*nontemporal=*/false,
                                                      getAlignment(vector)))
                       : Value(memref::LoadOp::create(b, memory, place));
      part = fromStorage(b, part, element);
      all = all ? graph::combine(b, kind, all, part) : part;
    }
    synchronize();
    return all;
  }

  void forEachSelected(int64_t size, Condition isSelected, Body body) override {
    assert(shape.teamSize == warpSize && "a team is a warp");
    // Every thread looks at one point; then the warp does the selected ones.
    forRange(createIndex(b, 0), size, warpSize, [&](Value first) {
      Value mine = arith::AddIOp::create(b, first, thread);
      Value isInside = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, mine,
                                             createIndex(b, size));
      auto guard = scf::IfOp::create(b, TypeRange{b.getI1Type()}, isInside,
                                     /*withElseRegion=*/true);
      {
        OpBuilder::InsertionGuard insertion(b);
        b.setInsertionPointToStart(guard.thenBlock());
        scf::YieldOp::create(b, isSelected(mine));
        b.setInsertionPointToStart(guard.elseBlock());
        scf::YieldOp::create(b, createInteger(b, b.getI1Type(), 0));
      }
      Value all = createInteger(b, b.getI32Type(), -1);
      Value ballot =
          NVVM::VoteSyncOp::create(b, b.getI32Type(), all, guard.getResult(0),
                                   NVVM::VoteSyncKind::ballot);
      forEachBit(ballot, [&](Value bit) {
        body(arith::AddIOp::create(b, first, bit));
      });
    });
  }

private:
  gpu::AddressSpaceAttr getSharedSpace() {
    return gpu::AddressSpaceAttr::get(b.getContext(),
                                      gpu::AddressSpace::Workgroup);
  }

  /// The next bytes of the shared memory that the launch gives.
  Value allocateDynamic(MemRefType type, int64_t bytes) {
    OpBuilder::InsertionGuard insertion(b);
    b.setInsertionPointToStart(&op.getBody().front());
    auto allType =
        MemRefType::get({ShapedType::kDynamic}, b.getI8Type(),
                        MemRefLayoutAttrInterface(), getSharedSpace());
    Value all = gpu::DynamicSharedMemoryOp::create(b, allType);
    Value memory = memref::ViewOp::create(
        b, type, all, createIndex(b, dynamicBytes), ValueRange());
    dynamicBytes += bytes;
    op->setAttr(exec::kSharedBytesAttr, b.getI64IntegerAttr(dynamicBytes));
    return memory;
  }

  static llvm::MaybeAlign getAlignment(VectorType type) {
    return llvm::Align(type.getNumElements() * type.getElementTypeBitWidth() /
                       8);
  }

  Value isEqual(Value value, int64_t constant) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, value,
                                 createIndex(b, constant));
  }

  void ifTrue(Value condition, function_ref<void()> body) {
    auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard insertion(b);
    b.setInsertionPointToStart(branch.thenBlock());
    body();
  }

  void forRange(Value begin, int64_t end, int64_t step, Body body) {
    auto loop =
        scf::ForOp::create(b, begin, createIndex(b, end), createIndex(b, step));
    OpBuilder::InsertionGuard insertion(b);
    b.setInsertionPoint(loop.getBody()->getTerminator());
    body(loop.getInductionVar());
  }

  /// Calls `body` with the positions (index) of the bits set in `bits`.
  void forEachBit(Value bits, Body body) {
    Type type = bits.getType();
    auto loop = scf::WhileOp::create(b, TypeRange{type}, ValueRange{bits});
    OpBuilder::InsertionGuard insertion(b);
    Block *before = b.createBlock(&loop.getBefore(), {}, type, b.getLoc());
    Value rest = before->getArgument(0);
    Value hasMore = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, rest,
                                          createInteger(b, type, 0));
    scf::ConditionOp::create(b, hasMore, rest);
    Block *after = b.createBlock(&loop.getAfter(), {}, type, b.getLoc());
    rest = after->getArgument(0);
    Value bit = math::CountTrailingZerosOp::create(b, rest);
    body(arith::IndexCastUIOp::create(b, b.getIndexType(), bit));
    Value less = arith::SubIOp::create(b, rest, createInteger(b, type, 1));
    scf::YieldOp::create(b, ValueRange{arith::AndIOp::create(b, rest, less)});
  }

  /// The value of the thread whose number differs in the bit `distance`.
  Value exchange(Value value, unsigned distance) {
    Type type = value.getType();
    unsigned width = type.getIntOrFloatBitWidth();
    if (width == 32)
      return gpu::ShuffleOp::create(b, value, distance, warpSize,
                                    gpu::ShuffleMode::XOR)
          .getShuffleResult();
    Type bits = b.getIntegerType(width);
    if (isa<FloatType>(type)) {
      Value integer = arith::BitcastOp::create(b, bits, value);
      return arith::BitcastOp::create(b, type, exchange(integer, distance));
    }
    Type word = b.getI32Type();
    if (width < 32) {
      Value wide = arith::ExtUIOp::create(b, word, value);
      return arith::TruncIOp::create(b, type, exchange(wide, distance));
    }
    assert(width == 64 && "elements have at most 64 bits");
    Value shift = createInteger(b, bits, 32);
    Value low = arith::TruncIOp::create(b, word, value);
    Value high = arith::TruncIOp::create(
        b, word, arith::ShRUIOp::create(b, value, shift));
    low = arith::ExtUIOp::create(b, bits, exchange(low, distance));
    high = arith::ExtUIOp::create(b, bits, exchange(high, distance));
    return arith::OrIOp::create(b, low, arith::ShLIOp::create(b, high, shift));
  }

  gpu::GPUFuncOp op;
  unsigned warpSize;
  /// Shared memory that was allocated.
  int64_t staticBytes = 0, dynamicBytes = 0;
};
} // namespace

std::unique_ptr<Workgroup> graph::openGPUWorkgroup(ImplicitLocOpBuilder &b,
                                                   StringRef name,
                                                   TypeRange buffers,
                                                   const KernelTarget &target,
                                                   ThreadShape shape) {
  return std::make_unique<GPUWorkgroup>(b, name, buffers, target, shape);
}
