//===- Fragment.h - How matrices lie in the registers of a warp -*- C++ -*-===//
//
// With g = lane / 4 and t = lane % 4, and e elements in a register:
//
//   A (m x k), register r, element j   row g + 8 * (r % 2)
//                                      column e * t + j + 4 * e * (r / 2)
//   B (k x n), register r, element j   row e * t + j + 4 * e * r, column g
//   C, D (m x n), element j            row g + 8 * (j / 2 % 2)
//                                      column 2 * t + j % 2 + 8 * (j / 4)
//
// An f64 product has 8 rows of A, one register.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPHRT_EMULATOR_EXEC_FRAGMENT_H
#define GRAPHRT_EMULATOR_EXEC_FRAGMENT_H

#include "exec/Rounding.h"
#include "exec/Warp.h"
#include "ptx/Type.h"

#include <cstring>

namespace graphrt::exec {

/// How an operand's elements are read: into `Value`, which holds each exactly.
struct F16Element {
  using Value = float;
  using Stored = uint16_t;
  static Value read(Stored bits) { return F16::widen(bits); }
};
struct Bf16Element {
  using Value = float;
  using Stored = uint16_t;
  static Value read(Stored bits) { return Bf16::widen(bits); }
};
/// Tensor cores ignore the low 13 bits of an f32.
struct Tf32Element {
  using Value = float;
  using Stored = uint32_t;
  static Value read(Stored bits) { return floatOf(bits & 0xffffe000); }
};
struct F64Element {
  using Value = double;
  using Stored = double;
  static Value read(Stored value) { return value; }
};

struct LaneCoordinates {
  unsigned g, t;
  explicit LaneCoordinates(unsigned lane) : g(lane / 4), t(lane % 4) {}
};

/// The elements of `Element` in one register of `Register`.
template <typename Element, typename Register>
constexpr unsigned perRegister =
    sizeof(Register) / sizeof(typename Element::Stored);

template <typename Element, typename Register>
typename Element::Value readElement(const Register &bits, unsigned index) {
  typename Element::Stored stored;
  std::memcpy(&stored,
              reinterpret_cast<const char *>(&bits) + index * sizeof(stored),
              sizeof(stored));
  return Element::read(stored);
}

/// Reads A, `rows` x `columns`, row-major with `columns` to a row.
template <typename Element, typename Register>
void readA(Warp &warp, const ptx::Slot *list, unsigned rows, unsigned columns,
           typename Element::Value *a) {
  constexpr unsigned e = perRegister<Element, Register>;
  unsigned rowBlocks = rows / 8, registers = rowBlocks * columns / (4 * e);
  for (unsigned r = 0; r < registers; ++r) {
    const Register *source = warp.lanes<Register>(list[r]);
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      LaneCoordinates at(lane);
      unsigned row = at.g + 8 * (r % rowBlocks);
      unsigned column = e * at.t + 4 * e * (r / rowBlocks);
      for (unsigned j = 0; j < e; ++j)
        a[row * columns + column + j] = readElement<Element>(source[lane], j);
    }
  }
}

/// Reads B, `rows` x 8, row-major.
template <typename Element, typename Register>
void readB(Warp &warp, const ptx::Slot *list, unsigned rows,
           typename Element::Value *b) {
  constexpr unsigned e = perRegister<Element, Register>;
  for (unsigned r = 0; r < rows / (4 * e); ++r) {
    const Register *source = warp.lanes<Register>(list[r]);
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      LaneCoordinates at(lane);
      for (unsigned j = 0; j < e; ++j)
        b[(e * at.t + j + 4 * e * r) * 8 + at.g] =
            readElement<Element>(source[lane], j);
    }
  }
}

/// Calls `visit(register, lane, index in the register, row, column)` for every
/// element of an accumulator with `rows` rows and `columns` columns, of which
/// `perRegister` share a register.
template <typename Visit>
void forAccumulator(unsigned rows, unsigned columns, unsigned perRegister,
                    Visit visit) {
  unsigned elements = rows * columns / warpSize;
  for (unsigned j = 0; j < elements; ++j)
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      LaneCoordinates at(lane);
      unsigned row = rows == 8 ? at.g : at.g + 8 * (j / 2 % 2);
      unsigned block = rows == 8 ? j / 2 : j / 4;
      visit(j / perRegister, lane, j % perRegister, row,
            2 * at.t + j % 2 + 8 * block);
    }
}

/// c += a * b, sums in order of k and each rounded to Value; b and c have
/// `columns` columns.
template <typename Value>
void multiplyAdd(const Value *a, const Value *b, Value *c, unsigned rows,
                 unsigned columns, unsigned depth) {
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned k = 0; k < depth; ++k) {
      Value factor = a[row * depth + k];
      for (unsigned column = 0; column < columns; ++column)
        c[row * columns + column] += factor * b[k * columns + column];
    }
}

} // namespace graphrt::exec

#endif // GRAPHRT_EMULATOR_EXEC_FRAGMENT_H
