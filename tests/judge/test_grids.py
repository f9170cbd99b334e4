"""What is wrong with a launch is told where the host code makes it: its grid, an argument, a tile of one row."""

from __future__ import annotations

import pytest

from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.judge.verdict.host import at_the_argument, at_the_grid, in_the_host_code
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.cover import PASSED
from tritonpuzzles.source import Source

LAUNCH = "    kernel[grid](x)"
FORMS = {
    "assigned": (f"def host(x):\n    grid = (x.numel(),)\n{LAUNCH}\n", 2),
    "a lambda": (f"def host(x):\n    grid = lambda meta: (meta['N'],)\n{LAUNCH}\n", 2),
    "a function": (f"def host(x):\n    def grid(meta):\n        return (1,)\n\n{LAUNCH}\n", 3),
    "a number with a name": (f"def host(x):\n    n = x.numel()\n    grid = (n,)\n{LAUNCH}\n", 2),
    "in the launch": ("def host(x):\n    kernel[\n        (x.numel(),)\n    ](x)\n", 3),
    "assigned twice": (f"def host(x):\n    grid = (1,)\n    if x:\n        grid = (2,)\n{LAUNCH}\n", 5),
    "given": (f"def host(x, grid):\n{LAUNCH}\n", 2),
    "of the module": (f"grid = (1,)\ndef host(x):\n{LAUNCH}\n", 1),
    "of another function": (
        "def count(n, meta):\n    return (1,)\n\ndef host(x):\n    kernel[partial(count, 3)](x)\n",
        2,
    ),
    "partly called": (
        "def count(n, meta):\n    return (1,)\n\ndef host(x):\n    kernel[functools.partial(count, 3)](x)\n",
        2,
    ),
    "of an object": (
        "class Plan:\n    def __init__(self, x):\n        self.programs = 3\n\n"
        "def host(x):\n    kernel[(Plan(x).programs,)](x)\n",
        3,
    ),
    "held by a name": ("def host(x):\n    grid = (1,)\n    launch = kernel[grid]\n    launch(x)\n", 2),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_line_of_the_grid(form: str) -> None:
    text, line = FORMS[form]
    begins = "launch(" if "launch(" in text else "kernel["
    launch = next(number for number, one in enumerate(text.splitlines(), 1) if begins in one)
    of_grid = Finding("too-many-programs", "3 programs", line=launch, details={"programs": 3})
    other = Finding("too-many-launches", "3 kernels", line=launch)
    assert [at_the_grid(finding, Source(text)).line for finding in (of_grid, other)] == [line, launch]


KERNEL = """@triton.jit
def kernel(x_ptr, n_rows, n_cols, x_stride, ROWS: tl.constexpr):
    pass


"""
HOSTS = {
    "its own name": ("n_cols, n_rows = x.shape\n    kernel[grid](x, n_rows, n_cols, s, 2)", "n_cols, n_rows = x.shape"),
    "another name": ("n_rows, n_cols = x.shape\n    kernel[grid](x, n_cols, n_cols, s, 2)", "kernel[grid]"),
    "no name": ("kernel[grid](\n        x,\n        x.shape[1],\n        n_cols, s, 2)", "    x.shape[1],"),
    "one of several": ("both = x.shape\n    kernel[grid](x, *both, s, 2)", "both = x.shape"),
    "made twice": ("n_rows = 1\n    n_rows = 2\n    kernel[grid](x, n_rows, 1, s, 2)", "kernel[grid]"),
}


@pytest.mark.parametrize("form", HOSTS)
def test_the_line_of_an_argument(form: str) -> None:
    body, expected = HOSTS[form]
    source = Source(f"{KERNEL}def host(x):\n    {body}\n")
    lines = source.text.splitlines()
    launch = next(number for number, one in enumerate(lines, 1) if "kernel[grid]" in one)
    wrong = Finding("sizes-exchanged", "n_rows is 3", line=launch, details={PASSED: "n_rows"})
    told = at_the_argument(wrong, source).line
    assert told is not None
    assert lines[told - 1].strip().startswith(expected.strip())


def test_too_many_programs_are_told_where_a_tile_of_one_row_is_made() -> None:
    source = Source(
        f"{KERNEL}def host(x):\n    ROWS = 1\n    grid = (x.numel(),)\n    kernel[grid](x, 1, 1, 1, ROWS)\n"
    )
    many = Finding("too-many-programs", "3 programs", line=9, details={"programs": 3, "sizes": {"ROWS": 1}})
    (told,) = in_the_host_code([many], load_curriculum().find("4"), source)
    assert told.line == 7
