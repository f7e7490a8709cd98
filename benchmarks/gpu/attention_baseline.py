"""Times causal attention and its gradients in one framework; prints JSON with the
seconds of a forward pass, and of a forward and a backward pass.

Run by run.py in a process of its own. q, k and v are [batch, heads, context, size].
"""

import argparse
import json
import os
import time


def torch_functions(arguments):
    import torch
    import torch.nn.functional as F
    dtype = torch.bfloat16 if arguments.precision == "bf16" else torch.float32
    shape = arguments.batch, arguments.heads, arguments.context, arguments.size
    q, k, v, g = (torch.randn(shape, dtype=dtype, device=arguments.device) for _ in range(4))
    qkv = [x.requires_grad_() for x in (q, k, v)]

    def attend(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)

    if arguments.framework == "torch.compile":
        attend = torch.compile(attend)

    def forward():
        with torch.no_grad():
            return attend(*qkv)

    def wait(_):
        if arguments.device == "cuda":
            torch.cuda.synchronize()

    return forward, lambda: torch.autograd.grad(attend(*qkv), qkv, g), wait


def jax_functions(arguments):
    import jax
    import jax.numpy as jnp
    jax.config.update("jax_default_matmul_precision", "highest")
    dtype = jnp.bfloat16 if arguments.precision == "bf16" else jnp.float32
    # Its attention takes [batch, context, heads, size].
    shape = arguments.batch, arguments.context, arguments.heads, arguments.size
    q, k, v, g = (jax.random.normal(key, shape, dtype)
                  for key in jax.random.split(jax.random.key(0), 4))

    def attend(q, k, v):
        return jax.nn.dot_product_attention(q, k, v, is_causal=True)

    @jax.jit
    def gradients(q, k, v, g):
        return jax.vjp(attend, q, k, v)[1](g)

    forward = jax.jit(attend)
    return lambda: forward(q, k, v), lambda: gradients(q, k, v, g), jax.block_until_ready


def seconds_of(function, wait, repeat):
    """Of one call among many: the device is kept busy, as in a model."""
    for _ in range(3):
        wait(function())
    begin = time.perf_counter()
    for _ in range(repeat):
        result = function()
    wait(result)
    return (time.perf_counter() - begin) / repeat


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("framework", choices=["torch", "torch.compile", "jax"])
    for name in ("batch", "heads", "context", "size", "repeat"):
        parser.add_argument("--" + name, type=int, required=True)
    parser.add_argument("--precision", choices=["f32", "bf16"], required=True)
    parser.add_argument("--device", choices=["cpu", "cuda"], required=True)
    arguments = parser.parse_args()
    os.environ["JAX_PLATFORMS"] = arguments.device
    make = jax_functions if arguments.framework == "jax" else torch_functions
    forward, gradient, wait = make(arguments)
    print(json.dumps({"forward": seconds_of(forward, wait, arguments.repeat),
                      "gradient": seconds_of(gradient, wait, arguments.repeat)}))


if __name__ == "__main__":
    main()
