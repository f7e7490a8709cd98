//===- Atomic.cpp - Read-modify-write of memory ---------------------------===//

#include "exec/Access.h"
#include "exec/Block.h"
#include "exec/InstructionSet.h"
#include "exec/Lanes.h"
#include "exec/Rounding.h"

#include <algorithm>
#include <cstring>

using namespace graphrt;
using namespace graphrt::exec;
using namespace graphrt::ptx;

namespace {

enum Option : unsigned { InSpace, Is32, ReturnsOld, Orders };

//===----------------------------------------------------------------------===//
// One lane: (old, operand, second operand) to new
//===----------------------------------------------------------------------===//

template <typename T>
T add(T a, T b, T) {
  return a + b;
}
template <typename T>
T minOf(T a, T b, T) {
  return std::min(a, b);
}
template <typename T>
T maxOf(T a, T b, T) {
  return std::max(a, b);
}
template <typename T>
T bitAnd(T a, T b, T) {
  return a & b;
}
template <typename T>
T bitOr(T a, T b, T) {
  return a | b;
}
template <typename T>
T bitXor(T a, T b, T) {
  return a ^ b;
}
template <typename T>
T exchange(T, T b, T) {
  return b;
}
template <typename T>
T compareAndSwap(T a, T b, T c) {
  return a == b ? c : a;
}
/// Counts up to a limit and then from 0; counts down from a limit.
template <typename T>
T increment(T a, T b, T) {
  return a >= b ? 0 : a + 1;
}
template <typename T>
T decrement(T a, T b, T) {
  return a == 0 || a > b ? b : a - 1;
}
template <typename H>
uint16_t addHalf(uint16_t a, uint16_t b, uint16_t) {
  return H::narrow(H::widen(a) + H::widen(b));
}
template <typename H>
uint32_t addPair(uint32_t a, uint32_t b, uint32_t) {
  uint32_t high = addHalf<H>(a >> 16, b >> 16, 0);
  return high << 16 | addHalf<H>(a, b, 0);
}

/// The unsigned integer of T's size, which the hardware swaps.
template <size_t Bytes>
struct WordOf;
template <>
struct WordOf<2> {
  using type = uint16_t;
};
template <>
struct WordOf<4> {
  using type = uint32_t;
};
template <>
struct WordOf<8> {
  using type = uint64_t;
};

template <typename T, auto Op>
T update(T *target, T a, T b) {
  using Word = typename WordOf<sizeof(T)>::type;
  Word *word = reinterpret_cast<Word *>(target);
  Word old = __atomic_load_n(word, __ATOMIC_RELAXED);
  for (;;) {
    Word replacement = std::bit_cast<Word>(T(Op(std::bit_cast<T>(old), a, b)));
    if (__atomic_compare_exchange_n(word, &old, replacement, true,
                                    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
      return std::bit_cast<T>(old);
  }
}

/// Atomics and fences order blocks, see GlobalAccess.cpp.
void orderBlocks(Warp &warp, const Instruction &i) {
  std::atomic<uint8_t> &flags = warp.block.launch.flags[warp.block.number];
  uint8_t now = flags.load(std::memory_order_relaxed);
  if (i.options[ReturnsOld])
    now |= LaunchState::Acquired;
  if (i.options[Orders] || now & LaunchState::Fenced)
    now |= LaunchState::Published;
  if (i.options[Orders])
    now |= LaunchState::Acquired;
  flags.store(now, std::memory_order_release);
}

/// slots: old, address, operand, second operand. Lanes go one after the other.
template <typename T, auto Op>
void atomic(Warp &warp, const Instruction &i) {
  Addresses addresses;
  readAddresses(warp, i.slots[1], i.options[Is32], i.immediate, addresses);
  if (!resolve(warp,
               {exec::Space(i.options[InSpace]), AccessKind::Atomic, sizeof(T)},
               addresses))
    return;
  orderBlocks(warp, i);
  T *result = warp.lanes<T>(i.slots[0]);
  const T *a = warp.lanes<T>(i.slots[2]), *b = warp.lanes<T>(i.slots[3]);
  for (LaneMask rest = warp.active; rest != 0; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    result[lane] =
        update<T, Op>(pointerAt<T>(addresses, lane), a[lane], b[lane]);
  }
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

enum class Operation : uint8_t {
  Add,
  Min,
  Max,
  And,
  Or,
  Xor,
  Exchange,
  CompareAndSwap,
  Increment,
  Decrement,
  Unknown,
};

template <typename T>
Handler pickArithmetic(Operation operation) {
  switch (operation) {
  case Operation::Add:
    return atomic<T, add<T>>;
  case Operation::Min:
    return atomic<T, minOf<T>>;
  case Operation::Max:
    return atomic<T, maxOf<T>>;
  default:
    return nullptr;
  }
}

template <typename T>
Handler pickInteger(Operation operation) {
  switch (operation) {
  case Operation::And:
    return atomic<T, bitAnd<T>>;
  case Operation::Or:
    return atomic<T, bitOr<T>>;
  case Operation::Xor:
    return atomic<T, bitXor<T>>;
  case Operation::Exchange:
    return atomic<T, exchange<T>>;
  case Operation::CompareAndSwap:
    return atomic<T, compareAndSwap<T>>;
  case Operation::Increment:
    return atomic<T, increment<T>>;
  case Operation::Decrement:
    return atomic<T, decrement<T>>;
  default:
    return pickArithmetic<T>(operation);
  }
}

Handler pickOperation(ScalarType type, Operation operation) {
  bool isAdd = operation == Operation::Add;
  switch (type) {
  case ScalarType::F32:
    return isAdd ? atomic<float, add<float>> : nullptr;
  case ScalarType::F64:
    return isAdd ? atomic<double, add<double>> : nullptr;
  case ScalarType::F16:
    return isAdd ? atomic<uint16_t, addHalf<F16>> : nullptr;
  case ScalarType::Bf16:
    return isAdd ? atomic<uint16_t, addHalf<Bf16>> : nullptr;
  case ScalarType::F16x2:
    return isAdd ? atomic<uint32_t, addPair<F16>> : nullptr;
  case ScalarType::Bf16x2:
    return isAdd ? atomic<uint32_t, addPair<Bf16>> : nullptr;
  case ScalarType::B16:
    return operation == Operation::CompareAndSwap
               ? atomic<uint16_t, compareAndSwap<uint16_t>>
               : nullptr;
  case ScalarType::S32:
    return pickArithmetic<int32_t>(operation);
  case ScalarType::S64:
    return pickArithmetic<int64_t>(operation);
  case ScalarType::B32:
  case ScalarType::U32:
    return pickInteger<uint32_t>(operation);
  case ScalarType::B64:
  case ScalarType::U64:
    return pickInteger<uint64_t>(operation);
  default:
    return nullptr;
  }
}

Handler decodeAtomic(Decoder &decoder) {
  Instruction &instruction = decoder.instruction();
  bool returnsOld = decoder.mnemonic() == "atom";
  unsigned space =
      decoder.acceptAny({"global", "shared", "shared::cta", "shared::cluster"});
  instruction.options[InSpace] = uint8_t(space == 0  ? exec::Space::Global
                                         : space < 4 ? exec::Space::Shared
                                                     : exec::Space::Generic);
  unsigned order =
      decoder.acceptAny({"relaxed", "acquire", "release", "acq_rel"});
  instruction.options[Orders] = order >= 1 && order <= 3;
  decoder.acceptAny({"cta", "cluster", "gpu", "sys"});
  decoder.accept("noftz");
  auto operation = Operation(decoder.acceptAny(
      {"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"}));
  ScalarType type = decoder.type();
  unsigned position = returnsOld ? 1 : 0;
  instruction.options[ReturnsOld] = returnsOld;
  instruction.options[Is32] = decoder.address(1, position).bits == 32;
  if (returnsOld)
    decoder.destination(0, 0, type);
  else
    instruction.slots[0] = decoder.scratch(bitsOf(type));
  decoder.source(2, position + 1, type);
  if (operation == Operation::CompareAndSwap)
    decoder.source(3, position + 2, type);
  else
    instruction.slots[3] = instruction.slots[2];
  return orUnsupported(decoder, pickOperation(type, operation));
}

constexpr Entry entries[] = {{"atom", decodeAtomic}, {"red", decodeAtomic}};

} // namespace

std::span<const Entry> exec::atomicInstructions() { return entries; }
