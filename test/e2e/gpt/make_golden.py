"""Writes golden_losses.txt and golden_losses_bf16.txt: the first losses of the GPT
in PyTorch, in f32 and with autocast, started from the parameters that our own
`init` writes and trained on the batches that graph-run train draws.

Usage: python make_golden.py <build>/bin   (needs torch and numpy)
"""

import json
import pathlib
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[2] / "benchmarks")]

import gpt_torch
from corpus import make_corpus, window_start
from gpt_config import Config
from tools import Tools

SEED, STEPS = 1, 10


def read_safetensors(path):
    """The f32 tensors of a file: an 8-byte length, that much JSON, the data."""
    data = path.read_bytes()
    begin = 8 + int.from_bytes(data[:8], "little")
    tensors = {}
    for name, entry in json.loads(data[8:begin]).items():
        if entry.get("dtype") == "F32":
            first, last = entry["data_offsets"]
            values = np.frombuffer(data[begin + first:begin + last], np.float32)
            tensors[name] = values.reshape(entry["shape"])
    return tensors


def initial_parameters(bin_dir, config):
    with tempfile.TemporaryDirectory() as work:
        tools = Tools(bin_dir, work)
        artifact = tools.compile_gpt("gpt", *config.flags())
        checkpoint = tools.path("init.safetensors")
        tools.run("graph-run", "call", artifact, "init", "--input", f"seed={SEED}",
                  "--save-state", checkpoint)
        states = read_safetensors(checkpoint)
    return {name: x for name, x in states.items() if not name.startswith("adam_")}


def train(config, parameters, low_precision=None):
    """The losses of the first steps."""
    data = np.frombuffer(make_corpus(), np.uint8)
    trainer = gpt_torch.Trainer(config, parameters, low_precision=low_precision)
    losses = []
    for step in range(1, STEPS + 1):
        starts = [window_start(len(data) - config.context, SEED, step, row)
                  for row in range(config.batch)]
        windows = np.stack([data[start:start + config.context + 1] for start in starts])
        losses.append(trainer.step(windows[:, :-1], windows[:, 1:])[0])
    return losses


def main():
    config, torch = Config(), gpt_torch.torch
    parameters = initial_parameters(sys.argv[1], config)
    for name, low_precision in [("golden_losses.txt", None),
                                ("golden_losses_bf16.txt", torch.bfloat16)]:
        lines = [f"# PyTorch {torch.__version__}; see make_golden.py"]
        lines += [f"{loss:.8g}" for loss in train(config, parameters, low_precision)]
        (HERE / name).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
