//===- Type.h - Types of PTX operands ---------------------------*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_PTX_TYPE_H
#define GRAPHRT_EMULATOR_PTX_TYPE_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace graphrt::ptx {

enum class TypeKind : uint8_t { Predicate, Bits, Unsigned, Signed, Float };

// Enumerator, PTX spelling, kind, bits.
#define GRAPHRT_PTX_TYPES(X)                                                   \
  X(Pred, "pred", Predicate, 1)                                                \
  X(B8, "b8", Bits, 8)                                                         \
  X(B16, "b16", Bits, 16)                                                      \
  X(B32, "b32", Bits, 32)                                                      \
  X(B64, "b64", Bits, 64)                                                      \
  X(B128, "b128", Bits, 128)                                                   \
  X(U8, "u8", Unsigned, 8)                                                     \
  X(U16, "u16", Unsigned, 16)                                                  \
  X(U32, "u32", Unsigned, 32)                                                  \
  X(U64, "u64", Unsigned, 64)                                                  \
  X(S8, "s8", Signed, 8)                                                       \
  X(S16, "s16", Signed, 16)                                                    \
  X(S32, "s32", Signed, 32)                                                    \
  X(S64, "s64", Signed, 64)                                                    \
  X(F16, "f16", Float, 16)                                                     \
  X(F16x2, "f16x2", Float, 32)                                                 \
  X(Bf16, "bf16", Float, 16)                                                   \
  X(Bf16x2, "bf16x2", Float, 32)                                               \
  X(Tf32, "tf32", Float, 32)                                                   \
  X(F32, "f32", Float, 32)                                                     \
  X(F64, "f64", Float, 64)

enum class ScalarType : uint8_t {
#define GRAPHRT_PTX_ENUMERATOR(name, spelling, kind, bits) name,
  GRAPHRT_PTX_TYPES(GRAPHRT_PTX_ENUMERATOR)
#undef GRAPHRT_PTX_ENUMERATOR
};

inline TypeKind kindOf(ScalarType type) {
  constexpr TypeKind kinds[] = {
#define GRAPHRT_PTX_KIND(name, spelling, kind, bits) TypeKind::kind,
      GRAPHRT_PTX_TYPES(GRAPHRT_PTX_KIND)
#undef GRAPHRT_PTX_KIND
  };
  return kinds[unsigned(type)];
}

inline unsigned bitsOf(ScalarType type) {
  constexpr uint8_t bits[] = {
#define GRAPHRT_PTX_BITS(name, spelling, kind, bits) bits,
      GRAPHRT_PTX_TYPES(GRAPHRT_PTX_BITS)
#undef GRAPHRT_PTX_BITS
  };
  return bits[unsigned(type)];
}

inline std::string_view spell(ScalarType type) {
  constexpr std::string_view spellings[] = {
#define GRAPHRT_PTX_SPELLING(name, spelling, kind, bits) spelling,
      GRAPHRT_PTX_TYPES(GRAPHRT_PTX_SPELLING)
#undef GRAPHRT_PTX_SPELLING
  };
  return spellings[unsigned(type)];
}

inline bool isFloat(ScalarType type) { return kindOf(type) == TypeKind::Float; }
inline bool isSigned(ScalarType type) {
  return kindOf(type) == TypeKind::Signed;
}

/// The type of that spelling, without a dot.
inline std::optional<ScalarType> parseType(std::string_view spelling) {
#define GRAPHRT_PTX_PARSE(name, text, kind, bits)                              \
  if (spelling == text)                                                        \
    return ScalarType::name;
  GRAPHRT_PTX_TYPES(GRAPHRT_PTX_PARSE)
#undef GRAPHRT_PTX_PARSE
  return std::nullopt;
}

} // namespace graphrt::ptx

#endif // GRAPHRT_EMULATOR_PTX_TYPE_H
