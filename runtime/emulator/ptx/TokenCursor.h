//===- TokenCursor.h - A place in the tokens of a module --------*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_PTX_TOKENCURSOR_H
#define GRAPHRT_EMULATOR_PTX_TOKENCURSOR_H

#include "ptx/Lexer.h"

#include <algorithm>
#include <optional>
#include <string>

namespace graphrt::ptx {

/// A cursor over tokens that records the first error. After it the cursor
/// stands at the end, and what it returns are placeholders.
class TokenCursor {
public:
  TokenCursor(const std::vector<Token> &tokens, size_t position)
      : tokens(&tokens), position(position) {}

  const Token &peek(size_t ahead = 0) const {
    return (*tokens)[std::min(position + ahead, tokens->size() - 1)];
  }
  const Token &take() {
    const Token &token = peek();
    position = std::min(position + 1, tokens->size() - 1);
    return token;
  }
  bool accept(std::string_view text) {
    if (!peek().is(text))
      return false;
    take();
    return true;
  }
  /// Takes that text, or fails.
  bool expect(std::string_view text);
  std::string_view word(const char *what);
  /// An integer with an optional sign.
  int64_t integer(const char *what);
  /// Skips from an opening brace behind its partner.
  void skipBraces();
  /// Skips what stands in the line of `first` behind it.
  void skipLine(const Token &first);

  /// Records "found `at`, expected `expected`".
  void fail(const Token &at, const std::string &expected);
  void failAt(uint32_t line, const std::string &message);
  bool failed() const { return error.has_value(); }
  Failure takeError() { return std::move(*error); }

  size_t where() const { return position; }
  /// Goes on elsewhere in the same tokens.
  void moveTo(size_t target) { position = target; }

private:
  const std::vector<Token> *tokens;
  size_t position;
  std::optional<Failure> error;
};

} // namespace graphrt::ptx

#endif // GRAPHRT_EMULATOR_PTX_TOKENCURSOR_H
