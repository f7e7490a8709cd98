//===- Calls.h - The device functions of a kernel ---------------*- C++ -*-===//
//
// Every function that a kernel calls has one instance in it, with registers and
// parameters of its own: calls neither nest dynamically nor recurse, so that a
// parameter has a fixed place in local memory and a return address a fixed
// register. A call becomes
//
//   copy the arguments to the parameters; call; copy the results back
//
//===----------------------------------------------------------------------===//

#ifndef GRAPHRT_EMULATOR_PTX_CALLS_H
#define GRAPHRT_EMULATOR_PTX_CALLS_H

#include "ptx/CodeBuilder.h"
#include "ptx/Scopes.h"

namespace graphrt::ptx {

/// A function's body inside the kernel.
struct FunctionInstance {
  const Function *function;
  /// The register of the return address.
  Slot link;
  std::vector<Symbol> results, parameters;
  size_t entry = 0;
};

class Calls {
public:
  Calls(const ModuleScope &module, Scopes &scopes, CodeBuilder &builder)
      : module(module), scopes(scopes), builder(builder) {}

  /// Appends the call with the operands `[(results),] function
  /// [, (parameters)]`. Returns what is wrong with it, or nothing.
  std::string emit(const std::vector<Operand> &operands, uint32_t line);

  /// A function that is called and has no body yet, which begins here, with its
  /// parameters declared in the innermost scope; null when there is none.
  const FunctionInstance *beginBody();

  /// Sets the targets of all calls.
  void finish();

private:
  FunctionInstance &instance(std::string_view name, const Function &function);
  std::string findArguments(const Operand &list, size_t expected,
                            std::vector<Symbol> &symbols) const;
  void emitCopies(const std::vector<Symbol> &targets,
                  const std::vector<Symbol> &sources, uint32_t line);
  bool reaches(std::string_view from, std::string_view to) const;

  const ModuleScope &module;
  Scopes &scopes;
  CodeBuilder &builder;
  std::unordered_map<std::string_view, FunctionInstance> instances;
  std::vector<std::string_view> pending;
  /// The instructions that call, and what.
  std::vector<std::pair<size_t, std::string_view>> calls;
  std::unordered_map<std::string_view, std::vector<std::string_view>> callees;
  /// The function whose body is parsed; the kernel itself has no name.
  std::string_view current;
};

} // namespace graphrt::ptx

#endif // GRAPHRT_EMULATOR_PTX_CALLS_H
