"""What the reference gives if an argument were another: found where a kernel gives just that, and nowhere else.

The puzzles are those of the second pack, with their first cases and without the mistakes that have a name there.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tritonpuzzles.curriculum.pack import open_pack
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.judge.check import check
from tritonpuzzles.judge.diagnosis import predict
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.codes import Kind

PACK = Path(__file__).resolve().parents[1] / "second_pack"
NORM, GATHER, SWISH = 1, 2, 3
KEPT = 9  # cases
GIVES = "what the reference gives"

Pairs = tuple[tuple[str, str], ...]

DY = "dy = tl.load(dy_ptr + row * dy_row_stride + cols, mask=mask).to(tl.float32)  # reads MN in all"
TABLE = "tl.load(table_ptr + row * table_row_stride + cols, mask=mask)"
PICK = "index_ptr + pick)  # a scalar"
Y, DX = "cols, x * scale, mask", "dx = dy * (s + x * s * (1 - s))"
HELD = {
    "no eps": (NORM, (("mean_square + eps", "mean_square"),), "they are", " if eps were 0"),
    "another eps": (NORM, (("mean_square + eps", "mean_square + 1e-6"),), "they are", " if eps were 1e-06"),
    "half of it": (NORM, ((Y, "cols, 0.5 * x * scale, mask"),), "y is", ", times 0.5"),
    "one pick": (GATHER, ((PICK, "index_ptr)  # a scalar"),), "they are", " if index[0] were in place of index[i]"),
    "next column": (
        GATHER,
        ((TABLE, "tl.load(table_ptr + row * table_row_stride + cols + 1, mask=cols + 1 < n_cols, other=0.0)"),),
        "they are",
        " if table[i + 1] were in place of table[i] along axis 1, with 0 past the end",
    ),
    "rotated": (
        GATHER,
        (("y_row_stride + cols, values", "y_row_stride + (cols + n_cols // 2) % n_cols, values"),),
        "they are",
        ", with the last axis rotated by half its length",
    ),
    "no dy": (SWISH, ((DX, "dx = s + x * s * (1 - s)"),), "dx is", " if every element of dy were 1"),
    "minus dy": (SWISH, ((DX, f"{DX} * -1"),), "dx is", " if every element of dy were negated"),
    "x and dy exchanged": (
        SWISH,
        (("(x, dy, dx, x.stride(0), dy.stride(0),", "(dy, x, dx, dy.stride(0), x.stride(0),"),),
        "dx is",
        " if x and dy were exchanged",
    ),
    "x for dy": (SWISH, ((DX, "dx = x * (s + x * s * (1 - s))"),), "dx is", " if x were in place of dy"),
}
NONE = {
    "a mean subtracted": (NORM, ((Y, "cols, (x - tl.sum(x, axis=0) / n_cols) * scale, mask"),)),
    "something added": (NORM, ((Y, "cols, x * scale + 0.25, mask"),)),
    "zeros": (NORM, ((Y, "cols, 0.0 * x, mask"),)),
    "every other row": (GATHER, ((PICK, "index_ptr + pick // 2 * 2)  # a scalar"),)),
    "one term": (SWISH, ((DX, "dx = dy * s"),)),
}


def puzzle_of(number: int) -> Puzzle:
    open_pack(PACK)
    try:
        (puzzle,) = (puzzle for puzzle in load_curriculum().puzzles if puzzle.number == number)
    finally:
        open_pack(None)
    return replace(puzzle, cases=puzzle.cases[:KEPT])


def wrong_values(folder: Path, puzzle: Puzzle, pairs: Pairs) -> list[Finding]:
    """Return what is found of the values of a solution with some pieces of text replaced."""
    text = (PACK / "solutions" / f"{puzzle.stem}.py").read_text(encoding="utf-8")
    for old, new in pairs:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path = folder / "slip.py"
    path.write_text(text)
    (result,) = check([(puzzle, path)], CheckOptions(device="cpu", seed=1, targets=())).results
    return [finding for finding in result.findings if finding.kind is Kind.VALUE]


@pytest.mark.slow
@pytest.mark.parametrize("name", HELD)
def test_what_the_reference_gives_too_is_said(tmp_path: Path, name: str) -> None:
    number, pairs, subject, says = HELD[name]
    (finding,) = wrong_values(tmp_path, replace(puzzle_of(number), mistakes=()), pairs)
    assert finding.code == "wrong-values"
    assert f" wrong values: {subject} {GIVES}{says}." in finding.message
    assert finding.details["proof"] in ("predicted", "mended")  # what one small edit mends is proven better still
    assert finding.case in finding.details["cases"]
    assert finding.message.startswith(f"{len(finding.details['cases'])} case")
    assert finding.next_step is not None


@pytest.mark.slow
@pytest.mark.parametrize("name", NONE)
def test_of_other_mistakes_nothing_is_said(tmp_path: Path, name: str) -> None:
    number, pairs = NONE[name]
    (finding,) = wrong_values(tmp_path, replace(puzzle_of(number), mistakes=()), pairs)
    assert finding.code == "wrong-values"
    assert GIVES not in finding.message
    assert finding.details.get("proof") != "predicted"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            "x_ptr + row * x_row_stride + cols",
            "x_ptr + cols * x_row_stride + row",
            " if x were read in column-major order",
        ),
        ("y_ptr + row * y_row_stride + cols", "y_ptr + cols * y_row_stride + row", ", stored in column-major order"),
    ],
)
def test_exchanged_strides_of_square_matrices(tmp_path: Path, old: str, new: str, says: str) -> None:
    puzzle = puzzle_of(NORM)
    square = replace(puzzle.cases[0], shape=(61, 61))
    puzzle = replace(puzzle, mistakes=(), cases=(square,))
    (finding,) = wrong_values(tmp_path, puzzle, ((old, new),))
    assert finding.message.startswith("1 case has wrong values: ")
    assert f"{GIVES}{says}." in finding.message
    assert finding.case == square.name


def test_a_mistake_that_has_a_name_keeps_it(tmp_path: Path) -> None:
    (finding,) = wrong_values(tmp_path, puzzle_of(NORM), HELD["no eps"][1])
    assert finding.code == "eps-forgotten"


def test_nothing_is_said_when_the_time_is_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predict, "SECONDS", -1.0)
    (finding,) = wrong_values(tmp_path, replace(puzzle_of(NORM), mistakes=()), HELD["no eps"][1])
    assert GIVES not in finding.message


def test_the_reference_is_not_asked_where_nothing_is_vague(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*arguments: object) -> None:
        raise AssertionError

    monkeypatch.setattr(predict, "of_arguments", never)
    assert wrong_values(tmp_path, puzzle_of(NORM), ()) == []
    assert wrong_values(tmp_path, puzzle_of(NORM), HELD["no eps"][1])
