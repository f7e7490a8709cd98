"""Parses every mlir example of a Markdown file that mlir-tblgen wrote.

usage: check_doc_examples.py FILE.md

An example uses values that it does not define. They are supplied as results of
an unregistered operation, whose types are learnt from the parser's messages.
"""
import re
import subprocess
import sys

USE = re.compile(r"use of value '(%\w+)' expects different type than prior uses: "
                 r"'(.*?)' vs '")
LOSS = """func.func private @loss(%w: tensor<3xf32>, %x: tensor<8x3xf32>) -> tensor<f32> {
  %0 = graph.reduce sum, %w dims = [0] : tensor<3xf32> to tensor<f32>
  return %0 : tensor<f32>
}
"""


def parse(example):
    """Returns None, or the parser's message."""
    if "func.func" in example:
        return run(example)
    names = sorted(set(re.findall(r"%[a-zA-Z]\w*", example)))
    defined = set(re.findall(r"(%\w+)(?=(?:, %\w+)* = )", example))
    defined |= set(re.findall(r"\^bb0\((%\w+)", example))
    types = {name: "none" for name in names if name not in defined}
    for _ in range(len(types) + 1):
        sources = "".join(f'  {name} = "test.source"() : () -> {type}\n'
                          for name, type in types.items())
        message = run(f"{LOSS}func.func @example() {{\n{sources}{example}\n  return\n}}")
        learnt = USE.search(message or "")
        if not learnt:
            return message
        types[learnt[1]] = learnt[2]
    return message


def run(text):
    result = subprocess.run(["graph-opt", "--allow-unregistered-dialect"],
                            input=text, capture_output=True, text=True)
    return result.stderr if result.returncode else None


def main():
    text = open(sys.argv[1]).read()
    sections = re.split(r"^### `(graph\.\w+)`.*$", text, flags=re.M)
    failures = 0
    if len(sections) < 3:
        sys.exit("found no operation, expected a section for each")
    for name, body in zip(sections[1::2], sections[2::2]):
        examples = re.findall(r"```mlir\n(.*?)```", body, flags=re.S)
        if not examples and name != "graph.yield":
            print(f"{name}: found no example, expected one")
            failures += 1
        for example in examples:
            if message := parse(example):
                print(f"{name}: {message}")
                failures += 1
    sys.exit(failures != 0)


main()
