//===- Declaration.h - What a module declares -------------------*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_PTX_DECLARATION_H
#define GRAPHRT_EMULATOR_PTX_DECLARATION_H

#include "ptx/Decoder.h"
#include "ptx/TokenCursor.h"
#include "ptx/Type.h"

#include <unordered_map>

namespace graphrt::ptx {

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

} // namespace graphrt::ptx

#endif // GRAPHRT_EMULATOR_PTX_DECLARATION_H
