//===- Calls.cpp - The device functions of a kernel -----------------------===//

#include "ptx/Calls.h"

#include "exec/Control.h"

#include <algorithm>

using namespace graphrt;
using namespace graphrt::ptx;

FunctionInstance &Calls::instance(std::string_view name,
                                  const Function &function) {
  auto [known, isNew] = instances.try_emplace(name);
  FunctionInstance &result = known->second;
  if (!isNew)
    return result;
  pending.push_back(name);
  result.function = &function;
  result.link = scopes.slots.allocate(32);
  for (const Declaration &parameter : function.results)
    result.results.push_back(scopes.allocateLocal(parameter));
  for (const Declaration &parameter : function.parameters)
    result.parameters.push_back(scopes.allocateLocal(parameter));
  return result;
}

std::string Calls::findArguments(const Operand &list, size_t expected,
                                 std::vector<Symbol> &symbols) const {
  for (const Operand &argument : list.elements) {
    if (argument.kind != Operand::Kind::Symbol ||
        argument.symbol.space != Symbol::Space::Local)
      return "found the argument '" + std::string(argument.text) +
             "', expected a variable in .param space";
    symbols.push_back(argument.symbol);
  }
  if (symbols.size() != expected)
    return "found " + std::to_string(symbols.size()) +
           " arguments or results, expected " + std::to_string(expected);
  return {};
}

void Calls::emitCopies(const std::vector<Symbol> &targets,
                       const std::vector<Symbol> &sources, uint32_t line) {
  for (size_t index = 0; index < targets.size(); ++index) {
    Instruction &copy = builder.append(line);
    copy.execute = exec::executeLocalCopy;
    copy.slots = {targets[index].value, sources[index].value,
                  std::min(targets[index].bytes, sources[index].bytes), noSlot,
                  noSlot};
  }
}

/// Whether the function `from` is or calls `to`, as far as is known.
bool Calls::reaches(std::string_view from, std::string_view to) const {
  if (from == to)
    return true;
  auto known = callees.find(from);
  return known != callees.end() &&
         std::any_of(
             known->second.begin(), known->second.end(),
             [&](std::string_view callee) { return reaches(callee, to); });
}

std::string Calls::emit(const std::vector<Operand> &operands, uint32_t line) {
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
    return "found an indirect call, expected a function's name";
  std::string_view name = operands[position++].text;
  const Operand &arguments = takeList();
  auto function = module.functions.find(name);
  if (function == module.functions.end() || !function->second.body)
    return "found a call of '" + std::string(name) +
           "', expected a function that the module defines";
  callees[current].push_back(name);
  if (reaches(name, current))
    return "found a recursive call of '" + std::string(name) +
           "', expected none";
  FunctionInstance &callee = instance(name, function->second);
  std::vector<Symbol> sources, targets;
  std::string error =
      findArguments(arguments, callee.parameters.size(), sources);
  if (error.empty())
    error = findArguments(results, callee.results.size(), targets);
  if (!error.empty())
    return error;
  emitCopies(callee.parameters, sources, line);
  calls.push_back({builder.position(), name});
  Instruction &call = builder.append(line);
  call.execute = exec::executeCall;
  call.slots[0] = callee.link;
  emitCopies(targets, callee.results, line);
  return {};
}

const FunctionInstance *Calls::beginBody() {
  if (pending.empty())
    return nullptr;
  current = pending.back();
  pending.pop_back();
  FunctionInstance &self = instances.at(current);
  self.entry = builder.position();
  auto declare = [&](const std::vector<Declaration> &declarations,
                     const std::vector<Symbol> &symbols) {
    for (size_t index = 0; index < symbols.size(); ++index)
      scopes.declare(declarations[index].name, symbols[index]);
  };
  declare(self.function->results, self.results);
  declare(self.function->parameters, self.parameters);
  return &self;
}

void Calls::finish() {
  for (auto &[instruction, name] : calls)
    builder.kernel.code[instruction].immediate = instances.at(name).entry;
}
