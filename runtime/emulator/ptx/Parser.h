//===- Parser.h - The module level of PTX -----------------------*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_PTX_PARSER_H
#define GRAPHRT_EMULATOR_PTX_PARSER_H

#include "ptx/Decoder.h"
#include "ptx/Lexer.h"

#include <algorithm>
#include <optional>

namespace graphrt::ptx {

/// A cursor over tokens that records the first error.
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

  void fail(const Token &at, const std::string &expected);
  void failAt(uint32_t line, const std::string &message);
  bool failed() const { return error.has_value(); }
  Failure takeError() { return std::move(*error); }

  size_t where() const { return position; }

private:
  const std::vector<Token> *tokens;
  size_t position;
  std::optional<Failure> error;
};

/// A declaration in any state space: `.align 4 .b8 name[16] = {...}`, or a
/// register's.
struct Declaration {
  std::string_view name;
  ScalarType type = ScalarType::B8;
  uint32_t alignment = 0;
  /// Elements; 0 for `name[]`.
  uint64_t count = 1;
  uint32_t line = 0;
  uint64_t bytes() const { return count * std::max(1u, bitsOf(type) / 8); }
};

/// Parses what follows the state space, without an initialiser.
Declaration parseDeclaration(TokenCursor &cursor);

/// A device function: its parameters, and where its body begins.
struct Function {
  std::vector<Declaration> results, parameters;
  /// The token behind the opening brace; 0 for a function that is only
  /// declared.
  size_t body = 0;
};

/// A variable of the module's shared memory; a kernel that names it gets it.
struct SharedVariable {
  uint32_t bytes, alignment;
  bool isDynamic;
};

/// The names of a module.
struct ModuleScope {
  std::unordered_map<std::string_view, Symbol> globals;
  std::unordered_map<std::string_view, SharedVariable> shared;
  std::unordered_map<std::string_view, Function> functions;
};

/// Decodes the body of a kernel, whose first token (behind the brace) is at
/// `body`, and those of the functions that it calls. Returns the position
/// behind the closing brace.
Expected<size_t> parseBody(const std::vector<Token> &tokens, size_t body,
                           const ModuleScope &scope, Kernel &kernel);

/// Parses the text of a module.
class Parser {
public:
  Parser(const std::vector<Token> &tokens, Module &module)
      : cursor(tokens, 0), tokens(tokens), module(module) {}
  Status run();

private:
  void parseDirective();
  void parseVariable(bool isConstant);
  void parseShared(bool isExtern);
  void parseInitializer(Variable &variable, const Declaration &declaration);
  void parseEntry();
  void parseFunction();
  void parseParameters(std::vector<Declaration> &parameters);
  void parseKernelDirectives(Kernel &kernel);

  TokenCursor cursor;
  const std::vector<Token> &tokens;
  Module &module;
  ModuleScope scope;
  std::optional<Failure> bodyError;
};

} // namespace graphrt::ptx

#endif // GRAPHRT_EMULATOR_PTX_PARSER_H
