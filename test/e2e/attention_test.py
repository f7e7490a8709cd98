"""Attention and its derivative: the emulated CUDA device against the CPU. The device
also finds what is read before it is written, out of bounds, or in a race.

usage: attention_test.py BIN-DIR
"""

import dataclasses
import itertools
import math
import tempfile
import unittest

from tools import Tools, read_npy, take_argument

BIN = take_argument()

TOLERANCE = {"f32": 2e-5, "f16": 4e-3, "bf16": 3e-2}


@dataclasses.dataclass(frozen=True)
class Case:
    batch: int
    queries: int
    keys: int
    head: int
    value: int
    element: str = "f32"
    causal: bool = False
    # The trailing dimensions of [batch, queries, keys] that the mask has.
    mask_rank: int | None = None

    def types(self):
        """Of query, key, value, result, log_sum_exp and mask."""
        batch, s, t = self.batch, self.queries, self.keys
        mask = (batch, s, t)[3 - self.mask_rank:] if self.mask_rank else ()
        return [tensor(self.element, batch, s, self.head), tensor(self.element, batch, t, self.head),
                tensor(self.element, batch, t, self.value), tensor(self.element, batch, s, self.value),
                tensor("f32", batch, s), tensor("i1", *mask)]

    def function(self, name):
        """Returns result, log_sum_exp and the three derivatives."""
        q, k, v, y, lse, m = self.types()
        causal = "causal " if self.causal else ""
        mask, argument = ("", "") if self.mask_rank is None else (f"mask %m : {m} ", f", %m: {m}")
        tail = f"{mask}scale = 0.3 : ({q}, {k}, {v}) to {y}"
        results = f"{y}, {lse}, {q}, {k}, {v}"
        return f"""func.func public @{name}(%q: {q}, %k: {k}, %v: {v}, %g: {y}{argument}) -> ({results}) {{
  %y, %lse = graph.attention {causal}%q, %k, %v {tail}
  %d:3 = graph.attention_grad {causal}%q, %k, %v result %y log_sum_exp %lse cotangent %g {tail}
  return %y, %lse, %d#0, %d#1, %d#2 : {results}
}}
"""


def tensor(element, *shape):
    return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"


class AttentionTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tools = Tools(BIN, folder.name)

    def compile(self, cases, target):
        source, artifact = self.tools.path("f.mlir"), self.tools.path(f"{target.split(':')[0]}.gx")
        source.write_text("".join(case.function(f"f{i}") for i, case in enumerate(cases)))
        self.tools.run("graph-compile", source, f"--target={target}", "--quiet", "--cubin=off", "-o", artifact)
        return artifact

    def call(self, artifact, name, device, element):
        outputs = [self.tools.path(f"{i}.npy") for i in range(5)]
        self.tools.run("graph-run", "call", artifact, name, "--random-inputs", 3, "--device", device,
                       *itertools.chain(*(("--output", f"result{i}={path}") for i, path in enumerate(outputs))))
        return [read_npy(path, "f32" if i == 1 else element) for i, path in enumerate(outputs)]

    def check(self, *cases, target="cuda:sm_80"):
        cpu, cuda = self.compile(cases, "cpu"), self.compile(cases, target)
        for i, case in enumerate(cases):
            with self.subTest(case):
                expected = self.call(cpu, f"f{i}", "cpu", case.element)
                found = self.call(cuda, f"f{i}", "cuda-emulated", case.element)
                for name, xs, ys in zip(("result", "log_sum_exp", "dquery", "dkey", "dvalue"), found, expected):
                    self.compare(name, xs, ys, TOLERANCE[case.element])

    def compare(self, name, found, expected, tolerance):
        self.assertEqual(len(found), len(expected))
        for i, (x, y) in enumerate(zip(found, expected)):
            self.assertTrue(x == y or math.isfinite(x) and abs(x - y) <= tolerance * (1 + abs(y)),
                            f"{name}[{i}]: found {x}, expected {y}")

    def test_heads(self):
        """Heads of 1 to 256 elements, even and odd."""
        self.check(Case(1, 20, 20, 1, 1), Case(2, 33, 17, 7, 3), Case(1, 40, 70, 64, 64),
                   Case(1, 9, 35, 65, 127), Case(1, 35, 9, 200, 40), Case(1, 9, 10, 255, 256))

    def test_lengths(self):
        """One position, blocks that are full, one more, and none at all."""
        self.check(Case(1, 1, 1, 8, 8), Case(1, 32, 64, 8, 8), Case(3, 65, 33, 8, 8), Case(1, 2, 131, 8, 8),
                   Case(0, 5, 5, 8, 8), Case(2, 0, 5, 8, 8), Case(2, 5, 0, 8, 8))

    def test_causal(self):
        """Queries as many as keys, fewer, and more: the first ones then see none."""
        self.check(*(Case(2, s, t, 16, 24, causal=True) for s, t in ((70, 70), (9, 80), (80, 9))))

    def test_masks(self):
        """Masks of all ranks; some queries see nothing."""
        self.check(*(Case(2, 37, 43, 16, 8, causal=rank == 2, mask_rank=rank) for rank in range(4)),
                   Case(2, 40, 1, 16, 8, mask_rank=3))

    def test_tensor_cores(self):
        """Blocks of 64 that are full and not, rows that are aligned to 16 bytes and not."""
        self.check(Case(1, 64, 128, 64, 64, "bf16"), Case(1, 1, 1, 8, 8, "f16"), Case(2, 65, 67, 80, 13, "bf16"),
                   Case(1, 130, 131, 31, 128, "f16", causal=True), Case(1, 5, 200, 128, 24, "bf16", causal=True),
                   Case(1, 140, 9, 16, 100, "f16", causal=True))

    def test_narrow_types(self):
        self.check(*(Case(2, 37, 41, 64, 24, element, causal, mask)
                     for element in ("bf16", "f16") for causal, mask in ((True, None), (False, 2))),
                   target="cuda:sm_90")


if __name__ == "__main__":
    unittest.main()
