#!/usr/bin/env python3
"""Writes the expected numbers of derivative tests, as PyTorch computes them.

    make_golden.py test/Autodiff/*.mlir

A test holds a line

    // TORCH name(x, z): expression

where `name` is a function without arguments that defines constants and returns
derivatives. With `loss = sum(g * expression)` and the constants of that
function as variables, its first results are d loss / dx and d loss / dz. If
there are also constants %v_x and %v_z, the next ones are the derivatives of
sum(v_x * dloss/dx) + sum(v_z * dloss/dz) with respect to x and z.

The lines below it that begin with the check prefix, NAME, are replaced. The
numbers are computed in double precision and printed as graph-interpret does.
"""

import pathlib
import re
import struct
import sys

import torch

DTYPES = {
    "f64": torch.float64,
    "f32": torch.float64,
    "i64": torch.int64,
    "i32": torch.int64,
    "i1": torch.bool,
}
CONSTANT = re.compile(
    r"%(\w+) = graph\.constant dense<(.*?)> : tensor<((?:\d+x)*)(\w+)>", re.S)


def parse_number(text, element):
    if element == "i1":
        return text == "true"
    if element.startswith("i"):
        return int(text)
    if text.startswith("0x"):
        layout = ">d" if element == "f64" else ">f"
        return struct.unpack(layout, bytes.fromhex(text[2:]))[0]
    return float(text)


def parse_constants(body, aliases):
    constants = {}
    for alias, tensor_type in aliases:
        body = re.sub(alias + r"\b", tensor_type, body)
    for name, values, dims, element in CONSTANT.findall(body):
        shape = [int(size) for size in dims.split("x") if size]
        numbers = [parse_number(text, element)
                   for text in re.findall(r"[^\s,\[\]]+", values)]
        tensor = torch.tensor(numbers, dtype=DTYPES[element])
        count = torch.Size(shape).numel()
        if tensor.numel() == 1 and count != 1:
            tensor = tensor.expand(count)
        constants[name] = tensor.reshape(shape).clone()
    return constants


def gradients(loss, variables, create_graph):
    if not loss.requires_grad:
        return [torch.zeros_like(x) for x in variables]
    found = torch.autograd.grad(loss, variables, create_graph=create_graph,
                                allow_unused=True)
    return [torch.zeros_like(x) if dx is None else dx
            for x, dx in zip(variables, found)]


def derivatives(expression, names, constants):
    for name in names:
        constants[name].requires_grad_()
    variables = [constants[name] for name in names]
    scope = dict(constants, torch=torch, F=torch.nn.functional)
    loss = (constants["g"] * eval(expression, scope)).sum()
    is_second = "v_" + names[0] in constants
    first = gradients(loss, variables, create_graph=is_second)
    if not is_second:
        return first
    along = sum((constants["v_" + name] * dx).sum()
                for name, dx in zip(names, first))
    return first + gradients(along, variables, create_graph=False)


def format_number(number):
    return "nan" if number != number else "%.6g" % number


def format_rows(values, depth=0):
    if not isinstance(values, list):
        return [format_number(values)]
    if all(not isinstance(value, list) for value in values):
        return ["[" + ", ".join(map(format_number, values)) + "]"]
    rows = []
    for i, value in enumerate(values):
        inner = format_rows(value, depth + 1)
        inner[0] = ("[" if i == 0 else " ") + inner[0]
        inner[1:] = [" " + row for row in inner[1:]]
        inner[-1] += "]" if i + 1 == len(values) else ","
        rows += inner
    return rows


def check_lines(prefix, tensors):
    lines = []
    for i, tensor in enumerate(tensors):
        lines.append(f"// {prefix}: result{i}:")
        for row in format_rows(tensor.detach().clone().tolist()):
            row = row.strip().replace("[[", "{{[[][[]}}")
            lines.append(f"// {prefix}-NEXT: {row}")
    return lines


def update(path):
    lines = path.read_text().splitlines()
    text = "\n".join(lines)
    aliases = re.findall(r"^(!\w+) = (.*)$", text, re.M)
    result, prefix = [], None
    for line in lines:
        if prefix and re.match(rf"// {prefix}(-NEXT)?:", line):
            continue
        prefix = None
        result.append(line)
        if match := re.match(r"// TORCH (\w+)\(([\w, ]+)\): (.*)", line):
            function, names, expression = match.groups()
            body = re.search(rf"func\.func @{function}\(.*?\n}}", text, re.S)
            tensors = derivatives(expression, names.split(", "),
                                  parse_constants(body.group(0), aliases))
            prefix = function.upper()
            result += check_lines(prefix, tensors)
    path.write_text("\n".join(result) + "\n")


for name in sys.argv[1:]:
    update(pathlib.Path(name))
