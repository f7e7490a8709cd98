//===- TokenCursor.cpp - A place in the tokens of a module ----------------===//

#include "ptx/TokenCursor.h"

using namespace graphrt;
using namespace graphrt::ptx;

void TokenCursor::failAt(uint32_t line, const std::string &message) {
  if (!error)
    error = errorAtLine(line, message);
  // Nothing is parsed behind an error.
  position = tokens->size() - 1;
}

void TokenCursor::fail(const Token &at, const std::string &expected) {
  std::string found = at.kind == Token::Kind::End
                          ? std::string(at.text)
                          : "'" + std::string(at.text) + "'";
  failAt(at.line, "found " + found + ", expected " + expected);
}

bool TokenCursor::expect(std::string_view text) {
  if (accept(text))
    return true;
  fail(peek(), "'" + std::string(text) + "'");
  return false;
}

std::string_view TokenCursor::word(const char *what) {
  if (peek().kind != Token::Kind::Word)
    fail(peek(), what);
  return take().text;
}

int64_t TokenCursor::integer(const char *what) {
  bool isNegative = accept("-");
  if (peek().kind != Token::Kind::Integer)
    fail(peek(), what);
  uint64_t value = take().value;
  return isNegative ? -value : value;
}

void TokenCursor::skipBraces() {
  expect("{");
  for (unsigned depth = 1; depth != 0 && !failed();) {
    if (peek().kind == Token::Kind::End)
      return fail(peek(), "'}'");
    const Token &token = take();
    depth += token.is("{");
    depth -= token.is("}");
  }
}

void TokenCursor::skipLine(const Token &first) {
  while (peek().line == first.line && peek().kind != Token::Kind::End)
    take();
}
