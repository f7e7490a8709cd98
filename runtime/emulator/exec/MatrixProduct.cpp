//===- MatrixProduct.cpp - mma.sync ---------------------------------------===//

#include "exec/Block.h"
#include "exec/Fragment.h"
#include "exec/InstructionSet.h"
#include "exec/Lanes.h"

using namespace graphrt;
using namespace graphrt::exec;
using namespace graphrt::ptx;

namespace {

/// Accumulators in registers of f32 or f64, one element each.
template <typename Value>
struct WideAccumulator {
  static constexpr unsigned count = 1;
  static Value read(Warp &warp, Slot slot, unsigned lane, unsigned) {
    return warp.lanes<Value>(slot)[lane];
  }
  static void write(Warp &warp, Slot slot, unsigned lane, unsigned,
                    Value value) {
    warp.lanes<Value>(slot)[lane] = value;
  }
};

/// Accumulators of f16, two to a register; sums are f32 until the end.
struct PairAccumulator {
  static constexpr unsigned count = 2;
  static float read(Warp &warp, Slot slot, unsigned lane, unsigned index) {
    return F16::widen(warp.lanes<uint32_t>(slot)[lane] >> (16 * index));
  }
  static void write(Warp &warp, Slot slot, unsigned lane, unsigned index,
                    float value) {
    uint32_t &bits = warp.lanes<uint32_t>(slot)[lane];
    unsigned shift = 16 * index;
    bits = (bits & ~(0xffffu << shift)) | uint32_t(F16::narrow(value)) << shift;
  }
};

template <typename Element, typename Register, typename Accumulator, unsigned M,
          unsigned K>
void multiply(Warp &warp, const Instruction &i) {
  if (!warp.converge(allLanes, /*countsEnded=*/true))
    return;
  using Value = typename Element::Value;
  constexpr unsigned n = 8, e = perRegister<Element, Register>;
  constexpr unsigned accumulators = M * n / warpSize / Accumulator::count;
  const Slot *d = warp.slotList(i), *a = d + accumulators;
  const Slot *b = a + M / 8 * K / (4 * e), *c = b + K / (4 * e);
  alignas(64) Value left[M * K], right[K * n], sums[M * n];
  readA<Element, Register>(warp, a, M, K, left);
  readB<Element, Register>(warp, b, K, right);
  forAccumulator(M, n, Accumulator::count,
                 [&](unsigned r, unsigned lane, unsigned index, unsigned row,
                     unsigned column) {
                   sums[row * n + column] =
                       Accumulator::read(warp, c[r], lane, index);
                 });
  multiplyAdd<Value>(left, right, sums, M, n, K);
  forAccumulator(M, n, Accumulator::count,
                 [&](unsigned r, unsigned lane, unsigned index, unsigned row,
                     unsigned column) {
                   Accumulator::write(warp, d[r], lane, index,
                                      sums[row * n + column]);
                 });
  warp.block.counters.matrixFlops += 2 * M * n * K;
}

struct Shape {
  std::string_view name;
  ScalarType accumulator, element;
  unsigned m, k;
  Handler handler;
};

using Sum32 = WideAccumulator<float>;
using Sum64 = WideAccumulator<double>;

constexpr Shape shapes[] = {
    {"m16n8k16", ScalarType::F32, ScalarType::Bf16, 16, 16,
     multiply<Bf16Element, uint32_t, Sum32, 16, 16>},
    {"m16n8k8", ScalarType::F32, ScalarType::Bf16, 16, 8,
     multiply<Bf16Element, uint32_t, Sum32, 16, 8>},
    {"m16n8k16", ScalarType::F32, ScalarType::F16, 16, 16,
     multiply<F16Element, uint32_t, Sum32, 16, 16>},
    {"m16n8k8", ScalarType::F32, ScalarType::F16, 16, 8,
     multiply<F16Element, uint32_t, Sum32, 16, 8>},
    {"m16n8k16", ScalarType::F16, ScalarType::F16, 16, 16,
     multiply<F16Element, uint32_t, PairAccumulator, 16, 16>},
    {"m16n8k8", ScalarType::F16, ScalarType::F16, 16, 8,
     multiply<F16Element, uint32_t, PairAccumulator, 16, 8>},
    {"m16n8k8", ScalarType::F32, ScalarType::Tf32, 16, 8,
     multiply<Tf32Element, uint32_t, Sum32, 16, 8>},
    {"m16n8k4", ScalarType::F32, ScalarType::Tf32, 16, 4,
     multiply<Tf32Element, uint32_t, Sum32, 16, 4>},
    {"m8n8k4", ScalarType::F64, ScalarType::F64, 8, 4,
     multiply<F64Element, double, Sum64, 8, 4>},
};

/// Appends the registers of one fragment; false where their number is not
/// `count`.
bool appendFragment(Decoder &decoder, unsigned position, unsigned count,
                    ScalarType type, bool isResult) {
  std::vector<Operand> registers = decoder.elements(position);
  for (const Operand &element : registers)
    decoder.append(isResult ? decoder.destinationSlot(element, type)
                            : decoder.sourceSlot(element, type));
  return registers.size() == count;
}

Handler decodeMma(Decoder &decoder) {
  bool known = decoder.acceptAll({"sync", "aligned", "row", "col"});
  const Shape *shape = nullptr;
  std::string_view opcode = decoder.opcode();
  ScalarType d = decoder.type(), a = decoder.type(), b = decoder.type();
  ScalarType c = decoder.type();
  for (const Shape &candidate : shapes)
    if (candidate.accumulator == d && candidate.element == a &&
        decoder.has(candidate.name))
      shape = &candidate;
  if (!known || !shape || a != b || c != d || !decoder.accept(shape->name))
    return decoder.unsupported();
  bool isDouble = a == ScalarType::F64;
  ScalarType type = isDouble ? ScalarType::F64 : ScalarType::B32;
  unsigned perRegister =
      (isDouble ? 64 : 32) / (a == ScalarType::Tf32 ? 32 : bitsOf(a));
  unsigned sums = shape->m * 8 / warpSize / (d == ScalarType::F16 ? 2 : 1);
  unsigned ofB = shape->k / (4 * perRegister), ofA = ofB * shape->m / 8;
  bool complete = appendFragment(decoder, 0, sums, type, true);
  complete &= appendFragment(decoder, 1, ofA, type, false);
  complete &= appendFragment(decoder, 2, ofB, type, false);
  complete &= appendFragment(decoder, 3, sums, type, false);
  if (!complete)
    return decoder.fail("found a fragment of the wrong length in '" +
                        std::string(opcode) + "', expected " +
                        std::to_string(sums) + ", " + std::to_string(ofA) +
                        ", " + std::to_string(ofB) + " and " +
                        std::to_string(sums) + " registers");
  return shape->handler;
}

constexpr Entry entries[] = {{"mma", decodeMma}};

} // namespace

std::span<const Entry> exec::matrixProductInstructions() { return entries; }
