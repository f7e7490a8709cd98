"""Trains a GPT for ten steps: against PyTorch's losses, and bit for bit against
itself. Usage: training_test.py <build>/bin [unittest options]"""

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

TOLERANCE = 1e-4


class TrainingTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.tools = Tools(BIN, folder.name)
        cls.artifact = cls.tools.compile_gpt("gpt")
        cls.tools.path("corpus.txt").write_bytes(make_corpus())
        cls.reference = cls.train("reference", steps=10)

    @classmethod
    def train(cls, name, steps, threads=2, resume=None):
        """Returns the bytes of the checkpoint."""
        checkpoint = cls.tools.path(name + ".safetensors")
        options = ["--resume", cls.tools.path(resume + ".safetensors")] if resume else []
        cls.tools.run("graph-run", "train", cls.artifact, "--seed", 1,
                      "--data", cls.tools.path("corpus.txt"), "--steps", steps,
                      "--threads", threads, "--checkpoint", checkpoint,
                      "--log", cls.tools.path(name + ".jsonl"), *options)
        return checkpoint.read_bytes()

    def assertSameBytes(self, found, expected):
        # assertEqual would print megabytes.
        self.assertTrue(found == expected, "the checkpoints differ")

    def test_losses_are_those_of_pytorch(self):
        lines = (HERE / "golden_losses.txt").read_text().splitlines()
        expected = [float(line) for line in lines if not line.startswith("#")]
        log = self.tools.path("reference.jsonl").read_text().splitlines()
        found = [json.loads(line)["loss"] for line in log]
        self.assertEqual(len(found), len(expected))
        for step, (ours, theirs) in enumerate(zip(found, expected), 1):
            self.assertTrue(math.isclose(ours, theirs, rel_tol=TOLERANCE),
                            f"step {step}: found {ours}, expected {theirs}")

    def test_two_runs_give_the_same_bits(self):
        self.assertSameBytes(self.train("again", steps=10), self.reference)

    def test_one_thread_gives_the_same_bits(self):
        self.assertSameBytes(self.train("one", steps=10, threads=1), self.reference)

    def test_profile_lists_the_commands_of_a_step(self):
        text = self.tools.run("graph-run", "train", self.artifact, "--steps", 2, "--profile",
                              "--data", self.tools.path("corpus.txt"))
        self.assertRegex(text, r"profile of train_step: 2 calls of \d+ commands")
        self.assertRegex(text, r"ms .* gemm .*: dot")

    def test_stop_and_resume_gives_the_same_bits(self):
        part = self.train("part", steps=6)
        self.assertNotEqual(part, self.reference)
        self.assertSameBytes(self.train("rest", steps=4, resume="part"), self.reference)


if __name__ == "__main__":
    BIN = take_argument()
    unittest.main()
