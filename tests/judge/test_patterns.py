"""What is said of wrong values that no named mistake explains: only what the cases show."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor

from tritonpuzzles.curriculum.limits import Bound, Limits
from tritonpuzzles.curriculum.mistakes import Mistake, Tile
from tritonpuzzles.curriculum.record import Case
from tritonpuzzles.judge.drawn import DrawnCase, Expected, lay_out, widened
from tritonpuzzles.judge.evidence.cases import CaseEvidence
from tritonpuzzles.judge.evidence.fields import Output
from tritonpuzzles.judge.tolerances import Tolerance
from tritonpuzzles.judge.verdict import diagnosis
from tritonpuzzles.judge.verdict.compare import compare
from tritonpuzzles.judge.verdict.judged import JudgedCase
from tritonpuzzles.judge.verdict.limits import limit_findings
from tritonpuzzles.judge.verdict.patterns import pattern_finding
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.results.traffic import Traffic
from tritonpuzzles.wire.observed import LaunchSummary

FILE = Submission.of(Path("p01.py"))
TIGHT = Tolerance(1e-6, 1e-9)
NAMES = ("y", "scale")


def drawn(name: str, truths: Sequence[Tensor], layout: str, dims: dict[str, int] | None) -> DrawnCase:
    """Return a case whose only tensor is x, of the shape of the first output."""
    shape = tuple(truths[0].shape)
    names = dims or dict(zip(("n_rows", "n_cols"), shape, strict=False))
    x = lay_out(torch.ones(shape), layout, random.Random(1))
    outputs = tuple(Expected(n, tuple(t.shape), "float32") for n, t in zip(NAMES, truths, strict=False))
    case = Case(name, "why.", "normal", shape, layout=layout)
    return DrawnCase(case, tuple(names.values()), names, {"x": x}, outputs, tuple(map(widened, truths)), {})


def judged(
    name: str,
    truth: Tensor | Sequence[Tensor],
    given: Tensor | Sequence[Tensor],
    layout: str = "contiguous",
    tolerance: Tolerance = TIGHT,
    dims: dict[str, int] | None = None,
) -> JudgedCase:
    truths, values = ([t] if isinstance(t, Tensor) else t for t in (truth, given))
    case = drawn(name, truths, layout, dims)
    outputs = [Output("Tensor", tuple(t.shape), "float32", "cpu", t.float().numpy().tobytes()) for t in values]
    tolerances = (tolerance,) * len(truths)
    return JudgedCase(case, CaseEvidence(), compare(case, outputs, tolerances, "cpu", "f(x)"), tolerances=tolerances)


def said(*cases: JudgedCase) -> Finding:
    return pattern_finding([case for case in cases if case.is_wrong], cases, FILE)


def right(name: str, shape: tuple[int, int] = (4, 9), layout: str = "contiguous") -> JudgedCase:
    return judged(name, torch.ones(shape), torch.ones(shape), layout)


def wrong(name: str, layout: str) -> JudgedCase:
    return judged(name, torch.ones(4, 9), torch.arange(36.0).reshape(4, 9), layout)


@pytest.mark.parametrize(
    ("others", "code"),
    [
        ([right("plain")], "strides-assumed"),
        ([right("plain"), right("slice", layout="column_slice")], "wrong-values"),
        ([right("plain"), right("padded too", layout="padded")], "wrong-values"),
        ([right("plain"), right("a single row", (1, 9), "padded")], "strides-assumed"),
        ([right("plain"), right("no rows", (0, 9), "padded")], "strides-assumed"),
        ([right("no rows", (0, 9))], "wrong-values"),
    ],
)
def test_strides_are_blamed_unless_gaps_are_right_somewhere(others: list[JudgedCase], code: str) -> None:
    assert said(wrong("padded", "padded"), *others).code == code


def test_strides_are_not_blamed_for_a_number_here_and_there() -> None:
    values = torch.ones(40, 9)
    values[7, 3] += 1  # one of 360, as where a number is rounded the other way
    assert said(judged("padded", torch.ones(40, 9), values, "padded"), right("plain")).code == "wrong-values"


KERNEL = """
@triton.jit
def kernel(x_ptr, y_ptr, x_row_stride, n_cols, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load({source}, mask=cols < n_cols)
    tl.store(y_ptr + row * n_cols + cols, {value}, mask=cols < n_cols)
"""


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("x_ptr + row * n_cols + cols", 5),
        ("x_ptr + n_cols * row + cols", 5),
        ("x_ptr + row * x_row_stride + cols", None),  # it is y's step that is wrong, if any
        ("x_ptr + row * sx + cols", None),
    ],
)
def test_the_line_that_steps_by_a_size_is_named(source: str, line: int | None, tmp_path: Path) -> None:
    path = tmp_path / "p.py"
    path.write_text(KERNEL.format(source=source, value="x"))
    padded = wrong("padded", "padded")
    padded.evidence.traffic.append(Traffic("x_ptr", 144, 0, 1.0, 0.0, tensor="x"))
    found = pattern_finding([padded], [padded, right("plain")], Submission.of(path))
    assert (found.code, found.line) == ("strides-assumed", line)


@pytest.mark.parametrize(("value", "line"), [("x.to(tl.float16)", 6), ("x.to(tl.bfloat16)", None), ("x", None)])
def test_the_line_that_converts_to_the_type_that_is_seen_is_named(value: str, line: int | None, tmp_path: Path) -> None:
    path = tmp_path / "p.py"
    path.write_text(KERNEL.format(source="x_ptr + cols", value=value))
    case = judged("ordinary", GOLDEN, GOLDEN.half())
    found = pattern_finding([case], [case], Submission.of(path))
    assert (found.code, found.line) == ("low-precision", line)


GOLDEN = torch.rand(5, 300, generator=torch.Generator().manual_seed(1)) + 0.3
SCALE = 1 / GOLDEN.sum(dim=1)


def test_few_bits_are_seen_in_any_output() -> None:
    found = said(judged("ordinary", (GOLDEN, SCALE), (GOLDEN * SCALE.half()[:, None] / SCALE[:, None], SCALE.half())))
    assert found.code == "low-precision"
    assert "Every float32 result in scale has no more bits than float16 holds" in found.message
    assert said(judged("ordinary", (GOLDEN, SCALE), (GOLDEN * 3, SCALE * 1.01))).code == "wrong-values"


def test_few_bits_in_few_cases_explain_nothing() -> None:
    short = judged("short", (GOLDEN, SCALE), (GOLDEN, SCALE.half()))
    others = [judged(name, (GOLDEN, SCALE), (GOLDEN * 3, SCALE)) for name in ("long", "longer")]
    assert said(short).code == "low-precision"
    assert said(short, *others).code == "wrong-values"


def test_what_float16_does_not_hold_at_all_is_low_precision_too() -> None:
    truth = GOLDEN.clone()
    truth[0, :4] = torch.tensor([1e6, -1e7, torch.inf, torch.nan])
    found = said(judged("numbers of all sizes", truth, truth.half()))
    assert found.code == "low-precision"
    assert "Every float32 result has no more bits than float16 holds" in found.message
    unwritten = truth.half().float()
    unwritten[1, 5] = torch.nan
    assert said(judged("a gap", truth, unwritten)).code == "wrong-values"


def test_wrong_in_16_bits_alone_is_low_precision_unless_the_kernel_reads_astray() -> None:
    short = judged("short", GOLDEN, GOLDEN * 1.1)
    short.drawn = replace(short.drawn, case=replace(short.drawn.case, dtype="float16"))
    found = said(short, right("full"))
    assert (found.code, "Right in float32" in found.message) == ("low-precision", True)
    short.findings.append(Finding("out-of-bounds-load", "K is read outside its elements."))
    assert said(short, right("full")).code == "wrong-values"


@pytest.mark.parametrize("value", [0.0, 1.0, 64.0])
def test_few_bits_alone_are_no_low_precision(value: float) -> None:
    found = said(judged("ordinary", GOLDEN, torch.full_like(GOLDEN, value)))
    assert found.code == "wrong-values"
    assert '--case "ordinary" --values' in (found.next_step or "")


def cut(n_cols: int, dims: dict[str, int] | None = None) -> JudgedCase:
    """Return a case of which nothing is written from column 64 on."""
    given = torch.ones(4, n_cols)
    given[:, 64:] = torch.nan
    return judged(f"{n_cols} columns", torch.ones(4, n_cols), given, dims=dims)


@pytest.mark.parametrize(
    ("dims", "source"),
    [
        (lambda n: {"n_rows": 30, "n_cols": n, "n_picks": 4}, "n_cols"),
        (lambda n: {"n_picks": n, "n_rows": 4}, "n_picks"),
        (lambda n: {"a": n, "b": n}, "the tensors' shapes"),
        (lambda n: {"half": n // 2}, "the tensors' shapes"),
    ],
)
def test_a_fixed_size_names_the_dimension_that_is_cut(dims: object, source: str) -> None:
    found = said(*(cut(n, dims(n)) for n in (100, 200)))  # type: ignore[operator]
    assert found.code == "hard-coded-size"
    assert found.next_step == f"Derive sizes and trip counts from {source}."


@pytest.mark.parametrize(("n_cols", "words"), [(9, "Make the tile smaller"), (900, "Loop over the row in tiles")])
def test_a_tile_is_held_against_the_row_whatever_the_last_dimension(n_cols: int, words: str) -> None:
    dims = {"n_cols": n_cols, "n_picks": 400 if n_cols == 9 else 3}
    case = judged("picks", torch.ones(3, n_cols), torch.ones(3, n_cols), dims=dims)
    evidence = CaseEvidence(launches=[LaunchSummary("kernel", None, (1,), 1, 512, {})])
    (found,) = limit_findings(Limits(tile=Bound(256)), case.drawn, evidence)
    assert words in str(found.next_step)


@pytest.mark.parametrize("normalised", [True, False])
def test_sums_are_spoken_of_where_rows_are_normalised(normalised: bool) -> None:
    factors = torch.tensor([2.0, 3.0, 5.0, 7.0, 9.0])[:, None]
    found = said(judged("ordinary", GOLDEN, GOLDEN * factors, tolerance=Tolerance(1e-6, 1e-9, normalised=normalised)))
    assert "Every row is off by one factor, 2 to 9" in found.message
    assert ("the values are right, their sum is not" in found.message) == normalised


def twice_the_share_of_the_largest(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Return 2 where x is as large as its row's largest; a row of nothing has none, and PyTorch says so."""
    return 2 * inputs[0] / inputs[0].amax(dim=1, keepdim=True)


def test_cases_of_nothing_neither_support_nor_contradict_a_mistake() -> None:
    mistake = Mistake("doubled", "It is doubled.", "Do not.", ("x",), (twice_the_share_of_the_largest,))
    bad = judged("ordinary", torch.ones(4, 9), torch.full((4, 9), 2.0))
    columns = judged("no columns", (torch.ones(4, 0), torch.ones(4)), (torch.ones(4, 0), torch.ones(4)))
    rows = judged("no rows", torch.ones(0, 9), torch.ones(0, 9))
    assert diagnosis._explained(mistake, [bad], [columns, rows]) == 1
    assert diagnosis._explained(mistake, [bad], [right("another")]) == 0
    scale = judged("no columns", (torch.ones(4, 0), torch.ones(4)), (torch.ones(4, 0), torch.zeros(4)))
    assert diagnosis._explained(mistake, [scale], []) == 0


def nothing_but_nan(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Return NaN."""
    return torch.full_like(inputs[0], torch.nan)


LOST = Mistake("lost", "It is lost.", "Do not.", ("x",), (nothing_but_nan,))


def lost(number: int) -> JudgedCase:
    return judged(f"lost {number}", torch.ones(4, 9), torch.full((4, 9), torch.nan))


def test_a_mistake_that_explains_nan_alone_must_explain_every_case() -> None:
    cases = [lost(number) for number in range(9)]
    assert diagnosis._explained(LOST, cases, []) == 1
    number = judged("a number", torch.ones(4, 9), torch.full((4, 9), 3.0))
    assert diagnosis._explained(LOST, [*cases, number], []) == 0


def test_memory_that_nothing_has_written_proves_no_mistake() -> None:
    case = lost(0)
    case.findings = [Finding("unwritten-elements", "y has 36 of 36 elements that nothing writes.")]
    assert diagnosis._explained(LOST, [case, lost(1)], []) == 0


@pytest.mark.parametrize("layout", ["padded", "column_slice"])
def test_strides_are_blamed_with_the_tensor_that_has_gaps(layout: str) -> None:
    found = said(right("plain"), judged("gaps", GOLDEN, 2 * GOLDEN, layout))
    assert found.message == "Right where rows follow each other without gaps, wrong where those of x have gaps."


def with_layouts(name: str, a: str, b: str, is_right: bool) -> JudgedCase:
    """Return a case with two matrices of which each lies in memory in its own way."""
    found = judged(name, GOLDEN, GOLDEN if is_right else 2 * GOLDEN)
    tensors = {tensor: lay_out(torch.ones(4, 9), layout, random.Random(1)) for tensor, layout in (("a", a), ("b", b))}
    return replace(found, drawn=replace(found.drawn, tensors=tensors))


@pytest.mark.parametrize(
    ("wrong", "right", "message"),
    [
        (
            [("transposed", "contiguous")],
            [("contiguous", "transposed"), ("padded", "contiguous")],
            "Right where the elements of a row of a are neighbours, wrong where a is transposed.",
        ),
        (
            [("contiguous", "transposed"), ("contiguous", "padded")],
            [("contiguous", "contiguous"), ("padded", "contiguous"), ("transposed", "contiguous")],
            "Right where b is contiguous, wrong where b is transposed or a part of a wider matrix.",
        ),
    ],
)
def test_strides_of_one_matrix_of_several(
    wrong: list[tuple[str, str]], right: list[tuple[str, str]], message: str
) -> None:
    cases = [with_layouts(f"wrong {a} {b}", a, b, is_right=False) for a, b in wrong]
    cases += [with_layouts(f"right {a} {b}", a, b, is_right=True) for a, b in right]
    found = said(*cases)
    assert (found.code, found.message) == ("strides-assumed", message)
    first = cases[len(wrong)]
    spoilt = replace(first, drawn=replace(first.drawn, tensors=cases[0].drawn.tensors))
    assert said(*cases[: len(wrong)], spoilt).code == "wrong-values"


def test_a_chained_comparison_is_told_where_values_are_wrong(tmp_path: Path) -> None:
    (tmp_path / "p.py").write_text("@triton.jit\ndef k(p, n):\n    mask = rows < n & cols < n\n")
    case = judged("ordinary", GOLDEN, GOLDEN + torch.randn(GOLDEN.shape, generator=torch.Generator().manual_seed(1)))
    found = pattern_finding([case], [case], Submission.of(tmp_path / "p.py"))
    assert (found.code, found.line) == ("comparison-chained", 3)
    assert "1 case has wrong values" in found.message


def test_an_empty_output_is_as_it_should_be() -> None:
    empty = judged("no columns", (torch.ones(4, 0), torch.ones(4)), (torch.ones(4, 0), torch.ones(4)))
    assert empty.agrees([torch.ones(4, 0, dtype=torch.float64), torch.ones(4, dtype=torch.float64)])
    assert not empty.agrees([torch.ones(4, 0, dtype=torch.float64), torch.zeros(4, dtype=torch.float64)])


def test_a_constant_that_is_no_tile_is_not_walked_in() -> None:
    case = judged("long", torch.ones(1, 100_000), torch.zeros(1, 100_000))
    case.evidence = CaseEvidence(launches=[LaunchSummary("merge", None, (1,), 1, 128, {"BLOCK": 128, "SPLITS": 2})])
    assert {tile.cols for tile in diagnosis.tiles(case)} == {128}


def test_float16_that_came_through_bfloat16_has_few_bits_and_whole_numbers_prove_nothing() -> None:
    found = said(in_float16(GOLDEN, GOLDEN.bfloat16()))
    assert found.code == "low-precision"
    assert found.message == "Every float16 result has no more bits than bfloat16 holds."
    whole = torch.arange(36.0).reshape(4, 9)
    assert said(in_float16(whole, whole + (whole == 35))).code == "wrong-values"


def in_float16(truth: Tensor, given: Tensor) -> JudgedCase:
    case = drawn("halves", [truth], "contiguous", None)
    case = replace(case, outputs=tuple(replace(output, dtype="float16") for output in case.outputs))
    output = Output("Tensor", tuple(given.shape), "float16", "cpu", given.half().numpy().tobytes())
    compared = compare(case, [output], (TIGHT,), "cpu", "f(x)")
    return JudgedCase(case, CaseEvidence(), compared, tolerances=(TIGHT,))
