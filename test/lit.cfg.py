# How lit finds and runs the tests of this folder.
import os
import shutil

import lit.formats

config.name = "graph"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["unit", "Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.join(config.graph_source_dir, "test")
config.test_exec_root = os.path.join(config.graph_build_dir, "test")

config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.graph_build_dir, "bin"), config.llvm_tools_dir,
     os.environ["PATH"]])
# Freed memory changes at once, so that a read of it shows.
config.environment["MALLOC_PERTURB_"] = "165"
config.substitutions.append(("%python", config.python))
config.substitutions.append(
    ("%llvm_include", os.path.join(config.llvm_tools_dir, "..", "include")))

# What a CUDA toolkit adds; the compiler looks for it in the same places.
ptxas = [found for folder in
         [None, os.path.join(os.environ.get("CUDA_HOME", "/nonexistent"), "bin"), "/usr/local/cuda/bin"]
         if (found := shutil.which("ptxas", path=folder))]
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas[0]))
