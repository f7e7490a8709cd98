//===- TensorMapChecks.cpp - Checks of tensor maps ------------------------===//

#include "CommandChecks.h"

#include <string>

using namespace graphrt;
using namespace graphrt::artifact;

namespace {

constexpr uint64_t chunkBytes = 16;

Failure unexpected(const std::string &what, uint64_t found,
                   const std::string &expected) {
  return corrupt("found " + what + " of " + std::to_string(found) +
                 ", expected " + expected);
}

Status checkShape(const fb::TensorMap &map) {
  size_t rank = map.sizes()->size();
  if (rank < 1 || rank > 5)
    return unexpected("a rank", rank, "1 to 5");
  if (map.strides()->size() != rank - 1)
    return mismatch("strides", map.strides()->size(), rank - 1);
  if (map.box()->size() != rank)
    return mismatch("extents of a box", map.box()->size(), rank);
  if (!isAligned(map.sizes()) || !isAligned(map.strides()) ||
      !isAligned(map.box()))
    return corrupt("found misaligned sizes, strides or extents of a box");
  for (uint64_t size : *map.sizes())
    if (size < 1 || size > UINT32_MAX)
      return unexpected("a size", size, "1 to 2^32 - 1");
  for (uint64_t stride : *map.strides())
    if (stride % chunkBytes || stride >= uint64_t(1) << 40)
      return unexpected("a stride", stride,
                        "a multiple of 16 bytes below 2^40");
  for (uint32_t extent : *map.box())
    if (extent < 1 || extent > 256)
      return unexpected("an extent of a box", extent, "1 to 256");
  return {};
}

Status checkTensorMap(const fb::TensorMap &map, uint32_t numBuffers) {
  if (map.buffer() >= numBuffers)
    return corrupt("found buffer " + std::to_string(map.buffer()) +
                   ", expected less than " + std::to_string(numBuffers));
  if (map.offset() % chunkBytes)
    return unexpected("an offset", map.offset(), "a multiple of 16 bytes");
  if (static_cast<unsigned>(map.element_type()) >= numElementTypes)
    return unexpected("an element type",
                      static_cast<unsigned>(map.element_type()),
                      "less than " + std::to_string(numElementTypes));
  if (map.swizzle() > fb::Swizzle::MAX)
    return unexpected("a swizzle", static_cast<unsigned>(map.swizzle()),
                      "0 to 3");
  if (Status status = checkShape(map))
    return status;
  uint64_t row = map.box()->Get(0) *
                 byteSize(static_cast<ElementType>(map.element_type()));
  if (row % chunkBytes)
    return unexpected("a box with rows", row, "a multiple of 16 bytes");
  uint64_t span = chunkBytes << static_cast<unsigned>(map.swizzle());
  if (map.swizzle() != fb::Swizzle::none && row > span)
    return unexpected("a box with rows", row,
                      "at most the swizzle's " + std::to_string(span));
  return {};
}

} // namespace

Status graphrt::artifact::checkTensorMaps(const fb::Kernel &kernel) {
  for (size_t i = 0; i < count(kernel.tensor_maps()); ++i) {
    Status status =
        checkTensorMap(*kernel.tensor_maps()->Get(i), kernel.buffers());
    if (status)
      return corrupt("tensor map " + std::to_string(i) + ": " +
                     status.failure().message);
  }
  return {};
}

Status graphrt::artifact::checkTensorMapPlace(const fb::TensorMap &map,
                                              const fb::Buffer &buffer) {
  if (buffer.offset() % chunkBytes)
    return unexpected("a tensor map's buffer at an offset", buffer.offset(),
                      "a multiple of 16 bytes");
  // At most 2^32 elements of 8 bytes, and four times 2^32 steps below 2^40.
  using Wide = unsigned __int128;
  Wide end = map.offset();
  end += Wide(map.sizes()->Get(0)) *
         byteSize(static_cast<ElementType>(map.element_type()));
  for (size_t d = 0; d < count(map.strides()); ++d)
    end += Wide(map.sizes()->Get(d + 1) - 1) * map.strides()->Get(d);
  if (end <= buffer.size())
    return {};
  return corrupt("found a tensor map that reaches beyond the " +
                 std::to_string(buffer.size()) + " bytes of its buffer");
}
