"""The benchmark of GPUs: on the emulated device, and that it notices what is wrong.
Usage: gpu_benchmark_test.py <build>/bin [unittest options]"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from tools import Tools, take_argument

RUN = pathlib.Path(__file__).resolve().parents[2] / "benchmarks" / "gpu" / "run.py"

FUNCTION = """func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {{
  %0 = graph.{operation} %x, %y : tensor<4xf32>
  return %0 : tensor<4xf32>
}}
"""


def run(program, *arguments):
    return subprocess.run([str(x) for x in (program, *arguments)], capture_output=True,
                          text=True)


def run_benchmark(*options):
    """Without the frameworks, which would take minutes."""
    return run(sys.executable, RUN, "--quick", "--device=cuda-emulated", "--repeat=1",
               "--steps=1", f"--bin={BIN}", *options, "--frameworks")


class GpuBenchmarkTest(unittest.TestCase):
    def test_everything_agrees_on_the_emulated_device(self):
        result = run_benchmark()
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("0 failed, 0 cut", result.stdout)
        for row in ["copy", "scatter_add", "dot_bf16_nn_bias_gelu", "attention_gradient_bf16_16",
                    "training bf16"]:
            self.assertIn(row, result.stdout)

    def test_failures_are_named_and_do_not_stop_it(self):
        result = run_benchmark("--target=cuda:sm_1")
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn("sm_1", result.stdout)
        self.assertRegex(result.stdout, r"failed: copy, .*training bf16")

    def test_what_the_budget_cuts_is_named(self):
        result = run_benchmark("--budget=0")
        self.assertEqual(result.returncode, 2, result.stdout)
        self.assertRegex(result.stdout, r"cut: copy, .*training bf16")

    def test_a_wrong_result_is_named(self):
        with tempfile.TemporaryDirectory() as work:
            tools = Tools(BIN, work)
            artifacts = {}
            for operation in ["add", "sub"]:
                model = tools.path(operation + ".mlir")
                model.write_text(FUNCTION.format(operation=operation))
                artifacts[operation] = tools.path(operation + ".gx")
                tools.run("graph-compile", model, "-o", artifacts[operation])
            right = run(tools.bin / "measure-kernels", artifacts["add"], artifacts["add"])
            wrong = run(tools.bin / "measure-kernels", artifacts["add"], artifacts["sub"])
        self.assertEqual(right.returncode, 0, right.stderr)
        self.assertEqual(wrong.returncode, 1)
        self.assertRegex(wrong.stderr, r"function 'f', output 'result0': found \S+ at element")


if __name__ == "__main__":
    BIN = take_argument()
    unittest.main()
