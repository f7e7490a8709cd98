//===- CublasLtTest.cpp - Tests of products by cuBLASLt -------------------===//

#include "TestArtifact.h"

#include "graphrt/graphrt.hpp"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstdlib>
#include <numbers>
#include <random>

using namespace graphrt;
using namespace graphrt::test;
using testing::HasSubstr;

namespace {

/// A product and how its matrices lie in memory.
struct Case {
  int64_t m, n, k;
  std::vector<int64_t> batch = {};
  bool transposeA = false, transposeB = false, transposeC = false;
  /// Broadcasts along all batch dimensions.
  bool broadcastA = false, broadcastB = false;
  /// Elements between the end of a row or column and the next one.
  int64_t gap = 0;
  /// Exchanges the batch dimensions of b in memory, which then do not nest.
  bool permuteB = false;
};

/// One matrix of each batch index, as the command describes it.
struct Operand {
  int64_t rowStride, columnStride, elements;
  std::vector<int64_t> batchStrides;
  std::vector<float> values;
};

Operand layOut(const Case &c, int64_t rows, int64_t columns, bool transpose,
               bool broadcast, bool permute) {
  Operand operand;
  int64_t lines = transpose ? columns : rows;
  int64_t length = (transpose ? rows : columns) + c.gap;
  operand.rowStride = transpose ? 1 : length;
  operand.columnStride = transpose ? length : 1;
  operand.batchStrides.assign(c.batch.size(), 0);
  operand.elements = lines * length;
  for (size_t i = 0; !broadcast && i < c.batch.size(); ++i) {
    size_t d = permute ? i : c.batch.size() - 1 - i;
    operand.batchStrides[d] = operand.elements;
    operand.elements *= c.batch[d];
  }
  return operand;
}

class CublasLt : public testing::Test {
protected:
  void SetUp() override {
    ::setenv("GRAPHRT_CUDA_DRIVER", GRAPHRT_TEST_FAKE_DRIVER, 1);
    ::setenv("GRAPHRT_CUBLASLT", GRAPHRT_TEST_FAKE_CUBLASLT, 1);
    // The library of the tests does not know captures.
    ::setenv("GRAPHRT_CUDA_GRAPHS", "off", 1);
  }

  static std::unique_ptr<fb::MatrixT> matrixOf(const Operand &operand,
                                               fb::Buffer buffer) {
    return matrix(buffer, operand.rowStride, operand.columnStride,
                  operand.batchStrides);
  }

  static Tensor tensorOf(const Operand &operand) {
    int64_t shape[] = {operand.elements};
    return Tensor::of<float>(operand.values, shape);
  }

  /// A program whose function f computes one product.
  static fb::ProgramT programOf(const Case &c, const Operand &a,
                                const Operand &b, const Operand &result,
                                ElementType type = ElementType::f32) {
    auto fbType = static_cast<fb::ElementType>(type);
    fb::ProgramT program = cudaToyProgram();
    program.kernels.clear();
    program.functions.clear();
    program.states.clear();
    program.functions.push_back(std::make_unique<fb::FunctionT>());
    fb::FunctionT &f = *program.functions.back();
    f.name = "f";
    f.inputs.push_back(tensor("a", fbType, {a.elements}));
    f.inputs.push_back(tensor("b", fbType, {b.elements}));
    f.outputs.push_back(tensor("c", fbType, {result.elements}));
    uint64_t size = byteSize(type);
    fb::GemmT gemm;
    gemm.element_type = fbType;
    gemm.batch = c.batch;
    gemm.m = c.m;
    gemm.n = c.n;
    gemm.k = c.k;
    gemm.a = matrixOf(a, input(0, a.elements * size));
    gemm.b = matrixOf(b, input(1, b.elements * size));
    gemm.c = matrixOf(result, output(0, result.elements * size));
    addGemm(f, std::move(gemm));
    return program;
  }

  static fb::FunctionT &function(fb::ProgramT &program) {
    return *program.functions[0];
  }
  static fb::GemmT &gemmOf(fb::ProgramT &program) {
    return *function(program).steps[0]->command.AsGemm();
  }

  static std::vector<Tensor> call(const fb::ProgramT &program,
                                  std::vector<Tensor> inputs) {
    Session session(Program::fromMemory(makeArtifact(program)));
    return session.call(0, inputs);
  }

  static std::string errorOf(const fb::ProgramT &program,
                             std::vector<Tensor> inputs) {
    try {
      call(program, std::move(inputs));
    } catch (const Error &error) {
      return error.what();
    }
    return "no error";
  }

  void fill(Operand &operand) {
    // Small integers: sums are exact in any order.
    operand.values.resize(operand.elements);
    for (float &value : operand.values)
      value = int(random() % 9) - 4;
  }

  void check(const Case &c) {
    Operand a = layOut(c, c.m, c.k, c.transposeA, c.broadcastA, false);
    Operand b = layOut(c, c.k, c.n, c.transposeB, c.broadcastB, c.permuteB);
    Operand result = layOut(c, c.m, c.n, c.transposeC, false, false);
    fill(a);
    fill(b);
    std::vector<Tensor> outputs =
        call(programOf(c, a, b, result), {tensorOf(a), tensorOf(b)});
    std::span<const float> values = outputs[0].as<float>();
    int64_t batches = 1;
    for (int64_t extent : c.batch)
      batches *= extent;
    for (int64_t batch = 0; batch < batches; ++batch) {
      int64_t offsets[3] = {0, 0, 0}, rest = batch;
      for (size_t d = c.batch.size(); d-- > 0; rest /= c.batch[d]) {
        int64_t position = rest % c.batch[d];
        offsets[0] += position * a.batchStrides[d];
        offsets[1] += position * b.batchStrides[d];
        offsets[2] += position * result.batchStrides[d];
      }
      for (int64_t i = 0; i < c.m; ++i)
        for (int64_t j = 0; j < c.n; ++j) {
          float sum = 0;
          for (int64_t k = 0; k < c.k; ++k)
            sum += a.values[offsets[0] + i * a.rowStride + k * a.columnStride] *
                   b.values[offsets[1] + k * b.rowStride + j * b.columnStride];
          ASSERT_EQ(values[offsets[2] + i * result.rowStride +
                           j * result.columnStride],
                    sum)
              << "batch " << batch << ", row " << i << ", column " << j;
        }
    }
  }

  std::minstd_rand random;
};

TEST_F(CublasLt, MultipliesInAllLayouts) {
  for (int layout = 0; layout < 8; ++layout)
    for (int64_t gap : {0, 3})
      check({.m = 5,
             .n = 7,
             .k = 3,
             .transposeA = bool(layout & 1),
             .transposeB = bool(layout & 2),
             .transposeC = bool(layout & 4),
             .gap = gap});
}

TEST_F(CublasLt, IsReportedWithoutAKernel) {
  Session session(Program::fromMemory(makeArtifact(cudaToyProgram())));
  std::string symbol = "none";
  session.setObserver([&](const grt_event &event) { symbol = event.symbol; });
  session.call("matmul", {Tensor::zeros(ElementType::f32, std::array{2L, 3L}),
                          Tensor::zeros(ElementType::f32, std::array{3L, 2L})});
  EXPECT_EQ(symbol, "");
}

TEST_F(CublasLt, MultipliesVectorsAndScalars) {
  for (int layout = 0; layout < 8; ++layout)
    for (auto [m, n, k] : {std::array<int64_t, 3>{1, 7, 3},
                           {5, 1, 3},
                           {5, 7, 1},
                           {1, 1, 4},
                           {1, 1, 1}})
      check({.m = m,
             .n = n,
             .k = k,
             .transposeA = bool(layout & 1),
             .transposeB = bool(layout & 2),
             .transposeC = bool(layout & 4)});
}

TEST_F(CublasLt, MultipliesBatches) {
  check({.m = 3, .n = 4, .k = 5, .batch = {6}});
  check({.m = 3, .n = 4, .k = 5, .batch = {2, 1, 3}, .transposeB = true});
  check({.m = 3, .n = 4, .k = 5, .batch = {2, 3}, .broadcastB = true});
  check({.m = 3,
         .n = 4,
         .k = 5,
         .batch = {2, 3},
         .transposeC = true,
         .broadcastA = true});
  check({.m = 3, .n = 4, .k = 5, .batch = {2, 3, 2}, .permuteB = true});
  check({.m = 3,
         .n = 4,
         .k = 5,
         .batch = {2, 3},
         .transposeC = true,
         .gap = 2,
         .permuteB = true});
}

/// The derivative by differences, to be sure.
double gelu(double x) {
  return 0.5 * x *
         (1 + std::tanh(std::sqrt(2 / std::numbers::pi) *
                        (x + 0.044715 * x * x * x)));
}
double geluDerivative(double x) {
  return (gelu(x + 1e-4) - gelu(x - 1e-4)) / 2e-4;
}

TEST_F(CublasLt, AppliesEpilogues) {
  using enum fb::Epilogue;
  struct Form {
    fb::Epilogue epilogue;
    bool readsBias, readsMatrix, writesMatrix;
    /// From a sum, a bias and an element of the other matrix.
    double (*apply)(double sum, double bias, double other);
  };
  auto keep = [](double s, double, double) { return s; };
  const Form forms[] = {
      {bias, true, false, false,
       [](double s, double b, double) { return s + b; }},
      {relu, false, false, false,
       [](double s, double, double) { return std::max(s, 0.0); }},
      {relu_bias, true, false, false,
       [](double s, double b, double) { return std::max(s + b, 0.0); }},
      {gelu, false, false, false,
       [](double s, double, double) { return ::gelu(s); }},
      {gelu, false, false, true,
       [](double s, double, double) { return ::gelu(s); }},
      {gelu_bias, true, false, false,
       [](double s, double b, double) { return ::gelu(s + b); }},
      {gelu_bias, true, false, true,
       [](double s, double b, double) { return ::gelu(s + b); }},
      {dgelu, false, true, false,
       [](double s, double, double x) { return s * geluDerivative(x); }},
      {bgrad_a, false, false, false, keep},
      {bgrad_b, false, false, false, keep},
  };
  const std::vector<float> biases = {1, -2, 3, -4, 0, 2, -1, 1};
  for (bool isTransposed : {false, true})
    for (const Form &form : forms) {
      SCOPED_TRACE(fb::EnumNameEpilogue(form.epilogue));
      Case c{.m = 3,
             .n = 8,
             .k = 2,
             .transposeA = isTransposed,
             .transposeB = isTransposed};
      Operand a = layOut(c, c.m, c.k, c.transposeA, false, false);
      Operand b = layOut(c, c.k, c.n, c.transposeB, false, false);
      Operand result = layOut(c, c.m, c.n, false, false, false);
      Operand other = result;
      fill(a);
      fill(b);
      fill(other);
      fb::ProgramT program = programOf(c, a, b, result);
      fb::FunctionT &f = function(program);
      fb::GemmT &gemm = gemmOf(program);
      gemm.epilogue = form.epilogue;
      std::vector<Tensor> inputs = {tensorOf(a), tensorOf(b)};
      int64_t numSums = form.epilogue == bgrad_a   ? c.m
                        : form.epilogue == bgrad_b ? c.n
                                                   : 0;
      if (form.readsBias) {
        f.inputs.push_back(tensor("bias", fb::ElementType::f32, {c.n}));
        gemm.bias = std::make_unique<fb::Buffer>(input(2, c.n * 4));
        int64_t shape[] = {c.n};
        inputs.push_back(Tensor::of<float>(biases, shape));
      }
      if (form.readsMatrix) {
        f.inputs.push_back(
            tensor("other", fb::ElementType::f32, {other.elements}));
        gemm.auxiliary =
            std::make_unique<fb::Buffer>(input(2, other.elements * 4));
        inputs.push_back(tensorOf(other));
      }
      if (form.writesMatrix) {
        f.outputs.push_back(
            tensor("argument", fb::ElementType::f32, {other.elements}));
        gemm.auxiliary =
            std::make_unique<fb::Buffer>(output(1, other.elements * 4));
      }
      if (numSums) {
        f.outputs.push_back(tensor("sums", fb::ElementType::f32, {numSums}));
        gemm.bias = std::make_unique<fb::Buffer>(output(1, numSums * 4));
      }
      gemm.auxiliary_stride = gemm.auxiliary ? c.n : 0;

      auto getA = [&](int64_t i, int64_t k) {
        return a.values[i * a.rowStride + k * a.columnStride];
      };
      auto getB = [&](int64_t k, int64_t j) {
        return b.values[k * b.rowStride + j * b.columnStride];
      };
      std::vector<Tensor> outputs = call(program, inputs);
      for (int64_t i = 0; i < c.m; ++i)
        for (int64_t j = 0; j < c.n; ++j) {
          double sum = 0;
          for (int64_t k = 0; k < c.k; ++k)
            sum += getA(i, k) * getB(k, j);
          int64_t place = i * c.n + j;
          EXPECT_NEAR(outputs[0].as<float>()[place],
                      form.apply(sum, biases[j], other.values[place]), 1e-4);
          if (form.writesMatrix)
            EXPECT_EQ(outputs[1].as<float>()[place],
                      sum + (form.readsBias ? biases[j] : 0));
        }
      for (int64_t place = 0; place < numSums; ++place) {
        float sum = 0;
        for (int64_t k = 0; k < c.k; ++k)
          sum += form.epilogue == bgrad_a ? getA(place, k) : getB(k, place);
        EXPECT_EQ(outputs[1].as<float>()[place], sum);
      }
    }
}

TEST_F(CublasLt, AddsNoBiasAlongColumns) {
  Case c{.m = 3, .n = 4, .k = 2, .transposeC = true};
  Operand a = layOut(c, c.m, c.k, false, false, false);
  Operand b = layOut(c, c.k, c.n, false, false, false);
  Operand result = layOut(c, c.m, c.n, true, false, false);
  fill(a);
  fill(b);
  fb::ProgramT program = programOf(c, a, b, result);
  function(program).inputs.push_back(
      tensor("bias", fb::ElementType::f32, {c.n}));
  fb::GemmT &gemm = gemmOf(program);
  gemm.epilogue = fb::Epilogue::bias;
  gemm.bias = std::make_unique<fb::Buffer>(input(2, c.n * 4));
  int64_t shape[] = {c.n};
  EXPECT_THAT(errorOf(program, {tensorOf(a), tensorOf(b),
                                Tensor::zeros(ElementType::f32, shape)}),
              HasSubstr("cuBLASLt does not compute it"));
}

TEST_F(CublasLt, LeavesTheRestToKernels) {
  Case c{.m = 2, .n = 2, .k = 3};
  Operand a = layOut(c, c.m, c.k, false, false, false);
  Operand b = layOut(c, c.k, c.n, false, false, false);
  Operand result = layOut(c, c.m, c.n, false, false, false);
  int64_t shape[] = {6};
  for (ElementType type : {ElementType::bf16, ElementType::i32})
    EXPECT_THAT(
        errorOf(programOf(c, a, b, result, type),
                {Tensor::zeros(type, shape), Tensor::zeros(type, shape)}),
        HasSubstr("without a kernel of its own, expected one because "
                  "cuBLASLt does not compute it"));
}

} // namespace
