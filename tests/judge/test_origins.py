"""Where the host code makes a constant of a launch."""

from __future__ import annotations

import pytest

from tritonpuzzles.source import Source

KERNEL = """
BLOCK = 32  # of the file


@triton.jit
def kernel(x_ptr, SIZE: tl.constexpr):
    pass


"""
HOSTS = {
    "inline": "def host(x):\n    kernel[(1,)](x, SIZE=64)  # <",
    "a name": "def host(x):\n    SIZE = 64  # <\n    kernel[(1,)](x, SIZE=SIZE)",
    "another name": "def host(x):\n    width = 64  # <\n    kernel[(1,)](x, SIZE=width)",
    "a name of the file": "def host(x):\n    kernel[(1,)](x, SIZE=BLOCK)",
    "a tuple": "def host(x):\n    a, b = 8, 64  # <\n    kernel[(1,)](x, SIZE=b)",
    "a helper": "def pick(x):\n    return 64  # <\n\n\ndef host(x):\n    kernel[(1,)](x, SIZE=pick(x))",
    "a helper of two": (
        "def pick(x):\n    if x:\n        return 8, 8\n    return 16, 64  # <\n\n\n"
        "def host(x):\n    a, b = pick(x)\n    kernel[(1,)](x, SIZE=b)"
    ),
    "a helper of sums": (
        "def pick(x):\n    if x:\n        return x + 1\n    return x + 2\n\n\n"
        "def host(x):\n    width = pick(x)  # <\n    kernel[(1,)](x, SIZE=width)"
    ),
    "a table": (
        'def options(x):\n    width = 64  # <\n    return {"SIZE": width}\n\n\n'
        "def host(x):\n    kernel[(1,)](x, **options(x))"
    ),
    "an attribute": (
        "class Plan:\n    def __init__(self, x):\n        self.width = 64  # <\n\n\n"
        "def host(x):\n    plan = Plan(x)\n    kernel[(1,)](x, SIZE=plan.width)"
    ),
    "an attribute of the class": (
        "class Plan:\n    width = 64  # <\n\n\ndef host(x):\n    kernel[(1,)](x, SIZE=Plan.width)"
    ),
    "a field": (
        "class Plan:\n    SIZE: int\n    WARPS: int\n\n\ndef pick(x):\n    if x:\n        return Plan(32, 4)\n"
        "    size = 1024 // x  # <\n    return Plan(size, 4)\n\n\n"
        "def host(x):\n    kernel[(1,)](x, **asdict(pick(x)))"
    ),
    "the most": "MOST = 64  # <\n\n\ndef host(x):\n    size = min(x.shape[0], MOST)\n    kernel[(1,)](x, SIZE=size)",
    "less than the most": "MOST = 96\n\n\ndef host(x):\n    size = min(x, MOST)  # <\n    kernel[(1,)](x, SIZE=size)",
    "a size of an input": "def host(x):\n    n, d = x.shape\n    kernel[(1,)](x, SIZE=d)",
    "a configuration": "CONFIGS = [triton.Config({'SIZE': 64})]  # <\n\n\ndef host(x):\n    kernel[(1,)](x)",
    "generated configurations": (
        "CONFIGS = [\n    triton.Config({'SIZE': size})  # <\n    for size in (32, 64)\n]\n\n\n"
        "def host(x):\n    kernel[(1,)](x)"
    ),
    "another configuration": "CONFIGS = [triton.Config({'SIZE': 32})]\n\n\ndef host(x):\n    kernel[(1,)](x)",
    "heuristics": "TABLE = {'SIZE': lambda args: 64}  # <\n\n\ndef host(x):\n    kernel[(1,)](x)",
    "itself": "def host(x):\n    a = b\n    b = a\n    kernel[(1,)](x, SIZE=a)",
}


@pytest.mark.parametrize("form", HOSTS)
def test_the_line_that_makes_a_constant(form: str) -> None:
    source = Source(KERNEL + HOSTS[form])
    wanted = {number for number, line in enumerate(source.text.splitlines(), 1) if line.endswith("# <")}
    if form == "a name of the file":
        wanted = {2}
    if form != "itself":
        assert source.host.size_lines("SIZE", 64) == wanted
    else:
        assert source.host.size_lines("SIZE", 64)
