"""The GPT of examples/gpt in JAX: same parameters, same arithmetic."""

import functools

import jax
import jax.numpy as jnp


def loss(config, low_precision, p, tokens, targets):
    """Mean cross entropy; tokens and targets are integers [batch, context]. With
    `low_precision`, a type, products and attention are computed in it, as PyTorch's
    autocast does."""

    def low(x):
        return x.astype(low_precision) if low_precision else x

    def norm(x, name):
        x = x.astype(jnp.float32)
        mean = x.mean(-1, keepdims=True)
        variance = ((x - mean) ** 2).mean(-1, keepdims=True)
        unit = (x - mean) * jax.lax.rsqrt(variance + 1e-5)
        return unit * p[name + ".weight"] + p[name + ".bias"]

    def linear(x, name):
        return low(x) @ low(p[name + ".weight"]) + low(p[name + ".bias"])

    def attention(x, name):
        batch, context, width = x.shape
        qkv = linear(x, name + ".c_attn").reshape(batch, context, 3, config.heads, -1)
        q, k, v = (qkv[:, :, i] for i in range(3))
        mixed = jax.nn.dot_product_attention(q, k, v, is_causal=True)
        return linear(mixed.reshape(x.shape), name + ".c_proj")

    def perceptron(x, name):
        return linear(jax.nn.gelu(linear(x, name + ".c_fc"), approximate=True), name + ".c_proj")

    x = p["wte.weight"][tokens] + p["wpe.weight"]
    for i in range(config.layers):
        x = x + attention(norm(x, f"h.{i}.ln_1"), f"h.{i}.attn")
        x = x + perceptron(norm(x, f"h.{i}.ln_2"), f"h.{i}.mlp")
    logits = low(norm(x, "ln_f")) @ low(p["wte.weight"].T)
    logits = jax.nn.log_softmax(logits.astype(jnp.float32))
    return -jnp.take_along_axis(logits, targets[..., None], -1).mean()


@functools.partial(jax.jit, static_argnums=(0, 1, 2, 3), donate_argnums=4)
def train_step(config, low_precision, learning_rate, warmup_steps, state, tokens, targets):
    """One AdamW step with warm-up and clipping: (state, loss, gradient norm)."""
    p, m, v, done = state
    loss_of = functools.partial(loss, config, low_precision)
    value, g = jax.value_and_grad(loss_of)(p, tokens, targets)
    norm = jnp.sqrt(sum((x * x).sum() for x in g.values()))
    clip = jnp.minimum(1.0 / (norm + 1e-6), 1.0)
    number = done + 1
    rate = learning_rate * jnp.minimum(number / warmup_steps, 1.0)
    root = jnp.sqrt(1 - 0.95 ** number)
    size = rate / (1 - 0.9 ** number)
    g = {name: x * clip for name, x in g.items()}
    m = {name: 0.9 * m[name] + 0.1 * g[name] for name in p}
    v = {name: 0.95 * v[name] + 0.05 * g[name] ** 2 for name in p}
    p = {name: x * (1 - rate * 0.1 if x.ndim >= 2 else 1.0)
               - size * m[name] / (jnp.sqrt(v[name]) / root + 1e-8)
         for name, x in p.items()}
    return (p, m, v, number), value, norm


class Trainer:
    """Same interface as gpt_torch.Trainer."""

    def __init__(self, config, parameters, learning_rate=1e-3, warmup_steps=20,
                 low_precision=None):
        self.step_function = functools.partial(train_step, config, low_precision,
                                               learning_rate, warmup_steps)
        p = {name: jnp.array(array) for name, array in parameters.items()}
        zeros = lambda: {name: jnp.zeros_like(x) for name, x in p.items()}
        self.state = (p, zeros(), zeros(), jnp.zeros((), jnp.float32))

    def step(self, tokens, targets):
        self.state, value, norm = self.step_function(self.state, tokens, targets)
        return value.item(), norm.item()
