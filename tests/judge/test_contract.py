"""What a record may ask beyond softmax: limits, plain values, several outputs, gradients; each with its code."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tritonpuzzles.curriculum.limits import Bound, Limits
from tritonpuzzles.curriculum.record import Argument, Case, OutputSpec, Puzzle
from tritonpuzzles.front.report.cases import described
from tritonpuzzles.judge.check import check
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.results.check import PuzzleResult, Verdict

SCRATCH = "y = torch.empty_like(x)\n    spare = torch.empty(4096, dtype=torch.float32, device=x.device)\n"


def checked(puzzle: Puzzle, source: str, folder: Path) -> PuzzleResult:
    path = folder / "p01_square.py"
    path.write_text(source)
    return check([(puzzle, path)], CheckOptions(device="cpu", seed=3)).results[0]


def codes(result: PuzzleResult) -> set[str]:
    return {finding.code for finding in result.findings}


@pytest.mark.parametrize(
    ("limits", "code", "words"),
    [
        (
            {"programs_at_least": "cdiv(n, 16)"},
            "too-few-programs",
            " programs; at least 32 are asked for: for a reason.",
        ),
        ({"programs_at_most": 1}, "too-many-programs", " programs; at most 1 is allowed here: for a reason."),
        ({"launches": 0}, "too-many-launches", "1 kernel is launched; at most 0 are allowed here: for a reason."),
        ({"bytes": "n * itemsize"}, "too-many-bytes", "bytes are moved in all; at most "),
        ({"tile": 128}, "tile-too-large", "holds a tile of 256 elements; at most 128 are allowed here"),
        ({"tile": "BLOCK_M"}, "constant-missing", "depend on BLOCK_M, which no launch has as a constexpr"),
    ],
)
def test_a_limit_says_what_is_over_it(
    limits: dict[str, object], code: str, words: str, square: Puzzle, square_source: str, tmp_path: Path
) -> None:
    bounds = {name: Bound(limit, "for a reason", "Do this.") for name, limit in limits.items()}  # type: ignore[arg-type]
    result = checked(replace(square, limits=Limits(**bounds)), square_source, tmp_path)
    assert result.verdict is Verdict.FAIL
    found = next(finding for finding in result.findings if finding.code == code)
    assert words in found.message
    assert found.next_step == (
        "Keep the stub's parameter: BLOCK_M: tl.constexpr." if "BLOCK_M" in words else "Do this."
    )


def test_limits_may_rest_on_the_learners_own_tiles(square: Puzzle, square_source: str, tmp_path: Path) -> None:
    roomy = Limits(loads={"x": "cdiv(BLOCK_SIZE, largest_tile)"}, tile=Bound("BLOCK_SIZE"))
    assert checked(replace(square, limits=roomy), square_source, tmp_path).verdict is Verdict.PASS
    tight = Limits(loads={"x": "BLOCK_SIZE - largest_tile"})
    assert codes(checked(replace(square, limits=tight), square_source, tmp_path)) == {"too-many-loads"}


@pytest.mark.parametrize("limits", [Limits(scratch=Bound(4000)), Limits(scratch_bytes=Bound("4095 * itemsize"))])
def test_scratch_is_counted_in_elements_or_bytes(
    limits: Limits, square: Puzzle, square_source: str, tmp_path: Path
) -> None:
    source = square_source.replace("y = torch.empty_like(x)\n", SCRATCH)
    assert codes(checked(replace(square, limits=limits), source, tmp_path)) == {"scratch-too-large"}


SCALED = """
import torch
import triton
import triton.language as tl


@triton.jit
def scaled_kernel(x_ptr, y_ptr, n_ptr, n, factor, NEGATE: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    y = tl.load(x_ptr + offsets, mask=mask, other=0.0).to(tl.float32) * factor
    if NEGATE:
        y = -y
    tl.store(y_ptr + offsets, y, mask=mask)
    tl.store(n_ptr + offsets, offsets.to(tl.int64), mask=mask)


def scaled(x, factor, negate, mode):
    y = torch.empty_like(x, dtype=torch.float32)
    n = torch.empty(x.shape, dtype=torch.int64, device=x.device)
    if x.numel():
        grid = (triton.cdiv(x.numel(), 64),)
        scaled_kernel[grid](x, y, n, x.numel(), factor if mode == "factor" else 1.0, NEGATE=negate, BLOCK=64)
    return y, n
"""
REFERENCE = """
import torch


def scaled(x, factor, negate, mode):
    y = x * (factor if mode == "factor" else 1.0)
    return (-y if negate else y), torch.arange(x.numel())
"""


@pytest.fixture
def scaled(square: Puzzle, tmp_path: Path) -> Puzzle:
    """A puzzle with plain values of every kind, and two outputs whose dtypes are not the case's."""
    (tmp_path / "answers.py").write_text(REFERENCE)
    return replace(
        square,
        host="scaled",
        arguments=(
            Argument("x"),
            Argument("factor", "scalar", choices=(3.0, 0.5)),
            Argument("negate", "bool", choices=(True, False)),
            Argument("mode", "string", choices=("factor",)),
        ),
        outputs=(OutputSpec("y", "exact", dtype="float32"), OutputSpec("n", "exact", None, "int64", contiguous=True)),
        reference="answers:scaled",
        limits=Limits(),
        cases=(*square.cases, Case("as it is", "x.", "normal", ("prime(50, 90)",), values={"mode": "keep"})),
        folder=tmp_path,
    )


def test_plain_values_and_outputs_of_other_dtypes(scaled: Puzzle, tmp_path: Path) -> None:
    result = checked(scaled, SCALED, tmp_path)
    assert result.verdict is Verdict.PASS, result.findings
    assert {row.tensor: row.role for row in result.traffic} == {"x": "input", "y": "output", "n": "output"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "output", "said"),
    [
        ("offsets.to(tl.int64)", "(offsets + (offsets == 7)).to(tl.int64)", "n", "of n are wrong"),
        ("* factor\n", "* factor * 1.01\n", "y", "of y are wrong"),
        ('if mode == "factor" else 1.0', "", "y", "of y are wrong"),
    ],
)
def test_the_output_that_is_wrong_is_named(
    old: str, new: str, output: str, said: str, scaled: Puzzle, tmp_path: Path
) -> None:
    assert old in SCALED
    result = checked(scaled, SCALED.replace(old, new), tmp_path)
    assert result.verdict is Verdict.FAIL
    wrong = {case.mismatch.output for case in result.cases if case.mismatch is not None}
    assert wrong == {output}
    (finding,) = (finding for finding in result.findings if finding.code == "wrong-values")
    if f" {output} is what the reference gives" not in finding.message:
        assert said in finding.message
        assert f"{'y' if output == 'n' else 'n'} right." in finding.message


@pytest.mark.parametrize(
    ("old", "new", "code", "said"),
    [
        ("dtype=torch.int64", "dtype=torch.int32", "wrong-dtype", "returns n in int32; it must be int64, whatever"),
        ("return y, n", "return n, y", "wrong-dtype", "returns y in int64; it must be float32"),
        ("return y, n", "return y", "wrong-type", "returns 1 value; 2 expected: y, n."),
        ("return y, n", "return y, n[None]", "wrong-shape", "returns n with shape (1, "),
        (
            "x.shape, dtype=torch.int64, device=x.device)",
            "(*x.shape, 2), dtype=torch.int64, device=x.device)[..., 0]",
            "wrong-strides",
            "returns n, which is not contiguous; a contiguous tensor of shape (",
        ),
        ("return y, n", "return y, 3", "wrong-type", "returns an int as n; a plain torch.Tensor of shape"),
    ],
)
def test_the_form_of_each_output_is_named(
    old: str, new: str, code: str, said: str, scaled: Puzzle, tmp_path: Path
) -> None:
    result = checked(scaled, SCALED.replace(old, new), tmp_path)
    assert said in next(finding.message for finding in result.findings if finding.code == code)


@pytest.mark.parametrize(
    ("body", "code", "said"),
    [
        ("return y", "no-gradient", "What square(x) returns has no gradient function."),
        ("return y, y", "no-gradient", "square(x) returns 2 values; 1 tensor is expected."),
        ("return x * x", "torch-compute", "square(x) runs torch's mul"),
    ],
)
def test_a_backward_call_needs_gradients_that_a_kernel_made(
    body: str, code: str, said: str, square: Puzzle, square_source: str, tmp_path: Path
) -> None:
    asked = replace(
        square,
        arguments=(Argument("x", requires_grad=True),),
        gradients=(Argument("dy"),),
        outputs=(OutputSpec("dx", "exact"),),
        results=(OutputSpec("y", "exact"),),
        limits=Limits(),
        cases=square.cases[:1],
    )
    result = checked(asked, square_source.replace("    return y\n", f"    {body}\n"), tmp_path)
    assert result.verdict in (Verdict.FAIL, Verdict.ERROR)
    assert said in next(finding.message for finding in result.findings if finding.code == code)


def test_a_limit_may_be_a_fraction(square: Puzzle, square_source: str, tmp_path: Path) -> None:
    roomy = replace(square, limits=Limits(loads={"x": "3 / 2"}))
    result = checked(roomy, square_source, tmp_path)
    assert (result.verdict, [row.limit for row in result.traffic if row.tensor == "x"]) == (Verdict.PASS, [1.5])
    twice = square_source.replace("x * x", "x * tl.load(x_ptr + offsets, mask=mask)")
    finding = next(f for f in checked(roomy, twice, tmp_path).findings if f.code == "too-many-loads")
    assert "; 1.5 times suffice. Line " in finding.message
    tight = replace(square, limits=Limits(loads={"x": 0.5}))
    assert codes(checked(tight, square_source, tmp_path)) == {"too-many-loads"}


def test_values_that_differ_between_cases_are_told(square: Puzzle, square_source: str, tmp_path: Path) -> None:
    plain = (Argument("eps", "scalar", choices=(1e-5,)), Argument("mode", "string", choices=("plain",)))
    cases = (square.cases[0], replace(square.cases[1], values={"eps": 1e-6}))
    asked = replace(
        square, arguments=(*square.arguments, *plain), cases=cases, reference="answers:square", folder=tmp_path
    )
    (tmp_path / "answers.py").write_text("def square(x, eps, mode):\n    return x * x\n")
    result = checked(asked, square_source.replace("def square(x: torch.Tensor)", "def square(x, eps, mode)"), tmp_path)
    assert result.verdict is Verdict.PASS, result.findings
    assert [case.values for case in result.cases] == [{"eps": 1e-5}, {"eps": 1e-6}]
    assert described(result.cases[1]).endswith("  float16  eps = 1e-06")


def test_a_case_without_floating_point_has_no_dtype(square: Puzzle, square_source: str, tmp_path: Path) -> None:
    (tmp_path / "inputs.py").write_text(
        "import torch\n\n\ndef small(shape, generator):\n    return (torch.ones(shape),)\n"
    )
    whole = replace(
        square,
        arguments=(Argument("x", dtype="int32"),),
        outputs=(OutputSpec("y", "exact", dtype="int32"),),
        cases=(replace(square.cases[0], family="inputs:small"),),
        folder=tmp_path,
    )
    result = checked(whole, square_source, tmp_path)
    assert (result.verdict, result.cases[0].dtype) == (Verdict.PASS, "")
    assert described(result.cases[0]) == str(result.cases[0].shape[0])


TOTAL = """
import torch
import triton
import triton.language as tl


@triton.jit
def total_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(y_ptr, tl.sum(tl.load(x_ptr + offsets, mask=offsets < n, other=0.0).to(tl.float32)))


def square(x):
    y = torch.empty((), dtype=x.dtype, device=x.device)
    total_kernel[(1,)](x, y, x.numel(), BLOCK=1024)
    return y
"""


@pytest.mark.parametrize(("store", "code"), [("y_ptr, ", None), ("y_ptr, 2 + ", "wrong-values")])
def test_an_output_may_be_a_single_number(store: str, code: str | None, square: Puzzle, tmp_path: Path) -> None:
    total = OutputSpec("y", "close", shape=())
    asked = replace(square, reference="torch:sum", outputs=(total,), limits=Limits())
    result = checked(asked, TOTAL.replace("store(y_ptr, ", f"store({store}"), tmp_path)
    assert codes(result) == ({code} if code else set())
    if code:
        assert "1 of 1 elements of y are wrong" in result.findings[0].message
