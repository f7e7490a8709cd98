//===- ElementType.h - Element types of tensors -----------------*- C++ -*-===//
//
// The element types that artifacts, checkpoints, .npy files and the API share.
// The values are part of the C ABI (grt_element_type) and of the artifact
// format. Data is little endian; i1 is one byte holding 0 or 1.
//
//===----------------------------------------------------------------------===//

#ifndef GRAPHRT_ELEMENTTYPE_H
#define GRAPHRT_ELEMENTTYPE_H

#include <cstddef>
#include <cstdint>

namespace graphrt {

enum class ElementType : uint8_t { f64, f32, bf16, f16, i1, i8, i16, i32, i64 };

inline constexpr unsigned numElementTypes = 9;

/// Bytes of one element.
constexpr size_t byteSize(ElementType type) {
  constexpr size_t sizes[numElementTypes] = {8, 4, 2, 2, 1, 1, 2, 4, 8};
  return sizes[static_cast<unsigned>(type)];
}

/// The type as the IR spells it, such as "f32".
constexpr const char *name(ElementType type) {
  constexpr const char *names[numElementTypes] = {
      "f64", "f32", "bf16", "f16", "i1", "i8", "i16", "i32", "i64"};
  return names[static_cast<unsigned>(type)];
}

constexpr bool isFloat(ElementType type) { return type <= ElementType::f16; }

} // namespace graphrt

#endif // GRAPHRT_ELEMENTTYPE_H
