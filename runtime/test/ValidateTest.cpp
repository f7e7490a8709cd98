//===- ValidateTest.cpp - Tests of the proof that a program has meaning ---===//

#include "TestArtifact.h"

#include "cpu/StepRunner.h"

#include "graphrt/artifact/Validate.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstring>
#include <random>

using namespace graphrt;
using namespace graphrt::test;
using testing::HasSubstr;

namespace {

constexpr uint64_t constantBytes = 16;

std::string errorOf(std::string_view bytes) {
  // FlatBuffers are read in place and want alignment.
  std::vector<uint64_t> aligned(bytes.size() / 8 + 1);
  if (!bytes.empty())
    std::memcpy(aligned.data(), bytes.data(), bytes.size());
  auto program = artifact::validateProgram(
      {reinterpret_cast<const char *>(aligned.data()), bytes.size()},
      constantBytes);
  return program ? "no error" : program.failure().message;
}

/// The error of the toy program after a change.
template <typename Change>
std::string errorWith(const Change &change) {
  fb::ProgramT program = toyProgram();
  change(program);
  return errorOf(encode(program));
}

fb::FunctionT &function(fb::ProgramT &program, const std::string &name) {
  for (auto &function : program.functions)
    if (function->name == name)
      return *function;
  abort();
}

fb::GemmT &gemm(fb::ProgramT &program) {
  return *function(program, "matmul").steps[0]->command.AsGemm();
}

fb::DispatchT &dispatch(fb::ProgramT &program) {
  return *function(program, "accumulate").steps[0]->command.AsDispatch();
}

fb::CopyT &copy(fb::ProgramT &program) {
  return *function(program, "accumulate").steps[1]->command.AsCopy();
}

TEST(Validate, AcceptsTheToyProgram) {
  EXPECT_EQ(errorWith([](auto &) {}), "no error");
  EXPECT_EQ(errorOf(encode(emptyProgram())), "no error");
}

TEST(Validate, RefusesOtherBytes) {
  EXPECT_THAT(errorOf("hello, this is not a FlatBuffer"),
              HasSubstr("not a valid FlatBuffer"));
}

TEST(Validate, ChecksNamesAndTypes) {
  EXPECT_THAT(errorWith([](auto &p) { p.states[0]->name = ""; }),
              HasSubstr("state 0: found a name that is empty"));
  EXPECT_THAT(errorWith([](auto &p) { p.states[0]->name = "__metadata__"; }),
              HasSubstr("reserved"));
  EXPECT_THAT(errorWith([](auto &p) { p.states[1]->name = "w"; }),
              HasSubstr("found two of the states named 'w', expected one"));
  EXPECT_THAT(errorWith([](auto &p) { p.functions[1]->name = "init"; }),
              HasSubstr("found two functions named 'init'"));
  EXPECT_THAT(errorWith([](auto &p) { p.functions[1]->name = "a b"; }),
              HasSubstr("function 1: found a name"));
  EXPECT_THAT(errorWith([](auto &p) { p.kernels[1]->symbol = ""; }),
              HasSubstr("kernel 1: found a symbol that is empty"));
  EXPECT_THAT(errorWith([](auto &p) { p.states[0]->type->shape = {-1}; }),
              HasSubstr("state 'w': found an invalid element type, a negative "
                        "extent"));
  EXPECT_THAT(errorWith([](auto &p) {
                p.states[0]->type->shape = {int64_t(1) << 40, int64_t(1) << 40};
              }),
              HasSubstr("size beyond 63 bits"));
  EXPECT_THAT(errorWith([](auto &p) {
                p.states[0]->type->element_type =
                    static_cast<fb::ElementType>(9);
              }),
              HasSubstr("invalid element type"));
  EXPECT_THAT(
      errorWith([](auto &p) { function(p, "matmul").inputs[1]->name = "a"; }),
      HasSubstr("function 'matmul': found two of the inputs named 'a'"));
}

/// The error of a program with a tensor map after a change of the map.
template <typename Change>
std::string errorOfTensorMap(const Change &change) {
  fb::ProgramT program = cudaToyProgram();
  addWindow(program);
  change(*program.kernels.back()->tensor_maps[0]);
  return errorOf(encode(program));
}

TEST(Validate, ChecksTensorMaps) {
  EXPECT_EQ(errorOfTensorMap([](auto &) {}), "no error");
  EXPECT_THAT(errorOfTensorMap([](auto &map) { map.buffer = 2; }),
              HasSubstr("kernel 6: tensor map 0: found buffer 2, expected less "
                        "than 2"));
  EXPECT_THAT(errorOfTensorMap([](auto &map) { map.offset = 8; }),
              HasSubstr("found an offset of 8, expected a multiple of 16"));
  EXPECT_THAT(errorOfTensorMap(
                  [](auto &map) { map.element_type = fb::ElementType(9); }),
              HasSubstr("found an element type of 9, expected less than 9"));
  EXPECT_THAT(errorOfTensorMap([](auto &map) { map.swizzle = fb::Swizzle(4); }),
              HasSubstr("found a swizzle of 4, expected 0 to 3"));
  EXPECT_THAT(errorOfTensorMap([](auto &map) { map.sizes.clear(); }),
              HasSubstr("found a rank of 0, expected 1 to 5"));
  EXPECT_THAT(errorOfTensorMap([](auto &map) { map.strides.clear(); }),
              HasSubstr("found 0 strides, expected 1"));
  EXPECT_THAT(errorOfTensorMap([](auto &map) { map.box.push_back(1); }),
              HasSubstr("found 3 extents of a box, expected 2"));
  EXPECT_THAT(
      errorOfTensorMap([](auto &map) { map.sizes[1] = uint64_t(1) << 32; }),
      HasSubstr("found a size of 4294967296, expected 1 to 2^32 - 1"));
  EXPECT_THAT(errorOfTensorMap([](auto &map) { map.strides[0] = 40; }),
              HasSubstr("found a stride of 40, expected a multiple of 16 bytes "
                        "below 2^40"));
  EXPECT_THAT(errorOfTensorMap([](auto &map) { map.box[1] = 257; }),
              HasSubstr("found an extent of a box of 257, expected 1 to 256"));
  EXPECT_THAT(errorOfTensorMap([](auto &map) { map.box[0] = 5; }),
              HasSubstr("found a box with rows of 20, expected a multiple"));
  EXPECT_THAT(errorOfTensorMap([](auto &map) {
                map.box[0] = 16;
                map.swizzle = fb::Swizzle::bytes32;
              }),
              HasSubstr("rows of 64, expected at most the swizzle's 32"));
}

TEST(Validate, ChecksWhereTensorMapsLie) {
  EXPECT_THAT(errorOfTensorMap([](auto &map) { map.offset = 16; }),
              HasSubstr("function 'window': step 0: found a tensor map that "
                        "reaches beyond the 192 bytes of its buffer"));
  fb::ProgramT program = cudaToyProgram();
  addWindow(program);
  fb::FunctionT &window = *program.functions.back();
  window.arena_size = 256;
  window.steps[0]->command.AsDispatch()->buffers[0] = arena(8, 192);
  EXPECT_THAT(errorOf(encode(program)),
              HasSubstr("found a tensor map's buffer at an offset of 8, "
                        "expected a multiple of 16 bytes"));
  EXPECT_THAT(errorWith([](auto &p) {
                p.kernels[0]->tensor_maps.push_back(
                    std::make_unique<fb::TensorMapT>());
              }),
              HasSubstr("kernel 0: found 1 tensor maps, expected 0"));
}

TEST(Validate, ChecksStates) {
  EXPECT_THAT(
      errorWith([](auto &p) { function(p, "accumulate").states_read = {2}; }),
      HasSubstr("states_read: found state 2, expected less than 2"));
  EXPECT_THAT(errorWith([](auto &p) {
                function(p, "accumulate").states_written = {0, 1, 0};
              }),
              HasSubstr("states_written: found state 0 twice"));
  EXPECT_THAT(errorWith([](auto &p) {
                function(p, "accumulate").states_written = {1};
              }),
              HasSubstr("step 0: found a write of state 0, expected it in "
                        "states_written"));
  EXPECT_THAT(
      errorWith([](auto &p) { function(p, "eval_loss").states_read = {}; }),
      HasSubstr("found a read of state 0 before any write"));
  EXPECT_THAT(errorWith([](auto &p) {
                auto &init = function(p, "init");
                init.steps.pop_back();
              }),
              HasSubstr("state 'count' is not written in full"));
  EXPECT_THAT(
      errorWith([](auto &p) { function(p, "accumulate").steps.pop_back(); }),
      HasSubstr("output 'y' is not written in full by the steps"));
}

TEST(Validate, ChecksSteps) {
  EXPECT_THAT(
      errorWith([](auto &p) { function(p, "init").steps[1]->location = 1; }),
      HasSubstr("function 'init': step 1: found location 1, expected "
                "less than 1"));
  EXPECT_THAT(errorWith([](auto &p) { dispatch(p).kernel = 5; }),
              HasSubstr("found kernel 5, expected less than 5"));
  EXPECT_THAT(errorWith([](auto &p) { p.kernels[1]->buffers = 3; }),
              HasSubstr("found 4 buffers, expected 3"));
  EXPECT_THAT(errorWith([](auto &p) { dispatch(p).writes.pop_back(); }),
              HasSubstr("found 3 write flags, expected 4"));
  EXPECT_THAT(errorWith([](auto &p) { dispatch(p).workgroups = ~0ull; }),
              HasSubstr("found 18446744073709551615 workgroups"));
  EXPECT_THAT(errorWith([](auto &p) { dispatch(p).writes[0] = true; }),
              HasSubstr("found a write to a buffer of space input"));
  EXPECT_THAT(errorWith([](auto &p) {
                dispatch(p).buffers[2] =
                    fb::Buffer(fb::Space::constant, 0, 0, 16);
              }),
              HasSubstr("found a write to a buffer of space constant"));
  EXPECT_THAT(
      errorWith([](auto &p) { dispatch(p).buffers[2] = arena(20, 16); }),
      HasSubstr("found 16 bytes at offset 20 of arena 0, expected a "
                "range inside its 32 bytes"));
  EXPECT_THAT(
      errorWith([](auto &p) { dispatch(p).buffers[2] = arena(~0ull - 7, 16); }),
      HasSubstr("expected a range inside"));
  EXPECT_THAT(errorWith([](auto &p) { dispatch(p).buffers[0] = input(1, 16); }),
              HasSubstr("found input 1, expected less than 1"));
  EXPECT_THAT(errorWith([](auto &p) {
                dispatch(p).buffers[0] =
                    fb::Buffer(static_cast<fb::Space>(5), 0, 0, 1);
              }),
              HasSubstr("found buffer space 5, expected 0 to 4"));
  EXPECT_THAT(errorWith([](auto &p) { *copy(p).destination = output(0, 12); }),
              HasSubstr("found 12 bytes in a copy's destination, expected 16"));
  EXPECT_THAT(errorWith([](auto &p) { *copy(p).destination = arena(8, 16); }),
              HasSubstr("found a copy between overlapping ranges"));
}

TEST(Validate, ChecksMatrixProducts) {
  EXPECT_THAT(
      errorWith([](auto &p) { gemm(p).element_type = fb::ElementType::i1; }),
      HasSubstr("found element type 4 in a matrix product"));
  EXPECT_THAT(errorWith([](auto &p) { gemm(p).k = -1; }),
              HasSubstr("found a negative extent in a matrix product"));
  EXPECT_THAT(errorWith([](auto &p) {
                gemm(p).batch = {int64_t(1) << 32, int64_t(1) << 32};
              }),
              HasSubstr("found a batch whose size exceeds 63 bits"));
  EXPECT_THAT(errorWith([](auto &p) { gemm(p).batch = {2}; }),
              HasSubstr("operand 'a' of a matrix product: found 0 batch "
                        "strides, expected 1"));
  EXPECT_THAT(errorWith([](auto &p) { gemm(p).m = 3; }),
              HasSubstr("operand 'a' of a matrix product: found a matrix that "
                        "exceeds its buffer of 24 bytes"));
  EXPECT_THAT(errorWith([](auto &p) { gemm(p).b->row_stride = INT64_MAX; }),
              HasSubstr("operand 'b' of a matrix product: found a matrix that "
                        "exceeds"));
  EXPECT_THAT(errorWith([](auto &p) { gemm(p).a->row_stride = -3; }),
              HasSubstr("found stride -3"));
  EXPECT_THAT(errorWith([](auto &p) { gemm(p).a->row_stride = 2; }),
              HasSubstr("found strides 2 and 1, expected one of them to be 1 "
                        "and the other to step over"));
  EXPECT_THAT(errorWith([](auto &p) {
                *gemm(p).a->buffer = fb::Buffer(fb::Space::input, 0, 2, 22);
                gemm(p).m = 1;
              }),
              HasSubstr("found a matrix at offset 2, expected a multiple"));
  EXPECT_THAT(errorWith([](auto &p) {
                gemm(p).batch = {2};
                gemm(p).a->batch_strides = gemm(p).b->batch_strides = {0};
                gemm(p).c->batch_strides = {0};
              }),
              HasSubstr("operand 'c' of a matrix product: found a result "
                        "matrix whose elements overlap"));
  EXPECT_THAT(errorWith([](auto &p) {
                auto &f = function(p, "matmul");
                f.arena_size = 24;
                gemm(p).a->buffer = std::make_unique<fb::Buffer>(arena(0, 24));
                gemm(p).c->buffer = std::make_unique<fb::Buffer>(arena(0, 16));
              }),
              HasSubstr("whose result overlaps an operand"));
}

TEST(Validate, ChecksKernels) {
  EXPECT_THAT(errorWith([](auto &p) { p.kernels[1]->threads = 32; }),
              HasSubstr("kernel 1: found 32 threads, expected 1 to 1"));
  EXPECT_THAT(errorWith([](auto &p) { p.kernels[1]->shared_bytes = 8; }),
              HasSubstr("kernel 1: found 8 bytes of shared memory, expected "
                        "0"));
  auto errorForCuda = [](const auto &change) {
    return errorWith([&](fb::ProgramT &p) {
      p.target = "cuda";
      change(p);
    });
  };
  EXPECT_EQ(errorForCuda([](auto &p) {
              p.kernels[1]->threads = 1024;
              p.kernels[1]->shared_bytes = 100 << 10;
            }),
            "no error");
  for (uint32_t threads : {0u, 1025u})
    EXPECT_THAT(errorForCuda([&](auto &p) { p.kernels[1]->threads = threads; }),
                HasSubstr("threads, expected 1 to 1024"));
  EXPECT_THAT(
      errorForCuda([](auto &p) { dispatch(p).workgroups = 1ull << 31; }),
      HasSubstr("found 2147483648 workgroups, expected at most 2147483647"));
}

/// The toy program's product for the target "cuda", with scratch memory, the
/// epilogue "bias" and a kernel of its own.
fb::ProgramT cudaProgram() {
  fb::ProgramT program = toyProgram();
  program.target = "cuda";
  fb::FunctionT &f = function(program, "matmul");
  f.arena_size = 64;
  f.inputs.push_back(tensor("bias", fb::ElementType::f32, {2}));
  fb::GemmT &product = gemm(program);
  product.epilogue = fb::Epilogue::bias;
  product.bias = std::make_unique<fb::Buffer>(input(2, 8));
  product.kernel = std::make_unique<fb::DispatchT>();
  product.kernel->kernel = 1;
  product.kernel->workgroups = 1;
  product.kernel->buffers = {input(0, 24), input(1, 24), input(2, 8),
                             output(0, 16)};
  product.kernel->writes = {false, false, false, true};
  return program;
}

/// The error of cudaProgram after a change of its product.
template <typename Change>
std::string errorOfCudaProduct(const Change &change) {
  fb::ProgramT program = cudaProgram();
  change(gemm(program));
  return errorOf(encode(program));
}

std::unique_ptr<fb::Buffer> pointer(fb::Buffer buffer) {
  return std::make_unique<fb::Buffer>(buffer);
}

TEST(Validate, ChecksEpilogues) {
  EXPECT_EQ(errorOfCudaProduct([](auto &) {}), "no error");
  EXPECT_EQ(errorOfCudaProduct([](auto &g) {
              g.epilogue = fb::Epilogue::dgelu;
              g.bias = nullptr;
              g.auxiliary = pointer(arena(0, 64));
              g.auxiliary_stride = 8;
            }),
            "no error");
  EXPECT_THAT(errorOfCudaProduct(
                  [](auto &g) { g.epilogue = static_cast<fb::Epilogue>(9); }),
              HasSubstr("found epilogue 9, expected 0 to 8"));
  EXPECT_THAT(errorOfCudaProduct(
                  [](auto &g) { g.element_type = fb::ElementType::i32; }),
              HasSubstr("found epilogue bias, expected none for the target "
                        "'cpu', for integers"));
  EXPECT_THAT(
      errorWith([](auto &p) { gemm(p).epilogue = fb::Epilogue::relu; }),
      HasSubstr("found epilogue relu, expected none for the target 'cpu'"));
  EXPECT_THAT(
      errorOfCudaProduct([](auto &g) { g.bias = nullptr; }),
      HasSubstr("found no buffer 'bias', expected one for the epilogue"));
  EXPECT_THAT(
      errorOfCudaProduct([](auto &g) { g.epilogue = fb::Epilogue::none; }),
      HasSubstr("found the buffer 'bias', expected none for the epilogue"));
  EXPECT_THAT(
      errorOfCudaProduct([](auto &g) { g.bias = pointer(input(2, 4)); }),
      HasSubstr("found 4 bytes of 'bias', expected 8"));
  EXPECT_THAT(
      errorOfCudaProduct([](auto &g) { g.epilogue = fb::Epilogue::bgrad_b; }),
      HasSubstr("found a write to a buffer of space input"));
  EXPECT_THAT(errorOfCudaProduct([](auto &g) {
                g.epilogue = fb::Epilogue::bgrad_b;
                g.bias = pointer(arena(2, 8));
              }),
              HasSubstr("found 'bias' at offset 2, expected a multiple of 4"));
  auto errorWithAuxiliary = [](fb::Epilogue epilogue, fb::Buffer buffer,
                               int64_t stride) {
    return errorOfCudaProduct([&](auto &g) {
      g.epilogue = epilogue;
      g.auxiliary = pointer(buffer);
      g.auxiliary_stride = stride;
      g.kernel = nullptr;
    });
  };
  EXPECT_EQ(errorWithAuxiliary(fb::Epilogue::gelu_bias, arena(0, 64), 8),
            "no error");
  EXPECT_THAT(errorWithAuxiliary(fb::Epilogue::gelu_bias, arena(0, 64), 4),
              HasSubstr("found auxiliary stride 4, expected at least 2 and a "
                        "multiple of 8"));
  EXPECT_THAT(errorWithAuxiliary(fb::Epilogue::relu_bias, arena(0, 64), 8),
              HasSubstr("found the buffer 'auxiliary', expected none for the "
                        "epilogue"));
  EXPECT_THAT(errorWithAuxiliary(fb::Epilogue::gelu_bias, arena(8, 64), 8),
              HasSubstr("expected a range inside its 64 bytes"));
  EXPECT_THAT(
      errorWithAuxiliary(fb::Epilogue::gelu_bias, arena(0, 64), 1 << 30),
      HasSubstr("bytes of 'auxiliary', expected 8589934592"));
  EXPECT_THAT(
      errorWithAuxiliary(fb::Epilogue::gelu_bias, arena(0, 64), 1ll << 62),
      HasSubstr("found a size of 'auxiliary' beyond 63 bits"));
  EXPECT_THAT(errorOfCudaProduct([](auto &g) {
                g.epilogue = fb::Epilogue::bgrad_b;
                g.bias = pointer(output(0, 8));
                g.kernel = nullptr;
              }),
              HasSubstr("found a matrix product whose results overlap"));
}

TEST(Validate, ChecksKernelsOfMatrixProducts) {
  EXPECT_THAT(errorOfCudaProduct([](auto &g) { g.kernel->kernel = 9; }),
              HasSubstr("kernel of a matrix product: found kernel 9"));
  EXPECT_THAT(
      errorOfCudaProduct([](auto &g) { g.kernel->writes[3] = false; }),
      HasSubstr("kernel of a matrix product: found a result that it does not "
                "write"));
  EXPECT_THAT(errorOfCudaProduct([](auto &g) {
                g.kernel->buffers[0] = output(0, 8);
                g.kernel->writes[0] = true;
              }),
              HasSubstr("kernel of a matrix product: found a write outside "
                        "the results and the arena"));
}

/// A program without kernels, so that anything the validation lets pass can be
/// run: products and copies between all spaces.
fb::ProgramT libraryProgram() {
  fb::ProgramT program = emptyProgram();
  program.states.push_back(tensor("s", fb::ElementType::f32, {4, 4}));
  program.functions.push_back(std::make_unique<fb::FunctionT>());
  fb::FunctionT &f = *program.functions.back();
  f.name = "f";
  f.inputs.push_back(tensor("x", fb::ElementType::f32, {2, 4, 4}));
  f.outputs.push_back(tensor("y", fb::ElementType::f32, {2, 4, 4}));
  f.states_written = {0};
  f.arena_size = 256;
  addCopy(f, input(0, 64), state(0, 64));
  fb::GemmT product;
  product.element_type = fb::ElementType::f32;
  product.batch = {2};
  product.m = product.n = product.k = 4;
  product.a = matrix(input(0, 128), 4, 1, {16});
  product.b = matrix(state(0, 64), 1, 4, {0});
  product.c = matrix(arena(64, 128), 4, 1, {16});
  addGemm(f, std::move(product));
  addCopy(f, arena(64, 128), output(0, 128));
  addCopy(f, constant(0, 16), arena(0, 16));
  return program;
}

/// Runs all functions of a valid program on memory of exactly the right size,
/// where a sanitizer sees every access outside of it.
void runAll(const fb::Program &program) {
  constexpr uint64_t limit = 1 << 20;
  auto runner = cpu::StepRunner::create(program, "", 1);
  if (!runner || !program.functions())
    return;
  std::vector<std::vector<char>> memory;
  bool isTooLarge = false;
  auto allocate = [&](uint64_t size) {
    isTooLarge |= size > limit;
    memory.emplace_back(size > limit ? 0 : size);
    return memory.back().data();
  };
  auto allocateList = [&](const auto *list) {
    std::vector<char *> result;
    if (list)
      for (const fb::NamedTensor *tensor : *list)
        result.push_back(allocate(*artifact::byteCount(
            tensor->type()->element_type(), tensor->type()->shape())));
    return result;
  };
  for (const fb::Function *function : *program.functions()) {
    rt::Bindings bindings;
    bindings.arena = allocate(function->arena_size());
    bindings.constants = allocate(constantBytes);
    bindings.states = allocateList(program.states());
    bindings.inputs = allocateList(function->inputs());
    bindings.outputs = allocateList(function->outputs());
    if (!isTooLarge)
      (void)(*runner)->run(*function, bindings, {});
  }
}

/// Damages the bytes of a program in every way that keeps its length and runs
/// what passes.
void mutate(const std::string &good, int rounds, unsigned seed, bool run) {
  std::mt19937 random(seed);
  auto below = [&](size_t limit) { return random() % limit; };
  constexpr uint64_t interesting[] = {
      0,   1,   2,     3,          4,          8,          127,       128,
      255, 256, ~0ull, 1ull << 31, 1ull << 32, 1ull << 62, 1ull << 63};
  int passed = 0;
  std::vector<uint64_t> aligned(good.size() / 8 + 1);
  char *bytes = reinterpret_cast<char *>(aligned.data());
  for (int round = 0; round < rounds; ++round) {
    std::memcpy(bytes, good.data(), good.size());
    for (size_t edit = 0, edits = 1 + below(3); edit < edits; ++edit) {
      size_t size = size_t(1) << below(4);
      size_t at = below(good.size() - size + 1) / size * size;
      uint64_t value = interesting[below(std::size(interesting))];
      if (below(2))
        bytes[at] ^= 1 << below(8);
      else
        std::memcpy(bytes + at, &value, size);
    }
    auto program =
        artifact::validateProgram({bytes, good.size()}, constantBytes);
    if (!program)
      continue;
    ++passed;
    if (run)
      runAll(**program);
  }
  // Else the mutations would not reach what lies behind the first checks.
  EXPECT_GT(passed, rounds / 100);
}

TEST(Validate, SurvivesDamagedPrograms) {
  mutate(encode(toyProgram()), 5000, 1, /*run=*/false);
}

TEST(Validate, SurvivesDamagedCudaPrograms) {
  mutate(encode(cudaProgram()), 5000, 3, /*run=*/false);
}

TEST(Validate, LetsNothingRunOutsideItsMemory) {
  mutate(encode(libraryProgram()), 5000, 2, /*run=*/true);
}

} // namespace
