//===- ElementVisit.h - The C++ type of an element --------------*- C++ -*-===//

#ifndef GRAPHRT_SUPPORT_ELEMENTVISIT_H
#define GRAPHRT_SUPPORT_ELEMENTVISIT_H

#include "graphrt/graphrt.hpp"
#include "graphrt/support/Float16.h"

namespace graphrt {

/// An element of type bf16 in memory. From a double it rounds once, to nearest.
struct Bf16 {
  uint16_t bits;
  Bf16() = default;
  explicit Bf16(double value) : bits(bf16FromFloat(floatRoundedToOdd(value))) {}
  explicit operator double() const { return floatFromBf16(bits); }
  explicit operator float() const { return floatFromBf16(bits); }
};

/// An element of type f16 in memory. From a double it rounds once, to nearest.
struct F16 {
  uint16_t bits;
  F16() = default;
  explicit F16(double value) : bits(f16FromFloat(floatRoundedToOdd(value))) {}
  explicit operator double() const { return floatFromF16(bits); }
  explicit operator float() const { return floatFromF16(bits); }
};

/// Calls visit(T()) with the C++ type that stores an element of `type`, and
/// returns what it returns. Every such type converts to and from double; i1 is
/// stored as an int8_t of 0 or 1.
template <typename Visitor>
auto visitElementType(ElementType type, const Visitor &visit) {
  switch (type) {
  case ElementType::f64:
    return visit(double());
  case ElementType::f32:
    return visit(float());
  case ElementType::bf16:
    return visit(Bf16());
  case ElementType::f16:
    return visit(F16());
  case ElementType::i1:
  case ElementType::i8:
    return visit(int8_t());
  case ElementType::i16:
    return visit(int16_t());
  case ElementType::i32:
    return visit(int32_t());
  case ElementType::i64:
    return visit(int64_t());
  }
  __builtin_unreachable();
}

} // namespace graphrt

#endif // GRAPHRT_SUPPORT_ELEMENTVISIT_H
