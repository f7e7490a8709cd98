//===- Passes.td - Passes over the exec dialect ---------------------------===//

#ifndef EXEC_TRANSFORMS_PASSES_TD
#define EXEC_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExecPlanMemory : Pass<"exec-plan-memory", "::exec::FuncOp"> {
  let summary = "order the commands and give scratch buffers their places";
  let description = [{
    After this pass no `exec.alloc` remains and the function has a `plan`.

    1. A scratch buffer whose content is copied to an output or a state becomes
       that output or state where that is correct: every reader of a state's old
       value runs before the command that writes the new one, or is that command
       and reads it in place.
    2. The commands are ordered so that scratch memory is freed early.
    3. A result takes the bytes of an operand that dies in the same command where
       the kernel says that this is safe.
    4. The remaining buffers get offsets in one arena.

    Before:
    ```mlir
    %x = exec.input "x" : !exec.buffer<16>
    %w = exec.state_ref @w : !exec.buffer<16>
    %0 = exec.alloc : !exec.buffer<16>
    exec.dispatch @kernels::@add[1] ins(%w, %x) outs(%0) in_place = [[0, 1]] : ...
    exec.copy %0 to %w : !exec.buffer<16>
    ```
    After:
    ```mlir
    exec.dispatch @kernels::@add[1] ins(%w, %x) outs(%w) in_place = [[0, 1]] : ...
    ```
  }];
}

#endif // EXEC_TRANSFORMS_PASSES_TD
