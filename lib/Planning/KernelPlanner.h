//===- KernelPlanner.h - Builds the nodes of a kernel plan ------*- C++ -*-===//

#ifndef GRAPH_LIB_PLANNING_KERNELPLANNER_H
#define GRAPH_LIB_PLANNING_KERNELPLANNER_H

#include "graph/Planning/KernelPlan.h"

#include "llvm/ADT/DenseMap.h"

namespace graph {

/// Evaluates outputs demand driven into nodes. Splits of domain variables that
/// turn out to be needed restart the evaluation with a finer domain.
class KernelPlanner {
public:
  KernelPlanner(llvm::function_ref<bool(mlir::Operation *)> isInside,
                std::string *whyNot)
      : isInside(isInside), whyNot(whyNot) {}

  /// The kernel computes this product, whose bases are inputs and a value
  /// inside.
  void setContraction(GemmForm form) { contraction = std::move(form); }

  /// Nodes, variables, domain and outputs of the plan.
  llvm::LogicalResult run(llvm::ArrayRef<mlir::Value> inputs,
                          llvm::ArrayRef<mlir::Value> outputs);
  KernelPlan takePlan() { return std::move(plan); }

  //===--------------------------------------------------------------------===//
  // For the rules of operations
  //===--------------------------------------------------------------------===//

  using Indices = llvm::SmallVector<AffineIndex>;

  /// The node of the element of `value` at row-major position `index`.
  llvm::FailureOr<unsigned> evaluate(mlir::Value value,
                                     const AffineIndex &index);
  /// The index of every dimension of a value of the given shape.
  llvm::FailureOr<Indices> getDims(const AffineIndex &index,
                                   llvm::ArrayRef<int64_t> shape);
  /// The row-major position within all domain variables of a kind.
  AffineIndex getDomainPosition(KernelVariable::Kind kind) const;

  struct Window {
    std::optional<Guard> guard;
    AffineIndex index;
    bool isEmpty = false;
  };
  /// Where `low <= index`, `step` divides `index - low` and the quotient is
  /// below `size`: the quotient.
  Window getWindow(const AffineIndex &index, int64_t low, int64_t step,
                   int64_t size);
  /// Asks to cut the only variable of `index` into pieces of `inner`, if the
  /// pieces are long enough for vectors.
  llvm::LogicalResult alignTo(const AffineIndex &index, int64_t inner);

  unsigned addNode(KernelNode node);
  /// An index that runs over a derived or row variable; equal ones are shared.
  AffineIndex addVariable(KernelVariable variable);
  llvm::LogicalResult fail(const llvm::Twine &reason);
  KernelPlan &getPlan() { return plan; }

private:
  struct DomainEntry {
    int64_t size;
    KernelVariable::Kind kind;
    /// Contraction: a batch dimension's number, kRows or kColumns.
    int role = 0;
  };
  static constexpr int kRows = -1, kColumns = -2;

  llvm::LogicalResult chooseDomain(llvm::ArrayRef<mlir::Value> outputs);
  void chooseContractionDomain();
  llvm::LogicalResult planContraction();
  llvm::FailureOr<std::shared_ptr<const OperandPlan>> planPrologue(bool isRhs);
  llvm::LogicalResult planElements(llvm::ArrayRef<mlir::Value> inputs,
                                   mlir::Value operand);
  bool findOperandSum(ReduceOp reduce);
  llvm::FailureOr<unsigned> evaluateDot(const AffineIndex &index);
  llvm::FailureOr<unsigned> evaluateOperandSum(const AffineIndex &index);
  /// The row-major position within the domain variables that are counted.
  AffineIndex
  getPosition(llvm::function_ref<bool(unsigned variable)> isCounted) const;
  AffineIndex getRolePosition(int role) const;
  /// The loops that move through the matrices of `view`, whose rows and columns
  /// have these sizes and roles, with their strides in decreasing order. Those
  /// of one step are left out.
  static llvm::SmallVector<std::pair<int64_t, DomainEntry>>
  getLoops(llvm::ArrayRef<int64_t> batch, const MatrixView &view,
           DomainEntry rows, DomainEntry columns);
  int getSumRole() const { return sumsRhs ? kColumns : kRows; }
  llvm::LogicalResult checkContraction();
  void startPlan(llvm::ArrayRef<mlir::Value> inputs);
  llvm::LogicalResult planOutput(mlir::Value output);
  llvm::LogicalResult planScatter(ScatterAddOp op);
  void addDomain(llvm::ArrayRef<int64_t> shape, KernelVariable::Kind kind);
  VariableSet close(const AffineIndex &index) const;
  unsigned getPhase(const AffineIndex &index) const;
  unsigned getInput(mlir::Value value);

  llvm::function_ref<bool(mlir::Operation *)> isInside;
  std::string *whyNot;
  KernelPlan plan;
  llvm::SmallVector<DomainEntry> domain;
  std::optional<SplitRequest> split;
  ScatterAddOp scatter;
  std::optional<GemmForm> contraction;
  /// A reduction that adds an operand of the product along k.
  ReduceOp operandSum;
  bool sumsRhs = false;
  llvm::DenseMap<mlir::Value,
                 llvm::SmallVector<std::pair<AffineIndex, unsigned>, 1>>
      memo;
};

/// How an operation is evaluated at a position of its only result.
using KernelRule = llvm::FailureOr<unsigned> (*)(KernelPlanner &,
                                                 mlir::Operation *,
                                                 const AffineIndex &);
/// Null for operations that no kernel computes.
KernelRule getKernelRule(mlir::Operation *op);

/// Joins neighbouring domain variables that every position uses as one.
void mergeVariables(KernelPlan &plan);
/// Chooses hero, lanes, threads and row buffers.
void chooseSchedule(KernelPlan &plan, const KernelTarget &target);
/// Computes the cost and finds the in-place pairs.
void analyzeCost(KernelPlan &plan);
/// Points of all parallel variables other than the lane and the transposed one.
int64_t getNumOuterPoints(const KernelPlan &plan);
/// Cuts the domain into workgroups; needs the cost.
void choosePartition(KernelPlan &plan, const KernelTarget &target);

/// The plan of a fusion that holds an attention. `whyNot` as in planKernel.
llvm::FailureOr<KernelPlan>
planAttention(FusionOp fusion, const KernelTarget &target, std::string *whyNot);

/// Floating-point operations of one evaluation of the node.
int64_t getNodeFlops(const KernelNode &node);
/// Whether computing the node again costs more than keeping it in memory.
bool isExpensive(const KernelNode &node);

} // namespace graph

#endif // GRAPH_LIB_PLANNING_KERNELPLANNER_H
