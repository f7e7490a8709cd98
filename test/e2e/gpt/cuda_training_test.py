"""Ten training steps of a small GPT on the emulated CUDA device against the CPU,
and what the device counted of every schedule's kernels.

usage: cuda_training_test.py BIN-DIR
"""

import json
import pathlib
import re
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from tools import Tools, take_argument  # noqa: E402

BIN = take_argument()
GPT = ["--vocab=256", "--context=16", "--layers=2", "--heads=2", "--width=32", "--batch=2"]
TEXT = HERE / "training_test.py"
STEPS = 10
SCHEDULES = HERE.parents[1] / "Codegen/CUDA/Inputs/schedules.mlir"

# The two devices add in different orders; bf16 rounds what differs.
TOLERANCE = {"f32": 1e-5, "bf16": 1e-3}


class CudaTrainingTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tools = Tools(BIN, folder.name)

    def train(self, device, *flags):
        """The logged steps of a training run."""
        artifact, log = self.tools.path("gpt.gx"), self.tools.path("log.jsonl")
        self.tools.run("graph-compile", self.tools.path("gpt.mlir"), "-o", artifact, "--quiet",
                       "--cubin=off", *flags)
        self.tools.run("graph-run", "train", artifact, "--device", device, "--data", TEXT,
                       "--steps", STEPS, "--seed", 1, "--log", log)
        return [json.loads(line) for line in pathlib.Path(log).read_text().splitlines()]

    def compare(self, kind, *flags):
        self.tools.run("gpt-graph", *GPT, "-o", self.tools.path("gpt.mlir"))
        expected = self.train("cpu", "--target=cpu", *flags)
        found = self.train("cuda-emulated", "--target=cuda:sm_80", *flags)
        self.assertEqual(len(found), STEPS)
        for step, (a, b) in enumerate(zip(found, expected)):
            for value in ("loss", "grad_norm"):
                self.assertLessEqual(abs(a[value] - b[value]), TOLERANCE[kind] * abs(b[value]),
                                     f"{value} of step {step}: found {a[value]}, expected {b[value]}")

    def test_f32(self):
        self.compare("f32")

    def test_bf16(self):
        self.compare("bf16", "--mixed-precision=bf16")

    def test_memory_is_accessed_well(self):
        """No bank conflicts, and at most 1.05 times the sectors that the bytes need."""
        artifact, report = self.tools.path("schedules.gx"), self.tools.path("report.json")
        self.tools.run("graph-compile", SCHEDULES, "-o", artifact, "--quiet", "--cubin=off",
                       "--target=cuda:sm_80")
        for function in re.findall(r"^func.func @(\w+)", SCHEDULES.read_text(), re.MULTILINE):
            self.tools.run("graph-run", "call", artifact, function, "--random-inputs", 1,
                           "--device=cuda-emulated", "--output",
                           f"result0={self.tools.path('result.npy')}",
                           GRAPHRT_EMULATOR_REPORT=report)
            kernels = json.loads(report.read_text())["kernels"]
            self.assertTrue(kernels)
            for name, counters in kernels.items():
                with self.subTest(function, kernel=name):
                    self.check_counters(counters)

    def check_counters(self, counters):
        self.assertEqual(counters["sharedLoadConflicts"], 0)
        self.assertEqual(counters["sharedStoreConflicts"], 0)
        self.assertEqual(counters["matrixLoadConflicts"], 0)
        for access in ("Load", "Store"):
            found, ideal = counters[f"global{access}Sectors"], counters[f"ideal{access}Sectors"]
            self.assertLessEqual(found, 1.05 * ideal, access)


if __name__ == "__main__":
    unittest.main()
