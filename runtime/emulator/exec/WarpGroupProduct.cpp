//===- WarpGroupProduct.cpp - wgmma ---------------------------------------===//
//
// Four warps multiply a 64 x k by a k x n matrix; each warp owns 16 rows and
// computes them on its own. B, and A unless it is in registers, lie in shared
// memory, which a descriptor tells:
//
//   bits 0-13 address, 16-29 leading offset, 32-45 stride offset (each / 16),
//   62-63 swizzle: 0 none, 1 128 bytes, 2 64 bytes, 3 32 bytes
//
// With w units of 16 bytes to a swizzled row (8, 4, 2; 1 without), an element
// lies at
//
//   k-major    (i % 8) * 16w + (i / 8) * stride + 16 bytes * (unit of k)
//   mn-major   (u % w) * 16 + (u / w) * leading + (k % 8) * 16w
//              + (k / 8) * stride, u the unit of i
//
// where i counts rows of A or columns of B. Without swizzle, k-major units are
// `leading` apart, and mn-major exchanges the two offsets.
//
//===----------------------------------------------------------------------===//

#include "exec/WarpGroupProduct.h"

#include "exec/Access.h"
#include "exec/Block.h"
#include "exec/BulkCopy.h"
#include "exec/Fragment.h"
#include "exec/InstructionSet.h"
#include "exec/Lanes.h"

#include <algorithm>
#include <charconv>

using namespace graphrt;
using namespace graphrt::exec;
using namespace graphrt::ptx;

namespace {

enum Option : unsigned {
  Columns8,
  AInRegisters,
  NegateA,
  NegateB,
  TransA,
  TransB,
  NegatedScale,
  HalfSums
};

constexpr unsigned warpRows = 16;

/// Where elements lie in shared memory.
class Operand64 {
public:
  Operand64(uint64_t descriptor, bool isMnMajor, unsigned elementBytes)
      : start((descriptor & 0x3fff) << 4),
        leading((descriptor >> 16 & 0x3fff) << 4),
        stride((descriptor >> 32 & 0x3fff) << 4), isMnMajor(isMnMajor),
        elementBytes(elementBytes) {
    constexpr TensorMap::Swizzle modes[] = {
        TensorMap::Swizzle::None, TensorMap::Swizzle::Bytes128,
        TensorMap::Swizzle::Bytes64, TensorMap::Swizzle::Bytes32};
    mode = modes[descriptor >> 62];
    width = mode == TensorMap::Swizzle::None ? 1 : 1u << unsigned(mode);
  }

  /// The shared address of element (i, k).
  uint32_t address(unsigned i, unsigned k) const {
    return swizzle(start + (isMnMajor ? mnMajor(i, k) : kMajor(i, k)), mode);
  }

private:
  uint32_t kMajor(unsigned i, unsigned k) const {
    unsigned bytes = k * elementBytes;
    unsigned unitDistance = width == 1 ? leading : 16;
    return i % 8 * 16 * width + i / 8 * stride + bytes / 16 * unitDistance +
           bytes % 16;
  }
  uint32_t mnMajor(unsigned i, unsigned k) const {
    unsigned bytes = i * elementBytes, unit = bytes / 16;
    if (width == 1)
      return unit * stride + k % 8 * 16 + k / 8 * leading + bytes % 16;
    return unit % width * 16 + unit / width * leading + k % 8 * 16 * width +
           k / 8 * stride + bytes % 16;
  }

  uint32_t start, leading, stride;
  bool isMnMajor;
  unsigned elementBytes, width;
  TensorMap::Swizzle mode;
};

/// Reads a row-major `rows` x `columns` matrix whose element (r, c) is element
/// (first + r, c) of the operand, or (c, r) for B.
template <typename Element, bool IsB>
bool readShared(Warp &warp, const Operand64 &operand, unsigned first,
                unsigned rows, unsigned columns, bool negate,
                typename Element::Value *result) {
  using Stored = typename Element::Stored;
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned column = 0; column < columns; ++column) {
      uint32_t address = IsB ? operand.address(column, row)
                             : operand.address(first + row, column);
      // The lanes share the reading; which one reads what is not defined.
      if (!checkSharedLane(warp, (row * columns + column) % warpSize, address,
                           sizeof(Stored), AccessKind::Load))
        return false;
      Stored stored;
      std::memcpy(&stored, warp.block.shared + address, sizeof(stored));
      typename Element::Value value = Element::read(stored);
      result[row * columns + column] = negate ? -value : value;
    }
  return true;
}

template <typename Element>
void compute(Warp &warp, const PendingProduct &p) {
  using Value = typename Element::Value;
  using Stored = typename Element::Stored;
  constexpr unsigned depth = 32 / sizeof(Stored);
  const Instruction &i = *p.instruction;
  unsigned columns = i.options[Columns8] * 8;
  unsigned perRegister = i.options[HalfSums] ? 2 : 1;
  const Slot *sums = warp.slotList(i);
  const Slot *registersOfA = sums + columns / 2 / perRegister;
  static thread_local std::vector<Value> a, b, c;
  a.resize(warpRows * depth);
  b.resize(depth * columns);
  c.assign(warpRows * columns, 0);
  if (i.options[AInRegisters]) {
    readA<Element, uint32_t>(warp, registersOfA, warpRows, depth, a.data());
    if (i.options[NegateA])
      for (Value &value : a)
        value = -value;
  } else if (!readShared<Element, false>(
                 warp, Operand64(p.a, i.options[TransA], sizeof(Stored)),
                 warp.index % 4 * warpRows, warpRows, depth, i.options[NegateA],
                 a.data())) {
    return;
  }
  if (!readShared<Element, true>(
          warp, Operand64(p.b, i.options[TransB], sizeof(Stored)), 0, depth,
          columns, i.options[NegateB], b.data()))
    return;
  auto at = [&](unsigned row, unsigned column) -> Value & {
    return c[row * columns + column];
  };
  if (p.accumulates)
    forAccumulator(warpRows, columns, perRegister,
                   [&](unsigned r, unsigned lane, unsigned index, unsigned row,
                       unsigned column) {
                     uint32_t bits = warp.lanes<uint32_t>(sums[r])[lane];
                     at(row, column) = perRegister == 2
                                           ? F16::widen(bits >> (16 * index))
                                           : floatOf(bits);
                   });
  multiplyAdd<Value>(a.data(), b.data(), c.data(), warpRows, columns, depth);
  forAccumulator(warpRows, columns, perRegister,
                 [&](unsigned r, unsigned lane, unsigned index, unsigned row,
                     unsigned column) {
                   uint32_t &bits = warp.lanes<uint32_t>(sums[r])[lane];
                   if (perRegister == 1) {
                     bits = graphrt::bitsOf(at(row, column));
                     return;
                   }
                   unsigned shift = 16 * index;
                   bits = (bits & ~(0xffffu << shift)) |
                          uint32_t(F16::narrow(at(row, column))) << shift;
                 });
  warp.block.counters.matrixFlops += 2 * warpRows * columns * depth;
}

/// slots: [0] descriptor of A, [1] of B, [2] the predicate that accumulates;
/// immediate: which Element.
void enqueue(Warp &warp, const Instruction &i) {
  if (!warp.converge(allLanes, /*countsEnded=*/true))
    return;
  PendingProduct product = {};
  product.instruction = &i;
  if (i.slots[0] != noSlot)
    product.a = warp.lanes<uint64_t>(i.slots[0])[0];
  product.b = warp.lanes<uint64_t>(i.slots[1])[0];
  bool scale = warp.predicate(i.slots[2]) & 1;
  product.accumulates = scale != bool(i.options[NegatedScale]);
  product.group = warp.committedProducts;
  warp.products.push_back(product);
}

void commitGroup(Warp &warp, const Instruction &) { ++warp.committedProducts; }

void waitGroup(Warp &warp, const Instruction &i) {
  constexpr void (*computeElement[])(Warp &, const PendingProduct &) = {
      compute<F16Element>, compute<Bf16Element>, compute<Tf32Element>};
  auto isDue = [&](const PendingProduct &product) {
    return product.group + i.immediate < warp.committedProducts;
  };
  for (const PendingProduct &product : warp.products)
    if (isDue(product) && !warp.hasFaulted())
      computeElement[product.instruction->immediate](warp, product);
  std::erase_if(warp.products, isDue);
}

void doNothing(Warp &, const Instruction &) {}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

/// n of m64n<n>k<k>, taken from the modifiers; 0 without.
unsigned takeColumns(Decoder &decoder, unsigned depth) {
  for (unsigned n = 8; n <= 256; n += 8)
    if (decoder.accept("m64n" + std::to_string(n) + "k" +
                       std::to_string(depth)))
      return n;
  return 0;
}

/// A factor of 1 or -1; true for -1.
bool takeSign(Decoder &decoder, unsigned position) {
  int64_t value = decoder.integer(position);
  if (value != 1 && value != -1)
    decoder.fail("found the scale " + std::to_string(value) +
                 ", expected 1 or -1");
  return value == -1;
}

Handler decodeProduct(Decoder &decoder) {
  Instruction &instruction = decoder.instruction();
  ScalarType d = decoder.type(), a = decoder.type(), b = decoder.type();
  unsigned n = takeColumns(decoder, a == ScalarType::Tf32 ? 8 : 16);
  bool known =
      n != 0 && a == b &&
      (d == ScalarType::F32 || (d == ScalarType::F16 && a == ScalarType::F16));
  instruction.immediate = a == ScalarType::F16    ? 0
                          : a == ScalarType::Bf16 ? 1
                          : a == ScalarType::Tf32 ? 2
                                                  : 3;
  if (!known || instruction.immediate == 3)
    return decoder.unsupported();
  instruction.options[Columns8] = n / 8;
  instruction.options[HalfSums] = d == ScalarType::F16;
  std::vector<Operand> sums = decoder.elements(0);
  unsigned expected = d == ScalarType::F16 ? n / 4 : n / 2;
  if (sums.size() != expected)
    return decoder.fail("found " + std::to_string(sums.size()) +
                        " accumulators, expected " + std::to_string(expected));
  for (const Operand &sum : sums)
    decoder.append(decoder.destinationSlot(sum, ScalarType::B32));
  bool inRegisters = decoder.operand(1).kind == Operand::Kind::Vector;
  instruction.options[AInRegisters] = inRegisters;
  if (inRegisters) {
    std::vector<Operand> fragment = decoder.elements(1);
    if (fragment.size() != 4)
      return decoder.fail("found " + std::to_string(fragment.size()) +
                          " registers of A, expected 4");
    for (const Operand &element : fragment)
      decoder.append(decoder.sourceSlot(element, ScalarType::B32));
  } else {
    decoder.source(0, 1, ScalarType::B64);
  }
  decoder.source(1, 2, ScalarType::B64);
  decoder.predicate(2, 3);
  instruction.options[NegatedScale] = decoder.operand(3).isNegated;
  instruction.options[NegateA] = takeSign(decoder, 4);
  instruction.options[NegateB] = takeSign(decoder, 5);
  if (a == ScalarType::Tf32)
    return enqueue;
  unsigned position = 6;
  if (!inRegisters)
    instruction.options[TransA] = decoder.integer(position++);
  instruction.options[TransB] = decoder.integer(position);
  return enqueue;
}

Handler decodeWgmma(Decoder &decoder) {
  if (!decoder.accept("sync") || !decoder.accept("aligned"))
    return decoder.unsupported();
  if (decoder.accept("fence"))
    return doNothing;
  if (decoder.accept("commit_group"))
    return commitGroup;
  if (decoder.accept("wait_group")) {
    decoder.instruction().immediate = decoder.integer(0);
    return waitGroup;
  }
  if (decoder.accept("mma_async"))
    return decodeProduct(decoder);
  return decoder.unsupported();
}

constexpr Entry entries[] = {{"wgmma", decodeWgmma}};

} // namespace

std::span<const Entry> exec::warpGroupInstructions() { return entries; }
