"""Runs the project's programs for the end-to-end tests; standard library only."""

import os
import pathlib
import subprocess
import sys


class Tools:
    """The programs in one folder, run with files in another."""

    def __init__(self, bin_dir, work_dir):
        self.bin, self.work = pathlib.Path(bin_dir), pathlib.Path(work_dir)

    def path(self, name):
        return self.work / name

    def run(self, program, *arguments, **environment):
        """Runs a program of the project, with more variables in its environment, and
        returns its standard output."""
        return run(self.bin / program, *arguments, **environment)

    def compile_gpt(self, name, *flags, compile_flags=()):
        """Writes and compiles a GPT with the given options of gpt-graph."""
        model, artifact = self.path(name + ".mlir"), self.path(name + ".gx")
        self.run("gpt-graph", *flags, "-o", model)
        self.run("graph-compile", *compile_flags, model, "-o", artifact)
        return artifact


def run(program, *arguments, **environment):
    """Returns the standard output; a failure shows the command and its words."""
    command = [str(x) for x in (program, *arguments)]
    result = subprocess.run(command, capture_output=True, text=True, errors="replace",
                            env={**os.environ, **{k: str(v) for k, v in environment.items()}})
    if result.returncode != 0:
        raise AssertionError(f"{' '.join(command)}\nended with {result.returncode}:\n"
                             f"{result.stdout}{result.stderr}")
    return result.stdout


def take_argument():
    """The next command-line argument, which unittest is not to see."""
    return sys.argv.pop(1)
