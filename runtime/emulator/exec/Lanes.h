//===- Lanes.h - Handlers from functions of one lane ------------*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_EXEC_LANES_H
#define GRAPHRT_EMULATOR_EXEC_LANES_H

#include "exec/Warp.h"
#include "ptx/Decoder.h"

#include <utility>

namespace graphrt::exec {

namespace detail {
template <auto Op, typename D, typename... S, size_t... I>
inline void mapImpl(Warp &warp, const ptx::Instruction &instruction,
                    std::index_sequence<I...>) {
  D *result = warp.lanes<D>(instruction.slots[0]);
  [&](const S *...source) {
    forEachLane(warp.active,
                [=](unsigned lane) { result[lane] = Op(source[lane]...); });
  }(warp.lanes<S>(instruction.slots[1 + I])...);
}
} // namespace detail

/// slots[0] = Op(slots[1], ...) with lanes of type D and S...
template <auto Op, typename D, typename... S>
void map(Warp &warp, const ptx::Instruction &instruction) {
  detail::mapImpl<Op, D, S...>(warp, instruction,
                               std::index_sequence_for<S...>());
}

/// Calls `pick.template operator()<T>()` with the C++ type of an integer type;
/// bits count as unsigned.
template <typename Pick>
ptx::Handler pickInteger(ptx::ScalarType type, Pick pick) {
  using ptx::ScalarType;
  switch (type) {
  case ScalarType::B16:
  case ScalarType::U16:
    return pick.template operator()<uint16_t>();
  case ScalarType::S16:
    return pick.template operator()<int16_t>();
  case ScalarType::B32:
  case ScalarType::U32:
    return pick.template operator()<uint32_t>();
  case ScalarType::S32:
    return pick.template operator()<int32_t>();
  case ScalarType::B64:
  case ScalarType::U64:
    return pick.template operator()<uint64_t>();
  case ScalarType::S64:
    return pick.template operator()<int64_t>();
  default:
    return nullptr;
  }
}

/// Likewise with an unsigned type of 16, 32 or 64 bits.
template <typename Pick>
ptx::Handler pickBits(unsigned bits, Pick pick) {
  switch (bits) {
  case 16:
    return pick.template operator()<uint16_t>();
  case 32:
    return pick.template operator()<uint32_t>();
  case 64:
    return pick.template operator()<uint64_t>();
  default:
    return nullptr;
  }
}

/// The operands of `d, a, b, ...` with `sources` sources, all of one type.
inline void decodeOperands(ptx::Decoder &decoder, unsigned sources,
                           ptx::ScalarType type) {
  decoder.destination(0, 0, type);
  for (unsigned index = 1; index <= sources; ++index)
    decoder.source(index, index, type);
}

/// The handler, or the error that the modifiers are unknown.
inline ptx::Handler orUnsupported(ptx::Decoder &decoder, ptx::Handler handler) {
  return handler ? handler : decoder.unsupported();
}

} // namespace graphrt::exec

#endif // GRAPHRT_EMULATOR_EXEC_LANES_H
