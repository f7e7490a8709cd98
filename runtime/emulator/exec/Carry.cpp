//===- Carry.cpp - Extended-precision integer arithmetic ------------------===//

#include "exec/InstructionSet.h"
#include "exec/Lanes.h"

using namespace graphrt;
using namespace graphrt::exec;
using namespace graphrt::ptx;

namespace {

/// options: [0] reads the carry, [1] writes it.
template <typename T>
void addCarry(Warp &warp, const Instruction &i, const T *a, const T *b) {
  T *result = warp.lanes<T>(i.slots[0]);
  LaneMask carry = i.options[0] ? warp.carry : 0, out = 0;
  for (LaneMask rest = warp.active; rest != 0; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    T sum, total;
    bool overflow = __builtin_add_overflow(a[lane], b[lane], &sum);
    overflow |= __builtin_add_overflow(sum, T(carry >> lane & 1), &total);
    result[lane] = total;
    out |= LaneMask(overflow) << lane;
  }
  if (i.options[1])
    warp.carry = (warp.carry & ~warp.active) | out;
}

template <typename T>
void add(Warp &warp, const Instruction &i) {
  addCarry<T>(warp, i, warp.lanes<T>(i.slots[1]), warp.lanes<T>(i.slots[2]));
}

/// The flag of a subtraction is its borrow.
template <typename T>
void sub(Warp &warp, const Instruction &i) {
  T *result = warp.lanes<T>(i.slots[0]);
  const T *a = warp.lanes<T>(i.slots[1]), *b = warp.lanes<T>(i.slots[2]);
  LaneMask borrow = i.options[0] ? warp.carry : 0, out = 0;
  for (LaneMask rest = warp.active; rest != 0; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    T difference, total;
    bool underflow = __builtin_sub_overflow(a[lane], b[lane], &difference);
    underflow |=
        __builtin_sub_overflow(difference, T(borrow >> lane & 1), &total);
    result[lane] = total;
    out |= LaneMask(underflow) << lane;
  }
  if (i.options[1])
    warp.carry = (warp.carry & ~warp.active) | out;
}

/// options: [2] takes the high half of the product, [3] it is signed.
template <typename T>
void mad(Warp &warp, const Instruction &i) {
  alignas(64) T product[warpSize];
  const T *a = warp.lanes<T>(i.slots[1]), *b = warp.lanes<T>(i.slots[2]);
  using S = std::make_signed_t<T>;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    unsigned __int128 wide =
        i.options[3] ? (unsigned __int128)(__int128(S(a[lane])) * S(b[lane]))
                     : (unsigned __int128)(a[lane]) * b[lane];
    product[lane] = i.options[2] ? wide >> (sizeof(T) * 8) : wide;
  }
  addCarry<T>(warp, i, product, warp.lanes<T>(i.slots[3]));
}

} // namespace

Handler exec::decodeCarry(Decoder &decoder) {
  std::string_view mnemonic = decoder.mnemonic();
  Instruction &instruction = decoder.instruction();
  instruction.options[0] = mnemonic.ends_with('c');
  instruction.options[1] = decoder.accept("cc");
  bool isMad = mnemonic.starts_with("mad");
  if (isMad) {
    instruction.options[2] = decoder.accept("hi");
    decoder.accept("lo");
  }
  ScalarType type = decoder.type();
  instruction.options[3] = isSigned(type);
  decodeOperands(decoder, isMad ? 3 : 2, type);
  bool is64 = bitsOf(type) == 64;
  if (isMad)
    return is64 ? mad<uint64_t> : mad<uint32_t>;
  if (mnemonic.starts_with("add"))
    return is64 ? add<uint64_t> : add<uint32_t>;
  return is64 ? sub<uint64_t> : sub<uint32_t>;
}

static constexpr Entry entries[] = {
    {"addc", decodeCarry},
    {"subc", decodeCarry},
    {"madc", decodeCarry},
};

std::span<const Entry> exec::carryInstructions() { return entries; }
