//===- Lexer.h - Cuts a PTX text into tokens --------------------*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_PTX_LEXER_H
#define GRAPHRT_EMULATOR_PTX_LEXER_H

#include "graphrt/support/Expected.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace graphrt::ptx {

struct Token {
  enum class Kind : uint8_t {
    /// A name, directive, register or a mnemonic with all its modifiers:
    /// letters, digits and any of `_$.%`, and `::` inside.
    Word,
    Integer,
    /// `value` holds the bits, of `floatBits` (32 or 64).
    Float,
    String,
    /// One character.
    Punctuation,
    End,
  };

  Kind kind;
  uint8_t floatBits = 0;
  uint32_t line;
  std::string_view text;
  uint64_t value = 0;

  bool is(std::string_view expected) const {
    return kind != Kind::String && text == expected;
  }
};

/// All tokens of `text`, comments left out, and an End behind the last. They
/// point into `text`.
Expected<std::vector<Token>> tokenize(std::string_view text);

/// A decoding error at a line: "line 3: found X, expected Y".
Failure errorAtLine(uint32_t line, const std::string &message);

} // namespace graphrt::ptx

#endif // GRAPHRT_EMULATOR_PTX_LEXER_H
