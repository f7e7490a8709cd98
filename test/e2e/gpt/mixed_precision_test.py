"""Trains a GPT in mixed precision: against PyTorch's autocast, and against f32.
Usage: mixed_precision_test.py <build>/bin [unittest options]"""

import json
import math
import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from corpus import make_corpus
from tools import Tools, take_argument

# Half a unit in the last place of bf16 is 2e-3 of a number; the mean over the
# tokens of a batch is far more exact.
PYTORCH_TOLERANCE = 1e-3
# After a hundred steps of learning, the differences have grown.
F32_TOLERANCE = {"bf16": 2e-2, "f16": 5e-3}
SMALL = ["--layers=2", "--width=64", "--context=64", "--batch=8"]


class MixedPrecisionTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.tools = Tools(BIN, folder.name)
        cls.tools.path("corpus.txt").write_bytes(make_corpus())

    def train(self, name, steps, *flags, precision=None):
        """The losses of a model with the given options of gpt-graph."""
        compile_flags = [f"--mixed-precision={precision}"] if precision else []
        artifact = self.tools.compile_gpt(name, *flags, compile_flags=compile_flags)
        log = self.tools.path(name + ".jsonl")
        self.tools.run("graph-run", "train", artifact, "--seed", 1, "--steps", steps,
                       "--data", self.tools.path("corpus.txt"), "--log", log)
        return [json.loads(line)["loss"] for line in log.read_text().splitlines()]

    def assertClose(self, found, expected, tolerance):
        self.assertEqual(len(found), len(expected))
        for step, (ours, theirs) in enumerate(zip(found, expected), 1):
            self.assertTrue(math.isclose(ours, theirs, rel_tol=tolerance),
                            f"step {step}: found {ours}, expected {theirs}")

    def test_bf16_losses_are_those_of_autocast(self):
        lines = (HERE / "golden_losses_bf16.txt").read_text().splitlines()
        expected = [float(line) for line in lines if not line.startswith("#")]
        self.assertClose(self.train("gpt", 10, precision="bf16"), expected,
                         PYTORCH_TOLERANCE)

    def test_low_precision_learns_as_f32_does(self):
        f32 = self.train("f32", 100, *SMALL)
        self.assertLess(f32[-1], 0.6 * f32[0])
        for precision, tolerance in F32_TOLERANCE.items():
            with self.subTest(precision):
                losses = self.train(precision, 100, *SMALL, precision=precision)
                self.assertNotEqual(losses, f32)
                self.assertClose(losses, f32, tolerance)


if __name__ == "__main__":
    BIN = take_argument()
    unittest.main()
