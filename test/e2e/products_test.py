"""Matrix products and what follows them: the emulated CUDA device against the CPU.

usage: products_test.py BIN-DIR
"""

import json
import pathlib
import re
import tempfile
import unittest

from tools import Tools, read_npy, take_argument

BIN = take_argument()

TOLERANCE = {"f32": 2e-5, "f64": 1e-12, "f16": 4e-3, "bf16": 3e-2}
ADD = "%r = graph.add %s, %other : TYPE"
GELU = "%u = graph.add %s, %v : TYPE\n  %r = graph.gelu tanh, %u : TYPE"


def tensor(element, *shape):
    return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"


def write_model(path, element, sizes, layout, epilogue):
    """`sizes` are batch, m, n, k; `layout` names the operands whose k is not where a row-major product has it."""
    batch, m, n, k = sizes
    lhs, rhs = "a" in layout, "b" in layout
    a = tensor(element, batch, *((k, m) if lhs else (m, k)))
    b = tensor(element, batch, *((n, k) if rhs else (k, n)))
    c, v = tensor(element, batch, m, n), tensor(element, n)
    path.write_text(f"""func.func public @f(%a: {a}, %b: {b}, %bias: {v}, %other: {c}) -> {c} {{
  %s = graph.dot %a, %b batch = [0] x [0] contract = [{1 if lhs else 2}] x [{2 if rhs else 1}] : ({a}, {b}) to {c}
  %v = graph.broadcast %bias dims = [2] : {v} to {c}
  {epilogue.replace("TYPE", c)}
  return %r : {c}
}}
""")


def write_training_step(path, element, sizes, activation, is_transposed):
    """The gradients of two layers. `sizes` are those of the batch, the input and the hidden layer; transposed weights
    have a row for each result."""
    batch, width, hidden = sizes
    up = (hidden, width) if is_transposed else (width, hidden)
    w1, w2 = tensor(element, *up), tensor(element, *reversed(up))
    b1, b2, x = tensor(element, hidden), tensor(element, width), tensor(element, batch, width)
    h, scalar = tensor(element, batch, hidden), tensor(element)
    contract = f"batch = [] x [] contract = [1] x [{1 if is_transposed else 0}]"
    types = f"{w1}, {b1}, {w2}, {b2}, {x}"
    path.write_text(f"""func.func @loss(%w1: {w1}, %b1: {b1}, %w2: {w2}, %b2: {b2}, %x: {x}) -> {scalar} {{
  %0 = graph.dot %x, %w1 {contract} : ({x}, {w1}) to {h}
  %1 = graph.broadcast %b1 dims = [1] : {b1} to {h}
  %2 = graph.add %0, %1 : {h}
  %3 = graph.{activation} %2 : {h}
  %4 = graph.dot %3, %w2 {contract} : ({h}, {w2}) to {x}
  %5 = graph.broadcast %b2 dims = [1] : {b2} to {x}
  %6 = graph.add %4, %5 : {x}
  %7 = graph.mul %6, %6 : {x}
  %8 = graph.reduce sum, %7 dims = [0, 1] : {x} to {scalar}
  return %8 : {scalar}
}}
func.func public @f(%w1: {w1}, %b1: {b1}, %w2: {w2}, %b2: {b2}, %x: {x}) -> ({scalar}, {types}) {{
  %0:6 = graph.value_and_grad @loss(%w1, %b1, %w2, %b2, %x) wrt = [0, 1, 2, 3, 4] : ({types}) -> ({scalar}, {types})
  return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5 : {scalar}, {types}
}}
""")


def write_heads(path, sizes):
    """Scores of attention where heads lie between rows and depth: b, s, t, h, d."""
    b, s, t, h, d = sizes
    q, k, r = tensor("bf16", b, s, h, d), tensor("bf16", b, t, h, d), tensor("bf16", b, h, s, t)
    path.write_text(f"""func.func public @f(%q: {q}, %k: {k}) -> {r} {{
  %s = graph.dot %q, %k batch = [0, 2] x [0, 2] contract = [3] x [3] : ({q}, {k}) to {r}
  %r = graph.mul %s, %s : {r}
  return %r : {r}
}}
""")


# What operand {o} of a product is computed from: a matrix of `wide` and a vector of its last or middle dimension.
CAST = "%{o}r = graph.cast %{o} : {wide} to {type}"
SCALE = """%{o}1 = graph.broadcast %{o}v dims = [2] : {vector} to {wide}
  %{o}2 = graph.mul %{o}, %{o}1 : {wide}
  %{o}r = graph.relu %{o}2 : {wide}"""
BIAS_GELU = """%{o}1 = graph.broadcast %{o}u dims = [1] : {column} to {wide}
  %{o}2 = graph.add %{o}, %{o}1 : {wide}
  %{o}3 = graph.gelu tanh, %{o}2 : {wide}
  %{o}r = graph.cast %{o}3 : {wide} to {type}"""
EXP = "%{o}r = graph.exp %{o} : {wide}"


def write_prologue(path, element, source, sizes, layout, bodies):
    """A product of operands that are computed from `source` elements by `bodies`; an empty one leaves the operand as it
    is. Sizes and layout are those of write_model."""
    batch, m, n, k = sizes
    lhs, rhs = "a" in layout, "b" in layout
    shapes = [(batch, k, m) if lhs else (batch, m, k), (batch, n, k) if rhs else (batch, k, n)]
    arguments, lines, names = [], [], []
    for o, shape, body in zip("ab", shapes, bodies):
        types = {"o": o, "type": tensor(element, *shape), "wide": tensor(source if body else element, *shape),
                 "vector": tensor(source, shape[2]), "column": tensor(source, shape[1])}
        arguments.append("%{o}: {wide}, %{o}v: {vector}, %{o}u: {column}".format(**types))
        lines.append(body.format(**types))
        names.append(f"%{o}r" if body else f"%{o}")
    a, b, c = (tensor(element, *shape) for shape in (*shapes, (batch, m, n)))
    body = "\n  ".join(lines)
    path.write_text(f"""func.func public @f({", ".join(arguments)}) -> {c} {{
  {body}
  %r = graph.dot {", ".join(names)} batch = [0] x [0] contract = [{1 if lhs else 2}] x [{2 if rhs else 1}] : ({a}, {b}) to {c}
  return %r : {c}
}}
""")


class ProductsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tools = Tools(BIN, folder.name)

    def run_on(self, device, target, element, num_results, **environment):
        artifact = self.tools.path("f.gx")
        outputs = [self.tools.path(f"r{i}.npy") for i in range(num_results)]
        self.tools.run("graph-compile", self.tools.path("f.mlir"), f"--target={target}", "-o", artifact)
        self.tools.run("graph-run", "call", artifact, "f", "--random-inputs", "3", "--device", device,
                       *(f"--output=result{i}={output}" for i, output in enumerate(outputs)), **environment)
        return [read_npy(output, element) for output in outputs]

    def compare(self, element, target, num_results=1):
        """Also looks for bank conflicts in all kernels that multiply."""
        expected = self.run_on("cpu", "cpu", element, num_results)
        counters = pathlib.Path(self.tools.path("counters.json"))
        found = self.run_on("cuda-emulated", target, element, num_results, GRAPHRT_EMULATOR_REPORT=counters)
        for result, (xs, ys) in enumerate(zip(found, expected)):
            self.assertEqual(len(xs), len(ys))
            tolerance = 5e-3 if "tf32" in target else TOLERANCE[element]
            limit = tolerance * max(1, *map(abs, ys))
            for x, y in zip(xs, ys):
                self.assertLessEqual(abs(x - y), limit, f"result {result}")
        for name, kernel in json.loads(counters.read_text())["kernels"].items():
            if "dot" in name:
                for counter in ("sharedLoadConflicts", "sharedStoreConflicts", "matrixLoadConflicts"):
                    self.assertEqual(kernel[counter], 0, f"{counter} of {name}")

    def check(self, element, sizes, layout, epilogue, target="cuda:sm_80"):
        with self.subTest(element=element, sizes=sizes, layout=layout, epilogue=epilogue):
            write_model(self.tools.path("f.mlir"), element, sizes, layout, epilogue)
            self.compare(element, target)

    def check_training_step(self, element, sizes, activation, is_transposed=False, target="cuda:sm_80", epilogues=()):
        with self.subTest(element=element, sizes=sizes, activation=activation, is_transposed=is_transposed):
            model = self.tools.path("f.mlir")
            write_training_step(model, element, sizes, activation, is_transposed)
            commands = self.tools.run("graph-compile", model, f"--target={target}", "--emit=exec")
            for epilogue in epilogues:
                self.assertTrue(re.search(rf"epilogue +{epilogue}", commands), epilogue)
            self.compare(element, target, num_results=6)

    def assert_ptx(self, contains, lacks):
        ptx = self.tools.run("graph-compile", self.tools.path("f.mlir"), "--quiet", "--target=cuda:sm_90a",
                             "--emit=ptx")
        self.assertIn(contains, ptx)
        self.assertNotIn(lacks, ptx)

    def test_extents_and_layouts(self):
        """Extents 1, odd, prime, and larger than a block."""
        self.check("f32", (1, 1, 1, 1), "", ADD)
        self.check("f32", (1, 13, 1, 7), "a", ADD)
        self.check("f32", (1, 130, 66, 17), "ab", ADD)
        self.check("f64", (2, 33, 7, 13), "b", ADD)
        self.check("f16", (1, 17, 9, 5), "a", ADD)
        self.check("bf16", (3, 33, 37, 31), "", ADD)
        self.check("bf16", (1, 130, 64, 72), "ab", ADD, "cuda:sm_90")

    def test_epilogues(self):
        self.check("f32", (1, 48, 40, 24), "", "%r = graph.add %s, %v : TYPE")
        self.check("f32", (1, 48, 40, 24), "b", "%u = graph.add %s, %v : TYPE\n  %r = graph.relu %u : TYPE")
        self.check("bf16", (1, 48, 40, 24), "a", GELU)
        self.check("f32", (1, 48, 40, 24), "ab", "%r = graph.gelu erf, %s : TYPE")
        self.check("f32", (2, 48, 40, 24), "", "%u = graph.mul %s, %other : TYPE\n  %r = graph.tanh %u : TYPE")

    def test_backward(self):
        """What the library can do behind the products of a gradient, computed by our kernels."""
        self.check_training_step("f32", (40, 24, 32), "gelu tanh,", epilogues=("gelu_bias", "dgelu", "bgrad_b"))
        self.check_training_step("f32", (19, 24, 40), "gelu tanh,", is_transposed=True, epilogues=("dgelu", "bgrad_a"))
        self.check_training_step("f32", (33, 7, 130), "relu", epilogues=("bgrad_b",))
        self.check_training_step("f32", (33, 7, 45), "gelu erf,", epilogues=("bgrad_b",))
        self.check_training_step("f64", (17, 9, 70), "gelu tanh,", epilogues=("bgrad_b",))
        self.check_training_step("f16", (70, 24, 72), "gelu tanh,", epilogues=("dgelu", "bgrad_b"))
        self.check_training_step("bf16", (70, 40, 136), "gelu tanh,", epilogues=("dgelu", "bgrad_b"))
        self.check_training_step("bf16", (70, 40, 72), "relu", is_transposed=True, epilogues=("bgrad_a",))
        self.check_training_step("bf16", (37, 11, 45), "gelu tanh,", target="cuda:sm_90a", epilogues=("bgrad_b",))
        self.check_training_step("f32", (40, 24, 48), "gelu tanh,", target="cuda:sm_80+tf32", epilogues=("dgelu",))

    def test_warp_groups(self):
        """wgmma with tiles copied by TMA, whose edges are inside of a box; and where rows are not aligned for it."""
        tma, threads = "cp.async.bulk.tensor", "cp.async.cg"
        many = (128, 56, 120, 72)
        for element, layout in (("bf16", ""), ("f16", "a"), ("bf16", "b"), ("f16", "ab")):
            self.check(element, many, layout, ADD, "cuda:sm_90a")
            self.assert_ptx(tma, threads)
        self.check("bf16", many, "", GELU, "cuda:sm_90a")
        self.check("bf16", (1, 1480, 1448, 72), "b", ADD, "cuda:sm_90a")
        self.assert_ptx(tma, threads)
        self.check("bf16", (128, 56, 120, 70), "b", ADD, "cuda:sm_90a")
        self.assert_ptx("cp.async.ca", tma)
        write_heads(self.tools.path("f.mlir"), (8, 56, 120, 16, 64))
        self.compare("bf16", "cuda:sm_90a")
        self.assert_ptx(tma, threads)

    def check_prologue(self, element, source, sizes, layout, bodies, target="cuda:sm_80"):
        with self.subTest(element=element, source=source, sizes=sizes, layout=layout):
            model = self.tools.path("f.mlir")
            write_prologue(model, element, source, sizes, layout, bodies)
            commands = self.tools.run("graph-compile", model, f"--target={target}", "--emit=exec")
            self.assertEqual(commands.count("exec.dispatch") + commands.count("exec.gemm"), 1, "kernels")
            self.compare(element, target)

    def test_prologues(self):
        """Operands computed while they are loaded: odd extents, both layouts, one operand or both."""
        self.check_prologue("bf16", "f32", (1, 48, 40, 72), "", (CAST, ""))
        self.check_prologue("bf16", "f32", (1, 130, 70, 200), "ab", (CAST, CAST))
        self.check_prologue("bf16", "f32", (1, 33, 37, 31), "a", (CAST, BIAS_GELU))
        self.check_prologue("bf16", "bf16", (2, 40, 64, 40), "b", (SCALE, SCALE))
        self.check_prologue("f16", "f32", (3, 17, 24, 45), "", ("", BIAS_GELU))
        self.check_prologue("f16", "f16", (1, 64, 64, 128), "ab", (SCALE, ""), "cuda:sm_90a")
        self.check_prologue("f32", "f32", (1, 70, 66, 52), "", (SCALE, SCALE))
        self.check_prologue("f32", "f32", (1, 9, 35, 21), "ab", (SCALE, EXP))
        self.check_prologue("f32", "f32", (2, 48, 40, 36), "a", (SCALE, ""), "cuda:sm_80+tf32")
        self.check_prologue("f64", "f64", (1, 33, 34, 18), "b", (SCALE, SCALE))
        self.check_prologue("bf16", "f32", (1, 1, 40, 24), "", (CAST, ""))


if __name__ == "__main__":
    unittest.main()
