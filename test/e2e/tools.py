"""Runs the project's programs for the end-to-end tests; standard library only."""

import os
import pathlib
import struct
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


def read_npy(path, element):
    """The numbers of a .npy file; bf16 is there as its bits."""
    data = path.read_bytes()
    body = data[10 + struct.unpack("<H", data[8:10])[0]:]
    if element == "bf16":
        return [struct.unpack("<f", b"\0\0" + body[i:i + 2])[0] for i in range(0, len(body), 2)]
    code = {"f16": "e", "f32": "f", "f64": "d"}[element]
    return struct.unpack(f"<{len(body) // struct.calcsize(code)}{code}", body)
