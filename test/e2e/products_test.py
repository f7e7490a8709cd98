"""Matrix products and what follows them: the emulated CUDA device against the CPU.

usage: products_test.py BIN-DIR
"""

import pathlib
import struct
import tempfile
import unittest

from tools import Tools, take_argument

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


def read_npy(path, element):
    """The numbers of a .npy file; bf16 is there as its bits."""
    data = path.read_bytes()
    body = data[10 + struct.unpack("<H", data[8:10])[0]:]
    if element == "bf16":
        return [struct.unpack("<f", b"\0\0" + body[i:i + 2])[0] for i in range(0, len(body), 2)]
    code = {"f16": "e", "f32": "f", "f64": "d"}[element]
    return struct.unpack(f"<{len(body) // struct.calcsize(code)}{code}", body)


class ProductsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tools = Tools(BIN, folder.name)

    def run_on(self, device, target, element):
        artifact, output = self.tools.path("f.gx"), self.tools.path("r.npy")
        self.tools.run("graph-compile", self.tools.path("f.mlir"), f"--target={target}", "-o", artifact)
        self.tools.run("graph-run", "call", artifact, "f", "--random-inputs", "3", "--device", device,
                       "--output", f"result0={output}")
        return read_npy(pathlib.Path(output), element)

    def check(self, element, sizes, layout, epilogue, target="cuda:sm_80"):
        with self.subTest(element=element, sizes=sizes, layout=layout, epilogue=epilogue):
            write_model(self.tools.path("f.mlir"), element, sizes, layout, epilogue)
            expected = self.run_on("cpu", "cpu", element)
            found = self.run_on("cuda-emulated", target, element)
            self.assertEqual(len(found), len(expected))
            for x, y in zip(found, expected):
                self.assertLessEqual(abs(x - y), TOLERANCE[element] * (1 + abs(y)))

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


if __name__ == "__main__":
    unittest.main()
