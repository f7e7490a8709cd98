//===- Workgroup.h - The threads that run a kernel --------------*- C++ -*-===//
//
// All that a schedule sees of the machine. A workgroup is `teams` of `teamSize`
// threads; on a CPU it is one thread, and then everything that threads do
// together emits nothing:
//
//                    CPU                      CUDA
//   function         func.func                gpu.func, kernel
//   number           its last argument        block_id
//   thread, team     the constant 0           thread_id modulo, over teamSize
//   allocate         stack                    shared memory
//   synchronize      -                        barrier
//   combine          the value itself         shuffles, shared memory between
//   warps combineTeams     the value itself         shared memory
//
// Every thread runs the same code. What contains a barrier (combine of teams
// larger than a warp, combineTeams, synchronize) must be reached by all of
// them.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_LIB_CODEGEN_WORKGROUP_H
#define GRAPH_LIB_CODEGEN_WORKGROUP_H

#include "graph/Planning/KernelPlan.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <memory>

namespace graph {

class Workgroup {
public:
  /// Creates a kernel function at the insertion point of `b`, with one argument
  /// per type of `buffers`, and moves `b` into its body.
  static std::unique_ptr<Workgroup>
  open(mlir::ImplicitLocOpBuilder &b, llvm::StringRef name,
       mlir::TypeRange buffers, const KernelTarget &target, ThreadShape shape);
  virtual ~Workgroup() = default;

  /// Emits the terminator of the function.
  virtual void close() = 0;

  mlir::FunctionOpInterface getFunction() const { return function; }
  llvm::ArrayRef<mlir::Value> getBuffers() const { return buffers; }
  /// The number of this workgroup among those of the kernel, of type index.
  mlir::Value getNumber() const { return number; }

  const ThreadShape &getShape() const { return shape; }
  bool isSerial() const { return shape.getNumThreads() == 1; }
  /// The number of this thread in its team, and of its team, of type index.
  mlir::Value getThread() const { return thread; }
  mlir::Value getTeam() const { return team; }

  /// Whether vectors in memory must lie at multiples of their size.
  virtual bool needsAlignment() const = 0;

  /// Memory for `count` elements that all threads share, undefined at first.
  virtual mlir::Value allocate(mlir::Type element, int64_t count) = 0;
  /// What threads wrote before it, all see after it.
  virtual void synchronize() = 0;

  /// The scalars of a team's threads combined in a fixed order; every thread
  /// gets the same bits.
  virtual mlir::Value combine(ReduceKind kind, mlir::Value value) = 0;
  /// The scalars or vectors of threads of equal number in all teams combined,
  /// in the order of teams.
  virtual mlir::Value combineTeams(ReduceKind kind, mlir::Value value) = 0;

  using Condition = llvm::function_ref<mlir::Value(mlir::Value)>;
  using Body = llvm::function_ref<void(mlir::Value)>;
  /// Runs `body(i)`, by the whole team together and in order, for those i in
  /// [0, size) for which `isSelected(i)`, an i1, holds. Teams must be warps.
  virtual void forEachSelected(int64_t size, Condition isSelected,
                               Body body) = 0;

protected:
  Workgroup(mlir::ImplicitLocOpBuilder &b, ThreadShape shape)
      : b(b), shape(shape) {}

  mlir::ImplicitLocOpBuilder &b;
  ThreadShape shape;
  mlir::FunctionOpInterface function;
  llvm::SmallVector<mlir::Value> buffers;
  mlir::Value number, thread, team;
};

/// The implementations behind Workgroup::open.
std::unique_ptr<Workgroup> openSerialWorkgroup(mlir::ImplicitLocOpBuilder &b,
                                               llvm::StringRef name,
                                               mlir::TypeRange buffers);
std::unique_ptr<Workgroup> openGPUWorkgroup(mlir::ImplicitLocOpBuilder &b,
                                            llvm::StringRef name,
                                            mlir::TypeRange buffers,
                                            const KernelTarget &target,
                                            ThreadShape shape);

} // namespace graph

#endif // GRAPH_LIB_CODEGEN_WORKGROUP_H
