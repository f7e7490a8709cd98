"""Installs the runtime, builds examples/embed against it as a stranger would,
and samples from a short training run. Usage:
embed_test.py <build> <source> [unittest options]"""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from tools import Tools, run, take_argument


class EmbedTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.tools = tools = Tools(BUILD / "bin", folder.name)
        prefix, embed = tools.path("prefix"), tools.path("embed")
        run("cmake", "--install", BUILD / "runtime", "--prefix", prefix)
        run("cmake", "-S", SOURCE / "examples" / "embed", "-B", embed,
            f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Release")
        run("cmake", "--build", embed)
        cls.program = embed / "gpt-sample"

        cls.artifact = tools.compile_gpt("gpt", "--layers=1", "--heads=2", "--width=32",
                                         "--context=16", "--batch=8", "--lr=0.01")
        cls.checkpoint = tools.path("gpt.safetensors")
        data = tools.path("data.txt")
        data.write_text("abc" * 500)
        tools.run("graph-run", "train", cls.artifact, "--data", data, "--steps", 60,
                  "--checkpoint", cls.checkpoint)

    def sample(self, *options):
        return run(self.program, self.artifact, self.checkpoint, *options)

    def test_continues_what_it_learnt(self):
        # More than the context of 16, so that the window slides.
        text = self.sample("--prompt", "abcab", "--length", 40, "--temperature", 0)
        self.assertEqual(text, ("abc" * 15) + "\n")

    def test_a_seed_gives_one_text(self):
        options = ["--prompt", "a", "--temperature", 20, "--length", 30, "--top-k", 3, "--seed"]
        self.assertEqual(self.sample(*options, 1), self.sample(*options, 1))
        self.assertNotEqual(self.sample(*options, 1), self.sample(*options, 2))

    def test_says_what_is_wrong(self):
        missing = self.tools.path("missing")
        wide = self.tools.compile_gpt("wide", "--layers=1", "--heads=1", "--width=8",
                                      "--context=4", "--batch=1", "--vocab=300")
        parameters = self.tools.path("wide.safetensors")
        self.tools.run("graph-run", "call", wide, "init", "--input", "seed=0",
                       "--save-state", parameters)
        for arguments, message in [
            ([missing, self.checkpoint], "missing': cannot open"),
            ([self.artifact, missing], "missing': cannot open"),
            ([wide, parameters], "found a vocabulary of 300, expected at most 256"),
            ([self.artifact, self.checkpoint, "--prompt", ""], "found an empty prompt"),
        ]:
            with self.assertRaisesRegex(AssertionError, message):
                run(self.program, *arguments)


if __name__ == "__main__":
    BUILD = pathlib.Path(take_argument())
    SOURCE = pathlib.Path(take_argument())
    unittest.main()
