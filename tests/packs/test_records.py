# ruff: noqa: E501 (a table of long lines)
"""An author's slips: each is refused before anything is graded, with file, place and the nearest name. Exit code 3."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.front.conftest import environment
from tests.packs.slips import RECORD, changed, said
from tests.program import run_here

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
    "a GPU": ('family = "normal"', 'devices = ["cpu"]\ngpu = "sm_95"\nfamily = "normal"', "case 'ordinary numbers': there is no GPU 'sm_95'. Did you mean 'sm_90'?"),
    "a GPU beside one that is there": ('family = "normal"', 'gpu = "sm_90"\ncached = true\nfamily = "normal"', """case 'ordinary numbers' is held against a GPU that is not there: give it devices = ["cpu"]"""),
    "a grid for nothing": ("tile = 4096", 'tile = 4096\nat_once = { called = "rows" }', "[limits], [at_once]: 'work' is missing."),
    "a grid for unknown work": ("tile = 4096", 'tile = 4096\nat_once = { work = "m", called = "rows" }', "[limits], [at_once]: 'work': 'm' in 'm' is not known. Known: n."),
    "a type": ("number = 1", 'number = "1"', "'number' is '1'; a whole number is expected"),
    "a boolean for a number": ("number = 1", "number = true", "'number' is True; a whole number is expected"),
    "a limit on no tensor": ("x = 0 }", "z = 0 }", "[stores]: there is no tensor 'z'."),
    "a limit's name": ("tile = 4096", "tiles = 4096", "[limits]: there is no key 'tiles' here. Did you mean 'tile'?"),
    "a limit over nothing": ("tile = 4096", 'tile = "cdiv(m, 2)"', "'m' in 'cdiv(m, 2)' is not known. Known: gradients, itemsize, largest_tile, n, passes."),
    "a limit that is no expression": ("tile = 4096", 'tile = "n +"', "'n +' is not an expression"),
    "a function": ('shape = ["prime(500, 900)"]', 'shape = ["primes(500, 900)"]', "'primes(500, 900)' in 'primes(500, 900)' is not known here"),
    "a division by nothing": ("tile = 4096", 'tile = "n // 0"', "'n // 0' has no value"),
    "a reference": ('"torch:square"', '"torch:sqare"', "reference 'torch:sqare': torch has no function 'sqare'. Did you mean 'square'?"),
    "a reference by name": ('"torch:square"', '"softmx"', "reference: there is no 'softmx'. Did you mean 'softmax'?"),
    "a reference of another shape": ('"torch:square"', '"torch:norm"', "the reference gives (); the outputs are y ("),
    "a tolerance": ('tolerance = "exact"', 'tolerance = "exakt"', "tolerance: there is no 'exakt'. Did you mean 'exact'?"),
    "no outputs": ('[[outputs]]\nname = "y"\ntolerance = "exact"\n', "", "p01_square.toml: 'outputs' is missing."),
    "two of one name": ('name = "y"', 'name = "x"', "p01_square.toml: 'x' names argument and output: limits and reports need a name for each."),
    "a capital name": ('[[arguments]]\nname = "x"', '[[arguments]]\nname = "X"', "'X' is no name: lower-case letters, digits and _"),
    "a kind": ('[[arguments]]\nname = "x"', '[[arguments]]\nname = "x"\nkind = "tenser"', "argument 'x': kind 'tenser' is not known. Did you mean 'tensor'?"),
    "a scalar without a value": ("[[outputs]]", '[[arguments]]\nname = "eps"\nkind = "scalar"\n\n[[outputs]]', "argument 'eps': 'choices' is missing"),
    "a scalar of the wrong kind": ("[[outputs]]", '[[arguments]]\nname = "eps"\nkind = "scalar"\nvalue = "small"\n\n[[outputs]]', "argument 'eps': 'value' is 'small'; a whole number or a number is expected"),
    "a call": ('host = "square"', 'host = "square"\ncall = "backwards"', "call 'backwards' is not known. Did you mean 'backward'?"),
    "a backward call without gradients": ('host = "square"', 'host = "square"\ncall = "backward"', "a backward call needs [[gradients]]"),
    "a name twice in dims": ('dims = ["n"]', 'dims = ["n", "n"]', "p01_square.toml: dims names 'n' twice: each dimension of a case has a name of its own."),
    "a name of the ledger in dims": ('dims = ["n"]', 'dims = ["itemsize"]', "p01_square.toml: dims: 'itemsize' has a meaning of its own in limits"),
    "a needed key misspelt": ('tolerance = "exact"', 'tolerence = "exact"', "output 'y': 'tolerance' is missing; there is 'tolerence' in its place."),
    "a needed list misspelt": ("[[outputs]]", "[[output]]", "p01_square.toml: 'outputs' is missing; there is 'output' in its place."),
    "a needed key of the record": ("number = 1", "nummer = 1", "p01_square.toml: 'number' is missing; there is 'nummer' in its place."),
    "a key that may be left out misspelt": ('dtype = "float16"', 'dtpye = "float16"', "case 'float16': there is no key 'dtpye' here. Did you mean 'dtype'?"),
    "two arguments of one name": ("[[outputs]]", '[[arguments]]\nname = "x"\n\n[[outputs]]', "p01_square.toml: 'x' names a second argument: limits and reports need a name for each."),
    "two cases of one name": ('name = "float16"', 'name = "ordinary numbers"', "p01_square.toml: two cases are called 'ordinary numbers'."),
    "mistakes of nowhere": ("[[arguments]]", 'mistakes = ["sum-not-rescaled"]\n\n[[arguments]]', "p01_square.toml: mistakes names 'sum-not-rescaled', and there is no mistakes_module that says what it is."),
    "a host that no stub has": ('host = "square"', 'host = "sqare"', "p01_square.toml: host 'sqare': the stub puzzles/p01_square.py defines no such function. Did you mean 'square'?"),
    "too many sizes": ('shape = ["prime(500, 900)"]', "shape = [3, 4]", f"{CASE}: 'shape' has 2 of 1 sizes: n."),
    "a benchmark's unit left out": ("[[cases]]", '[benchmark]\ncase = "float16"\nwork = "n"\nmoved = "n"\n\n[[cases]]', "[benchmark]: 'unit' is missing."),
    "a size that may be a fraction": ('shape = ["prime(500, 900)"]', 'shape = ["9 / 3"]', f"{CASE}: 'shape': '9 / 3' may be a fraction (3.0); a whole number is expected"),
    "a limit below nothing": ("loads = { x = 1,", "loads = { x = -0.5,", "[loads]: 'x' is -0.5; a number of at least 0 or an expression is expected"),
    "a picture of another size": ('name = "x"', 'name = "x"\npicture = { rows = "n", columns = 2 }', f"{CASE}: the picture of x has "),
    "half a picture": ('name = "x"', 'name = "x"\npicture = { rows = "n" }', "argument 'x', [picture]: 'columns' is missing."),
    "pairs of no tensor": ("[[arguments]]", '[pairs]\nrows = "x"\ncolumns = "z"\nrow = "a"\ncolumn = "b"\nrows_in_words = "as"\nvalues_in_words = "cs"\n\n[[arguments]]', "p01_square.toml, [pairs]: there is no tensor 'z'."),
    "a backward call without results": ('host = "square"', 'host = "square"\ncall = "backward"\ngradients = [{ name = "dy" }]', "p01_square.toml: 0 [[results]] and 1 [[gradients]]: a backward call has as many of both"),
    "results of a forward call": ('host = "square"', 'host = "square"\nresults = [{ tolerance = "exact" }]', "1 [[results]] and 0 [[gradients]]: a backward call has as many of both"),
    "a result's shape": ('host = "square"', 'host = "square"\ncall = "backward"\ngradients = [{ name = "dy" }]\nresults = [{ tolerance = "exact", shape = ["n"] }]', "result 1: there is no key 'shape' here."),
    "a result called like an output": ('host = "square"', 'host = "square"\ncall = "backward"\ngradients = [{ name = "dy" }]\nresults = [{ tolerance = "exact" }]', "'y' names a second output: limits and reports need a name for each."),
    "TOML": ("number = 1", "number = ", "p01_square.toml: Invalid value"),
}  # fmt: skip


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_in_a_record_is_said_where_it_stands(slip: str, pack: Path) -> None:
    old, new, words = SLIPS[slip]
    changed(pack / RECORD, old, new)
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
    changed(pack / RECORD, "[[arguments]]", f"{lines}\n\n[[arguments]]")
    assert words in said(pack)


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ('format = 2\ntitle = "x"\npuzzles = ["p01_square"]', "format 2 is not known; this version reads format 1"),
        ('format = 1\npuzzles = ["p01_square"]', "'title' is missing"),
        ('format = 1\ntitle = "x"\npuzzles = ["p02_sqare"]', "p02_sqare.toml: there is no such file in"),
        ('format = 1\ntitle = "x"\npuzzles = ["square"]', "'square' is no name of the form p03_online_softmax"),
        ('format = 1\ntitle = "x"\npuzzles = []', "puzzles names none"),
        ('format = 1\ntitle = "x"\nrepository = "x y"\npuzzles = ["p01_square"]', "is not of the form owner/name"),
        ('format = 1\ntitle = "x"\ncorpora = []\npuzzles = ["p01_square"]', "corpora names none"),
        ('format = 1\ntitle = "x"\ncorpora = "mutants"\npuzzles = ["p01_square"]', "'corpora' is 'mutants'"),
        (
            'format = 1\ntitle = "x"\npuzzels = ["p01_square"]',
            "there is no key 'puzzels' here. Did you mean 'puzzles'?",
        ),
    ],
)
def test_a_slip_in_a_pack_is_said(toml: str, words: str, pack: Path) -> None:
    (pack / "curriculum.toml").write_text(toml)
    assert words in said(pack, "list")


def test_a_missing_function_has_a_neighbour(pack: Path) -> None:
    (pack / "answers.py").write_text("import torch\n\n\ndef squared(x):\n    return x * x\n")
    changed(pack / RECORD, '"torch:square"', '"answers:sqared"')
    words = "p01_square.toml: reference 'answers:sqared': answers has no function 'sqared'. Did you mean 'squared'?"
    assert words in said(pack)


def test_an_answer_to_a_finding_stands_once(pack: Path) -> None:
    hints = pack / "hints" / "p01_square.md"
    text, answer = hints.read_text(), "<!-- after: wrong-values -->\nSquare it.\n\n"
    hints.write_text(answer + answer + text)
    assert "p01_square.md: 'wrong-values' has two answers" in said(pack, "list")
    hints.write_text("<!-- after: wrong-values -->\n" + text)
    assert "p01_square.md: 'wrong-values' has an empty answer" in said(pack, "list")


@pytest.mark.parametrize(
    ("hints", "words"),
    [
        ("## One\na\n\n## Two\nb\n", "p01_square.md: 2 hints under headings '## '; a puzzle has 3."),
        ("## One\na\n\n## Two\n\n## Three\nc\n", "p01_square.md: 3 hints under headings '## ', 1 of them empty; a"),
    ],
)
def test_hints_that_are_too_few_are_named_with_their_file(hints: str, words: str, pack: Path) -> None:
    (pack / "hints" / "p01_square.md").write_text(hints)
    assert words in said(pack, "list")


def test_a_missing_solution_is_named_with_its_path(pack: Path) -> None:
    path = pack / "solutions" / "p01_square.py"
    path.unlink()
    assert f"The pack has no solution of puzzle 1, square: there is no {path}." in said(pack)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("def near(:", "invalid syntax (rules.py, line 1)"),
        ("import torch, misspelt.part", "there is no module 'misspelt' (line 1)"),
        ("import re\nfrom misspelt.part import near", "there is no module 'misspelt' (line 2)"),
        ("import torch\nfrom tritonpuzzles.judge.tolerances import Tolerance\nnear = '\\d'", ""),
    ],
)
def test_a_module_that_cannot_be_imported_is_said_by_the_list(text: str, why: str, pack: Path) -> None:
    (pack / "rules.py").write_text(text)
    (pack / "other.py").write_text("import misspelt")  # which no record names
    changed(pack / RECORD, '"exact"', '"rules:near"')
    done = run_here(("--pack", str(pack), "list"), pack, environment(TRITONPUZZLES_PACK=""))
    step = "Next: correct it, then tritonpuzzles dev names"
    assert done.stderr == (f"warning: rules.py of the pack cannot be imported: {why}. {step}\n" if why else "")
    assert (done.returncode, "Square" in done.stdout) == (0, True)


def test_the_pack_stands_before_the_command(pack: Path) -> None:
    done = run_here(("check", "1", "--pack", str(pack)), pack, environment(TRITONPUZZLES_PACK=""))
    assert done.returncode == 2
    assert done.stderr == (
        "tritonpuzzles: --pack stands before the command, not after it.\nNext: tritonpuzzles --pack DIR check ...\n"
    )


FAR = 'layout = "far_apart"\ndevices = ["cuda"]\nfamily = "normal"'


def test_an_index_has_a_layout_of_its_own_where_rows_lie_far_apart(pack: Path) -> None:
    changed(pack / RECORD, 'dims = ["n"]', 'dims = ["n", "m"]')
    changed(pack / RECORD, 'shape = ["prime(500, 900)"]', 'shape = ["prime(500, 900)", 4]')
    changed(pack / RECORD, 'shape = ["between(100, 300)"]', "shape = [9, 4]")
    changed(pack / RECORD, "shape = [0]", "shape = [0, 4]")
    changed(pack / RECORD, 'name = "x"', 'name = "x"\n\n[[arguments]]\nname = "index"\nshape = ["n"]\ndtype = "int64"')
    changed(pack / RECORD, 'family = "normal"', FAR)
    assert "numbers alone, and 'index' is none; give it a layout of its own." in said(pack, "list")
    changed(pack / RECORD, 'dtype = "int64"', 'dtype = "int64"\nlayout = "contiguous"')
    done = run_here(("--pack", str(pack), "list"), pack, environment(TRITONPUZZLES_PACK=""))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", "Puzzle 1, square, has no point: its record has no operations and no [benchmark]."),
        ('operations = "n"\n', "Puzzle 1, square, has no point: its record has no [benchmark]."),
        ("operations = 0\n", "Puzzle 1, square, has no point: its record has no operations but 0 and no [benchmark]."),
    ],
)
def test_a_puzzle_without_figures_has_no_roofline(line: str, words: str, pack: Path) -> None:
    changed(pack / RECORD, "[[arguments]]", f"{line}\n[[arguments]]")
    done = run_here(("--pack", str(pack), "roofline", "--solution"), pack, environment(TRITONPUZZLES_PACK=""))
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr


def test_missing_hints_are_said(pack: Path) -> None:
    (pack / "hints" / "p01_square.md").unlink()
    assert "p01_square.md: the hints cannot be read" in said(pack, "list")
