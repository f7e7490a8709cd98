//===- CommandChecks.cpp - Checks of single commands ----------------------===//

#include "CommandChecks.h"

#include <algorithm>
#include <string>

using namespace graphrt;
using namespace graphrt::artifact;

namespace {

Failure mismatch(const std::string &what, uint64_t found, uint64_t expected) {
  return corrupt("found " + std::to_string(found) + " " + what + ", expected " +
                 std::to_string(expected));
}

/// The sizes of all objects of a space, null for an unknown space.
const std::vector<uint64_t> *objects(const Limits &limits, fb::Space space,
                                     std::vector<uint64_t> &single) {
  switch (space) {
  case fb::Space::arena:
    single = {limits.arena};
    return &single;
  case fb::Space::constant:
    single = {limits.constants};
    return &single;
  case fb::Space::state:
    return &limits.states;
  case fb::Space::input:
    return &limits.inputs;
  case fb::Space::output:
    return &limits.outputs;
  }
  return nullptr;
}

Status checkBuffer(const fb::Buffer &buffer, const Limits &limits,
                   bool isWritten) {
  std::vector<uint64_t> single;
  const auto *sizes = objects(limits, buffer.space(), single);
  if (!sizes)
    return corrupt("found buffer space " +
                   std::to_string(static_cast<unsigned>(buffer.space())) +
                   ", expected 0 to 4");
  std::string space = fb::EnumNameSpace(buffer.space());
  if (buffer.index() >= sizes->size())
    return corrupt("found " + space + " " + std::to_string(buffer.index()) +
                   ", expected less than " + std::to_string(sizes->size()));
  uint64_t size = (*sizes)[buffer.index()];
  if (buffer.offset() > size || buffer.size() > size - buffer.offset())
    return corrupt("found " + std::to_string(buffer.size()) +
                   " bytes at offset " + std::to_string(buffer.offset()) +
                   " of " + space + " " + std::to_string(buffer.index()) +
                   ", expected a range inside its " + std::to_string(size) +
                   " bytes");
  if (isWritten && (buffer.space() == fb::Space::input ||
                    buffer.space() == fb::Space::constant))
    return corrupt("found a write to a buffer of space " + space +
                   ", expected arena, state or output");
  return {};
}

bool overlaps(const fb::Buffer &a, const fb::Buffer &b) {
  return a.space() == b.space() && a.index() == b.index() && a.size() &&
         b.size() && a.offset() < b.offset() + b.size() &&
         b.offset() < a.offset() + a.size();
}

Status checkDispatch(const fb::Program &program, const fb::Dispatch &dispatch,
                     const Limits &limits, Accesses &accesses) {
  if (dispatch.kernel() >= count(program.kernels()))
    return corrupt("found kernel " + std::to_string(dispatch.kernel()) +
                   ", expected less than " +
                   std::to_string(count(program.kernels())));
  const fb::Kernel &kernel = *program.kernels()->Get(dispatch.kernel());
  if (dispatch.buffers()->size() != kernel.buffers())
    return mismatch("buffers", dispatch.buffers()->size(), kernel.buffers());
  if (dispatch.writes()->size() != kernel.buffers())
    return mismatch("write flags", dispatch.writes()->size(), kernel.buffers());
  if (!isAligned(dispatch.buffers()))
    return corrupt("found misaligned buffers");
  if (dispatch.workgroups() > INT64_MAX)
    return mismatch("workgroups", dispatch.workgroups(), INT64_MAX);
  for (unsigned i = 0; i < kernel.buffers(); ++i) {
    const fb::Buffer &buffer = *dispatch.buffers()->Get(i);
    bool isWritten = dispatch.writes()->Get(i);
    if (Status status = checkBuffer(buffer, limits, isWritten))
      return status;
    (isWritten ? accesses.writes : accesses.reads).push_back(buffer);
  }
  return {};
}

Status checkCopy(const fb::Copy &copy, const Limits &limits,
                 Accesses &accesses) {
  const fb::Buffer &source = *copy.source();
  const fb::Buffer &destination = *copy.destination();
  if (Status status = checkBuffer(source, limits, false))
    return status;
  if (Status status = checkBuffer(destination, limits, true))
    return status;
  if (source.size() != destination.size())
    return mismatch("bytes in a copy's destination", destination.size(),
                    source.size());
  if (overlaps(source, destination))
    return corrupt("found a copy between overlapping ranges");
  accesses.reads.push_back(source);
  accesses.writes.push_back(destination);
  return {};
}

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

Status checkGemm(const fb::Gemm &gemm, const Limits &limits,
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
  for (const fb::Buffer &operand : accesses.reads)
    if (overlaps(operand, accesses.writes.front()))
      return corrupt("found a matrix product whose result overlaps an operand");
  return {};
}

} // namespace

Status graphrt::artifact::checkCommand(const fb::Program &program,
                                       const fb::Step &step,
                                       const Limits &limits,
                                       Accesses &accesses) {
  switch (step.command_type()) {
  case fb::Command::Dispatch:
    return checkDispatch(program, *step.command_as_Dispatch(), limits,
                         accesses);
  case fb::Command::Gemm:
    return checkGemm(*step.command_as_Gemm(), limits, accesses);
  case fb::Command::Copy:
    return checkCopy(*step.command_as_Copy(), limits, accesses);
  case fb::Command::NONE:
    break;
  }
  return corrupt("found command " +
                 std::to_string(static_cast<unsigned>(step.command_type())) +
                 ", expected 1 to " +
                 std::to_string(static_cast<unsigned>(fb::Command::MAX)));
}
