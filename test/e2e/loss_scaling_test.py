"""Loss scaling in f16: a step whose gradient overflows changes nothing but the
scale. Usage: loss_scaling_test.py <build>/bin [unittest options]"""

import json
import struct
import tempfile
import unittest

from tools import Tools, take_argument

# The gradient is x times weight and the scale, in f16. `norm` is written and
# never read.
MODEL = """
func.func @init() -> (tensor<2xf32> {graph.name = "w", graph.state},
                      tensor<f32> {graph.name = "norm", graph.state},
                      tensor<i64> {graph.name = "steps", graph.state}) {
  %w = graph.constant dense<[0.1, -0.3]> : tensor<2xf32>
  %norm = graph.constant dense<0.0> : tensor<f32>
  %steps = graph.constant dense<0> : tensor<i64>
  return %w, %norm, %steps : tensor<2xf32>, tensor<f32>, tensor<i64>
}
func.func private @loss(%w: tensor<2xf32>, %x: tensor<2xf32>, %weight: tensor<f32>)
    -> tensor<f32> {
  %0 = graph.dot %w, %x batch = [] x [] contract = [0] x [0]
      : (tensor<2xf32>, tensor<2xf32>) to tensor<f32>
  %1 = graph.mul %0, %weight : tensor<f32>
  return %1 : tensor<f32>
}
func.func @train_step(%w: tensor<2xf32> {graph.name = "w", graph.state},
                      %steps: tensor<i64> {graph.name = "steps", graph.state},
                      %element: tensor<f32> {graph.name = "x"},
                      %weight: tensor<f32> {graph.name = "weight"})
    -> (tensor<f32> {graph.name = "loss"},
        tensor<2xf32> {graph.name = "w", graph.state},
        tensor<f32> {graph.name = "norm", graph.state},
        tensor<i64> {graph.name = "steps", graph.state}) {
  %x = graph.broadcast %element dims = [] : tensor<f32> to tensor<2xf32>
  %loss, %g = graph.value_and_grad @loss(%w, %x, %weight) wrt = [0]
      : (tensor<2xf32>, tensor<2xf32>, tensor<f32>) -> (tensor<f32>, tensor<2xf32>)
  %rate = graph.constant dense<0.125> : tensor<2xf32>
  %0 = graph.mul %g, %rate : tensor<2xf32>
  %1 = graph.sub %w, %0 : tensor<2xf32>
  %2 = graph.mul %g, %g : tensor<2xf32>
  %norm = graph.reduce sum, %2 dims = [0] : tensor<2xf32> to tensor<f32>
  %one = graph.constant dense<1> : tensor<i64>
  %3 = graph.add %steps, %one : tensor<i64>
  return %loss, %1, %norm, %3 : tensor<f32>, tensor<2xf32>, tensor<f32>, tensor<i64>
}
"""
FORMATS = {"F32": "f", "I32": "i", "I64": "q"}


def read_states(path):
    """The states of a checkpoint: name to (numbers, bytes)."""
    data = path.read_bytes()
    begin = 8 + int.from_bytes(data[:8], "little")
    header, states = json.loads(data[8:begin]), {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        first, last = entry["data_offsets"]
        raw = data[begin + first:begin + last]
        numbers = [x for x, in struct.iter_unpack("<" + FORMATS[entry["dtype"]], raw)]
        states[name] = numbers, raw
    return states


class LossScalingTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tools = Tools(BIN, folder.name)
        model, mixed = self.tools.path("model.mlir"), self.tools.path("mixed.mlir")
        self.artifact = self.tools.path("model.gx")
        model.write_text(MODEL)
        self.tools.run("graph-opt", model, "--graph-mixed-precision=type=f16 growth-interval=3",
                       "-o", mixed)
        self.tools.run("graph-compile", mixed, "-o", self.artifact)
        self.checkpoint = self.tools.path("states.safetensors")
        self.tools.run("graph-run", "call", self.artifact, "init",
                       "--save-state", self.checkpoint)
        self.states = read_states(self.checkpoint)

    def step(self, x, weight=1):
        """Returns which states of the model a step has changed."""
        self.tools.run("graph-run", "call", self.artifact, "train_step", "--input", f"x={x}",
                       "--input", f"weight={weight}", "--state", self.checkpoint, "--save-state", self.checkpoint)
        before, self.states = self.states, read_states(self.checkpoint)
        return {name for name in ["w", "norm", "steps"]
                if before[name][1] != self.states[name][1]}

    def assertScale(self, scale, good_steps):
        self.assertEqual(self.states["loss_scale"][0], [scale])
        self.assertEqual(self.states["good_steps"][0], [good_steps])

    def test_scale_follows_overflows_and_good_steps(self):
        self.assertScale(65536, 0)
        # 65536 is no number of f16.
        self.assertEqual(self.step(1), set())
        self.assertScale(32768, 0)
        self.assertEqual(self.step(1), {"w", "norm", "steps"})
        self.assertScale(32768, 1)
        # The gradient is exact for all its scaling.
        self.assertEqual(self.states["norm"][0], [2])
        self.assertEqual(self.step(0.5), {"w", "norm", "steps"})
        self.assertScale(32768, 2)
        # An overflow ends the row of good steps.
        self.assertEqual(self.step(8), set())
        self.assertScale(16384, 0)
        for good_steps in [1, 2]:
            self.step(0.5)
            self.assertScale(16384, good_steps)
        self.step(0.25)
        self.assertScale(32768, 0)
        self.assertEqual(self.states["norm"][0], [0.125])
        self.assertEqual(self.states["steps"][0], [5])

    def test_one_bad_element_is_enough(self):
        self.step(1)
        # Infinite, and not a number.
        for bad in ["inf", "nan"]:
            self.assertEqual(self.step(bad), set())
        self.assertScale(8192, 0)

    def test_gradients_below_f16_survive(self):
        self.step(1)
        # Zero in f16, but not with the scale of 2^15.
        weight = 2.0**-30
        self.assertEqual(self.step(0.5, weight), {"norm", "steps"})
        self.assertEqual(self.states["norm"][0], [weight * weight / 2])


if __name__ == "__main__":
    BIN = take_argument()
    unittest.main()
