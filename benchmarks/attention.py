#!/usr/bin/env python3
"""Attention as one kernel against its decomposition, dots and a softmax: time and
memory on the CPU. See README.md.

Needs a build with measure-kernels and the standard library only.
"""

import argparse
import json
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "gpu"))

import cases  # noqa: E402
import training  # noqa: E402


class Comparison:
    def __init__(self, arguments, work):
        self.arguments, self.work = arguments, pathlib.Path(work)

    def run(self, program, *words):
        return training.measure([self.arguments.bin / program, *words])[0]

    def compile(self, case):
        """The artifacts of both forms, whole attention first."""
        whole, opened = self.work / "whole.mlir", self.work / "opened.mlir"
        whole.write_text(case.module)
        self.run("graph-opt", "--graph-autodiff", "--graph-decompose", whole, "-o", opened)
        for model in (whole, opened):
            self.run("graph-compile", "--quiet", model, "-o", model.with_suffix(".gx"))
        return whole.with_suffix(".gx"), opened.with_suffix(".gx")

    def seconds(self, measured, reference):
        """Of one call; fails where the results of the two forms differ."""
        result = json.loads(self.run(
            "measure-kernels", reference, measured, "--device", "cpu",
            "--threads", self.arguments.threads, "--repeat", self.arguments.repeat))
        return 1e-9 * sum(x["ns"] for x in result["functions"][0]["commands"])

    def scratch(self, artifact):
        """The MiB that a call needs beside its operands and results."""
        info = json.loads(self.run("graph-run", "info", "--json", artifact))
        return info["functions"][0]["arena_bytes"] / 2**20

    def compare(self, case, name):
        whole, opened = self.compile(case)
        times = self.seconds(whole, opened), self.seconds(opened, whole)
        print(f"{name:32}{times[0] * 1e3:9.2f}{case.flops / times[0] * 1e-9:9.1f}{times[1] / times[0]:9.2f}"
              f"{self.scratch(whole):10.2f}{self.scratch(opened):10.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=HERE.parent / "build/bin")
    parser.add_argument("--lengths", type=int, nargs="+", default=[256, 512, 1024, 2048])
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--size", type=int, default=64, help="elements of a head")
    parser.add_argument("--precisions", nargs="+", default=["f32", "bf16"])
    parser.add_argument("--threads", type=int, default=0, help="0 for all cores")
    parser.add_argument("--repeat", type=int, default=10)
    arguments = parser.parse_args()
    print(f"{'':32}{'ms':>9}{'GFLOP/s':>9}{'opened':>9}{'MiB':>10}{'opened':>10}")
    with tempfile.TemporaryDirectory() as work:
        comparison = Comparison(arguments, work)
        for precision in arguments.precisions:
            for length in arguments.lengths:
                shape = cases.AttentionShape(1, arguments.heads, length, arguments.size, precision)
                for case in cases.attention_cases(shape).values():
                    comparison.compare(case, f"{case.name} x {length}")


if __name__ == "__main__":
    try:
        main()
    except training.CommandError as error:
        sys.exit(str(error))
