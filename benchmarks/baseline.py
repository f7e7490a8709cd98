"""Trains a GPT for some steps in one framework and prints the measurements as JSON.

Run by training.py in a process of its own, so that peak memory is one framework's.
"""

import argparse
import json
import os
import resource
import statistics
import time


def make_trainer(arguments, config, parameters):
    is_low = arguments.precision == "bf16"
    if arguments.framework == "jax":
        import jax
        import gpt_jax
        # On a GPU the default for f32 is tf32.
        jax.config.update("jax_default_matmul_precision", "highest")
        return gpt_jax.Trainer(config, parameters,
                               low_precision=jax.numpy.bfloat16 if is_low else None)
    import torch
    import gpt_torch
    torch.set_num_threads(arguments.threads)
    return gpt_torch.Trainer(config, parameters, device=arguments.device,
                             low_precision=torch.bfloat16 if is_low else None,
                             compiled=arguments.framework == "torch.compile")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("framework", choices=["torch", "torch.compile", "jax"])
    parser.add_argument("config", type=json.loads, help="sizes of gpt_config.Config as JSON")
    parser.add_argument("--data", required=True, help="text to train on")
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--precision", choices=["f32", "bf16"], default="f32",
                        help="of products and attention; the rest is in f32")
    arguments = parser.parse_args()
    # The frameworks read these once, when they are imported.
    os.environ["OMP_NUM_THREADS"] = str(arguments.threads)
    os.environ["JAX_PLATFORMS"] = arguments.device
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:arguments.threads])

    import numpy as np
    from gpt_config import Config, init_parameters
    config = Config(**arguments.config)
    trainer = make_trainer(arguments, config, init_parameters(config))
    data = np.fromfile(arguments.data, np.uint8).astype(np.int32)
    random = np.random.default_rng(0)

    def step():
        starts = random.integers(0, len(data) - config.context, config.batch)
        windows = np.stack([data[start:start + config.context + 1] for start in starts])
        begin = time.perf_counter()
        loss, _ = trainer.step(windows[:, :-1], windows[:, 1:])
        return time.perf_counter() - begin, loss

    first, _ = step()
    second, _ = step()
    times, losses = zip(*(step() for _ in range(arguments.steps)))
    median = statistics.median(times)
    print(json.dumps({
        "step_s": median,
        "compile_s": max(first + second - 2 * median, 0),
        "peak_rss": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "loss": losses[-1],
    }))


if __name__ == "__main__":
    main()
