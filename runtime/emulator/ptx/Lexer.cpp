//===- Lexer.cpp - Cuts a PTX text into tokens ----------------------------===//

#include "ptx/Lexer.h"

#include <bit>
#include <charconv>
#include <string>

using namespace graphrt;
using namespace graphrt::ptx;

Failure ptx::errorAtLine(uint32_t line, const std::string &message) {
  return {ErrorCode::Corrupt, "line " + std::to_string(line) + ": " + message};
}

namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }

bool startsWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '$' || c == '%' || c == '.';
}

class Lexer {
public:
  explicit Lexer(std::string_view text) : rest(text) {}

  Expected<std::vector<Token>> run() {
    for (;;) {
      if (Status bad = skipBlanks())
        return std::move(bad.failure());
      if (rest.empty())
        break;
      if (Status bad = lexToken())
        return std::move(bad.failure());
    }
    tokens.push_back({Token::Kind::End, 0, line, "the end of the text"});
    return std::move(tokens);
  }

private:
  void advance(size_t count) {
    for (char c : rest.substr(0, count))
      line += c == '\n';
    rest.remove_prefix(count);
  }

  Status skipBlanks() {
    while (!rest.empty()) {
      if (rest.starts_with("//")) {
        advance(std::min(rest.find('\n'), rest.size()));
      } else if (rest.starts_with("/*")) {
        size_t end = rest.find("*/", 2);
        if (end == rest.npos)
          return errorAtLine(line, "found the end of the text, expected '*/'");
        advance(end + 2);
      } else if (std::string_view(" \t\r\n").find(rest[0]) != rest.npos) {
        advance(1);
      } else {
        break;
      }
    }
    return {};
  }

  void push(Token::Kind kind, size_t length, uint64_t value = 0,
            uint8_t floatBits = 0) {
    tokens.push_back({kind, floatBits, line, rest.substr(0, length), value});
    advance(length);
  }

  size_t wordLength() const {
    size_t length = 1;
    for (; length < rest.size(); ++length) {
      char c = rest[length];
      if (startsWord(c) || isDigit(c))
        continue;
      if (rest.substr(length).starts_with("::"))
        ++length;
      else
        break;
    }
    return length;
  }

  Status lexToken() {
    if (isDigit(rest[0]))
      return lexNumber();
    if (startsWord(rest[0])) {
      push(Token::Kind::Word, wordLength());
    } else if (rest[0] == '"') {
      size_t end = rest.find('"', 1);
      if (end == rest.npos)
        return errorAtLine(line, "found the end of the text, expected '\"'");
      push(Token::Kind::String, end + 1);
    } else if (std::string_view("(){}[]<>,;:+-*/@!|=&").find(rest[0]) !=
               rest.npos) {
      push(Token::Kind::Punctuation, 1);
    } else {
      return errorAtLine(line, std::string("found the character '") + rest[0] +
                                   "', expected a token");
    }
    return {};
  }

  Status lexNumber() {
    if (rest.starts_with("0f") || rest.starts_with("0F"))
      return lexBits(2, 8, Token::Kind::Float, 32);
    if (rest.starts_with("0d") || rest.starts_with("0D"))
      return lexBits(2, 16, Token::Kind::Float, 64);
    if (rest.starts_with("0x") || rest.starts_with("0X"))
      return lexBits(2, 0, Token::Kind::Integer, 0);
    size_t length = 0;
    while (length < rest.size() && isDigit(rest[length]))
      ++length;
    if (length < rest.size() && rest[length] == '.')
      return lexDecimalFloat();
    return finishNumber(0, length, 10, Token::Kind::Integer, 0);
  }

  /// Hexadecimal digits behind a prefix; `digits` of them, or any number for 0.
  Status lexBits(size_t prefix, size_t digits, Token::Kind kind,
                 uint8_t floatBits) {
    size_t end = prefix;
    while (end < rest.size() && std::isxdigit(uint8_t(rest[end])))
      ++end;
    if (end == prefix || (digits && end != prefix + digits))
      return errorAtLine(
          line, "found the number '" + std::string(rest.substr(0, end)) +
                    "', expected " +
                    (digits ? std::to_string(digits) + " " : std::string()) +
                    "hexadecimal digits");
    return finishNumber(prefix, end, 16, kind, floatBits);
  }

  Status lexDecimalFloat() {
    double value = 0;
    auto [end, error] =
        std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc())
      return errorAtLine(line, "found a number that no f64 holds");
    push(Token::Kind::Float, end - rest.data(), std::bit_cast<uint64_t>(value),
         64);
    return {};
  }

  Status finishNumber(size_t begin, size_t end, int base, Token::Kind kind,
                      uint8_t floatBits) {
    uint64_t value = 0;
    auto [stop, error] =
        std::from_chars(rest.data() + begin, rest.data() + end, value, base);
    if (error != std::errc() || stop != rest.data() + end)
      return errorAtLine(line, "found the number '" +
                                   std::string(rest.substr(0, end)) +
                                   "', expected at most 64 bits");
    if (kind == Token::Kind::Integer && end < rest.size() && rest[end] == 'U')
      ++end;
    push(kind, end, value, floatBits);
    return {};
  }

  std::string_view rest;
  uint32_t line = 1;
  std::vector<Token> tokens;
};

} // namespace

Expected<std::vector<Token>> ptx::tokenize(std::string_view text) {
  return Lexer(text).run();
}
