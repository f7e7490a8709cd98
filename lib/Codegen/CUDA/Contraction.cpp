//===- Contraction.cpp - Matrix products by blocks ------------------------===//

#include "Contraction.h"
#include "BlockProduct.h"
#include "ControlFlow.h"
#include "DepthSum.h"
#include "TensorMapPipeline.h"
#include "TileLoader.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace graph;
using namespace graph::cuda;

BlockProduct::BlockProduct(ImplicitLocOpBuilder &b,
                           const ContractionTiling &tiling, Layout layout,
                           Int thread)
    : b(b), tiling(tiling), layout(layout),
      warpRows(tiling.blockM / tiling.warpsM),
      warpColumns(tiling.blockN / tiling.warpsN), lane(thread % 32),
      warpRow((thread / 32 / tiling.warpsN) * warpRows),
      warpColumn((thread / 32 % tiling.warpsN) * warpColumns) {}

Value SumTile::getPointer(ImplicitLocOpBuilder &b, Int row, Int column) const {
  Int moved = column ^ (((row >> rowShift) & 3) * 8);
  return advance(b, pointer, (row * columns + moved) * sumBytes);
}

namespace {
class ContractionEmitter {
public:
  ContractionEmitter(ImplicitLocOpBuilder &b, const GemmForm &form,
                     const ContractionTiling &tiling, Type element,
                     const ContractionOperands &operands)
      : b(b), form(form), tiling(tiling), element(element), operands(operands),
        thread(b, operands.thread), shared(getSharedMemory(b)), row(b, 0),
        column(b, 0) {
    placeBlock(Int(b, operands.block));
  }

  void emit(unsigned lanes, Epilogue epilogue,
            const std::optional<OperandSum> &operandSum);

private:
  void placeBlock(Int block);
  Value getMatrix(Value memref, const MatrixView &view);
  std::unique_ptr<TileLoader> createLoader(bool isRhs, OperandLayout layout);
  std::unique_ptr<BlockProduct> createProduct(const OperandLayout &lhs,
                                              const OperandLayout &rhs);
  void createSum(const OperandSum &operandSum, const OperandLayout &layout);
  SmallVector<Value> accumulate(BlockProduct &product, const SharedTile &lhs,
                                const SharedTile &rhs, ArrayRef<Value> sums);
  SmallVector<Value> emitPipeline(TileLoader &lhs, TileLoader &rhs,
                                  BlockProduct &product);
  TensorMapPipeline createTensorMapPipeline();
  void synchronize();
  void storeOperandSum(const OperandSum &operandSum, Value sums);
  void emitEpilogue(BlockProduct &product, ArrayRef<Value> sums, unsigned lanes,
                    Epilogue epilogue);

  ImplicitLocOpBuilder &b;
  const GemmForm &form;
  const ContractionTiling &tiling;
  Type element;
  const ContractionOperands &operands;
  Int thread;
  Value shared;
  SmallVector<Int> batch;
  /// Where the block begins.
  Int row, column;

  /// Sums of an operand, where they are wanted, in blocks for which the
  /// condition holds: those that begin at its sums' first row or column.
  std::optional<DepthSum> depthSum;
  bool sumsRhs = false;
  Value isSumming;
};
} // namespace

/// Blocks that run at the same time share rows of a and columns of b: they go
/// down groups of rows, column by column.
void ContractionEmitter::placeBlock(Int block) {
  constexpr int64_t kGroup = 8;
  int64_t rows = llvm::divideCeil(form.m, tiling.blockM);
  int64_t columns = llvm::divideCeil(form.n, tiling.blockN);
  Int index = block % (rows * columns);
  if (rows % kGroup == 0) {
    Int group = index / (kGroup * columns),
        inGroup = index % (kGroup * columns);
    row = (group * kGroup + inGroup % kGroup) * tiling.blockM;
    column = (inGroup / kGroup) * tiling.blockN;
  } else {
    row = (index % rows) * tiling.blockM;
    column = (index / rows) * tiling.blockN;
  }
  Int rest = block / (rows * columns);
  for (int64_t size : llvm::reverse(form.batch)) {
    batch.insert(batch.begin(), rest % size);
    rest = rest / size;
  }
}

/// The pointer to the matrix of this block's batch index.
Value ContractionEmitter::getMatrix(Value memref, const MatrixView &view) {
  Int offset(b, view.offset, 64);
  for (auto [index, stride] : llvm::zip_equal(batch, view.batchStrides))
    offset = offset + index.extend() * stride;
  return advance(b, getGlobalPointer(b, memref), offset * tiling.elementBytes);
}

std::unique_ptr<BlockProduct>
ContractionEmitter::createProduct(const OperandLayout &lhs,
                                  const OperandLayout &rhs) {
  BlockProduct::Layout layout = {lhs.isDepthContiguous(),
                                 rhs.isDepthContiguous()};
  if (tiling.engine == ContractionTiling::Scalar)
    return createScalarProduct(b, tiling, layout, thread, element);
  MmaType type = element.isF16()    ? MmaType::F16
                 : element.isBF16() ? MmaType::BF16
                                    : MmaType::TF32;
  if (tiling.engine == ContractionTiling::WarpGroup)
    return createWarpGroupProduct(b, tiling, layout, thread, type);
  return createMmaProduct(b, tiling, layout, thread, type);
}

void ContractionEmitter::createSum(const OperandSum &operandSum,
                                   const OperandLayout &layout) {
  sumsRhs = operandSum.isRhs;
  depthSum.emplace(b, element, sumsRhs ? tiling.blockN : tiling.blockM,
                   tiling.blockK, layout.isDepthContiguous(),
                   tiling.getNumThreads(), thread);
  isSumming = (sumsRhs ? row : column) == 0;
}

/// `sums` are those of the product and, where an operand is summed up, the
/// vector of its sums.
SmallVector<Value> ContractionEmitter::accumulate(BlockProduct &product,
                                                  const SharedTile &lhs,
                                                  const SharedTile &rhs,
                                                  ArrayRef<Value> sums) {
  SmallVector<Value> next =
      product.accumulate(lhs, rhs, sums.take_front(product.getNumSums()));
  if (!depthSum)
    return next;
  auto branch = scf::IfOp::create(b, TypeRange{sums.back().getType()},
                                  isSumming, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b,
                       depthSum->accumulate(sumsRhs ? rhs : lhs, sums.back()));
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, sums.back());
  next.push_back(branch.getResult(0));
  return next;
}

SmallVector<Value> ContractionEmitter::emitPipeline(TileLoader &lhs,
                                                    TileLoader &rhs,
                                                    BlockProduct &product) {
  int64_t stageBytes = lhs.getBytes() + rhs.getBytes();
  int64_t numTiles = llvm::divideCeil(form.k, tiling.blockK);
  unsigned ahead = tiling.stages - 1;
  auto getStage = [&](Int tile) {
    return advance(b, shared, tile % tiling.stages * stageBytes);
  };
  auto getRhs = [&](Value stage) {
    return advance(b, stage, Int(b, lhs.getBytes()));
  };
  size_t numLoadedLhs = 0;
  auto start = [&](Int tile) {
    Value stage = getStage(tile);
    SmallVector<Value> loaded = lhs.start(stage, tile * tiling.blockK);
    numLoadedLhs = loaded.size();
    llvm::append_range(loaded, rhs.start(getRhs(stage), tile * tiling.blockK));
    return loaded;
  };
  auto finish = [&](Int tile, ArrayRef<Value> loaded) {
    Value stage = getStage(tile);
    lhs.finish(stage, tile * tiling.blockK, loaded.take_front(numLoadedLhs));
    rhs.finish(getRhs(stage), tile * tiling.blockK,
               loaded.drop_front(numLoadedLhs));
  };
  for (unsigned tile = 0; tile < ahead; ++tile) {
    if (tile < numTiles)
      finish(Int(b, tile), start(Int(b, tile)));
    commitCopies(b);
  }

  Type type = tiling.sumBytes == 8 ? Type(b.getF64Type()) : b.getF32Type();
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  SmallVector<Value> zeros(product.getNumSums(), zero);
  if (depthSum)
    zeros.push_back(depthSum->getZero());
  return emitLoop(b, 0, numTiles, zeros, [&](Int tile, ArrayRef<Value> sums) {
    // All threads have their part of this tile, and are done with the one
    // before it, whose place the next copy takes.
    waitForCopies(b, ahead - 1);
    product.publish();
    emitBarrier(b);
    SmallVector<Value> loaded;
    Value isWanted = tile + ahead < numTiles;
    if (ahead < numTiles)
      loaded = emitIfElseZero(b, isWanted, [&] { return start(tile + ahead); });
    commitCopies(b);
    Value stage = getStage(tile);
    SmallVector<Value> next = accumulate(product, lhs.getTile(stage),
                                         rhs.getTile(getRhs(stage)), sums);
    if (!loaded.empty())
      emitIf(b, isWanted, [&] { finish(tile + ahead, loaded); });
    return next;
  });
}

TensorMapPipeline ContractionEmitter::createTensorMapPipeline() {
  TensorMapLoader lhs(b, *getLhsTensorMap(form, tiling), tiling.blockM,
                      tiling.blockK, operands.lhsMap, batch, row);
  TensorMapLoader rhs(b, *getRhsTensorMap(form, tiling), tiling.blockN,
                      tiling.blockK, operands.rhsMap, batch, column);
  return TensorMapPipeline(b, tiling, llvm::divideCeil(form.k, tiling.blockK),
                           shared, thread, std::move(lhs), std::move(rhs));
}

/// Of the threads that multiply.
void ContractionEmitter::synchronize() {
  if (tiling.usesTMA)
    emitBarrier(b, tiling.getNumProductThreads());
  else
    emitBarrier(b);
}

void ContractionEmitter::emitEpilogue(BlockProduct &product,
                                      ArrayRef<Value> sums, unsigned lanes,
                                      Epilogue epilogue) {
  synchronize();
  SumTile tile = {shared, tiling.blockN, tiling.sumBytes,
                  product.getRowShift()};
  product.store(tile, sums);
  synchronize();

  int64_t perRow = tiling.blockN / lanes;
  unsigned numThreads = tiling.getNumProductThreads();
  int64_t passes = tiling.blockM * perRow / numThreads;
  Type type = sums.front().getType();
  Type loaded = lanes == 1 ? type : VectorType::get({lanes}, type);
  emitLoop(b, 0, passes, [&](Int pass) {
    Int place = pass * numThreads + thread;
    Int tileRow = place / perRow, tileColumn = (place % perRow) * lanes;
    SumPosition position = {batch, row + tileRow, column + tileColumn};
    Value isInside;
    auto require = [&](Value condition) {
      isInside = isInside ? Value(arith::AndIOp::create(b, isInside, condition))
                          : condition;
    };
    if (form.m % tiling.blockM != 0)
      require(position.row < form.m);
    if (form.n % tiling.blockN != 0)
      require(position.column < form.n);
    emitIf(b, isInside, [&] {
      epilogue(position,
               loadFrom(b, loaded, tile.getPointer(b, tileRow, tileColumn),
                        lanes * tiling.sumBytes));
    });
  });
}

void ContractionEmitter::storeOperandSum(const OperandSum &operandSum,
                                         Value sums) {
  int64_t extent = sumsRhs ? form.n : form.m;
  emitIf(b, isSumming, [&] {
    depthSum->finish(shared, sums, [&](Int outer, Value sum) {
      Int place = (sumsRhs ? column : row) + outer;
      emitIf(b, place < extent, [&] { operandSum.store(place, sum); });
    });
  });
}

std::unique_ptr<TileLoader>
ContractionEmitter::createLoader(bool isRhs, OperandLayout layout) {
  int64_t outer = isRhs ? tiling.blockN : tiling.blockM;
  Int start = isRhs ? column : row;
  if (ComputedOperand *computed =
          isRhs ? operands.computedRhs : operands.computedLhs) {
    layout.width = computed->getWidth();
    return std::make_unique<ComputedTileLoader>(b, layout, outer, tiling.blockK,
                                                tiling.getNumThreads(), thread,
                                                start, batch, *computed);
  }
  Value matrix =
      isRhs ? getMatrix(operands.rhs, form.b) : getMatrix(operands.lhs, form.a);
  return std::make_unique<TileLoader>(b, layout, outer, tiling.blockK,
                                      tiling.getNumThreads(), thread, matrix,
                                      start);
}

void ContractionEmitter::emit(unsigned lanes, Epilogue epilogue,
                              const std::optional<OperandSum> &operandSum) {
  OperandLayout lhsLayout = getLhsLayout(form, tiling.elementBytes);
  OperandLayout rhsLayout = getRhsLayout(form, tiling.elementBytes);
  std::unique_ptr<BlockProduct> product = createProduct(lhsLayout, rhsLayout);
  if (tiling.usesTMA) {
    assert(!operandSum && !operands.computedLhs && !operands.computedRhs &&
           "groups of warps only multiply");
    return createTensorMapPipeline().emit(*product, [&](ArrayRef<Value> sums) {
      emitEpilogue(*product, sums, lanes, epilogue);
    });
  }
  std::unique_ptr<TileLoader> lhsLoader =
      createLoader(/*isRhs=*/false, lhsLayout);
  std::unique_ptr<TileLoader> rhsLoader =
      createLoader(/*isRhs=*/true, rhsLayout);
  if (operandSum)
    createSum(*operandSum, operandSum->isRhs ? rhsLayout : lhsLayout);
  SmallVector<Value> sums = emitPipeline(*lhsLoader, *rhsLoader, *product);
  if (operandSum)
    storeOperandSum(*operandSum, sums.pop_back_val());
  emitEpilogue(*product, sums, lanes, epilogue);
}

void cuda::emitContraction(ImplicitLocOpBuilder &b, const GemmForm &form,
                           const ContractionTiling &tiling, Type element,
                           const ContractionOperands &operands, unsigned lanes,
                           Epilogue epilogue,
                           const std::optional<OperandSum> &operandSum) {
  ContractionEmitter(b, form, tiling, element, operands)
      .emit(lanes, epilogue, operandSum);
}
