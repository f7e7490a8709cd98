"""The GPT of examples/gpt in PyTorch: same parameters, same arithmetic.

Parameters are a dict of tensors under the names of examples/gpt; linear weights
are [in, out]. Used for golden losses and as the baseline of benchmarks.
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F


@dataclass
class Config:
    layers: int = 4
    heads: int = 4
    width: int = 128
    context: int = 128
    batch: int = 16
    vocabulary: int = 256


def init_parameters(config, seed=0):
    """Normal(0, 0.02) weights, zero biases, unit norms, as examples/gpt's init."""
    generator = torch.Generator().manual_seed(seed)
    width, parameters = config.width, {}

    def normal(*shape, deviation=0.02):
        return torch.randn(*shape, generator=generator) * deviation

    def norm(name):
        parameters[name + ".weight"] = torch.ones(width)
        parameters[name + ".bias"] = torch.zeros(width)

    def linear(name, rows, columns, deviation=0.02):
        parameters[name + ".weight"] = normal(rows, columns, deviation=deviation)
        parameters[name + ".bias"] = torch.zeros(columns)

    residual = 0.02 / (2 * config.layers) ** 0.5
    parameters["wte.weight"] = normal(config.vocabulary, width)
    parameters["wpe.weight"] = normal(config.context, width)
    for i in range(config.layers):
        norm(f"h.{i}.ln_1")
        linear(f"h.{i}.attn.c_attn", width, 3 * width)
        linear(f"h.{i}.attn.c_proj", width, width, residual)
        norm(f"h.{i}.ln_2")
        linear(f"h.{i}.mlp.c_fc", width, 4 * width)
        linear(f"h.{i}.mlp.c_proj", 4 * width, width, residual)
    norm("ln_f")
    return {name: p.requires_grad_() for name, p in parameters.items()}


def loss(config, p, tokens, targets):
    """Mean cross entropy; tokens and targets are int64 [batch, context]."""

    def norm(x, name):
        return F.layer_norm(x, (config.width,), p[name + ".weight"], p[name + ".bias"])

    def linear(x, name):
        return x @ p[name + ".weight"] + p[name + ".bias"]

    def attention(x, name):
        batch, context, width = x.shape
        qkv = linear(x, name + ".c_attn").view(batch, context, 3, config.heads, -1)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return linear(mixed.transpose(1, 2).reshape(x.shape), name + ".c_proj")

    def perceptron(x, name):
        hidden = F.gelu(linear(x, name + ".c_fc"), approximate="tanh")
        return linear(hidden, name + ".c_proj")

    x = F.embedding(tokens, p["wte.weight"]) + p["wpe.weight"]
    for i in range(config.layers):
        x = x + attention(norm(x, f"h.{i}.ln_1"), f"h.{i}.attn")
        x = x + perceptron(norm(x, f"h.{i}.ln_2"), f"h.{i}.mlp")
    logits = norm(x, "ln_f") @ p["wte.weight"].T
    return F.cross_entropy(logits.view(-1, config.vocabulary), targets.reshape(-1))


class Trainer:
    """AdamW with warm-up and clipping, as examples/gpt's train_step."""

    def __init__(self, config, parameters, learning_rate=1e-3, warmup_steps=20,
                 compiled=False):
        self.config, self.parameters = config, parameters
        self.loss = torch.compile(loss) if compiled else loss
        self.optimizer = torch.optim.AdamW(
            [{"params": [p for p in parameters.values() if p.dim() >= 2],
              "weight_decay": 0.1},
             {"params": [p for p in parameters.values() if p.dim() < 2],
              "weight_decay": 0.0}],
            lr=learning_rate, betas=(0.9, 0.95), eps=1e-8, fused=True)
        self.schedule = torch.optim.lr_scheduler.LambdaLR(
            self.optimizer, lambda step: min(1.0, (step + 1) / warmup_steps))

    def step(self, tokens, targets):
        """Trains on one batch and returns its loss and the gradients' norm."""
        value = self.loss(self.config, self.parameters, tokens, targets)
        self.optimizer.zero_grad(set_to_none=True)
        value.backward()
        norm = torch.nn.utils.clip_grad_norm_(self.parameters.values(), 1.0)
        self.optimizer.step()
        self.schedule.step()
        return value.item(), norm.item()
