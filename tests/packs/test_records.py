# ruff: noqa: E501 (a table of long lines)
"""An author's slips: each is refused before anything is graded, with file, place and the nearest name. Exit code 3."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.front.conftest import environment
from tests.program import run_here

FIXTURE = Path(__file__).parents[1] / "fixture"
RECORD = "records/p01_square.toml"
CASE = "p01_square.toml, case 'ordinary numbers'"

# old text of the record, new text, what is said
SLIPS = {
    "an unknown key": ('idea = "', 'ideas = "x"\nidea = "', "p01_square.toml: there is no key 'ideas' here. Did you mean 'idea'?"),
    "an unknown key of a case": ('why = "The case', 'wy = "The case', f"{CASE}: 'why' is missing"),
    "an unknown family": ('"normal"', '"nromal"', "p01_square.toml: family: there is no 'nromal'. Did you mean 'normal'?"),
    "a family that is nowhere": ('"normal"', '"inputs:wide"', "family 'inputs:wide': the module inputs or inputs.py in "),
    "a layout": ('family = "normal"', 'layout = "paded"\nfamily = "normal"', f"{CASE}: layout 'paded' is not known. Did you mean 'padded'?"),
    "a dtype": ('dtype = "float16"', 'dtype = "float17"', "case 'float16': dtype 'float17' is not known. Did you mean 'float16'?"),
    "a device": ('family = "normal"', 'devices = ["gpu"]\nfamily = "normal"', f"{CASE}: there is no device 'gpu'. Did you mean 'cpu'?"),
    "a type": ("number = 1", 'number = "1"', "'number' is '1'; a whole number is expected"),
    "a boolean for a number": ("number = 1", "number = true", "'number' is True; a whole number is expected"),
    "a limit on no tensor": ("x = 0 }", "z = 0 }", "[stores]: there is no tensor 'z'."),
    "a limit's name": ("tile = 4096", "tiles = 4096", "[limits]: there is no key 'tiles' here. Did you mean 'tile'?"),
    "a limit over nothing": ("tile = 4096", 'tile = "cdiv(m, 2)"', "'m' in 'cdiv(m, 2)' is not known. Known: itemsize, largest_tile, n."),
    "a limit that is no expression": ("tile = 4096", 'tile = "n +"', "'n +' is not an expression"),
    "a function": ('shape = ["prime(500, 900)"]', 'shape = ["primes(500, 900)"]', "'primes(500, 900)' in 'primes(500, 900)' is not known here"),
    "a division by nothing": ("tile = 4096", 'tile = "n // 0"', "'n // 0' has no value"),
    "a reference": ('"torch:square"', '"torch:sqare"', "reference 'torch:sqare': torch has no function 'sqare'"),
    "a reference by name": ('"torch:square"', '"softmx"', "reference: there is no 'softmx'. Did you mean 'softmax'?"),
    "a reference of another shape": ('"torch:square"', '"torch:norm"', "the reference gives (); the outputs are y ("),
    "a tolerance": ('tolerance = "exact"', 'tolerance = "exakt"', "tolerance: there is no 'exakt'. Did you mean 'exact'?"),
    "no outputs": ('[[outputs]]\nname = "y"\ntolerance = "exact"\n', "", "there is no tensor 'y'"),
    "two of one name": ('name = "y"', 'name = "x"', "there is no tensor 'y'."),
    "a capital name": ('[[arguments]]\nname = "x"', '[[arguments]]\nname = "X"', "'X' is no name: lower-case letters, digits and _"),
    "a kind": ('[[arguments]]\nname = "x"', '[[arguments]]\nname = "x"\nkind = "tenser"', "argument 'x': kind 'tenser' is not known. Did you mean 'tensor'?"),
    "a scalar without a value": ("[[outputs]]", '[[arguments]]\nname = "eps"\nkind = "scalar"\n\n[[outputs]]', "argument 'eps': 'choices' is missing"),
    "a scalar of the wrong kind": ("[[outputs]]", '[[arguments]]\nname = "eps"\nkind = "scalar"\nvalue = "small"\n\n[[outputs]]', "argument 'eps': 'value' is 'small'; a whole number or a number is expected"),
    "a call": ('host = "square"', 'host = "square"\ncall = "backwards"', "call 'backwards' is not known. Did you mean 'backward'?"),
    "a backward call without gradients": ('host = "square"', 'host = "square"\ncall = "backward"', "a backward call needs [[gradients]]"),
    "TOML": ("number = 1", "number = ", "p01_square.toml: Invalid value"),
}  # fmt: skip


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FIXTURE, tmp_path / "pack"))


def said(pack: Path, *arguments: str) -> str:
    """Return what the program says of a pack that it cannot read."""
    asked = arguments or ("check", "1", "--solution", "--device", "cpu")
    done = run_here(("--pack", str(pack), *asked), pack, environment(TRITONPUZZLES_PACK=""))
    assert done.returncode == 3, done.stdout
    assert "Traceback" not in done.stderr
    assert "The grader itself failed" not in done.stdout + done.stderr
    return done.stderr


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_in_a_record_is_said_where_it_stands(slip: str, pack: Path) -> None:
    old, new, words = SLIPS[slip]
    text = (pack / RECORD).read_text()
    assert old in text
    (pack / RECORD).write_text(text.replace(old, new, 1))
    assert words in said(pack)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ('mistakes_module = "softmx"\nmistakes = ["x"]', "mistakes_module 'softmx': the module "),
        ('mistakes_module = "softmax"\nmistakes = ["sum-not-rescald"]', "Did you mean 'sum-not-rescaled'?"),
        ('mistakes_module = "torch.nn"\nmistakes = ["x"]', "mistakes_module 'torch.nn' has no MISTAKES = Mistakes()"),
    ],
)
def test_mistakes_are_found_before_anything_is_graded(lines: str, words: str, pack: Path) -> None:
    text = (pack / RECORD).read_text()
    (pack / RECORD).write_text(text.replace("[[arguments]]", f"{lines}\n\n[[arguments]]", 1))
    assert words in said(pack)


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ('format = 2\ntitle = "x"\npuzzles = ["p01_square"]', "format 2 is not known; this version reads format 1"),
        ('format = 1\npuzzles = ["p01_square"]', "'title' is missing"),
        ('format = 1\ntitle = "x"\npuzzles = ["p02_sqare"]', "p02_sqare.toml: there is no such file in"),
        ('format = 1\ntitle = "x"\npuzzles = ["square"]', "'square' is no name of the form p03_online_softmax"),
        ('format = 1\ntitle = "x"\npuzzles = []', "puzzles names none"),
        (
            'format = 1\ntitle = "x"\npuzzels = ["p01_square"]',
            "there is no key 'puzzels' here. Did you mean 'puzzles'?",
        ),
    ],
)
def test_a_slip_in_a_pack_is_said(toml: str, words: str, pack: Path) -> None:
    (pack / "curriculum.toml").write_text(toml)
    assert words in said(pack, "list")


def test_missing_hints_are_said(pack: Path) -> None:
    (pack / "hints" / "p01_square.md").unlink()
    assert "p01_square.md: the hints cannot be read" in said(pack, "list")


def test_a_family_that_draws_too_few_is_the_authors(pack: Path) -> None:
    text = (pack / RECORD).read_text().replace('"normal"', '"inputs:two"')
    (pack / RECORD).write_text(text)
    (pack / "inputs.py").write_text(
        "import torch\n\n\ndef two(shape, generator):\n    return torch.zeros(shape), torch.zeros(shape)\n"
    )
    assert "two draws 2 tensors for x alone" in said(pack)
