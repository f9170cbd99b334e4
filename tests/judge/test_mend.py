"""What a small edit of one line makes right is told at that line, and the edit is not."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.judge.check import check
from tritonpuzzles.judge.diagnosis.edits import edits
from tritonpuzzles.judge.options import CACHE, CheckOptions
from tritonpuzzles.results.check import Finding, PuzzleResult, Verdict
from tritonpuzzles.results.cover import MENDED, PROOF, account_of
from tritonpuzzles.source import Source

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SOLUTIONS = sorted((ROOT / "solutions").glob("p0*.py"))
ENDLESS = """
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_stride, y_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    m = -3.4028234663852886e38
    l = 0.0
    start = 0
    while start < n_cols:
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_ptr + row * x_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        m_new = tl.maximum(m, tl.max(x, axis=0))
        l = l * (m / m_new) + tl.sum(tl.exp(x - m_new), axis=0)
        m = m_new
        start += BLOCK_SIZE
    start = 0
    while start < n_cols:
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_ptr + row * x_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        tl.store(y_ptr + row * y_stride + cols, tl.exp(x - m) / l, mask=cols < n_cols)
        start += BLOCK_SIZE


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel():
        softmax_kernel[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=1024)
    return y
"""


def checked(number: int, path: Path) -> PuzzleResult:
    puzzle = next(puzzle for puzzle in load_curriculum().puzzles if puzzle.number == number)
    return check([(puzzle, path)], CheckOptions(device="cpu", seed=1)).results[0]


def first(result: PuzzleResult) -> Finding:
    return account_of(result.findings).open[0].first


@pytest.mark.parametrize("path", SOLUTIONS, ids=lambda path: path.stem)
def test_every_edit_is_python_and_keeps_the_lines(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = edits(Source(text))
    assert len(found) > 100
    for edit in found[:: max(1, len(found) // 400)]:
        changed = edit.of(text)
        ast.parse(changed)
        assert changed != text
        assert changed.count("\n") == text.count("\n"), edit
        assert 1 <= edit.line <= text.count("\n")
        assert edit.says
        assert edit.step.endswith(".")


def test_what_is_no_python_has_no_edits() -> None:
    assert edits(Source("def f(:")) == []
    assert edits(Source("x = 1\n")) == []


@pytest.mark.parametrize(
    ("number", "file", "line", "says", "answer"),
    [
        (1, "p01_softmax/sum_in_16_bits.py", "e.to(", "loses bits", "e, axis"),
        (3, "p03_online_softmax/rescaled_by_ratio.py", "m / m_new", "the exponential of a difference", "m - m_new"),
        (4, "p04_tiled_softmax/sum_along_rows_square.py", "axis=0", "the axis is wrong", "axis=1"),
        (5, "p05_flash_attention/even_by_other_block.py", "@triton.heuristics", "true where it must not be", "BLOCK_N"),
        (5, "p05_flash_attention/o_by_q_stride_short_names.py", "tl.store", "`sq` is the wrong variable", "`so`"),
    ],
)
def test_the_line_that_can_be_mended_is_told_and_not_how(
    number: int, file: str, line: str, says: str, answer: str
) -> None:
    path = ROOT / "tests" / "trials" / file
    result = checked(number, path)
    told = first(result)
    assert result.verdict is Verdict.FAIL
    assert told.details[PROOF] == MENDED
    assert told.line is not None
    assert line in path.read_text(encoding="utf-8").splitlines()[told.line - 1]
    assert f"Line {told.line}: " in told.message
    assert says in told.message
    assert "Changing only that makes" in told.message
    assert answer not in told.message.split(f"Line {told.line}: ")[1]
    assert answer not in (told.next_step or "")


def test_an_edit_that_never_ends_harms_nothing(tmp_path: Path) -> None:
    """Among the edits of a `while` loop are endless ones: the check ends, and its report stands."""
    path = tmp_path / "p03_online_softmax.py"
    path.write_text(ENDLESS, encoding="utf-8")
    result = checked(3, path)
    assert result.verdict is Verdict.FAIL
    assert (
        first(result).line
        == ENDLESS.splitlines().index("        l = l * (m / m_new) + tl.sum(tl.exp(x - m_new), axis=0)") + 1
    )


def test_nothing_of_an_edit_is_kept_among_the_compile_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Results are kept by the texts that they come from: those of the file alone, and they serve the next check."""
    path, cache = ROOT / "tests" / "trials" / "p03_online_softmax" / "rescaled_by_ratio.py", tmp_path / "cache"
    monkeypatch.setenv(CACHE, str(cache))
    kept = []
    for _ in range(2):
        assert first(checked(3, path)).details[PROOF] == MENDED
        kept.append(sorted(file.relative_to(cache) for file in cache.rglob("*") if file.is_file()))
    assert kept[0]
    assert kept[0] == kept[1]
