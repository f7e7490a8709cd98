//===- OperandParser.cpp - The operands of an instruction -----------------===//

#include "ptx/OperandParser.h"

using namespace graphrt;
using namespace graphrt::ptx;

namespace {

/// Operands inside operands: no instruction nests deeper than an address with a
/// vector.
constexpr unsigned maxDepth = 8;

} // namespace

std::vector<Operand> OperandParser::parseAll() {
  std::vector<Operand> operands;
  if (cursor.peek().is(";"))
    return operands;
  do
    operands.push_back(parseOperand());
  while (!cursor.failed() && cursor.accept(","));
  return operands;
}

Operand OperandParser::parseOperand() {
  if (depth == maxDepth) {
    cursor.fail(cursor.peek(), "operands that nest less deeply");
    return {};
  }
  ++depth;
  Operand operand = parsePrimary();
  --depth;
  return operand;
}

Operand OperandParser::parsePrimary() {
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

Operand OperandParser::parseList(std::string_view close, Operand::Kind kind) {
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

Operand OperandParser::parseAddress() {
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

Operand OperandParser::parseNumber() {
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

Operand OperandParser::parseName() {
  const Token &token = cursor.take();
  Operand operand;
  operand.text = token.text;
  if (token.text == "_")
    return operand;
  if (std::optional<Operand> known = scopes.findRegister(token.text)) {
    operand = std::move(*known);
  } else if (std::optional<Symbol> symbol = scopes.findSymbol(token.text)) {
    operand.kind = Operand::Kind::Symbol;
    operand.symbol = *symbol;
  } else {
    operand.kind = Operand::Kind::Name;
  }
  bool isPlus = cursor.peek().is("+");
  if (isPlus || (cursor.peek().is("-") && !cursor.peek(1).is(","))) {
    cursor.take();
    int64_t offset = cursor.integer("an offset");
    operand.offset = isPlus ? offset : -uint64_t(offset);
  }
  return operand;
}
