//===- GemmTest.cpp - Tests of matrix products ----------------------------===//

#include "TestArtifact.h"

#include "cpu/Gemm.h"
#include "cpu/GemmKernel.h"

#include "graphrt/ElementType.h"
#include "graphrt/support/ElementVisit.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <random>

using namespace graphrt;
using namespace graphrt::cpu;

namespace {

/// A product with batch dimensions, and how its matrices lie in memory.
struct Case {
  int64_t m, n, k;
  std::vector<int64_t> batch = {};
  bool transposeA = false, transposeB = false, transposeC = false;
  /// Broadcasts along all batch dimensions.
  bool broadcastA = false, broadcastB = false;
  /// Elements between the end of a row or column and the next one.
  int64_t gap = 0;
};

/// The memory of one operand, as doubles and in its own type.
struct Operand {
  std::unique_ptr<fb::MatrixT> layout;
  std::vector<double> values;
  std::vector<char> bytes;
};

int64_t product(const std::vector<int64_t> &extents) {
  int64_t result = 1;
  for (int64_t extent : extents)
    result *= extent;
  return result;
}

void store(ElementType type, double value, char *to) {
  visitElementType(type, [&](auto element) {
    element = static_cast<decltype(element)>(value);
    std::memcpy(to, &element, sizeof(element));
  });
}

double load(ElementType type, const char *from) {
  return visitElementType(type, [&](auto element) {
    std::memcpy(&element, from, sizeof(element));
    return static_cast<double>(element);
  });
}

Operand makeOperand(ElementType type, const Case &test, int64_t rows,
                    int64_t columns, bool isTransposed, bool isBroadcast,
                    std::mt19937 &random) {
  int64_t leading = (isTransposed ? rows : columns) + test.gap;
  int64_t size = leading * (isTransposed ? columns : rows);
  std::vector<int64_t> strides(test.batch.size());
  for (size_t d = strides.size(); d-- > 0;) {
    strides[d] = isBroadcast ? 0 : size;
    size *= isBroadcast ? 1 : test.batch[d];
  }
  Operand operand;
  operand.layout = test::matrix({}, isTransposed ? 1 : leading,
                                isTransposed ? leading : 1, strides);
  size_t elementSize = byteSize(type);
  operand.bytes.resize(size * elementSize);
  std::uniform_int_distribution<int> integer(-100, 100);
  for (int64_t i = 0; i < size; ++i) {
    char *element = &operand.bytes[i * elementSize];
    store(type, isFloat(type) ? integer(random) / 100.0 : integer(random),
          element);
    operand.values.push_back(load(type, element));
  }
  return operand;
}

/// Runs one product with our threads and compares with sums in double, or
/// modulo 2^64 for integers.
void check(const Case &test, ElementType type, ThreadPool &pool,
           const OneDnn *library, std::vector<char> *resultBytes = nullptr) {
  std::mt19937 random(7);
  fb::GemmT gemm;
  gemm.element_type = static_cast<fb::ElementType>(type);
  gemm.batch = test.batch;
  gemm.m = test.m;
  gemm.n = test.n;
  gemm.k = test.k;
  Operand a = makeOperand(type, test, test.m, test.k, test.transposeA,
                          test.broadcastA, random);
  Operand b = makeOperand(type, test, test.k, test.n, test.transposeB,
                          test.broadcastB, random);
  Operand c =
      makeOperand(type, test, test.m, test.n, test.transposeC, false, random);
  gemm.a = std::move(a.layout);
  gemm.b = std::move(b.layout);
  gemm.c = std::move(c.layout);
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(fb::Gemm::Pack(builder, &gemm));
  const auto *command =
      flatbuffers::GetRoot<fb::Gemm>(builder.GetBufferPointer());

  GemmRunner runner(pool, library);
  std::vector<char> before = c.bytes;
  Status status =
      runner.run(*command, a.bytes.data(), b.bytes.data(), c.bytes.data());
  ASSERT_FALSE(status) << status.failure().message;

  size_t elementSize = byteSize(type);
  double tolerance = type == ElementType::f64    ? 1e-13
                     : type == ElementType::f32  ? 1e-5
                     : type == ElementType::bf16 ? 1.0 / 256
                     : type == ElementType::f16  ? 1.0 / 2048
                                                 : 0;
  auto at = [](const fb::MatrixT &matrix, int64_t row, int64_t column,
               const std::vector<int64_t> &index) {
    int64_t offset = row * matrix.row_stride + column * matrix.column_stride;
    for (size_t d = 0; d < index.size(); ++d)
      offset += index[d] * matrix.batch_strides[d];
    return offset;
  };
  int64_t stride = 1 + test.m * test.n * test.k / 1000000;
  std::vector<bool> isResult(c.values.size());
  for (int64_t flat = 0; flat < product(test.batch); ++flat) {
    std::vector<int64_t> index(test.batch.size());
    for (int64_t d = index.size(), rest = flat; d-- > 0; rest /= test.batch[d])
      index[d] = rest % test.batch[d];
    for (int64_t i = 0; i < test.m; ++i)
      for (int64_t j = 0; j < test.n; ++j) {
        int64_t offset = at(*gemm.c, i, j, index);
        isResult[offset] = true;
        // The edges of blocks and some of the rest.
        if (i % 64 && j % 64 && (i + j) % stride)
          continue;
        double sum = 0, magnitude = 1e-30;
        uint64_t wrapped = 0;
        for (int64_t k = 0; k < test.k; ++k) {
          double x = a.values[at(*gemm.a, i, k, index)];
          double y = b.values[at(*gemm.b, k, j, index)];
          sum += x * y;
          magnitude += std::abs(x * y);
          wrapped += uint64_t(int64_t(x)) * uint64_t(int64_t(y));
        }
        const char *found = &c.bytes[offset * elementSize];
        if (isFloat(type)) {
          // Rounding of the result, and of the sums.
          double bound = tolerance * std::abs(sum) + 1e-6 * magnitude;
          ASSERT_NEAR(load(type, found), sum, bound)
              << name(type) << " " << i << " " << j;
        } else {
          ASSERT_EQ(std::memcmp(found, &wrapped, elementSize), 0)
              << name(type) << " " << i << " " << j;
        }
      }
  }
  for (size_t i = 0; i < isResult.size(); ++i)
    if (!isResult[i]) {
      ASSERT_EQ(std::memcmp(&c.bytes[i * elementSize], &before[i * elementSize],
                            elementSize),
                0)
          << "a byte outside the result changed";
    }
  if (resultBytes)
    *resultBytes = c.bytes;
}

constexpr ElementType types[] = {
    ElementType::f64, ElementType::f32, ElementType::bf16, ElementType::f16,
    ElementType::i8,  ElementType::i16, ElementType::i32,  ElementType::i64};

/// With oneDNN where there is one, and without.
class Gemm : public testing::TestWithParam<bool> {
protected:
  void SetUp() override {
    if (GetParam() && !library)
      GTEST_SKIP() << "oneDNN is not installed";
  }

  /// The start of a device's threads.
  static void onStart() {
    thread_local OneDnn::SingleThreaded scope(OneDnn::get());
  }

  ThreadPool pool{2, onStart};
  const OneDnn *library = GetParam() ? OneDnn::get() : nullptr;
  OneDnn::SingleThreaded singleThreaded{library};
};

TEST_P(Gemm, ComputesEveryTranspose) {
  for (ElementType type : types)
    for (int bits = 0; bits < 8; ++bits)
      for (int64_t gap : {0, 3}) {
        Case test = {37, 29, 41};
        test.transposeA = bits & 1;
        test.transposeB = bits & 2;
        test.transposeC = bits & 4;
        test.gap = gap;
        check(test, type, pool, library);
      }
}

TEST_P(Gemm, ComputesEverySmallShape) {
  for (ElementType type :
       {ElementType::f32, ElementType::bf16, ElementType::i32})
    for (int64_t m : {0, 1, 2, 7})
      for (int64_t n : {0, 1, 3, 17})
        for (int64_t k : {0, 1, 5})
          for (int bits = 0; bits < 8; ++bits) {
            Case test = {m, n, k};
            test.transposeA = bits & 1;
            test.transposeB = bits & 2;
            test.transposeC = bits & 4;
            check(test, type, pool, library);
          }
}

TEST_P(Gemm, ComputesBatches) {
  for (ElementType type : types)
    for (int bits = 0; bits < 4; ++bits) {
      Case test = {9, 11, 13, {2, 3}};
      test.broadcastA = bits & 1;
      test.broadcastB = bits & 2;
      test.transposeB = bits & 1;
      check(test, type, pool, library);
      test.batch = {4, 0};
      check(test, type, pool, library);
    }
}

TEST_P(Gemm, ComputesManyBlocks) {
  for (ElementType type : types) {
    check({300, 530, 260}, type, pool, library);
    Case test = {130, 600, 300};
    test.transposeA = test.transposeC = true;
    check(test, type, pool, library);
  }
}

TEST_P(Gemm, HasTheSameBitsForAnyNumberOfThreads) {
  for (ElementType type : {ElementType::f32, ElementType::bf16})
    for (Case test :
         {Case{256, 512, 128}, Case{100, 700, 300}, Case{64, 64, 32, {16}}}) {
      std::vector<char> expected;
      check(test, type, pool, library, &expected);
      for (unsigned size : {1, 3, 5}) {
        ThreadPool other(size, onStart);
        std::vector<char> found;
        check(test, type, other, library, &found);
        EXPECT_TRUE(found == expected);
      }
    }
}

TEST_P(Gemm, RoundsHalfPrecisionOnce) {
  // 2049 products of 1: in bf16 steps the sum would stop at 256.
  ThreadPool single(1, [] {});
  for (ElementType type : {ElementType::bf16, ElementType::f16}) {
    fb::GemmT gemm;
    gemm.element_type = static_cast<fb::ElementType>(type);
    gemm.m = gemm.n = 1;
    gemm.k = 2049;
    gemm.a = test::matrix({}, 2049, 1);
    gemm.b = test::matrix({}, 1, 1);
    gemm.c = test::matrix({}, 1, 1);
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(fb::Gemm::Pack(builder, &gemm));
    std::vector<char> ones(2 * 2049);
    for (size_t i = 0; i < ones.size(); i += 2)
      store(type, 1, &ones[i]);
    char result[2];
    ASSERT_FALSE(
        GemmRunner(single, library)
            .run(*flatbuffers::GetRoot<fb::Gemm>(builder.GetBufferPointer()),
                 ones.data(), ones.data(), result));
    EXPECT_EQ(load(type, result), 2048); // 2049 to nearest even.
  }
}

INSTANTIATE_TEST_SUITE_P(Libraries, Gemm, testing::Bool(),
                         [](const auto &info) {
                           return info.param ? "OneDnn" : "Own";
                         });

TEST(Conversion, RoundTripsEveryHalf) {
  const GemmKernels &kernels = gemmKernels();
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    uint16_t half = bits, back;
    float wide;
    kernels.widenF16(&half, &wide, 1);
    kernels.narrowF16(&wide, &back, 1);
    bool isNan = (bits & 0x7fff) > 0x7c00;
    EXPECT_TRUE(isNan ? std::isnan(wide) : back == half) << bits;
    kernels.widenBf16(&half, &wide, 1);
    kernels.narrowBf16(&wide, &back, 1);
    isNan = (bits & 0x7fff) > 0x7f80;
    EXPECT_TRUE(isNan ? std::isnan(wide) : back == half) << bits;
  }
}

TEST(Conversion, RoundsToNearestEven) {
  const GemmKernels &kernels = gemmKernels();
  const std::pair<float, uint16_t> halves[] = {
      {1.0f, 0x3c00},          {65504.0f, 0x7bff},     {65519.0f, 0x7bff},
      {65520.0f, 0x7c00},      {1e30f, 0x7c00},        {-1e30f, 0xfc00},
      {0x1p-24f, 0x0001},      {0x1p-25f, 0x0000},     {0x1.8p-25f, 0x0001},
      {0x1.8p-24f, 0x0002},    {0x1.ffcp-15f, 0x0400}, {1 + 0x1p-11f, 0x3c00},
      {1 + 0x1.8p-10f, 0x3c02}};
  for (auto [value, expected] : halves) {
    uint16_t found;
    kernels.narrowF16(&value, &found, 1);
    EXPECT_EQ(found, expected) << value;
  }
  const std::pair<float, uint16_t> brains[] = {{1.0f, 0x3f80},
                                               {1 + 0x1p-8f, 0x3f80},
                                               {1 + 0x1.8p-7f, 0x3f82},
                                               {0x1.ffffp127f, 0x7f80},
                                               {INFINITY, 0x7f80}};
  for (auto [value, expected] : brains) {
    uint16_t found;
    kernels.narrowBf16(&value, &found, 1);
    EXPECT_EQ(found, expected) << value;
  }
}

} // namespace
