"""Sizes of a GPT and its parameters, shared by the baselines. Needs numpy."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Config:
    layers: int = 4
    heads: int = 4
    width: int = 128
    context: int = 128
    batch: int = 16
    vocab: int = 256

    def flags(self):
        """The options of gpt-graph that make the same model."""
        return [f"--{name}={value}" for name, value in vars(self).items()]


def init_parameters(config, seed=0):
    """Normal(0, 0.02) weights, zero biases, unit norms, as examples/gpt's `init`."""
    random = np.random.default_rng(seed)
    width, parameters = config.width, {}

    def normal(name, rows, columns, deviation=0.02):
        values = random.standard_normal((rows, columns), np.float32)
        parameters[name] = values * np.float32(deviation)

    def vector(name, size, fill):
        parameters[name] = np.full(size, fill, np.float32)

    def norm(name):
        vector(name + ".weight", width, 1)
        vector(name + ".bias", width, 0)

    def linear(name, rows, columns, deviation=0.02):
        normal(name + ".weight", rows, columns, deviation)
        vector(name + ".bias", columns, 0)

    residual = 0.02 / (2 * config.layers) ** 0.5
    normal("wte.weight", config.vocab, width)
    normal("wpe.weight", config.context, width)
    for i in range(config.layers):
        norm(f"h.{i}.ln_1")
        linear(f"h.{i}.attn.c_attn", width, 3 * width)
        linear(f"h.{i}.attn.c_proj", width, width, residual)
        norm(f"h.{i}.ln_2")
        linear(f"h.{i}.mlp.c_fc", width, 4 * width)
        linear(f"h.{i}.mlp.c_proj", 4 * width, width, residual)
    norm("ln_f")
    return parameters
