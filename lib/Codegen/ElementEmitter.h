//===- ElementEmitter.h - Emits the nodes of a kernel plan ------*- C++ -*-===//
//
// Evaluates nodes at one place of the loop nest. A schedule says which loop
// counters have which values and how many lanes vectors have; the emitter
// answers with SSA values and remembers them. A node that does not depend on
// the lane variable is a scalar, whatever the number of lanes.
//
// What is known at one place is a `State`. A schedule enters a loop body with a
// copy of the surrounding state and drops it at the body's end.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_LIB_CODEGEN_ELEMENTEMITTER_H
#define GRAPH_LIB_CODEGEN_ELEMENTEMITTER_H

#include "Arithmetic.h"
#include "Workgroup.h"
#include "graph/Planning/KernelPlan.h"

#include "llvm/ADT/DenseMap.h"

namespace graph {

class ElementEmitter {
public:
  struct State {
    /// Elements per vector along the lane variable, 1 for scalar code.
    unsigned lanes = 1;
    /// Values of loop counters (that of the lane variable is lane 0's) and of
    /// row and derived variables that do not depend on the lane.
    llvm::DenseMap<unsigned, mlir::Value> variables;
    llvm::DenseMap<unsigned, mlir::Value> nodes;
    /// Where it is set, an i1: outputs are stored only if it holds.
    mlir::Value isActive;
  };

  /// The buffers of `workgroup` are the plan's inputs, then its outputs:
  /// memrefs of one dimension.
  ElementEmitter(mlir::ImplicitLocOpBuilder &b, const KernelPlan &plan,
                 Workgroup &workgroup);

  State state;

  /// Restores the state at the end of a C++ scope.
  class Scope {
  public:
    explicit Scope(ElementEmitter &emitter)
        : emitter(emitter), saved(emitter.state) {}
    ~Scope() { emitter.state = std::move(saved); }

  private:
    ElementEmitter &emitter;
    State saved;
  };

  bool isVector(const KernelNode &node) const {
    return state.lanes > 1 && plan.lane && (node.variables >> *plan.lane & 1);
  }
  /// The value of a node in its compute type: a vector if `isVector`.
  mlir::Value evaluate(unsigned node);
  /// The same, a vector whenever there is more than one lane.
  mlir::Value evaluateLanes(unsigned node) {
    return splat(b, evaluate(node), state.lanes);
  }
  /// The value of a Load node as memory holds it; `setStored` lets `evaluate`
  /// know it at another place of the program.
  mlir::Value loadStored(unsigned node);
  void setStored(unsigned node, mlir::Value stored);
  /// Evaluates all nodes below `roots` that depend on no other loop counters
  /// than `known` and that no guard protects, so that inner loops find them.
  /// Reductions that are not complete are left out.
  void hoist(llvm::ArrayRef<unsigned> roots, VariableSet known);

  /// Stores an element or a vector of them (of the compute type) at the
  /// output's position.
  void store(unsigned output, mlir::Value value);
  /// What is stored there.
  mlir::Value loadOutput(unsigned output);

  /// Positions as scalars of type index (lane 0's).
  mlir::Value getPosition(const AffineIndex &index);

  /// Stores happen only where `condition` holds too.
  void restrict(mlir::Value condition);

  /// Memory for the values of a node at some points: a memref of the compute
  /// type and where in it the point of the current variables is: at `base` (of
  /// type index, none is 0) + `index`.
  struct Buffer {
    mlir::Value memory;
    AffineIndex index;
    mlir::Value base;
  };
  /// Later evaluations of `node` load from `buffer`.
  void setBuffer(unsigned node, Buffer buffer);
  /// Stores the value of a node into its buffer.
  void storeBuffer(const Buffer &buffer, mlir::Value value);

  /// Tiles of a transpose in registers: loads along the transposed variable
  /// fetch a square of vectors at once. `row` is the distance from the tile's
  /// first position; nodes of the same tile share `vectors`.
  struct Tile {
    unsigned row = 0;
    mlir::Value start;
    llvm::DenseMap<unsigned, llvm::SmallVector<mlir::Value>> vectors;
  };
  Tile *tile = nullptr;

  mlir::ImplicitLocOpBuilder &getBuilder() { return b; }
  const KernelPlan &getPlan() const { return plan; }
  Workgroup &getWorkgroup() { return workgroup; }

private:
  mlir::Value emitNode(unsigned number);
  mlir::Value emitLoad(const KernelNode &node, unsigned number);
  mlir::Value emitTileLoad(const KernelNode &node, unsigned number,
                           int64_t step);
  mlir::Value emitElementwise(const KernelNode &node);
  mlir::Value emitPositionNode(const KernelNode &node);
  mlir::Value emitRandomNode(const KernelNode &node);
  mlir::Value emitGuarded(const KernelNode &node, size_t alternative);
  mlir::Value emitGuard(const Guard &guard);
  bool isLaneGuard(const Guard &guard) const;

  /// The value of a variable at lane 0, of type index.
  mlir::Value getVariable(unsigned variable);
  /// The positions of all lanes: a vector of i64.
  mlir::Value getLanePositions(const AffineIndex &index);
  mlir::Value getLaneVariable(unsigned variable);

  /// The alignment of a vector access that the target is told of.
  llvm::MaybeAlign getAlignment(const AffineIndex &index,
                                mlir::VectorType type) const;
  /// Whether the access can be one of a whole vector.
  bool isContiguous(const AffineIndex &index) const;
  mlir::Value getPlace(const Buffer &buffer);
  mlir::Value load(const Buffer &buffer, bool isVector, mlir::Type storage);
  void storeAt(const Buffer &buffer, mlir::Value value);

  mlir::ImplicitLocOpBuilder &b;
  const KernelPlan &plan;
  Workgroup &workgroup;
  llvm::SmallVector<mlir::Value> inputs, outputs;
  llvm::DenseMap<unsigned, Buffer> buffers;
};

/// An element of random op `op`: `counter` is an i64 (or a vector of them),
/// `key` an i64. The result has the compute type of the op's elements.
mlir::Value emitRandom(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op,
                       mlir::Value key, mlir::Value counter);

} // namespace graph

#endif // GRAPH_LIB_CODEGEN_ELEMENTEMITTER_H
