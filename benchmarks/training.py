#!/usr/bin/env python3
"""Step time, compile time and peak memory of GPT training, ours beside PyTorch
(eager and compiled) and JAX where they can be imported. See README.md.

Needs the standard library only; each framework runs in a process of its own.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent

SIZES = {
    "small": dict(layers=2, heads=2, width=64, context=64, batch=8, vocab=256),
    "demo": dict(layers=4, heads=4, width=128, context=128, batch=16, vocab=256),
    "large": dict(layers=6, heads=8, width=256, context=256, batch=8, vocab=256),
}


@dataclasses.dataclass
class Measurement:
    """Seconds and bytes; 0 where there is nothing: eager PyTorch does not compile,
    and only our compiler plans memory."""
    step: float
    compile: float
    peak_rss: int
    loss: float
    planned: int = 0


def measure(command, **options):
    """Runs a command; returns its standard output, its seconds and its peak RSS."""
    begin = time.perf_counter()
    process = subprocess.Popen([str(x) for x in command], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, **options)
    output, errors = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}\nfailed:\n{output}{errors}")
    return output, time.perf_counter() - begin, usage.ru_maxrss * 1024


def measure_ours(bin_dir, work, sizes, data, steps, threads):
    model, artifact, log = work / "gpt.mlir", work / "gpt.gx", work / "log.jsonl"
    flags = [f"--{name}={value}" for name, value in sizes.items()]
    measure([bin_dir / "gpt-graph", *flags, "-o", model])
    _, compile_time, _ = measure([bin_dir / "graph-compile", model, "-o", artifact])
    _, _, peak = measure([bin_dir / "graph-run", "train", artifact, "--data", data,
                          "--steps", steps + 2, "--threads", threads, "--log", log])
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    ends = [line["elapsed_s"] for line in lines]
    times = [end - begin for begin, end in zip(ends[1:], ends[2:])]
    info = json.loads(measure([bin_dir / "graph-run", "info", artifact, "--json"])[0])
    return Measurement(statistics.median(times), compile_time, peak, lines[-1]["loss"],
                       planned_bytes(info))


def planned_bytes(info):
    """States and the scratch memory of a training step."""
    step = next(f for f in info["functions"] if f["name"] == "train_step")
    return sum(state["bytes"] for state in info["states"]) + step["arena_bytes"]


def measure_framework(name, sizes, data, steps, threads):
    output, _, _ = measure([sys.executable, HERE / "baseline.py", name, json.dumps(sizes),
                            "--data", data, "--steps", steps, "--threads", threads])
    result = json.loads(output)
    compile_time = 0 if name == "torch" else result["compile_s"]
    return Measurement(result["step_s"], compile_time, result["peak_rss"], result["loss"])


def find_frameworks():
    def importable(module):
        return subprocess.run([sys.executable, "-c", f"import {module}"],
                              capture_output=True).returncode == 0
    torch = ["torch", "torch.compile"] if importable("torch") else []
    return torch + (["jax"] if importable("jax") else [])


def print_table(title, rows):
    """`rows` maps names to measurements, ours first; ratios are theirs to ours."""
    ours = next(iter(rows.values()))

    def cell(row, field, scale, unit):
        value, reference = getattr(row, field), getattr(ours, field)
        if not value:
            return f"{'-':>20}"
        ratio = f"({value / reference:.2f}x)" if row is not ours else ""
        return f"{value / scale:9.4g} {unit:3}{ratio:>7}"

    print(f"\n{title}\n{'':14}{'step':>13}{'compile':>20}{'peak RSS':>20}{'planned':>20}"
          f"{'loss':>14}")
    for name, row in rows.items():
        print(f"{name:14}" + cell(row, "step", 1e-3, "ms") + cell(row, "compile", 1, "s")
              + cell(row, "peak_rss", 2**20, "MiB") + cell(row, "planned", 2**20, "MiB")
              + f"{row.loss:8.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, default=HERE.parent / "build" / "bin",
                        help="folder of gpt-graph, graph-compile and graph-run")
    parser.add_argument("--data", default="/usr/share/common-licenses/GPL-3",
                        help="text to train on")
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=list(SIZES))
    parser.add_argument("--steps", type=int, default=20, help="measured steps, after two")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--frameworks", nargs="*", default=None,
                        choices=["torch", "torch.compile", "jax"],
                        help="default: those that can be imported")
    arguments = parser.parse_args()

    frameworks = arguments.frameworks
    if frameworks is None:
        frameworks = find_frameworks()
    print(f"{arguments.threads} threads; ratios are theirs to ours")
    for size in arguments.sizes:
        sizes, rows = SIZES[size], {}
        with tempfile.TemporaryDirectory() as work:
            rows["graph"] = measure_ours(arguments.bin, pathlib.Path(work), sizes,
                                         arguments.data, arguments.steps, arguments.threads)
        for name in frameworks:
            rows[name] = measure_framework(name, sizes, arguments.data, arguments.steps,
                                           arguments.threads)
        print_table(f"{size}: " + " ".join(f"{k}={v}" for k, v in sizes.items()), rows)


if __name__ == "__main__":
    main()
