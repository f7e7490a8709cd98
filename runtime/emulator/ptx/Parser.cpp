//===- Parser.cpp - The module level of PTX -------------------------------===//

#include "ptx/Parser.h"

#include <algorithm>
#include <cstring>

using namespace graphrt;
using namespace graphrt::ptx;

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

void Parser::parseVariable(bool isConstant) {
  Declaration declaration = parseDeclaration(cursor);
  Variable variable;
  variable.name = declaration.name;
  variable.bytes = declaration.bytes();
  variable.alignment = declaration.alignment;
  variable.isConstant = isConstant;
  variable.isInitialized = true;
  if (cursor.accept("="))
    parseInitializer(variable, declaration);
  cursor.expect(";");
  if (!scope.globals
           .try_emplace(declaration.name,
                        Symbol{Symbol::Space::Global,
                               uint32_t(module.variables.size()),
                               variable.bytes})
           .second)
    cursor.failAt(declaration.line,
                  "found a second variable '" + variable.name + "'");
  module.variables.push_back(std::move(variable));
}

/// Numbers, and names of variables plus an offset, in braces or alone.
void Parser::parseInitializer(Variable &variable,
                              const Declaration &declaration) {
  unsigned width = std::max(1u, bitsOf(declaration.type) / 8);
  unsigned depth = 0;
  do {
    while (cursor.accept("{"))
      ++depth;
    const Token &first = cursor.peek();
    if (first.kind == Token::Kind::Word) {
      std::string_view name = cursor.word("a variable");
      bool isGeneric = name == "generic" && cursor.accept("(");
      if (isGeneric) {
        name = cursor.word("a variable");
        cursor.expect(")");
      }
      int64_t addend = cursor.accept("+") ? cursor.integer("an offset") : 0;
      auto found = scope.globals.find(name);
      if (found == scope.globals.end() || width != 8)
        return cursor.fail(first, "a number or a global variable's name");
      variable.relocations.push_back(
          {uint32_t(variable.initial.size()), found->second.value, addend});
      variable.initial.resize(variable.initial.size() + 8);
    } else if (first.kind == Token::Kind::Float) {
      const Token &token = cursor.take();
      auto *bytes = reinterpret_cast<const uint8_t *>(&token.value);
      variable.initial.insert(variable.initial.end(), bytes, bytes + width);
    } else {
      uint64_t value = cursor.integer("a number");
      auto *bytes = reinterpret_cast<const uint8_t *>(&value);
      variable.initial.insert(variable.initial.end(), bytes, bytes + width);
    }
    while (depth > 0 && cursor.accept("}"))
      --depth;
  } while (!cursor.failed() && cursor.accept(","));
  if (depth > 0)
    cursor.expect("}");
  if (variable.initial.size() > variable.bytes)
    cursor.failAt(declaration.line,
                  "found " + std::to_string(variable.initial.size()) +
                      " initial bytes of '" + variable.name +
                      "', expected at most " + std::to_string(variable.bytes));
}

void Parser::parseShared(bool isExtern) {
  Declaration declaration = parseDeclaration(cursor);
  cursor.expect(";");
  scope.shared[declaration.name] = {uint32_t(declaration.bytes()),
                                    declaration.alignment,
                                    isExtern || declaration.count == 0};
}

//===----------------------------------------------------------------------===//
// Kernels and functions
//===----------------------------------------------------------------------===//

void Parser::parseParameters(std::vector<Declaration> &parameters) {
  if (!cursor.accept("("))
    return;
  while (!cursor.failed() && !cursor.accept(")")) {
    if (!cursor.accept(".param")) {
      cursor.fail(cursor.peek(), "'.param'");
      return;
    }
    parameters.push_back(parseDeclaration(cursor));
    if (!cursor.peek().is(")"))
      cursor.expect(",");
  }
}

void Parser::parseKernelDirectives(Kernel &kernel) {
  while (!cursor.failed() && !cursor.peek().is("{")) {
    const Token &directive = cursor.take();
    std::vector<uint32_t> values;
    while (cursor.peek().kind == Token::Kind::Integer) {
      values.push_back(cursor.integer("a number"));
      cursor.accept(",");
    }
    if (directive.is(".maxntid") || directive.is(".reqntid")) {
      values.resize(3, 1);
      uint64_t threads = uint64_t(values[0]) * values[1] * values[2];
      kernel.maxThreads = std::min<uint64_t>(threads, UINT32_MAX);
      if (directive.is(".reqntid"))
        std::copy_n(values.begin(), 3, kernel.requiredThreads.begin());
    } else if (!directive.is(".minnctapersm") && !directive.is(".maxnreg") &&
               !directive.is(".maxclusterrank") && !directive.is(".noreturn") &&
               !directive.is(".blocksareclusters")) {
      return cursor.fail(directive, "a directive of a kernel or '{'");
    }
  }
}

namespace {

/// What PTX grants kernels from sm_70 on.
constexpr uint64_t maxParameterBytes = 32764;

} // namespace

void Parser::parseEntry() {
  auto kernel = std::make_unique<Kernel>();
  const Token &name = cursor.peek();
  kernel->name = cursor.word("a kernel's name");
  kernel->module = &module;
  if (module.findKernel(kernel->name))
    return cursor.failAt(name.line,
                         "found a second kernel '" + kernel->name + "'");
  std::vector<Declaration> parameters;
  parseParameters(parameters);
  uint64_t end = 0;
  for (const Declaration &parameter : parameters) {
    uint64_t offset = (end + parameter.alignment - 1) / parameter.alignment *
                      parameter.alignment;
    end = offset + parameter.bytes();
    kernel->parameters.push_back({std::string(parameter.name), uint32_t(offset),
                                  uint32_t(parameter.bytes())});
  }
  if (end > maxParameterBytes)
    return cursor.failAt(name.line, "found " + std::to_string(end) +
                                        " bytes of parameters of kernel '" +
                                        kernel->name + "', expected at most " +
                                        std::to_string(maxParameterBytes));
  kernel->parameterBytes = end;
  parseKernelDirectives(*kernel);
  cursor.expect("{");
  if (cursor.failed())
    return;
  Expected<size_t> behind = parseBody(tokens, cursor.where(), scope, *kernel);
  if (!behind) {
    // The body's own message already names its line.
    bodyError = std::move(behind.failure());
    return;
  }
  cursor.moveTo(*behind);
  module.kernels.push_back(std::move(kernel));
}

void Parser::parseFunction() {
  Function function;
  parseParameters(function.results);
  std::string_view name = cursor.word("a function's name");
  parseParameters(function.parameters);
  while (!cursor.failed() &&
         (cursor.accept(".noreturn") || cursor.accept(".FORCE_INLINE")))
    ;
  if (!cursor.accept(";")) {
    function.body = cursor.where() + 1;
    cursor.skipBraces();
  }
  Function &known = scope.functions[name];
  if (function.body || !known.body)
    known = std::move(function);
}

void Parser::parseDirective() {
  const Token &directive = cursor.take();
  auto is = [&](std::string_view text) { return directive.is(text); };
  if (is(".version")) {
    cursor.take();
  } else if (is(".target")) {
    module.target = cursor.word("a target");
    while (cursor.accept(","))
      cursor.word("a target's option");
  } else if (is(".address_size")) {
    const Token &size = cursor.peek();
    if (cursor.integer("64") != 64)
      cursor.fail(size, "64-bit addresses");
  } else if (is(".visible") || is(".weak") || is(".common")) {
    return; // Linkage does not matter to a single module.
  } else if (is(".extern")) {
    if (cursor.accept(".shared"))
      parseShared(/*isExtern=*/true);
    else if (cursor.accept(".func"))
      parseFunction();
    else
      cursor.fail(cursor.peek(), "'.shared' or '.func' behind '.extern'");
  } else if (is(".global") || is(".const")) {
    parseVariable(is(".const"));
  } else if (is(".shared")) {
    parseShared(/*isExtern=*/false);
  } else if (is(".entry")) {
    parseEntry();
  } else if (is(".func")) {
    parseFunction();
  } else if (is(".file") || is(".loc")) {
    cursor.skipLine(directive);
  } else if (is(".section")) {
    while (!cursor.peek().is("{") && cursor.peek().kind != Token::Kind::End)
      cursor.take();
    cursor.skipBraces();
  } else if (is(".pragma")) {
    cursor.take();
    cursor.expect(";");
  } else {
    cursor.fail(directive, "a directive");
  }
}

Status Parser::run() {
  cursor.expect(".version");
  cursor.take();
  while (!cursor.failed() && !bodyError &&
         cursor.peek().kind != Token::Kind::End)
    parseDirective();
  if (bodyError)
    return std::move(*bodyError);
  if (cursor.failed())
    return cursor.takeError();
  return {};
}
