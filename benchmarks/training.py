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
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
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


@dataclasses.dataclass
class Setting:
    """How models are trained; `device` and `target` are those of graph-run and of
    graph-compile."""
    bin: pathlib.Path
    data: str
    steps: int
    threads: int
    target: str = "cpu"
    device: str = "cpu"
    precision: str = "f32"

    def framework_device(self):
        """Nothing but our own runtime has an emulated GPU."""
        return "cuda" if self.device.split(":")[0] == "cuda" else "cpu"


class CommandError(Exception):
    """A command failed; says which and shows its words."""


def measure(command, timeout=None, **options):
    """Runs a command; returns its standard output, its seconds and its peak RSS.
    Raises subprocess.TimeoutExpired after `timeout` seconds."""
    command = [str(x) for x in command]
    begin = time.perf_counter()
    with tempfile.TemporaryFile("w+") as errors:
        # A session of its own, so that its children end with it.
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True,
                                   start_new_session=True, **options)
        timer = threading.Timer(timeout or threading.TIMEOUT_MAX, os.killpg,
                                (process.pid, signal.SIGKILL))
        timer.start()
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        seconds = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if timeout and seconds >= timeout:
            raise subprocess.TimeoutExpired(command, timeout)
        if process.returncode != 0:
            errors.seek(0)
            raise CommandError(f"{' '.join(command)}\nfailed:\n{errors.read() or output}")
    return output, seconds, usage.ru_maxrss * 1024


def measure_ours(setting, work, sizes, timeout=None):
    model, artifact, log = work / "gpt.mlir", work / "gpt.gx", work / "log.jsonl"
    flags = [f"--target={setting.target}"]
    if setting.precision != "f32":
        flags.append(f"--mixed-precision={setting.precision}")
    measure([setting.bin / "gpt-graph", *size_flags(sizes), "-o", model])
    _, compile_time, _ = measure([setting.bin / "graph-compile", *flags, model, "-o", artifact])
    _, _, peak = measure([setting.bin / "graph-run", "train", artifact, "--data", setting.data,
                          "--steps", setting.steps + 2, "--threads", setting.threads,
                          "--device", setting.device, "--log", log], timeout)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    ends = [line["elapsed_s"] for line in lines]
    times = [end - begin for begin, end in zip(ends[1:], ends[2:])]
    info = json.loads(measure([setting.bin / "graph-run", "info", artifact, "--json"])[0])
    return Measurement(statistics.median(times), compile_time, peak, lines[-1]["loss"],
                       planned_bytes(info))


def size_flags(sizes):
    return [f"--{name}={value}" for name, value in sizes.items()]


def planned_bytes(info):
    """States and the scratch memory of a training step."""
    step = next(f for f in info["functions"] if f["name"] == "train_step")
    return sum(state["bytes"] for state in info["states"]) + step["arena_bytes"]


def measure_framework(name, setting, sizes, timeout=None):
    output, _, _ = measure([sys.executable, HERE / "baseline.py", name, json.dumps(sizes),
                            "--data", setting.data, "--steps", setting.steps,
                            "--threads", setting.threads, "--precision", setting.precision,
                            "--device", setting.framework_device()], timeout)
    result = json.loads(output)
    compile_time = 0 if name == "torch" else result["compile_s"]
    return Measurement(result["step_s"], compile_time, result["peak_rss"], result["loss"])


def find_frameworks(device="cpu"):
    """Those that can be imported and have the device, "cpu" or "cuda"."""
    def works(code):
        return subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0
    torch = works(f"import torch; torch.zeros(1, device='{device}')")
    jax = works(f"import jax; jax.devices('{device}')")
    return (["torch", "torch.compile"] if torch else []) + (["jax"] if jax else [])


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
    setting = Setting(arguments.bin, arguments.data, arguments.steps, arguments.threads)
    print(f"{arguments.threads} threads; ratios are theirs to ours")
    for size in arguments.sizes:
        sizes, rows = SIZES[size], {}
        with tempfile.TemporaryDirectory() as work:
            rows["graph"] = measure_ours(setting, pathlib.Path(work), sizes)
        for name in frameworks:
            rows[name] = measure_framework(name, setting, sizes)
        print_table(f"{size}: " + " ".join(f"{k}={v}" for k, v in sizes.items()), rows)


if __name__ == "__main__":
    try:
        main()
    except CommandError as error:
        sys.exit(str(error))
