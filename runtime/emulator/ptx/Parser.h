//===- Parser.h - The module level of PTX -----------------------*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_PTX_PARSER_H
#define GRAPHRT_EMULATOR_PTX_PARSER_H

#include "ptx/Declaration.h"
#include "ptx/Module.h"

#include <optional>

namespace graphrt::ptx {

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
