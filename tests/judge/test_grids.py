"""What is wrong with the number of programs is told where the host code makes the grid."""

from __future__ import annotations

import pytest

from tritonpuzzles.judge.verdict.host import at_the_grid
from tritonpuzzles.results.check import Finding
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
    "of the module": (f"grid = (1,)\ndef host(x):\n{LAUNCH}\n", 3),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_line_of_the_grid(form: str) -> None:
    text, line = FORMS[form]
    launch = next(number for number, one in enumerate(text.splitlines(), 1) if "kernel[" in one)
    of_grid = Finding("too-many-programs", "3 programs", line=launch, details={"programs": 3})
    other = Finding("too-many-launches", "3 kernels", line=launch)
    assert [at_the_grid(finding, Source(text)).line for finding in (of_grid, other)] == [line, launch]
