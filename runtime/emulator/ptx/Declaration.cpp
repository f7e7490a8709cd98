//===- Declaration.cpp - What a module declares ---------------------------===//

#include "ptx/Declaration.h"

using namespace graphrt;
using namespace graphrt::ptx;

Declaration ptx::parseDeclaration(TokenCursor &cursor) {
  Declaration result;
  uint64_t vector = 1;
  while (cursor.peek().text.starts_with('.') && !cursor.failed()) {
    const Token &token = cursor.take();
    std::string_view name = token.text.substr(1);
    if (name == "align")
      result.alignment = cursor.integer("an alignment");
    else if (name == "v2" || name == "v4")
      vector = name[1] - '0';
    else if (name == "ptr" || name == "global" || name == "shared" ||
             name == "local" || name == "const")
      continue; // What a pointer parameter points to.
    else if (std::optional<ScalarType> type = parseType(name))
      result.type = *type;
    else
      cursor.fail(token, "a type");
  }
  result.line = cursor.peek().line;
  result.name = cursor.word("a name");
  result.count = vector;
  while (cursor.accept("[")) {
    result.count =
        cursor.peek().is("]") ? 0 : result.count * cursor.integer("a length");
    cursor.expect("]");
  }
  if (result.bytes() > UINT32_MAX)
    cursor.failAt(result.line, "found a variable of " +
                                   std::to_string(result.bytes()) +
                                   " bytes, expected less than 4 GiB");
  if (result.alignment == 0)
    result.alignment = std::max(1u, bitsOf(result.type) / 8);
  if (result.alignment & (result.alignment - 1) || result.alignment > 1 << 16)
    cursor.failAt(result.line, "found the alignment " +
                                   std::to_string(result.alignment) +
                                   ", expected a power of two");
  return result;
}
