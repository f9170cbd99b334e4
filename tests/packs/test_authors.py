# ruff: noqa: E501 (tables of long lines)
"""A pack's own functions that raise, or give what they should not: the author's sentence, with file and case."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.front.conftest import environment
from tests.packs.slips import RECORD, changed, said
from tests.program import run_here

CASE = "p01_square.toml, case 'ordinary numbers': "
HEAD = "import torch\n\n\n"

# a reference's body, what is said
REFERENCES = {
    "raises": ("return x / (1 // 0)", "the reference answers:square raises ZeroDivisionError: integer division or modulo by zero (answers.py, line 5)"),
    "a list": ("return [x * x]", "the reference answers:square returns a list; a tensor is expected"),
    "a number": ("return 3.0", "the reference answers:square returns a float; a tensor is expected"),
    "nothing": ("x * x", "the reference answers:square returns None; a tensor is expected"),
    "too many": ("return x * x, x", "the reference answers:square returns 2 tensors; the record has 1 [[outputs]]: y"),
    "none": ("return ()", "the reference answers:square returns 0 tensors; the record has 1 [[outputs]]: y"),
    "half a tuple": ("return x * x, 1", "the reference answers:square returns a tuple with an int in it; a tensor is expected"),
    "another shape": ("return (x * x)[1:]", "the reference gives ("),
}  # fmt: skip

# a family's body, what is said
FAMILIES = {
    "raises": ("raise ValueError('too few')", "the family inputs:wide raises ValueError: too few (inputs.py, line 5)"),
    "too many": ("return torch.zeros(shape), torch.zeros(shape)", "inputs:wide draws 2 tensors for x alone"),
    "a bare tensor": ("return torch.zeros(shape)", "inputs:wide returns a Tensor; a tuple of tensors is expected, also of one"),
    "numbers": ("return ([0.0],)", "inputs:wide draws a list for x; a tensor is expected"),
    "nothing": ("pass", "inputs:wide returns None; a tuple of tensors is expected"),
    "another shape": ("return (torch.zeros(3),)", "inputs:wide gives x the shape (3,), not ("),
}  # fmt: skip

# old text of the record, new text, what is said
SIZES = {
    "negative": ('["prime(500, 900)"]', '["one_of(-3, -4)"]', "; a size is 0 or more"),
    "fractional": ('["prime(500, 900)"]', '["2 ** between(-4, -2)"]', "; a whole number is expected"),
    "no prime": ('["prime(500, 900)"]', '["prime(between(24, 25), 28)"]', "has no value"),
    "of an argument": ('name = "x"', 'name = "x"\nshape = ["n - 1000"]', "'n - 1000' is -"),
    "of an output": ('name = "y"', 'name = "y"\nshape = ["n * n // n"]', "case 'nothing': 'n * n // n' has no value, where n = 0: "),
}  # fmt: skip

TOLERANCES = {
    "raises": (
        "return 1 / 0",
        "the tolerance rules:near raises ZeroDivisionError: division by zero (rules.py, line 5)",
    ),
    "a number": ("return 1e-3", "the tolerance rules:near returns a float; a judge.tolerances.Tolerance is expected"),
}


@pytest.mark.parametrize("slip", REFERENCES)
def test_a_reference(slip: str, pack: Path) -> None:
    body, words = REFERENCES[slip]
    (pack / "answers.py").write_text(f"{HEAD}def square(x):\n    {body}\n")
    changed(pack / RECORD, '"torch:square"', '"answers:square"')
    assert CASE + words in said(pack)


@pytest.mark.parametrize("slip", FAMILIES)
def test_a_family(slip: str, pack: Path) -> None:
    body, words = FAMILIES[slip]
    (pack / "inputs.py").write_text(f"{HEAD}def wide(shape, generator):\n    {body}\n")
    changed(pack / RECORD, '"normal"', '"inputs:wide"')
    assert CASE + words in said(pack)


@pytest.mark.parametrize("slip", SIZES)
@pytest.mark.parametrize("command", ["check", "trace"])
def test_a_size(slip: str, command: str, pack: Path) -> None:
    old, new, words = SIZES[slip]
    changed(pack / RECORD, old, new)
    told = said(pack, command, "1", "--solution", "--seed", "1")
    assert words in told
    assert "p01_square.toml" in told


@pytest.mark.parametrize("slip", TOLERANCES)
def test_a_tolerance(slip: str, pack: Path) -> None:
    body, words = TOLERANCES[slip]
    (pack / "rules.py").write_text(f"{HEAD}def near(case, output):\n    {body}\n")
    changed(pack / RECORD, '"exact"', '"rules:near"')
    assert CASE + words in said(pack)


# an emulation's body, what is said
EMULATIONS = {
    "raises": ("return inputs[1]", "(slips.py, line 10), in case 'ordinary numbers', raises IndexError: tuple index out of range (slips.py, line 12)"),
    "no such part": ("return inputs[0][: tile.BLOCK_M]", "no attribute 'BLOCK_M' (slips.py, line 12). Known: cols, constants, dtype, gradients, programs, rows, values."),
    "a list": ("return [inputs[0]]", "in case 'ordinary numbers', returns a list; a tensor is expected"),
    "another shape": ("return inputs[0][:3]", "in case 'ordinary numbers', gives y the shape (3,), not ("),
    "another dtype": ("return inputs[0].int()", "in case 'ordinary numbers', gives y in int32, not float32"),
    "too many": ("return inputs[0], inputs[0]", "in case 'ordinary numbers', returns 2 tensors; the record has 1 [[outputs]]: y"),
}  # fmt: skip

MISTAKES = """\
from tritonpuzzles.curriculum.mistakes import Mistakes

MISTAKES = Mistakes()
SLOW = r"tl\\.load"


# once squared, twice told


@MISTAKES.add("not-squared", "x is not squared.", "Multiply x by itself.", SLOW)
def not_squared(inputs, tile):
    {body}
"""


def with_mistake(pack: Path, body: str) -> None:
    (pack / "slips.py").write_text(MISTAKES.format(body=body))
    changed(pack / RECORD, "[[arguments]]", 'mistakes_module = "slips"\nmistakes = ["not-squared"]\n\n[[arguments]]')


@pytest.mark.parametrize("slip", EMULATIONS)
def test_an_emulation_is_tried_by_dev_check(slip: str, pack: Path) -> None:
    body, words = EMULATIONS[slip]
    with_mistake(pack, body)
    (pack / "mutants").mkdir()
    told = said(pack, "dev", "check", "1")
    assert "p01_square.toml, mistake 'not-squared': its emulation not_squared" in told
    assert words in told


def test_an_emulation_is_tried_on_a_wrong_kernel(pack: Path) -> None:
    body, words = EMULATIONS["raises"]
    with_mistake(pack, body)
    changed(pack / "solutions" / "p01_square.py", "x * x", "x + x")
    assert words in said(pack).replace("'float16'", "'ordinary numbers'")


def test_a_name_that_mistakes_do_not_have(pack: Path) -> None:
    with_mistake(pack, "return inputs[0]")
    changed(pack / "slips.py", "MISTAKES.add", "MISTAKES.register")
    assert "no attribute 'register'. Known: add, also, by_code, recognised." in said(pack)


def test_a_mistakes_line_is_a_regular_expression(pack: Path) -> None:
    with_mistake(pack, "return inputs[0]")
    changed(pack / "slips.py", r"tl\.load", "tl.load(")
    assert "mistake 'not-squared': its line 'tl.load(' is no regular expression" in said(pack)


def test_a_walk_that_the_solution_does_not_take_is_refused_by_dev_check(pack: Path) -> None:
    made = "from tritonpuzzles.curriculum.quantities.rows import Softmax\n\n\ndef rows(x):\n    return Softmax(x.reshape(1, -1))\n"
    (pack / "walked.py").write_text(made)
    (pack / "mutants").mkdir()
    changed(pack / RECORD, '"torch:square"', '"torch:square"\nwalk = "walked:rows"\nquantities = ["m"]')
    done = run_here(("--pack", str(pack), "dev", "check", "1", "--jobs", "1"), pack, environment(TRITONPUZZLES_PACK=""))
    assert done.returncode == 1, done.stdout + done.stderr
    assert "variables of the solution hold its quantities: No variable of the kernel follows" in " ".join(
        done.stdout.split()
    )
