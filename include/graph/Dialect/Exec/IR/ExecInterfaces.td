//===- ExecInterfaces.td - What the planner asks of a command -------------===//

#ifndef EXEC_INTERFACES_TD
#define EXEC_INTERFACES_TD

include "mlir/IR/OpBase.td"

def CommandOpInterface : OpInterface<"CommandOpInterface"> {
  let cppNamespace = "::exec";
  let description = [{
    A step of a function: it reads some of its operands and writes the others.
    A written operand is written in full or not read by later commands, except
    where its bytes hold an earlier value.
  }];
  let methods = [
    InterfaceMethod<"The operands whose bytes are read.",
      "::mlir::OperandRange", "getReads">,
    InterfaceMethod<"The operands whose bytes are written.",
      "::mlir::MutableOperandRange", "getWritesMutable">,
    InterfaceMethod<[{
        Whether the command stays correct when the written operand and the read
        operand, given by their numbers among the writes and reads, are the
        same bytes.
      }],
      "bool", "canWriteInPlace", (ins "unsigned":$write, "unsigned":$read), "",
      "return false;">
  ];
  let extraSharedClassDeclaration = [{
    ::mlir::OperandRange getWrites() { return $_op.getWritesMutable(); }
  }];
}

#endif // EXEC_INTERFACES_TD
