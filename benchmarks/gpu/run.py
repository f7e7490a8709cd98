#!/usr/bin/env python3
"""Checks every kernel against the CPU and prints what a GPU makes of them, as
ratios: bandwidth to a device copy's, our matrix products to cuBLASLt's, attention
and a GPT's training step to those of PyTorch and JAX. See README.md.

Exit status: 0 if everything ran and agreed, 1 if anything failed, 2 if nothing
failed but the budget cut something. Needs the standard library only.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import cases
import training

GPT = dict(layers=6, heads=12, width=768, context=1024, batch=8, vocab=256)
TINY_GPT = dict(layers=1, heads=2, width=16, context=8, batch=2, vocab=256)
# How far two devices' losses may be apart after some steps, relative.
LOSS_TOLERANCE = {"f32": 1e-4, "bf16": 2e-3}


class Report:
    """Runs the parts of the benchmark while the budget lasts, whatever fails."""

    def __init__(self, budget):
        self.begin, self.budget = time.monotonic(), budget
        self.failed, self.cut = [], []

    def elapsed(self):
        return time.monotonic() - self.begin

    def left(self):
        """Seconds; raises when there are none."""
        left = self.budget - self.elapsed()
        if left <= 0:
            raise subprocess.TimeoutExpired("", 0)
        return left

    def attempt(self, name, body, *arguments):
        """The result of a part; None, and a line that says so, where it failed or
        was cut."""
        try:
            self.left()
            return body(*arguments)
        except subprocess.TimeoutExpired:
            self.cut.append(name)
            print(f"  {name:32}  cut: the budget of {self.budget:g} s is spent", flush=True)
        except training.CommandError as error:
            self.failed.append(name)
            print(f"  {name:32}  FAILED\n{error}", flush=True)

    def finish(self):
        print(f"\n{self.elapsed():.0f} s; {len(self.failed)} failed, {len(self.cut)} cut")
        for title, names in (("failed", self.failed), ("cut", self.cut)):
            if names:
                print(f"{title}: {', '.join(names)}")
        return 1 if self.failed else 2 if self.cut else 0


@dataclasses.dataclass
class Measurement:
    """Of one function: its worst error and its commands as measure-kernels prints
    them."""
    error: float
    commands: list

    def seconds(self):
        return sum(command["ns"] for command in self.commands) * 1e-9

    def uses_library(self):
        return any(command["kind"] == "gemm" and not command["symbol"]
                   for command in self.commands)


class Benchmark:
    def __init__(self, arguments, work):
        self.arguments, self.work = arguments, pathlib.Path(work)
        self.report = Report(arguments.budget)

    def compile(self, case):
        """The artifacts for the CPU and for the device."""
        model = self.work / (case.name + ".mlir")
        model.write_text(case.module)
        artifacts = []
        for target in ("cpu", self.arguments.target):
            artifacts.append(self.work / f"{case.name}.{len(artifacts)}.gx")
            training.measure([self.arguments.bin / "graph-compile", "--quiet",
                              f"--target={target}", model, "-o", artifacts[-1]],
                             self.report.left())
        return artifacts

    def measure(self, case, artifacts, environment=None):
        output, _, _ = training.measure(
            [self.arguments.bin / "measure-kernels", *artifacts,
             "--device", self.arguments.device, "--repeat", self.arguments.repeat,
             "--index-bound", case.index_bound],
            self.report.left(), env=os.environ | (environment or {}))
        result = json.loads(output)
        if self.arguments.json:
            with self.arguments.json.open("a") as log:
                log.write(json.dumps(result | (environment or {})) + "\n")
        function = result["functions"][0]
        return Measurement(max(x["error"] for x in function["outputs"]),
                           function["commands"])

    def check(self, case):
        return self.measure(case, self.compile(case))

    def check_product(self, case):
        """Measured as it runs by itself and with our own kernel."""
        artifacts = self.compile(case)
        library = self.measure(case, artifacts)
        if not library.uses_library():
            return None, library
        return library, self.measure(case, artifacts, {"GRAPHRT_CUBLASLT": "off"})

    # The sections, each of which prints a table.

    def measure_bandwidth(self, all_cases):
        print(f"\n{'bandwidth':34}{'error':>9}{'us':>10}{'GB/s':>8}{'/ copy':>8}")
        copy = None
        for case in all_cases:
            result = self.report.attempt(case.name, self.check, case)
            if not result:
                continue
            if case.name == "copy":
                copy = rate(result.commands)
            print_bandwidth(case.name, result.error, result.commands, copy)
            for command in result.commands if len(result.commands) > 1 else []:
                print_bandwidth(f"  {command['symbol'] or command['kind']}", None, [command], copy)

    def measure_products(self, all_cases):
        print(f"\n{'matrix products':34}{'error':>9}{'us':>10}{'TFLOP/s':>8}{'cuBLASLt':>16}")
        for case in all_cases:
            result = self.report.attempt(case.name, self.check_product, case)
            if not result:
                continue
            library, own = result
            theirs = f"{library.seconds() / own.seconds():15.2f}x" if library else f"{'-':>16}"
            error = max(own.error, library.error if library else 0)
            print(f"  {case.name:32}{error:9.1e}{own.seconds() * 1e6:10.1f}"
                  f"{case.flops / own.seconds() * 1e-12:8.1f}{theirs}", flush=True)

    def measure_attention(self, shapes, frameworks):
        print(f"\n{'attention':34}{'error':>9}{'us':>10}{'TFLOP/s':>8}"
              + "".join(f"{name:>16}" for name in frameworks))
        for shape in shapes:
            functions = cases.attention_cases(shape)
            ours = {kind: self.report.attempt(case.name, self.check, case)
                    for kind, case in functions.items()}
            theirs = [self.report.attempt(f"{name} {functions['forward'].name}",
                                          self.framework_attention, name, shape)
                      for name in frameworks]
            for kind, case in functions.items():
                if not ours[kind]:
                    continue
                seconds = ours[kind].seconds()
                print(f"  {case.name:32}{ours[kind].error:9.1e}{seconds * 1e6:10.1f}"
                      f"{case.flops / seconds * 1e-12:8.1f}"
                      + "".join(f"{x[kind] / seconds:15.2f}x" if x else f"{'-':>16}"
                                for x in theirs), flush=True)

    def framework_attention(self, framework, shape):
        output, _, _ = training.measure(
            [sys.executable, HERE / "attention_baseline.py", framework,
             "--device", self.setting("f32").framework_device(),
             "--repeat", self.arguments.repeat,
             *(f"--{name}={value}" for name, value in dataclasses.asdict(shape).items())],
            self.report.left())
        return json.loads(output)

    def setting(self, precision, **changes):
        arguments = self.arguments
        return training.Setting(**(dict(
            bin=arguments.bin, data=arguments.data, steps=arguments.steps,
            threads=arguments.threads, target=arguments.target, device=arguments.device,
            precision=precision) | changes))

    def train(self, setting, sizes):
        return training.measure_ours(setting, self.work, sizes, self.report.left())

    def compare_losses(self, precision, sizes):
        """Trains on the CPU and on the device."""
        expected, found = (
            self.train(self.setting(precision, steps=8, **changes), sizes).loss
            for changes in ({"target": "cpu", "device": "cpu"}, {}))
        error = abs(found - expected) / abs(expected)
        if not error <= LOSS_TOLERANCE[precision]:
            raise training.CommandError(
                f"found a loss of {found} after ten steps, expected {expected} as on the CPU "
                f"within {LOSS_TOLERANCE[precision]:g}")
        return error

    def measure_training(self, sizes, check_sizes, frameworks):
        print("\nloss after ten steps of a small GPT, against the CPU's")
        for precision in LOSS_TOLERANCE:
            error = self.report.attempt(f"losses {precision}", self.compare_losses,
                                        precision, check_sizes)
            if error is not None:
                print(f"  {precision:32}{error:9.1e}", flush=True)
        for precision in LOSS_TOLERANCE:
            setting = self.setting(precision)
            rows = {"graph": self.report.attempt(f"training {precision}", self.train,
                                                 setting, sizes)}
            for name in frameworks if rows["graph"] else []:
                rows[name] = self.report.attempt(
                    f"training {precision} {name}", lambda: training.measure_framework(
                        name, setting, sizes, self.report.left()))
            rows = {name: row for name, row in rows.items() if row}
            if rows:
                training.print_table(f"training {precision}: " + " ".join(
                    training.size_flags(sizes)), rows)


def rate(commands):
    """Bytes per second."""
    return sum(x["bytes"] for x in commands) / max(sum(x["ns"] for x in commands), 1) * 1e9


def print_bandwidth(name, error, commands, copy):
    own = rate(commands)
    shown = f"{error:9.1e}" if error is not None else f"{'':9}"
    ratio = f"{own / copy:8.2f}" if copy else f"{'-':>8}"
    print(f"  {name[:32]:32}{shown}{sum(x['ns'] for x in commands) * 1e-3:10.1f}"
          f"{own * 1e-9:8.1f}{ratio}", flush=True)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, default=HERE.parents[1] / "build" / "bin",
                        help="folder of graph-compile, graph-run, gpt-graph, measure-kernels")
    parser.add_argument("--device", default="cuda", help="cuda, cuda:N or cuda-emulated")
    parser.add_argument("--target", default="cuda:sm_90", help="as graph-compile's")
    parser.add_argument("--budget", type=float, default=480, help="seconds")
    parser.add_argument("--repeat", type=int, default=10, help="timed calls of a function")
    parser.add_argument("--steps", type=int, default=20, help="timed training steps")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)),
                        help="of the CPU")
    parser.add_argument("--data", default="/usr/share/common-licenses/GPL-3",
                        help="text to train on")
    parser.add_argument("--frameworks", nargs="*", default=None,
                        choices=["torch", "torch.compile", "jax"],
                        help="default: those that can be imported and have a GPU")
    parser.add_argument("--quick", action="store_true",
                        help="tiny sizes: a check of this script, no measurement")
    parser.add_argument("--json", type=pathlib.Path,
                        help="append what measure-kernels prints to this file")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    quick = arguments.quick
    with tempfile.TemporaryDirectory() as work:
        benchmark = Benchmark(arguments, work)
        frameworks = arguments.frameworks
        if frameworks is None:
            frameworks = training.find_frameworks(benchmark.setting("f32").framework_device())
        print(f"{arguments.device}, {arguments.target}; ratios are above 1 where ours is faster")
        if quick or benchmark.setting("f32").framework_device() != "cuda":
            print("tiny sizes or no GPU: the times and ratios below mean nothing")
        benchmark.measure_bandwidth(cases.bandwidth_cases(quick))
        benchmark.measure_products(cases.product_cases(quick))
        benchmark.measure_attention(cases.attention_shapes(quick), frameworks)
        benchmark.measure_training(TINY_GPT if quick else GPT,
                           TINY_GPT if quick else training.SIZES["demo"], frameworks)
        return benchmark.report.finish()


if __name__ == "__main__":
    sys.exit(main())
