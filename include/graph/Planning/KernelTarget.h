//===- KernelTarget.h - What a machine offers to a kernel -------*- C++ -*-===//
//
// Kernels are planned for a workgroup of threads that share memory. On a CPU
// that is one thread with wide vectors; on a GPU it is some warps whose threads
// access at most 16 bytes at once. Schedules read only these numbers.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPH_PLANNING_KERNELTARGET_H
#define GRAPH_PLANNING_KERNELTARGET_H

#include "mlir/Support/LLVM.h"

#include <cstdint>
#include <string>

namespace graph {

struct KernelTarget {
  enum class Device { CPU, CUDA };
  Device device = Device::CPU;
  /// CUDA: the processor, such as "sm_90a".
  std::string chip = {};

  /// CUDA: dots of f32 may round their operands to tf32, 10 bits of mantissa.
  bool allowTF32 = false;

  /// The widest register (CPU) or memory access of one thread (CUDA).
  unsigned vectorBits = 256;
  /// The most threads of a workgroup, and how many of them run in lock step.
  unsigned maxThreads = 1;
  unsigned warpSize = 1;
  /// Memory that one workgroup may use for row buffers: stack or shared memory.
  int64_t rowBufferBytes = 64 * 1024;
  /// Floating-point operations (or elements moved) that one workgroup does.
  int64_t workgroupCost = 64 * 1024;
  /// Repeated work that one kernel may do, as a multiple of the work without
  /// repetition.
  double maxRecomputation = 4.0;

  bool isCUDA() const { return device == Device::CUDA; }
  /// Whether there is a schedule for dots.
  bool hasContraction() const { return isCUDA(); }

  static KernelTarget getCPU(unsigned vectorBits);
  /// `chip` is one of getCUDAChips().
  static KernelTarget getCUDA(llvm::StringRef chip);
  /// "cpu" (256 bits), "cpu:512", or "cuda:sm_90" and the other chips, with
  /// "+tf32" behind it or not. The error says what was found and what is known.
  static llvm::Expected<KernelTarget> parse(llvm::StringRef text);
  /// What parse() reads back.
  std::string getText() const;
};

/// The chips that CUDA kernels can be compiled for. Code for sm_80 runs on all
/// later ones; that for a name with an 'a' on this one generation alone.
llvm::ArrayRef<llvm::StringRef> getCUDAChips();

} // namespace graph

#endif // GRAPH_PLANNING_KERNELTARGET_H
