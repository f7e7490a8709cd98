"""The functions that run.py checks and times, each a module of its own."""

import dataclasses
import re


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    module: str
    # Integers in the inputs are less than this.
    index_bound: int = 2
    # Of the products or of attention; 0 where bandwidth is what counts.
    flops: float = 0


def function(name, arguments, result, body):
    """The text of a function; `arguments` maps names to types."""
    arguments = ", ".join(f"%{key}: {value}" for key, value in arguments.items())
    lines = "".join(f"  {line.strip()}\n" for line in body.strip().splitlines())
    return f"func.func {name}({arguments}) -> {result} {{\n{lines}}}\n"


def gradient(name, arguments, wrt, result, forward):
    """A module whose function @`name` returns the gradients, for the first `wrt`
    arguments, of the sum of %y * %g. `forward` computes %y of type `result`."""
    types = list(arguments.values()) + [result]
    arguments = arguments | {"g": result}
    *shape, element = re.fullmatch("tensor<(.*)>", result).group(1).split("x")
    scalar = tensor(element)
    loss = function("private @loss", arguments, scalar, forward + f"""
        %p = graph.mul %y, %g : {result}
        %r = graph.reduce sum, %p dims = {list(range(len(shape)))} : {result} to {scalar}
        return %r : {scalar}""")
    gradients = ", ".join(types[:wrt])
    return loss + function(f"@{name}", arguments, f"({gradients})", f"""
        %r:{wrt + 1} = graph.value_and_grad @loss({", ".join("%" + x for x in arguments)})
            wrt = {list(range(wrt))} : ({", ".join(types)}) -> ({scalar}, {gradients})
        return {", ".join(f"%r#{i + 1}" for i in range(wrt))} : {gradients}""")


def tensor(element, *shape):
    return f"tensor<{'x'.join(map(str, shape + (element,)))}>"


def bandwidth_cases(quick):
    """At least 128 MiB read or written by each: more than caches hold. The first
    is the copy that the others are compared with."""
    rows, columns = (32, 128) if quick else (32768, 1024)
    return [_copy(rows, columns),
            _pointwise("f32", rows, columns),
            _pointwise("bf16", 2 * rows, columns),
            _cast("f32", "bf16", rows, columns),
            _row_function("softmax", "f32", rows, columns),
            _row_function("softmax", "bf16", 2 * rows, columns),
            _row_function("softmax", "f32", rows // 16, 16 * columns),
            _layer_norm(rows, columns),
            _layer_norm_gradient(rows, columns),
            _sum("row_sum", 1, "f32", rows, columns),
            _sum("column_sum", 0, "f32", rows, columns),
            _sum("column_sum", 0, "bf16", 2 * rows, columns),
            _transpose("transpose", "f32", (rows, columns), (1, 0)),
            _transpose("transpose", "bf16", (2 * rows, columns), (1, 0)),
            _transpose("swap_heads", "f32", (rows // 16, 16, columns // 64, 64), (0, 2, 1, 3)),
            _gather(rows, columns),
            _scatter(rows, columns)]


def product_cases(quick):
    size = 64 if quick else 4096
    tokens, width = (64, 32) if quick else (8192, 768)
    return [_product("f32", size, size, size),
            _product("bf16", size, size, size),
            _product("f16", size, size, size),
            _product("bf16", size, size, size, left="transposed"),
            _product("bf16", size, size, size, right="transposed"),
            _product("bf16", tokens, 4 * width, width, epilogue="bias"),
            _product("bf16", tokens, 4 * width, width, epilogue="bias_gelu"),
            _product("f32", tokens, 4 * width, width, epilogue="bias_gelu")]


@dataclasses.dataclass(frozen=True)
class AttentionShape:
    batch: int
    heads: int
    context: int
    size: int
    precision: str

    def forward_flops(self):
        """Two products of which the causal mask leaves half."""
        return 2 * self.batch * self.heads * self.context**2 * self.size


def attention_shapes(quick):
    batch, heads, context = (1, 2, 64) if quick else (2, 16, 2048)
    return [AttentionShape(batch, heads, context, size, precision)
            for size in ((16,) if quick else (64, 128)) for precision in ("f32", "bf16")]


def attention_cases(shape):
    """Causal attention, and its gradients with the forward pass that they need."""
    t = tensor(shape.precision, shape.batch, shape.heads, shape.context, shape.size)
    suffix = f"{shape.precision}_{shape.size}"
    attend = (f"%y, %lse = graph.attention causal %q, %k, %v scale = {shape.size**-0.5}"
              f" : ({t}, {t}, {t}) to {t}")
    qkv = {"q": t, "k": t, "v": t}
    name = f"attention_gradient_{suffix}"
    backward = gradient(name, qkv, 3, t, attend)
    flops = shape.forward_flops()
    return {"forward": _case(f"attention_{suffix}", qkv, t, attend + f"\nreturn %y : {t}",
                             flops=flops),
            "gradient": Case(name, backward, flops=3.5 * flops)}


def _case(name, arguments, result, body, **options):
    return Case(name, function(f"@{name}", arguments, result, body), **options)


def _copy(rows, columns):
    t = tensor("f32", rows, columns)
    return _case("copy", {"x": t}, t, f"return %x : {t}")


def _pointwise(element, rows, columns):
    t = tensor(element, rows, columns)
    return _case(f"pointwise_{element}", {"x": t, "y": t}, t, f"""
        %0 = graph.mul %x, %y : {t}
        %r = graph.add %0, %x : {t}
        return %r : {t}""")


def _cast(source, target, rows, columns):
    s, t = tensor(source, rows, columns), tensor(target, rows, columns)
    return _case(f"cast_{source}_{target}", {"x": s}, t, f"""
        %r = graph.cast %x : {s} to {t}
        return %r : {t}""")


def _row_function(operation, element, rows, columns):
    t = tensor(element, rows, columns)
    return _case(f"{operation}_{element}_{columns}", {"x": t}, t, f"""
        %r = graph.{operation} %x dim = 1 : {t}
        return %r : {t}""")


def _layer_norm(rows, columns):
    t, v = tensor("f32", rows, columns), tensor("f32", columns)
    return _case("layer_norm", {"x": t, "s": v, "b": v}, t, f"""
        %r = graph.layer_norm %x, %s, %b epsilon = 1.0e-5 : {t}, {v}
        return %r : {t}""")


def _layer_norm_gradient(rows, columns):
    t, v = tensor("f32", rows, columns), tensor("f32", columns)
    return Case("layer_norm_gradient", gradient(
        "layer_norm_gradient", {"x": t, "s": v, "b": v}, 3, t,
        f"%y = graph.layer_norm %x, %s, %b epsilon = 1.0e-5 : {t}, {v}"))


def _sum(name, dimension, element, rows, columns):
    t = tensor(element, rows, columns)
    r = tensor(element, (columns, rows)[dimension])
    return _case(f"{name}_{element}", {"x": t}, r, f"""
        %r = graph.reduce sum, %x dims = [{dimension}] : {t} to {r}
        return %r : {r}""")


def _transpose(name, element, shape, permutation):
    t = tensor(element, *shape)
    r = tensor(element, *(shape[d] for d in permutation))
    return _case(f"{name}_{element}", {"x": t}, r, f"""
        %r = graph.transpose %x perm = {list(permutation)} : {t} to {r}
        return %r : {r}""")


def _gather(rows, columns):
    t, i = tensor("f32", rows, columns), tensor("i32", rows)
    return _case("gather", {"x": t, "i": i}, t, f"""
        %r = graph.gather fill %x[%i] : {t}[{i}] to {t}
        return %r : {t}""", index_bound=rows)


def _scatter(rows, columns):
    count = rows // 4
    t, i, u = tensor("f32", rows, columns), tensor("i32", count), tensor("f32", count, columns)
    return _case("scatter_add", {"x": t, "i": i, "u": u}, t, f"""
        %r = graph.scatter_add fill %x[%i], %u : {t}[{i}], {u} to {t}
        return %r : {t}""", index_bound=rows)


def _product(element, m, n, k, left="", right="", epilogue=""):
    a = tensor(element, *((k, m) if left else (m, k)))
    b = tensor(element, *((n, k) if right else (k, n)))
    c, v = tensor(element, m, n), tensor(element, n)
    contract = f"[{0 if left else 1}] x [{1 if right else 0}]"
    body = (f"%0 = graph.dot %a, %b batch = [] x [] contract = {contract}"
            f" : ({a}, {b}) to {c}\n")
    result, arguments = "%0", {"a": a, "b": b}
    if "bias" in epilogue:
        arguments["v"] = v
        body += (f"%1 = graph.broadcast %v dims = [1] : {v} to {c}\n"
                 f"%2 = graph.add %0, %1 : {c}\n")
        result = "%2"
    if "gelu" in epilogue:
        body += f"%3 = graph.gelu tanh, {result} : {c}\n"
        result = "%3"
    form = ("t" if left else "n") + ("t" if right else "n")
    name = "_".join(filter(None, ["dot", element, form, epilogue]))
    return _case(name, arguments, c, body + f"return {result} : {c}", flops=2 * m * n * k)
