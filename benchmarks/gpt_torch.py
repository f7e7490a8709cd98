"""The GPT of examples/gpt in PyTorch: same parameters, same arithmetic.

Parameters are a dict of tensors under the names of examples/gpt; linear weights
are [in, out]. Used for golden losses and as the baseline of benchmarks.
"""

import torch
import torch.nn.functional as F


def loss(config, p, tokens, targets):
    """Mean cross entropy; tokens and targets are int64 [batch, context]."""

    def norm(x, name):
        return F.layer_norm(x, (config.width,), p[name + ".weight"], p[name + ".bias"])

    def linear(x, name):
        return F.linear(x, p[name + ".weight"].T, p[name + ".bias"])

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
    return F.cross_entropy(logits.float().view(-1, config.vocab), targets.reshape(-1))


class Trainer:
    """AdamW with warm-up and clipping, as examples/gpt's train_step."""

    def __init__(self, config, parameters, learning_rate=1e-3, warmup_steps=20,
                 compiled=False, low_precision=None, device="cpu"):
        """`parameters` maps names to numpy arrays, which are copied. With a torch
        type as `low_precision`, autocast computes in it."""
        parameters = {name: torch.tensor(array, device=device).requires_grad_()
                      for name, array in parameters.items()}
        self.config, self.parameters = config, parameters
        self.loss = torch.compile(loss) if compiled else loss
        self.low_precision, self.device = low_precision, device
        self.optimizer = torch.optim.AdamW(
            [{"params": [p for p in parameters.values() if p.dim() >= 2],
              "weight_decay": 0.1},
             {"params": [p for p in parameters.values() if p.dim() < 2],
              "weight_decay": 0.0}],
            lr=learning_rate, betas=(0.9, 0.95), eps=1e-8, fused=True)
        self.schedule = torch.optim.lr_scheduler.LambdaLR(
            self.optimizer, lambda step: min(1.0, (step + 1) / warmup_steps))

    def step(self, tokens, targets):
        """Trains on one batch of integer arrays [batch, context] and returns the
        loss before the step and the gradients' norm."""
        tokens, targets = (torch.as_tensor(x, dtype=torch.int64, device=self.device)
                           for x in (tokens, targets))
        with torch.autocast(self.device, self.low_precision,
                            enabled=self.low_precision is not None):
            value = self.loss(self.config, self.parameters, tokens, targets)
        self.optimizer.zero_grad(set_to_none=True)
        value.backward()
        norm = torch.nn.utils.clip_grad_norm_(self.parameters.values(), 1.0)
        self.optimizer.step()
        self.schedule.step()
        return value.item(), norm.item()
