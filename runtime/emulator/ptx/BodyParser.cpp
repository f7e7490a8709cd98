//===- BodyParser.cpp - The instructions of a kernel ----------------------===//
//
// Decodes a kernel's body, then the body of every function that it calls, once
// per kernel, with registers and parameters of its own: calls neither nest
// dynamically nor recurse, so that a parameter has a fixed place in local
// memory and a return address a fixed register. A call becomes
//
//   copy the arguments to the parameters; call; copy the results back
//
//===----------------------------------------------------------------------===//

#include "exec/Control.h"
#include "ptx/Parser.h"

#include <algorithm>

using namespace graphrt;
using namespace graphrt::ptx;

namespace {

struct Register {
  unsigned bits;
  Slot slot;
};

/// Registers `%name<count>`, to be allocated when they are first named.
struct RegisterRange {
  unsigned bits;
  uint64_t count;
};

/// A use of a label: an instruction's target, or an entry of a branch table.
struct LabelUse {
  std::string_view label;
  uint32_t line;
  size_t instruction;
  std::optional<size_t> listIndex;
};

/// What a pair of braces delimits.
struct Scope {
  std::unordered_map<std::string_view, Register> registers;
  std::unordered_map<std::string_view, RegisterRange> ranges;
  std::unordered_map<std::string_view, Symbol> symbols;
  std::unordered_map<std::string_view, size_t> labels;
  std::unordered_map<std::string_view, std::vector<std::string_view>> tables;
  std::vector<LabelUse> uses;
};

/// A function's body inside the kernel.
struct FunctionInstance {
  Slot link;
  std::vector<Symbol> results, parameters;
  size_t entry = 0;
};

struct SpecialName {
  std::string_view name;
  Special kind;
  unsigned bits;
  uint64_t value;
};

/// Special registers that do not change while a thread runs. A cluster has one
/// block.
constexpr SpecialName specialNames[] = {
    {"%tid.x", Special::Tid, 32, 0},
    {"%tid.y", Special::Tid, 32, 1},
    {"%tid.z", Special::Tid, 32, 2},
    {"%ntid.x", Special::Ntid, 32, 0},
    {"%ntid.y", Special::Ntid, 32, 1},
    {"%ntid.z", Special::Ntid, 32, 2},
    {"%ctaid.x", Special::Ctaid, 32, 0},
    {"%ctaid.y", Special::Ctaid, 32, 1},
    {"%ctaid.z", Special::Ctaid, 32, 2},
    {"%nctaid.x", Special::Nctaid, 32, 0},
    {"%nctaid.y", Special::Nctaid, 32, 1},
    {"%nctaid.z", Special::Nctaid, 32, 2},
    {"%clusterid.x", Special::Ctaid, 32, 0},
    {"%clusterid.y", Special::Ctaid, 32, 1},
    {"%clusterid.z", Special::Ctaid, 32, 2},
    {"%nclusterid.x", Special::Nctaid, 32, 0},
    {"%nclusterid.y", Special::Nctaid, 32, 1},
    {"%nclusterid.z", Special::Nctaid, 32, 2},
    {"%cluster_ctaid.x", Special::Immediate, 32, 0},
    {"%cluster_ctaid.y", Special::Immediate, 32, 0},
    {"%cluster_ctaid.z", Special::Immediate, 32, 0},
    {"%cluster_nctaid.x", Special::Immediate, 32, 1},
    {"%cluster_nctaid.y", Special::Immediate, 32, 1},
    {"%cluster_nctaid.z", Special::Immediate, 32, 1},
    {"%cluster_ctarank", Special::Immediate, 32, 0},
    {"%cluster_nctarank", Special::Immediate, 32, 1},
    {"%laneid", Special::Laneid, 32, 0},
    {"%warpid", Special::Warpid, 32, 0},
    {"%nwarpid", Special::Nwarpid, 32, 0},
    {"%smid", Special::Smid, 32, 0},
    {"%nsmid", Special::Nsmid, 32, 0},
    {"%gridid", Special::Gridid, 64, 0},
    {"%lanemask_eq", Special::LanemaskEq, 32, 0},
    {"%lanemask_le", Special::LanemaskLe, 32, 0},
    {"%lanemask_lt", Special::LanemaskLt, 32, 0},
    {"%lanemask_ge", Special::LanemaskGe, 32, 0},
    {"%lanemask_gt", Special::LanemaskGt, 32, 0},
    {"%dynamic_smem_size", Special::DynamicSharedSize, 32, 0},
    {"%total_smem_size", Special::TotalSharedSize, 32, 0},
    {"WARP_SZ", Special::Immediate, 32, 32},
};

class BodyParser {
public:
  BodyParser(const std::vector<Token> &tokens, const ModuleScope &module,
             Kernel &kernel)
      : tokens(tokens), module(module), kernel(kernel), slots(kernel),
        cursor(tokens, 0) {}

  Expected<size_t> run(size_t body);

private:
  void parseBlock();
  void parseStatement();
  void parseDirective();
  void parseRegisters();
  void parseVariable(Symbol::Space space);
  void parseTable(std::string_view name);
  void parseInstruction();
  std::vector<Operand> parseOperands();
  Operand parseOperand();
  Operand parseList(std::string_view close, Operand::Kind kind);
  Operand parseAddress();
  Operand parseNumber();
  Operand parseName();
  std::optional<Operand> findRegister(std::string_view name);
  std::optional<Symbol> findSymbol(std::string_view name);

  void emit(std::string_view opcode, const Token &at,
            std::vector<Operand> &operands);
  void emitCall(std::vector<Operand> &operands, const Token &at);
  void emitCopies(const std::vector<Symbol> &targets,
                  const std::vector<Symbol> &sources, const Token &at);
  void emitIndexedBranch(std::vector<Operand> &operands, const Token &at);
  bool reaches(std::string_view from, std::string_view to) const;
  std::vector<Symbol> argumentsOf(const Operand &list, size_t expected,
                                  const Token &at);
  Instruction &append(const Token &at);

  FunctionInstance &instance(std::string_view name, const Function &function);
  void parseFunctionBody(std::string_view name);
  Symbol allocateLocal(uint32_t bytes, uint32_t alignment);
  Symbol declareShared(const SharedVariable &variable);
  void openScope() { scopes.emplace_back(); }
  void closeScope();

  const std::vector<Token> &tokens;
  const ModuleScope &module;
  Kernel &kernel;
  SlotAllocator slots;
  TokenCursor cursor;
  std::vector<Scope> scopes;
  uint32_t dynamicAlignment = 16;
  std::unordered_map<std::string_view, Symbol> usedShared;

  // The guard of the statement.
  Slot guard = noSlot;
  uint32_t guardMask = 0;

  // Functions.
  Slot link = noSlot;
  std::unordered_map<std::string_view, FunctionInstance> instances;
  std::vector<std::string_view> pending;
  std::vector<std::pair<size_t, std::string_view>> calls;
  std::unordered_map<std::string_view, std::vector<std::string_view>> callees;
  std::string_view current;
};

} // namespace

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void BodyParser::parseBlock() {
  openScope();
  while (!cursor.failed() && !cursor.peek().is("}")) {
    if (cursor.peek().kind == Token::Kind::End)
      cursor.fail(cursor.peek(), "'}'");
    else
      parseStatement();
  }
  cursor.expect("}");
  closeScope();
}

/// Labels go out of scope; uses of other labels belong to the scope around.
void BodyParser::closeScope() {
  Scope scope = std::move(scopes.back());
  scopes.pop_back();
  for (LabelUse &use : scope.uses) {
    auto label = scope.labels.find(use.label);
    if (label == scope.labels.end()) {
      if (!scopes.empty())
        scopes.back().uses.push_back(use);
      else
        cursor.failAt(use.line, "found the label '" + std::string(use.label) +
                                    "', expected one of the function's labels");
    } else if (use.listIndex) {
      kernel.slotLists[*use.listIndex] = label->second;
    } else {
      kernel.code[use.instruction].immediate = label->second;
    }
  }
}

void BodyParser::parseStatement() {
  if (cursor.accept("{"))
    return parseBlock();
  if (cursor.accept(";"))
    return;
  const Token &first = cursor.peek();
  if (first.kind == Token::Kind::Word && cursor.peek(1).is(":")) {
    cursor.take();
    cursor.take();
    if (cursor.peek().is(".branchtargets"))
      return parseTable(first.text);
    if (!scopes.back()
             .labels.try_emplace(first.text, kernel.code.size())
             .second)
      cursor.failAt(first.line,
                    "found a second label '" + std::string(first.text) + "'");
    return;
  }
  if (first.text.starts_with('.'))
    return parseDirective();
  parseInstruction();
}

void BodyParser::parseDirective() {
  const Token &directive = cursor.take();
  if (directive.is(".reg")) {
    parseRegisters();
  } else if (directive.is(".local") || directive.is(".param")) {
    parseVariable(Symbol::Space::Local);
  } else if (directive.is(".shared")) {
    parseVariable(Symbol::Space::Shared);
  } else if (directive.is(".loc") || directive.is(".file")) {
    while (cursor.peek().line == directive.line &&
           cursor.peek().kind != Token::Kind::End)
      cursor.take();
  } else if (directive.is(".pragma")) {
    cursor.take();
    cursor.expect(";");
  } else {
    cursor.fail(directive, "a directive of a function's body");
  }
}

void BodyParser::parseRegisters() {
  const Token &spelling = cursor.peek();
  std::string_view name = cursor.word("a type");
  std::optional<ScalarType> type =
      name.starts_with('.') ? parseType(name.substr(1)) : std::nullopt;
  if (!type)
    return cursor.fail(spelling, "a type");
  unsigned bits = bitsOf(*type) == 8 ? 16 : bitsOf(*type);
  do {
    std::string_view name = cursor.word("a register's name");
    if (cursor.accept("<")) {
      uint64_t count = cursor.integer("a number of registers");
      cursor.expect(">");
      scopes.back().ranges[name] = {bits, count};
    } else {
      scopes.back().registers[name] = {bits, slots.allocate(bits)};
      ++kernel.registers;
    }
  } while (cursor.accept(","));
  cursor.expect(";");
}

Symbol BodyParser::allocateLocal(uint32_t bytes, uint32_t alignment) {
  uint32_t offset = (kernel.localBytes + alignment - 1) / alignment * alignment;
  kernel.localBytes = offset + bytes;
  return {Symbol::Space::Local, offset, bytes};
}

Symbol BodyParser::declareShared(const SharedVariable &variable) {
  if (variable.isDynamic) {
    dynamicAlignment = std::max(dynamicAlignment, variable.alignment);
    return {Symbol::Space::DynamicShared, 0, 0};
  }
  uint32_t alignment = variable.alignment;
  uint32_t offset =
      (kernel.sharedBytes + alignment - 1) / alignment * alignment;
  kernel.sharedBytes = offset + variable.bytes;
  return {Symbol::Space::Shared, offset, variable.bytes};
}

void BodyParser::parseVariable(Symbol::Space space) {
  Declaration declaration = parseDeclaration(cursor);
  cursor.expect(";");
  uint32_t bytes = declaration.bytes();
  scopes.back().symbols[declaration.name] =
      space == Symbol::Space::Local
          ? allocateLocal(bytes, declaration.alignment)
          : declareShared(
                {bytes, declaration.alignment, declaration.count == 0});
}

void BodyParser::parseTable(std::string_view name) {
  cursor.take();
  std::vector<std::string_view> &labels = scopes.back().tables[name];
  do
    labels.push_back(cursor.word("a label"));
  while (cursor.accept(","));
  cursor.expect(";");
}

void BodyParser::parseInstruction() {
  guard = noSlot;
  guardMask = 0;
  if (cursor.accept("@")) {
    guardMask = cursor.accept("!") ? ~0u : 0;
    const Token &name = cursor.peek();
    std::optional<Operand> predicate = findRegister(cursor.word("a predicate"));
    if (!predicate || predicate->bits != 1)
      return cursor.fail(name, "a predicate");
    guard = predicate->slot;
  }
  const Token &opcode = cursor.peek();
  cursor.word("an instruction");
  std::vector<Operand> operands = parseOperands();
  cursor.expect(";");
  if (cursor.failed())
    return;
  if (opcode.is("call") || opcode.is("call.uni"))
    emitCall(operands, opcode);
  else if (opcode.is("brx.idx") || opcode.is("brx.idx.uni"))
    emitIndexedBranch(operands, opcode);
  else
    emit(opcode.text, opcode, operands);
}

Instruction &BodyParser::append(const Token &at) {
  Instruction &instruction = kernel.code.emplace_back();
  instruction.line = at.line;
  instruction.guard = guard;
  instruction.guardMask = guardMask;
  return instruction;
}

void BodyParser::emit(std::string_view opcode, const Token &at,
                      std::vector<Operand> &operands) {
  Instruction &instruction = append(at);
  Decoder decoder(kernel, slots, instruction, opcode, operands);
  decoder.link = link;
  DecodeFunction decode = findInstruction(decoder.mnemonic());
  if (!decode)
    return cursor.failAt(at.line, "found '" + std::string(opcode) +
                                      "', expected an instruction that the "
                                      "emulator supports");
  instruction.execute = decode(decoder);
  if (decoder.error().empty())
    decoder.finish();
  if (!decoder.error().empty())
    return cursor.failAt(at.line, decoder.error());
  if (!decoder.labelName().empty())
    scopes.back().uses.push_back(
        {decoder.labelName(), at.line, kernel.code.size() - 1, std::nullopt});
}

void BodyParser::emitIndexedBranch(std::vector<Operand> &operands,
                                   const Token &at) {
  if (operands.size() != 2 || operands[0].kind != Operand::Kind::Register ||
      operands[0].bits != 32 || operands[1].kind != Operand::Kind::Name)
    return cursor.fail(at, "'brx.idx register, table'");
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    auto table = scope->tables.find(operands[1].text);
    if (table == scope->tables.end())
      continue;
    Instruction &instruction = append(at);
    instruction.execute = exec::executeIndexedBranch;
    instruction.slots[0] = operands[0].slot;
    instruction.list = kernel.slotLists.size();
    instruction.immediate = table->second.size();
    for (std::string_view label : table->second) {
      scopes.back().uses.push_back(
          {label, at.line, kernel.code.size() - 1, kernel.slotLists.size()});
      kernel.slotLists.push_back(0);
    }
    return;
  }
  cursor.failAt(at.line, "found the branch table '" +
                             std::string(operands[1].text) +
                             "', expected one declared before");
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

std::vector<Operand> BodyParser::parseOperands() {
  std::vector<Operand> operands;
  if (cursor.peek().is(";"))
    return operands;
  do
    operands.push_back(parseOperand());
  while (!cursor.failed() && cursor.accept(","));
  return operands;
}

Operand BodyParser::parseList(std::string_view close, Operand::Kind kind) {
  Operand list;
  list.kind = kind;
  list.text = kind == Operand::Kind::List ? "(...)" : "{...}";
  while (!cursor.failed() && !cursor.accept(close)) {
    list.elements.push_back(parseOperand());
    if (!cursor.peek().is(close))
      cursor.expect(",");
  }
  return list;
}

Operand BodyParser::parseAddress() {
  Operand address;
  address.kind = Operand::Kind::Address;
  address.text = "[...]";
  address.elements.push_back(parseOperand());
  Operand &base = address.elements[0];
  std::swap(address.offset, base.offset);
  if (cursor.accept(","))
    address.elements.push_back(parseOperand());
  cursor.expect("]");
  return address;
}

Operand BodyParser::parseNumber() {
  Operand operand;
  bool isNegative = cursor.accept("-");
  const Token &token = cursor.take();
  operand.text = token.text;
  operand.value = token.value;
  if (token.kind == Token::Kind::Integer) {
    operand.kind = Operand::Kind::Integer;
    operand.value = isNegative ? -token.value : token.value;
  } else if (token.kind == Token::Kind::Float) {
    operand.kind = Operand::Kind::Float;
    operand.floatBits = token.floatBits;
    operand.value ^= uint64_t(isNegative) << (token.floatBits - 1);
  } else {
    cursor.fail(token, "an operand");
  }
  return operand;
}

std::optional<Operand> BodyParser::findRegister(std::string_view name) {
  Operand operand;
  operand.kind = Operand::Kind::Register;
  operand.text = name;
  size_t digits = name.find_last_not_of("0123456789") + 1;
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    auto known = scope->registers.find(name);
    if (known == scope->registers.end() && digits < name.size()) {
      auto range = scope->ranges.find(name.substr(0, digits));
      if (range == scope->ranges.end() ||
          std::stoull("0" + std::string(name.substr(digits, 18))) >=
              range->second.count)
        continue;
      unsigned bits = range->second.bits;
      known =
          scope->registers.insert({name, {bits, slots.allocate(bits)}}).first;
      ++kernel.registers;
    }
    if (known == scope->registers.end())
      continue;
    operand.bits = known->second.bits;
    operand.slot = known->second.slot;
    return operand;
  }
  for (const SpecialName &special : specialNames)
    if (special.name == name) {
      operand.bits = special.bits;
      operand.slot = slots.constant(special.kind, special.bits, special.value);
      return operand;
    }
  return std::nullopt;
}

std::optional<Symbol> BodyParser::findSymbol(std::string_view name) {
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    auto known = scope->symbols.find(name);
    if (known != scope->symbols.end())
      return known->second;
  }
  auto global = module.globals.find(name);
  if (global != module.globals.end())
    return global->second;
  auto shared = module.shared.find(name);
  if (shared == module.shared.end())
    return std::nullopt;
  auto [used, isNew] = usedShared.try_emplace(name);
  if (isNew)
    used->second = declareShared(shared->second);
  return used->second;
}

Operand BodyParser::parseName() {
  const Token &token = cursor.take();
  Operand operand;
  operand.text = token.text;
  if (token.text == "_")
    return operand;
  if (std::optional<Operand> known = findRegister(token.text)) {
    operand = std::move(*known);
  } else if (std::optional<Symbol> symbol = findSymbol(token.text)) {
    operand.kind = Operand::Kind::Symbol;
    operand.symbol = *symbol;
  } else {
    operand.kind = Operand::Kind::Name;
  }
  bool isPlus = cursor.peek().is("+");
  if (isPlus || (cursor.peek().is("-") && !cursor.peek(1).is(","))) {
    cursor.take();
    int64_t offset = cursor.integer("an offset");
    operand.offset = isPlus ? offset : -offset;
  }
  return operand;
}

Operand BodyParser::parseOperand() {
  if (cursor.accept("{"))
    return parseList("}", Operand::Kind::Vector);
  if (cursor.accept("("))
    return parseList(")", Operand::Kind::List);
  if (cursor.accept("["))
    return parseAddress();
  if (cursor.accept("!")) {
    Operand operand = parseOperand();
    operand.isNegated = true;
    return operand;
  }
  if (cursor.peek().kind != Token::Kind::Word)
    return parseNumber();
  Operand operand = parseName();
  if (!cursor.accept("|"))
    return operand;
  Operand pair;
  pair.kind = Operand::Kind::Vector;
  pair.text = operand.text;
  pair.elements.push_back(std::move(operand));
  pair.elements.push_back(parseName());
  return pair;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

FunctionInstance &BodyParser::instance(std::string_view name,
                                       const Function &function) {
  auto [known, isNew] = instances.try_emplace(name);
  FunctionInstance &result = known->second;
  if (!isNew)
    return result;
  pending.push_back(name);
  result.link = slots.allocate(32);
  auto place = [&](const Declaration &parameter) {
    return allocateLocal(parameter.bytes(), parameter.alignment);
  };
  for (const Declaration &parameter : function.results)
    result.results.push_back(place(parameter));
  for (const Declaration &parameter : function.parameters)
    result.parameters.push_back(place(parameter));
  return result;
}

std::vector<Symbol> BodyParser::argumentsOf(const Operand &list,
                                            size_t expected, const Token &at) {
  std::vector<Symbol> symbols;
  for (const Operand &argument : list.elements) {
    if (argument.kind != Operand::Kind::Symbol ||
        argument.symbol.space != Symbol::Space::Local)
      cursor.failAt(at.line, "found the argument '" +
                                 std::string(argument.text) +
                                 "', expected a variable in .param space");
    symbols.push_back(argument.symbol);
  }
  if (symbols.size() != expected)
    cursor.failAt(at.line, "found " + std::to_string(symbols.size()) +
                               " arguments or results, expected " +
                               std::to_string(expected));
  return symbols;
}

void BodyParser::emitCopies(const std::vector<Symbol> &targets,
                            const std::vector<Symbol> &sources,
                            const Token &at) {
  for (size_t index = 0; index < targets.size(); ++index) {
    Instruction &copy = append(at);
    copy.execute = exec::executeLocalCopy;
    copy.slots = {targets[index].value, sources[index].value,
                  std::min(targets[index].bytes, sources[index].bytes), noSlot,
                  noSlot};
  }
}

/// Whether the function `from` is or calls `to`, as far as is known. The kernel
/// itself has no name.
bool BodyParser::reaches(std::string_view from, std::string_view to) const {
  if (from == to)
    return true;
  auto known = callees.find(from);
  return known != callees.end() &&
         std::any_of(
             known->second.begin(), known->second.end(),
             [&](std::string_view callee) { return reaches(callee, to); });
}

/// [(results),] function [, (parameters)]
void BodyParser::emitCall(std::vector<Operand> &operands, const Token &at) {
  Operand none;
  none.kind = Operand::Kind::List;
  size_t position = 0;
  auto takeList = [&]() -> const Operand & {
    bool isList = position < operands.size() &&
                  operands[position].kind == Operand::Kind::List;
    return isList ? operands[position++] : none;
  };
  const Operand &results = takeList();
  if (position == operands.size() ||
      operands[position].kind != Operand::Kind::Name)
    return cursor.failAt(at.line,
                         "found an indirect call, expected a function's name");
  std::string_view name = operands[position++].text;
  const Operand &arguments = takeList();
  auto function = module.functions.find(name);
  if (function == module.functions.end() || !function->second.body)
    return cursor.failAt(at.line, "found a call of '" + std::string(name) +
                                      "', expected a function that the module "
                                      "defines");
  FunctionInstance &callee = instance(name, function->second);
  callees[current].push_back(name);
  if (reaches(name, current))
    return cursor.failAt(at.line, "found a recursive call of '" +
                                      std::string(name) + "', expected none");
  std::vector<Symbol> sources =
      argumentsOf(arguments, callee.parameters.size(), at);
  std::vector<Symbol> targets = argumentsOf(results, callee.results.size(), at);
  if (cursor.failed())
    return;
  emitCopies(callee.parameters, sources, at);
  calls.push_back({kernel.code.size(), name});
  Instruction &call = append(at);
  call.execute = exec::executeCall;
  call.slots[0] = callee.link;
  emitCopies(targets, callee.results, at);
}

void BodyParser::parseFunctionBody(std::string_view name) {
  const Function &function = module.functions.at(name);
  FunctionInstance &self = instances.at(name);
  self.entry = kernel.code.size();
  link = self.link;
  current = name;
  cursor = TokenCursor(tokens, function.body);
  openScope();
  for (size_t index = 0; index < self.results.size(); ++index)
    scopes.back().symbols[function.results[index].name] = self.results[index];
  for (size_t index = 0; index < self.parameters.size(); ++index)
    scopes.back().symbols[function.parameters[index].name] =
        self.parameters[index];
  parseBlock();
  if (!cursor.failed())
    closeScope();
}

Expected<size_t> BodyParser::run(size_t body) {
  cursor = TokenCursor(tokens, body);
  openScope();
  for (const Parameter &parameter : kernel.parameters)
    scopes.back().symbols[parameter.name] = {Symbol::Space::Parameter,
                                             parameter.offset, parameter.bytes};
  parseBlock();
  size_t end = cursor.where();
  Token last = tokens[end ? end - 1 : 0];
  guard = noSlot;
  if (!cursor.failed()) {
    closeScope();
    append(last).execute = exec::executeExit;
  }
  while (!cursor.failed() && !pending.empty()) {
    std::string_view name = pending.back();
    pending.pop_back();
    parseFunctionBody(name);
  }
  if (cursor.failed())
    return cursor.takeError();
  for (auto &[instruction, name] : calls)
    kernel.code[instruction].immediate = instances.at(name).entry;
  kernel.sharedBytes = (kernel.sharedBytes + dynamicAlignment - 1) /
                       dynamicAlignment * dynamicAlignment;
  return end;
}

Expected<size_t> ptx::parseBody(const std::vector<Token> &tokens, size_t body,
                                const ModuleScope &scope, Kernel &kernel) {
  return BodyParser(tokens, scope, kernel).run(body);
}
