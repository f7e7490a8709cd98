//===- OperandParser.h - The operands of an instruction ---------*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_PTX_OPERANDPARSER_H
#define GRAPHRT_EMULATOR_PTX_OPERANDPARSER_H

#include "ptx/Scopes.h"
#include "ptx/TokenCursor.h"

namespace graphrt::ptx {

/// Parses operands at a cursor, which records the errors:
///
///   operand  register | number | name [+- offset] | _ | !operand
///            | a|b | {operands} | (operands) | [operand {, operand}]
class OperandParser {
public:
  OperandParser(TokenCursor &cursor, Scopes &scopes)
      : cursor(cursor), scopes(scopes) {}

  /// All operands up to the semicolon, which stays.
  std::vector<Operand> parseAll();

private:
  Operand parseOperand();
  Operand parsePrimary();
  Operand parseList(std::string_view close, Operand::Kind kind);
  Operand parseAddress();
  Operand parseNumber();
  Operand parseName();

  TokenCursor &cursor;
  Scopes &scopes;
  unsigned depth = 0;
};

} // namespace graphrt::ptx

#endif // GRAPHRT_EMULATOR_PTX_OPERANDPARSER_H
