//===- TestArtifact.h - A small artifact for tests --------------*- C++ -*-===//

#ifndef GRAPHRT_TEST_TESTARTIFACT_H
#define GRAPHRT_TEST_TESTARTIFACT_H

#include "graphrt/artifact/Container.h"
#include "graphrt/artifact/program_generated.h"

#include <memory>
#include <string>
#include <vector>

namespace graphrt::test {

fb::Buffer arena(uint64_t offset, uint64_t size);
fb::Buffer state(uint32_t index, uint64_t size);
fb::Buffer input(uint32_t index, uint64_t size);
fb::Buffer output(uint32_t index, uint64_t size);
fb::Buffer constant(uint64_t offset, uint64_t size);

std::unique_ptr<fb::NamedTensorT> tensor(const std::string &name,
                                         fb::ElementType type,
                                         std::vector<int64_t> shape);

std::unique_ptr<fb::MatrixT> matrix(fb::Buffer buffer, int64_t rowStride,
                                    int64_t columnStride,
                                    std::vector<int64_t> batchStrides = {});

/// Appends a step. `writes` has one character per buffer: 'w' or 'r'.
void addDispatch(fb::FunctionT &function, uint32_t kernel, uint64_t workgroups,
                 std::vector<fb::Buffer> buffers, const std::string &writes);
void addCopy(fb::FunctionT &function, fb::Buffer from, fb::Buffer to);
void addGemm(fb::FunctionT &function, fb::GemmT gemm);

/// A program of this machine with one location and no functions.
fb::ProgramT emptyProgram();

/// A program with the states w: f32[4] and count: i64, and the functions
///   init(seed: i64)                         writes w and count
///   accumulate(x: f32[4]) -> y: f32[4]      reads and writes both
///   matmul(a: f32[2,3], b: f32[3,2]) -> c: f32[2,2]
///   train_step(tokens, targets: i32[2,4]) -> loss: f32, norm: f32
///   eval_loss(tokens, targets: i32[2,4]) -> loss: f32
///   narrow_step(tokens, targets: i8[2,4])   does nothing
///   silent_step(tokens, targets: i32[2,4])  does nothing
///   denormals() -> y: f32[1024]
fb::ProgramT toyProgram();

/// The same for the target "cuda", with the kernels of kernels.ptx and one of
/// its own for the product.
fb::ProgramT cudaToyProgram();

/// Adds window(x: f32[6,8]) -> y: f32[4,4] to a program for "cuda": the box of
/// x at row 3, column 6, with zeros outside, read through a tensor map.
void addWindow(fb::ProgramT &program);

/// The program section of a program.
std::string encode(const fb::ProgramT &program);

/// The file of a program with the code of kernels.c, for the target "cuda" of
/// kernels.ptx, and 16 bytes of constants; and with machine code for a GPU
/// unless that is empty.
std::string makeArtifact(const fb::ProgramT &program,
                         const std::string &cubin = "");

} // namespace graphrt::test

#endif // GRAPHRT_TEST_TESTARTIFACT_H
