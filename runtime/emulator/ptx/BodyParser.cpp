//===- BodyParser.cpp - The instructions of a kernel ----------------------===//
//
// Decodes the statements of a kernel's body, then those of every function that
// it calls.
//
//===----------------------------------------------------------------------===//

#include "exec/Control.h"
#include "ptx/Calls.h"
#include "ptx/CodeBuilder.h"
#include "ptx/OperandParser.h"
#include "ptx/Parser.h"
#include "ptx/Scopes.h"

using namespace graphrt;
using namespace graphrt::ptx;

namespace {

/// Braces inside braces.
constexpr unsigned maxDepth = 64;

class BodyParser {
public:
  BodyParser(const std::vector<Token> &tokens, const ModuleScope &module,
             Kernel &kernel)
      : tokens(tokens), kernel(kernel), cursor(tokens, 0),
        scopes(module, kernel), builder(kernel),
        calls(module, scopes, builder) {}

  Expected<size_t> run(size_t body);

private:
  void parseBlock();
  void closeScope();
  void parseStatement();
  void parseLabel();
  void parseDirective();
  void parseRegisters();
  void parseVariable(bool isShared);
  void parseTable(std::string_view name);
  void parseInstruction();
  void parseGuard();
  void parseFunctionBodies();

  void emit(const Token &opcode, std::vector<Operand> &operands);
  void emitIndexedBranch(const Token &opcode, std::vector<Operand> &operands);

  const std::vector<Token> &tokens;
  Kernel &kernel;
  TokenCursor cursor;
  Scopes scopes;
  CodeBuilder builder;
  Calls calls;
  unsigned depth = 0;
  /// In a function: the register of the return address.
  Slot link = noSlot;
};

} // namespace

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// Up to a closing brace; the opening one is taken.
void BodyParser::parseBlock() {
  if (++depth > maxDepth)
    return cursor.fail(cursor.peek(), "braces that nest less deeply");
  scopes.open();
  while (!cursor.failed() && !cursor.peek().is("}")) {
    if (cursor.peek().kind == Token::Kind::End)
      cursor.fail(cursor.peek(), "'}'");
    else
      parseStatement();
  }
  cursor.expect("}");
  closeScope();
  --depth;
}

void BodyParser::closeScope() {
  if (std::optional<LabelUse> use = scopes.close())
    cursor.failAt(use->line, "found the label '" + std::string(use->label) +
                                 "', expected one of the function's labels");
}

void BodyParser::parseStatement() {
  if (cursor.accept("{"))
    return parseBlock();
  if (cursor.accept(";"))
    return;
  const Token &first = cursor.peek();
  if (first.kind == Token::Kind::Word && cursor.peek(1).is(":"))
    return parseLabel();
  if (first.text.starts_with('.'))
    return parseDirective();
  parseInstruction();
}

void BodyParser::parseLabel() {
  const Token &name = cursor.take();
  cursor.take();
  if (cursor.accept(".branchtargets"))
    return parseTable(name.text);
  if (!scopes.declareLabel(name.text))
    cursor.failAt(name.line,
                  "found a second label '" + std::string(name.text) + "'");
}

void BodyParser::parseTable(std::string_view name) {
  std::vector<std::string_view> labels;
  do
    labels.push_back(cursor.word("a label"));
  while (cursor.accept(","));
  cursor.expect(";");
  scopes.declareTable(name, std::move(labels));
}

void BodyParser::parseDirective() {
  const Token &directive = cursor.take();
  if (directive.is(".reg")) {
    parseRegisters();
  } else if (directive.is(".local") || directive.is(".param")) {
    parseVariable(/*isShared=*/false);
  } else if (directive.is(".shared")) {
    parseVariable(/*isShared=*/true);
  } else if (directive.is(".loc") || directive.is(".file")) {
    cursor.skipLine(directive);
  } else if (directive.is(".pragma")) {
    cursor.take();
    cursor.expect(";");
  } else {
    cursor.fail(directive, "a directive of a function's body");
  }
}

void BodyParser::parseRegisters() {
  const Token &spelling = cursor.peek();
  std::string_view typeName = cursor.word("a type");
  std::optional<ScalarType> type =
      typeName.starts_with('.') ? parseType(typeName.substr(1)) : std::nullopt;
  if (!type)
    return cursor.fail(spelling, "a type");
  unsigned bits = bitsOf(*type) == 8 ? 16 : bitsOf(*type);
  do {
    std::string_view name = cursor.word("a register's name");
    if (cursor.accept("<")) {
      uint64_t count = cursor.integer("a number of registers");
      cursor.expect(">");
      scopes.declareRegisters(name, bits, count);
    } else {
      scopes.declareRegister(name, bits);
    }
  } while (cursor.accept(","));
  cursor.expect(";");
}

void BodyParser::parseVariable(bool isShared) {
  Declaration declaration = parseDeclaration(cursor);
  cursor.expect(";");
  scopes.declare(declaration.name,
                 isShared ? scopes.allocateShared(
                                {uint32_t(declaration.bytes()),
                                 declaration.alignment, declaration.count == 0})
                          : scopes.allocateLocal(declaration));
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

void BodyParser::parseGuard() {
  builder.clearGuard();
  if (!cursor.accept("@"))
    return;
  uint32_t mask = cursor.accept("!") ? ~0u : 0;
  const Token &name = cursor.peek();
  std::optional<Operand> predicate =
      scopes.findRegister(cursor.word("a predicate"));
  if (!predicate || predicate->bits != 1)
    return cursor.fail(name, "a predicate");
  builder.setGuard(predicate->slot, mask);
}

void BodyParser::parseInstruction() {
  parseGuard();
  const Token &opcode = cursor.peek();
  cursor.word("an instruction");
  std::vector<Operand> operands = OperandParser(cursor, scopes).parseAll();
  cursor.expect(";");
  if (cursor.failed())
    return;
  if (opcode.is("brx.idx") || opcode.is("brx.idx.uni"))
    return emitIndexedBranch(opcode, operands);
  if (!opcode.is("call") && !opcode.is("call.uni"))
    return emit(opcode, operands);
  std::string error = calls.emit(operands, opcode.line);
  if (!error.empty())
    cursor.failAt(opcode.line, error);
}

void BodyParser::emit(const Token &opcode, std::vector<Operand> &operands) {
  Decoder decoder(kernel, scopes.slots, builder.append(opcode.line),
                  opcode.text, operands);
  decoder.link = link;
  DecodeFunction decode = findInstruction(decoder.mnemonic());
  if (!decode)
    return cursor.fail(opcode, "an instruction that the emulator supports");
  decoder.instruction().execute = decode(decoder);
  if (decoder.error().empty())
    decoder.finish();
  if (!decoder.error().empty())
    return cursor.failAt(opcode.line, decoder.error());
  if (!decoder.labelName().empty())
    scopes.use({decoder.labelName(), opcode.line, builder.position() - 1,
                std::nullopt});
}

void BodyParser::emitIndexedBranch(const Token &opcode,
                                   std::vector<Operand> &operands) {
  if (operands.size() != 2 || operands[0].kind != Operand::Kind::Register ||
      operands[0].bits != 32 || operands[1].kind != Operand::Kind::Name)
    return cursor.fail(opcode, "'brx.idx register, table'");
  const std::vector<std::string_view> *table =
      scopes.findTable(operands[1].text);
  if (!table)
    return cursor.failAt(opcode.line, "found the branch table '" +
                                          std::string(operands[1].text) +
                                          "', expected one declared before");
  Instruction &branch = builder.append(opcode.line);
  branch.execute = exec::executeIndexedBranch;
  branch.slots[0] = operands[0].slot;
  branch.list = kernel.slotLists.size();
  branch.immediate = table->size();
  for (std::string_view label : *table) {
    scopes.use(
        {label, opcode.line, builder.position() - 1, kernel.slotLists.size()});
    kernel.slotLists.push_back(0);
  }
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

void BodyParser::parseFunctionBodies() {
  for (;;) {
    scopes.open();
    const FunctionInstance *function = calls.beginBody();
    if (!function)
      return closeScope();
    link = function->link;
    cursor.moveTo(function->function->body);
    parseBlock();
    if (cursor.failed())
      return;
    closeScope();
    builder.clearGuard();
    Instruction &end = builder.append(tokens[cursor.where() - 1].line);
    end.execute = exec::executeReturn;
    end.slots[0] = link;
  }
}

Expected<size_t> BodyParser::run(size_t body) {
  cursor.moveTo(body);
  scopes.open();
  for (const Parameter &parameter : kernel.parameters)
    scopes.declare(parameter.name, {Symbol::Space::Parameter, parameter.offset,
                                    parameter.bytes});
  parseBlock();
  size_t end = cursor.where();
  if (!cursor.failed()) {
    closeScope();
    builder.clearGuard();
    builder.append(tokens[end - 1].line).execute = exec::executeExit;
    parseFunctionBodies();
  }
  if (cursor.failed())
    return cursor.takeError();
  calls.finish();
  if (Status bad = scopes.finish())
    return std::move(bad.failure());
  return end;
}

Expected<size_t> ptx::parseBody(const std::vector<Token> &tokens, size_t body,
                                const ModuleScope &scope, Kernel &kernel) {
  return BodyParser(tokens, scope, kernel).run(body);
}
