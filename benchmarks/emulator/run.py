#!/usr/bin/env python3
"""How fast the emulated device interprets kernels: thread instructions a second, on one host thread and on all.

Usage: run.py [--bin build/bin] [--repeat 5]

Compiles three programs, runs each on the emulated device in turn with one host thread and with all, and prints the median
of the host's time in its kernels, from the emulator's own report. Compare ratios of one run only."""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

PROGRAMS = {
    "pointwise f32": """
func.func @f(%x: tensor<1048576xf32>, %y: tensor<1048576xf32>) -> tensor<1048576xf32> {
  %0 = graph.mul %x, %y : tensor<1048576xf32>
  %1 = graph.add %0, %x : tensor<1048576xf32>
  return %1 : tensor<1048576xf32>
}
""",
    "row reduction f32": """
func.func @f(%x: tensor<512x1024xf32>) -> tensor<512x1024xf32> {
  %0 = graph.softmax %x dim = 1 : tensor<512x1024xf32>
  return %0 : tensor<512x1024xf32>
}
""",
    "tensor cores bf16": """
func.func @f(%x: tensor<512x512xbf16>, %y: tensor<512x512xbf16>) -> tensor<512x512xbf16> {
  %0 = graph.dot %x, %y batch = [] x [] contract = [1] x [0]
    : (tensor<512x512xbf16>, tensor<512x512xbf16>) to tensor<512x512xbf16>
  return %0 : tensor<512x512xbf16>
}
""",
}


def compile_program(tools, folder, text):
    source, artifact = folder / "program.mlir", folder / "program.gx"
    source.write_text(text)
    subprocess.run([tools / "graph-compile", source, "--target=cuda:sm_80", "--quiet", "-o", artifact], check=True)
    return artifact


def run_once(tools, folder, artifact, threads):
    """Thread instructions and the host's seconds in kernels."""
    report = folder / "report.json"
    environment = dict(os.environ, GRAPHRT_EMULATOR_THREADS=str(threads), GRAPHRT_EMULATOR_REPORT=str(report))
    subprocess.run([tools / "graph-run", "call", artifact, "f", "--device=cuda-emulated", "--random-inputs=1"],
                   check=True, env=environment, stdout=subprocess.DEVNULL)
    kernels = json.loads(report.read_text())["kernels"].values()
    return sum(k["threadInstructions"] for k in kernels), sum(k["seconds"] for k in kernels)


def measure(tools, folder, text, repeat):
    """Instructions, and the median seconds on one host thread and on all."""
    artifact = compile_program(tools, folder, text)
    seconds = {1: [], 0: []}
    for _ in range(repeat):
        for threads, times in seconds.items():
            instructions, time = run_once(tools, folder, artifact, threads)
            times.append(time)
    return instructions, statistics.median(seconds[1]), statistics.median(seconds[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "bin")
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    print(f"{'kernel':20} {'instructions':>13} {'one thread':>12} {'all threads':>12} {'ratio':>6}")
    for name, text in PROGRAMS.items():
        with tempfile.TemporaryDirectory() as folder:
            count, one, every = measure(options.bin.resolve(), pathlib.Path(folder), text, options.repeat)
        print(f"{name:20} {count / 1e6:11.1f} M {count / one / 1e6:10.1f}/µs {count / every / 1e6:10.1f}/µs {one / every:6.2f}")


if __name__ == "__main__":
    main()
