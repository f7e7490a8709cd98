//===- GemmChecks.cpp - Checks of matrix products -------------------------===//

#include "CommandChecks.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

using namespace graphrt;
using namespace graphrt::artifact;

namespace {

/// Bytes that an auxiliary buffer is aligned to, as vendors' libraries demand.
constexpr uint64_t auxiliaryAlignment = 16;

/// One dimension of a strided matrix.
struct Dimension {
  int64_t extent;
  int64_t stride;
};

/// The number of elements from the first to the last one; nothing if it
/// exceeds 63 bits.
std::optional<int64_t> span(const std::vector<Dimension> &dimensions) {
  int64_t elements = 1;
  for (auto [extent, stride] : dimensions) {
    int64_t reach;
    if (__builtin_mul_overflow(extent - 1, stride, &reach) ||
        __builtin_add_overflow(elements, reach, &elements))
      return std::nullopt;
  }
  return elements;
}

/// Whether no element has two indices: each dimension steps over all that the
/// faster ones reach.
bool isInjective(std::vector<Dimension> dimensions) {
  std::sort(dimensions.begin(), dimensions.end(),
            [](Dimension a, Dimension b) { return a.stride < b.stride; });
  int64_t reach = 1;
  for (auto [extent, stride] : dimensions) {
    if (extent == 1)
      continue;
    if (stride < reach)
      return false;
    reach += (extent - 1) * stride;
  }
  return true;
}

Status checkMatrix(const fb::Gemm &gemm, const fb::Matrix &matrix, int64_t rows,
                   int64_t columns, const Limits &limits, bool isWritten) {
  const fb::Buffer &buffer = *matrix.buffer();
  if (Status status = checkBuffer(buffer, limits, isWritten))
    return status;
  size_t batchRank = count(gemm.batch());
  if (count(matrix.batch_strides()) != batchRank)
    return mismatch("batch strides", count(matrix.batch_strides()), batchRank);

  if (!isAligned(matrix.batch_strides()))
    return corrupt("found misaligned batch strides");

  std::vector<Dimension> dimensions = {{rows, matrix.row_stride()},
                                       {columns, matrix.column_stride()}};
  for (size_t d = 0; d < batchRank; ++d)
    dimensions.push_back(
        {gemm.batch()->Get(d), matrix.batch_strides()->Get(d)});
  for (auto [extent, stride] : dimensions) {
    if (stride < 0)
      return corrupt("found stride " + std::to_string(stride) +
                     ", expected a stride that is not negative");
    if (extent == 0)
      return {};
  }

  bool isRowMajor = (columns == 1 || matrix.column_stride() == 1) &&
                    (rows == 1 || matrix.row_stride() >= columns);
  bool isColumnMajor = (rows == 1 || matrix.row_stride() == 1) &&
                       (columns == 1 || matrix.column_stride() >= rows);
  if (!isRowMajor && !isColumnMajor)
    return corrupt("found strides " + std::to_string(matrix.row_stride()) +
                   " and " + std::to_string(matrix.column_stride()) +
                   ", expected one of them to be 1 and the other to step over "
                   "a row or column");
  uint64_t elementSize =
      byteSize(static_cast<ElementType>(gemm.element_type()));
  std::optional<int64_t> elements = span(dimensions);
  if (!elements || uint64_t(*elements) > buffer.size() / elementSize)
    return corrupt("found a matrix that exceeds its buffer of " +
                   std::to_string(buffer.size()) + " bytes");
  if (buffer.offset() % elementSize)
    return corrupt("found a matrix at offset " +
                   std::to_string(buffer.offset()) +
                   ", expected a multiple of its element size");
  if (isWritten && !isInjective(dimensions))
    return corrupt("found a result matrix whose elements overlap");
  return {};
}

/// What an epilogue does with the buffers `bias` and `auxiliary`.
struct EpilogueUse {
  enum class Access { None, Read, Write, OptionalWrite } bias, auxiliary;
  /// The bias has one element per row of c, not per column.
  bool isBiasPerRow = false;
};

std::optional<EpilogueUse> describe(fb::Epilogue epilogue) {
  using enum EpilogueUse::Access;
  switch (epilogue) {
  case fb::Epilogue::none:
    return EpilogueUse{None, None};
  case fb::Epilogue::bias:
    return EpilogueUse{Read, None};
  case fb::Epilogue::relu:
    return EpilogueUse{None, None};
  case fb::Epilogue::relu_bias:
    return EpilogueUse{Read, None};
  case fb::Epilogue::gelu:
    return EpilogueUse{None, OptionalWrite};
  case fb::Epilogue::gelu_bias:
    return EpilogueUse{Read, OptionalWrite};
  case fb::Epilogue::dgelu:
    return EpilogueUse{None, Read};
  case fb::Epilogue::bgrad_a:
    return EpilogueUse{Write, None, true};
  case fb::Epilogue::bgrad_b:
    return EpilogueUse{Write, None};
  }
  return std::nullopt;
}

/// Nothing if the product exceeds 63 bits.
std::optional<int64_t> multiply(int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product))
    return std::nullopt;
  return product;
}

/// Checks one buffer of an epilogue, which is `size` bytes long if present.
Status checkExtra(const std::string &what, const fb::Buffer *buffer,
                  EpilogueUse::Access use, std::optional<int64_t> size,
                  uint64_t alignment, const Limits &limits,
                  Accesses &accesses) {
  using Access = EpilogueUse::Access;
  if (!buffer && (use == Access::Read || use == Access::Write))
    return corrupt("found no buffer '" + what +
                   "', expected one for the epilogue");
  if (buffer && use == Access::None)
    return corrupt("found the buffer '" + what +
                   "', expected none for the epilogue");
  if (!buffer)
    return {};
  bool isWritten = use != Access::Read;
  if (Status status = checkBuffer(*buffer, limits, isWritten))
    return status;
  if (!size)
    return corrupt("found a size of '" + what + "' beyond 63 bits");
  if (buffer->size() != uint64_t(*size))
    return mismatch("bytes of '" + what + "'", buffer->size(), *size);
  if (buffer->offset() % alignment)
    return corrupt("found '" + what + "' at offset " +
                   std::to_string(buffer->offset()) +
                   ", expected a multiple of " + std::to_string(alignment));
  (isWritten ? accesses.writes : accesses.reads).push_back(*buffer);
  return {};
}

Status checkEpilogue(const fb::Program &program, const fb::Gemm &gemm,
                     const Limits &limits, Accesses &accesses) {
  std::optional<EpilogueUse> use = describe(gemm.epilogue());
  if (!use)
    return corrupt("found epilogue " +
                   std::to_string(static_cast<unsigned>(gemm.epilogue())) +
                   ", expected 0 to " +
                   std::to_string(static_cast<unsigned>(fb::Epilogue::MAX)));
  bool hasEpilogue = gemm.epilogue() != fb::Epilogue::none;
  auto type = static_cast<ElementType>(gemm.element_type());
  if (hasEpilogue &&
      (!isForCuda(program) || !isFloat(type) || count(gemm.batch())))
    return corrupt(std::string("found epilogue ") +
                   fb::EnumNameEpilogue(gemm.epilogue()) +
                   ", expected none for the target 'cpu', for integers and for "
                   "products with a batch");

  constexpr int64_t granularity = 8;
  int64_t stride = gemm.auxiliary_stride();
  if (gemm.auxiliary() && (stride < gemm.n() || stride % granularity))
    return corrupt("found auxiliary stride " + std::to_string(stride) +
                   ", expected at least " + std::to_string(gemm.n()) +
                   " and a multiple of " + std::to_string(granularity));
  int64_t elementSize = byteSize(type);
  std::optional<int64_t> biasSize =
      multiply(use->isBiasPerRow ? gemm.m() : gemm.n(), elementSize);
  std::optional<int64_t> auxiliarySize = multiply(gemm.m(), stride);
  if (auxiliarySize)
    auxiliarySize = multiply(*auxiliarySize, elementSize);
  if (Status status = checkExtra("bias", gemm.bias(), use->bias, biasSize,
                                 elementSize, limits, accesses))
    return status;
  return checkExtra("auxiliary", gemm.auxiliary(), use->auxiliary,
                    auxiliarySize, auxiliaryAlignment, limits, accesses);
}

/// Checks the kernel that may compute a product in the library's place. Adds
/// what it reads and its scratch to `accesses`.
Status checkKernel(const fb::Program &program, const fb::Dispatch &kernel,
                   const Limits &limits, Accesses &accesses) {
  Accesses own;
  if (Status status = checkDispatch(program, kernel, limits, own))
    return corrupt("kernel of a matrix product: " + status.failure().message);
  auto contains = [](const std::vector<fb::Buffer> &list,
                     const fb::Buffer &buffer) {
    return std::ranges::any_of(list, [&](const fb::Buffer &other) {
      return std::memcmp(&other, &buffer, sizeof(buffer)) == 0;
    });
  };
  for (const fb::Buffer &result : accesses.writes)
    if (!contains(own.writes, result))
      return corrupt("kernel of a matrix product: found a result that it does "
                     "not write");
  for (const fb::Buffer &buffer : own.writes)
    if (buffer.space() != fb::Space::arena &&
        !contains(accesses.writes, buffer))
      return corrupt("kernel of a matrix product: found a write outside the "
                     "results and the arena");
  accesses.reads.insert(accesses.reads.end(), own.reads.begin(),
                        own.reads.end());
  return {};
}
} // namespace

Status graphrt::artifact::checkGemm(const fb::Program &program,
                                    const fb::Gemm &gemm, const Limits &limits,
                                    Accesses &accesses) {
  if (static_cast<unsigned>(gemm.element_type()) >= numElementTypes ||
      gemm.element_type() == fb::ElementType::i1)
    return corrupt("found element type " +
                   std::to_string(static_cast<unsigned>(gemm.element_type())) +
                   " in a matrix product, expected a float or an integer of 8 "
                   "to 64 bits");
  if (!isAligned(gemm.batch()))
    return corrupt("found a misaligned batch");
  bool isNegative = gemm.m() < 0 || gemm.n() < 0 || gemm.k() < 0;
  int64_t batches = 1;
  for (size_t d = 0; d < count(gemm.batch()); ++d) {
    int64_t extent = gemm.batch()->Get(d);
    isNegative |= extent < 0;
    if (__builtin_mul_overflow(batches, std::max<int64_t>(extent, 1), &batches))
      return corrupt("found a batch whose size exceeds 63 bits");
  }
  if (isNegative)
    return corrupt("found a negative extent in a matrix product");
  const fb::Matrix *operands[] = {gemm.a(), gemm.b(), gemm.c()};
  int64_t rows[] = {gemm.m(), gemm.k(), gemm.m()};
  int64_t columns[] = {gemm.k(), gemm.n(), gemm.n()};
  for (unsigned i = 0; i < 3; ++i) {
    Status status = checkMatrix(gemm, *operands[i], rows[i], columns[i], limits,
                                /*isWritten=*/i == 2);
    if (status)
      return corrupt(std::string("operand '") + "abc"[i] +
                     "' of a matrix product: " + status.failure().message);
    (i == 2 ? accesses.writes : accesses.reads)
        .push_back(*operands[i]->buffer());
  }
  if (Status status = checkEpilogue(program, gemm, limits, accesses))
    return status;
  for (size_t i = 0; i < accesses.writes.size(); ++i) {
    const fb::Buffer &result = accesses.writes[i];
    for (const fb::Buffer &operand : accesses.reads)
      if (overlaps(operand, result))
        return corrupt(
            "found a matrix product whose result overlaps an operand");
    for (size_t j = 0; j < i; ++j)
      if (overlaps(accesses.writes[j], result))
        return corrupt("found a matrix product whose results overlap");
  }
  if (gemm.kernel())
    return checkKernel(program, *gemm.kernel(), limits, accesses);
  return {};
}
