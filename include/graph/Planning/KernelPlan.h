//===- KernelPlan.h - How a set of operations is one kernel -----*- C++ -*-===//
//
// A plan says how graph operations are computed by one loop nest. The *domain*
// is an ordered list of variables, each parallel or reduced. Every output has
// one element per point of the domain ("full") or per point of its parallel
// part ("row"). From the outputs inwards, `evaluate(value, position)` asks what
// must be computed for one element; a position is an affine form of variables
// (KernelIndex.h). The answers are *nodes*, shared between equal questions:
//
//   softmax over the last dimension of x: tensor<8x128xf32>
//     domain   r: 8 parallel, c: 128 reduced
//     %0 load x[128 r + c]            full, phase 0
//     %1 reduce max %0                row, available from phase 1
//     %2 sub %0 %1    %3 exp %2       full, phase 1
//     %4 reduce sum %3                row, available from phase 2
//     %5 div %3 %4                    full, phase 2, the output at 128 r + c
//
// Movements of elements (broadcast, reshape, transpose, slice) leave no node:
// they only change positions. A value that is needed at two positions has two
// nodes: it is loaded or computed twice.
//
// Phases are separated by reductions. One pass over the reduced variables per
// phase computes all reductions that become available after it.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_PLANNING_KERNELPLAN_H
#define GRAPH_PLANNING_KERNELPLAN_H

#include "graph/Analysis/AttentionForm.h"
#include "graph/Dialect/Graph/IR/GraphOps.h"
#include "graph/Planning/ContractionTiling.h"
#include "graph/Planning/KernelIndex.h"
#include "graph/Planning/KernelTarget.h"

#include <memory>
#include <string>

namespace graph {

/// The access pattern around which the loops are built.
enum class Hero {
  /// No reduction; stores and nearly all loads are contiguous.
  Pointwise,
  /// Vectors run along a reduced variable.
  RowReduction,
  /// Vectors run along a parallel variable, reductions along others.
  ColumnReduction,
  /// No reduction; some loads are contiguous along another variable than the
  /// stores.
  Transpose,
  /// Rows are added into a table.
  Scatter,
  /// A matrix product; everything else is computed from its elements.
  Contraction,
  /// Blocks of queries against blocks of keys, without a matrix of weights.
  Attention,
};

/// A loop counter of the kernel, or an index derived from others.
struct KernelVariable {
  enum Kind {
    Parallel,
    Reduced,
    /// `index / step`, in range wherever a guard lets it be used.
    Derived,
    /// The value of node `node` (an integer), moved into [0, size).
    Row,
  };
  Kind kind;
  int64_t size;
  AffineIndex index = {};
  int64_t step = 1;
  unsigned node = 0;
};

/// A condition on a position.
struct Guard {
  /// Without `node`: 0 <= index, step divides index, index / step < size.
  AffineIndex index;
  int64_t step = 1;
  int64_t size = 0;
  /// With it: the node's value v satisfies 0 <= v < size.
  std::optional<unsigned> node = {};
};

/// One alternative of a guarded node: the value of `node` where all guards
/// hold.
struct Alternative {
  llvm::SmallVector<Guard, 2> guards;
  unsigned node;
};

/// One element (or vector of elements) that the kernel computes.
struct KernelNode {
  enum Kind {
    /// input number `input` at `index`
    Load,
    /// `constant`
    Constant,
    /// the number `index`
    Position,
    /// random op `value`: operands = {key}, counter = index
    Random,
    /// scalar body of the op that defines `value`
    Elementwise,
    /// the first alternative whose guards hold, else `constant`
    Guarded,
    /// reduce op `value` over the reduced variables: operands = {operand}
    Reduce,
    /// an element of a dot's result, which the schedule supplies
    Dot,
    /// the sum of all elements of a dot's operand that one row or column of
    /// the result depends on: reduce op `value`; the schedule supplies it too
    OperandSum,
  };
  Kind kind;
  /// The graph value of which this is an element: its element type, its op.
  mlir::Value value;
  AffineIndex index = {};
  llvm::SmallVector<unsigned, 3> operands = {};
  llvm::SmallVector<Alternative, 0> alternatives = {};
  unsigned input = 0;
  mlir::TypedAttr constant = {};
  /// The first phase in which the value can be computed.
  unsigned phase = 0;
  /// All loop counters on which the value depends.
  VariableSet variables = 0;

  mlir::Type getElementType() const {
    return llvm::cast<mlir::RankedTensorType>(value.getType()).getElementType();
  }
  /// Of a Reduce node.
  ReduceKind getReduceKind() const {
    return llvm::cast<ReduceOp>(value.getDefiningOp()).getKind();
  }
};

struct KernelOutput {
  mlir::Value value;
  unsigned node;
  /// Where the element of this point of the domain is stored.
  AffineIndex index;
  /// One element per point of the domain, otherwise per point of its parallel
  /// part.
  bool isFull;
  unsigned phase;
};

/// scatter_add as the hero: updates are evaluated at (point, column), the
/// destination row is the value of `indices` at point.
struct ScatterPlan {
  ScatterAddOp op;
  unsigned initNode = 0, indicesNode = 0, updatesNode = 0;
  /// Variables: rows of the table, points (reduced), columns; -1 where the
  /// size is 1.
  int rowVariable = -1, pointVariable = -1, columnVariable = -1;
  int64_t numRows = 0, numPoints = 0, numColumns = 0;
};

struct OperandPlan;

/// A dot as the hero. Domain variables stand for parts of m, of n or of batch
/// dimensions; a list of them counts in row-major order.
struct ContractionPlan {
  /// Bases are inputs of the plan or prologues, that of c is the value of
  /// `node`.
  GemmForm form;
  unsigned node = 0;
  /// Sums of b's columns or of a's rows along k, beside the product: the
  /// gradient of a bias.
  struct OperandSum {
    bool isRhs;
    unsigned node;
  };
  std::optional<OperandSum> operandSum;
  /// The inputs that hold a and b, or how they are computed while the product
  /// reads them (then not null).
  unsigned lhs = 0, rhs = 0;
  std::shared_ptr<const OperandPlan> lhsPrologue, rhsPrologue;

  bool hasPrologue() const { return lhsPrologue || rhsPrologue; }
  /// For every batch dimension of the form.
  llvm::SmallVector<llvm::SmallVector<unsigned, 1>> batch;
  llvm::SmallVector<unsigned, 1> rows, columns;
  /// A workgroup per block of every matrix of the batch.
  ContractionTiling tiling;
};

/// Attention as the hero: workgroups own blocks of queries, and those of the
/// derivative blocks of keys too, which come first.
struct AttentionPlan {
  AttentionForm form;
  /// Queries and keys of a block.
  int64_t queryBlock, keyBlock;
  /// How many blocks of one batch workgroups own.
  int64_t numQueryBlocks, numKeyBlocks;
  /// Whether a GPU multiplies with mma.sync, keeping scores in registers.
  bool usesTensorCores = false;
};

/// What the kernel does, for cost models.
struct KernelCost {
  int64_t flops = 0;
  /// Those of a dot, which are not among `flops`.
  int64_t dotFlops = 0;
  /// Floating-point operations beyond once per element of every operation.
  int64_t recomputedFlops = 0;
  int64_t bytesRead = 0;
  int64_t bytesWritten = 0;
};

/// An expensive node that phase `phase` computes and stores in a buffer of one
/// element per point of the reduced variables, from which later phases load.
struct BufferedNode {
  unsigned node, phase;
};

/// How the domain is cut into workgroups: chunks of the outer points times
/// chunks of the lane variable. The cut depends on the plan alone, never on
/// the number of threads.
struct Partition {
  /// Points of all parallel variables other than `lane` and `transposed`, and
  /// how many of them one workgroup takes.
  int64_t outerPoints = 1, outerChunk = 1;
  /// 1 where the lane variable is reduced: a workgroup takes all of it.
  int64_t lanePoints = 1, laneChunk = 1;
  /// Transpose: the other side of a tile.
  int64_t transposedPoints = 1, transposedChunk = 1;

  int64_t getNumWorkgroups() const;
};

/// The threads of a workgroup: `teams` of `teamSize` threads. What a team
/// shares depends on the hero: the vectors along the lane variable are dealt to
/// its threads; teams take different outer points (no hero, row reduction),
/// different parts of the reduced range (column reduction), or different rows
/// of a tile (transpose). On a CPU there is one thread.
struct ThreadShape {
  unsigned teams = 1, teamSize = 1;

  unsigned getNumThreads() const { return teams * teamSize; }
};

/// Operand `input` may share its memory with result `output`.
struct InPlacePair {
  unsigned input, output;
};

struct KernelPlan {
  Hero hero = Hero::Pointwise;
  llvm::SmallVector<mlir::Value> inputs;
  llvm::SmallVector<KernelOutput> outputs;

  llvm::SmallVector<KernelVariable> variables;
  /// The loop counters, in row-major order of full outputs.
  llvm::SmallVector<unsigned> domain;
  llvm::SmallVector<KernelNode> nodes;
  unsigned numPhases = 1;

  /// The variable along which vectors run, if there is any loop at all.
  std::optional<unsigned> lane;
  /// The number of elements of a vector; 1 asks for scalar code.
  unsigned numLanes = 1;
  /// Transpose: the variable along which some loads are contiguous.
  std::optional<unsigned> transposed;
  /// RowReduction: full nodes that are kept for later phases.
  llvm::SmallVector<BufferedNode> buffered;
  std::optional<ScatterPlan> scatter;
  std::optional<ContractionPlan> contraction;
  std::optional<AttentionPlan> attention;

  ThreadShape threads;
  Partition partition;
  KernelCost cost;
  llvm::SmallVector<InPlacePair> inPlace;

  llvm::SmallVector<unsigned> getDomain(KernelVariable::Kind kind) const;
  /// The product of the sizes of all domain variables of a kind.
  int64_t getNumPoints(KernelVariable::Kind kind) const;
  size_t getNumReductions() const;
};

/// An operand of a dot that no memory holds: each of its elements is computed,
/// by elementwise operations, where a tile of it is loaded.
struct OperandPlan {
  /// Pointwise, with the operand's elements as the only output. Inputs are the
  /// first ones of the dot's plan; loads are contiguous along the lane variable
  /// or do not depend on it.
  KernelPlan plan;
  /// The domain variables of every batch dimension of the form, of m (a) or n
  /// (b), and of k; nothing where the operand does not vary along it.
  llvm::SmallVector<std::optional<unsigned>> batch;
  std::optional<unsigned> outer, depth;
};

/// Calls `visit` once for each of `roots` and every node below them, operands
/// first; does not look below reductions and nodes for which `isLeaf` holds.
/// `underGuard` says whether the node is needed only where a guard holds.
void walkNodes(const KernelPlan &plan, llvm::ArrayRef<unsigned> roots,
               llvm::function_ref<bool(unsigned)> isLeaf,
               llvm::function_ref<void(unsigned, bool underGuard)> visit);

/// The reductions that phase `phase` completes, as numbers of nodes, and the
/// full outputs that it stores, as numbers of outputs.
llvm::SmallVector<unsigned> getPhaseReductions(const KernelPlan &plan,
                                               unsigned phase);
llvm::SmallVector<unsigned> getPhaseOutputs(const KernelPlan &plan,
                                            unsigned phase);
/// The nodes that phase `phase` computes for every point of the domain: the
/// operands of its reductions and the nodes of its outputs.
llvm::SmallVector<unsigned> getPhaseRoots(const KernelPlan &plan,
                                          unsigned phase);

/// The step of `index` from one lane to the next when vectors run along
/// `lane`; nothing where it is not constant.
std::optional<int64_t> getLaneStep(const KernelPlan &plan,
                                   const AffineIndex &index, unsigned lane);

/// Whether `index` is a multiple of `lanes` wherever the lane variable, along
/// which it has step 1, is one.
bool isAlignedIndex(const KernelPlan &plan, const AffineIndex &index,
                    unsigned lanes);

/// Plans a kernel that computes `outputs` from the operations for which
/// `isInside` holds. Constants of one value are always inside. `inputs` fixes
/// the first inputs of the plan; others follow in the order they are found.
/// On failure `whyNot` says what stands against one kernel.
llvm::FailureOr<KernelPlan>
planKernel(llvm::ArrayRef<mlir::Value> inputs,
           llvm::ArrayRef<mlir::Value> outputs,
           llvm::function_ref<bool(mlir::Operation *)> isInside,
           const KernelTarget &target = {}, std::string *whyNot = nullptr);

/// Plans a kernel of `ops` (topological order, one block); its outputs are the
/// results used by other operations.
llvm::FailureOr<KernelPlan> planKernel(llvm::ArrayRef<mlir::Operation *> ops,
                                       const KernelTarget &target = {},
                                       std::string *whyNot = nullptr);

/// The plan of a fusion: inputs are its block arguments, outputs what it
/// yields.
llvm::FailureOr<KernelPlan> planKernel(FusionOp fusion,
                                       const KernelTarget &target = {},
                                       std::string *whyNot = nullptr);

} // namespace graph

#endif // GRAPH_PLANNING_KERNELPLAN_H
