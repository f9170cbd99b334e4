"""What the tolerances must let through and what they must not."""

from dataclasses import replace

import pytest
import torch

from tritonpuzzles.curriculum import references
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.judge.drawn import DrawnCase
from tritonpuzzles.judge.evidence.fields import Output
from tritonpuzzles.judge.inputs import draw
from tritonpuzzles.judge.resolve import tolerances_of
from tritonpuzzles.judge.tolerances import Tolerance
from tritonpuzzles.judge.verdict.compare import compare
from tritonpuzzles.results.check import Verdict

SOFTMAX, ATTENTION = load_curriculum().find("3"), load_curriculum().find("5")
MATMUL, ADDITION = load_curriculum().find("7"), load_curriculum().find("0")


def drawn(puzzle: Puzzle, name: str, dtype: str | None = None) -> DrawnCase:
    case = next(case for case in puzzle.cases if case.name == name)
    if dtype is not None:
        puzzle = replace(puzzle, cases=(replace(case, dtype=dtype, devices=("cpu",)),))
    return next(found for found in draw(puzzle, 7, "cpu") if found.name == name)


def verdict(puzzle: Puzzle, case: DrawnCase, values: torch.Tensor) -> Verdict:
    data = values.contiguous().view(torch.uint8).numpy().tobytes()
    output = Output("Tensor", tuple(values.shape), str(values.dtype).removeprefix("torch."), "cpu", data)
    return compare(case, [output], tolerances_of(puzzle, case), "cpu", "f(x)").result.verdict


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("name", ["ordinary numbers", "16,384 columns", "rising rows", "minus infinity", "one column"])
def test_torch_softmax_passes(name: str, dtype: str) -> None:
    case = drawn(SOFTMAX, name, dtype)
    assert verdict(SOFTMAX, case, torch.softmax(case.inputs[0].tensor(), dim=-1)) is Verdict.PASS


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_zeros_uniform_and_gaps_fail_at_16384_columns(dtype: str) -> None:
    case = drawn(SOFTMAX, "16,384 columns", dtype)
    right = case.golden[0].to(case.dtype)
    assert verdict(SOFTMAX, case, torch.zeros_like(right)) is Verdict.FAIL
    assert verdict(SOFTMAX, case, torch.full_like(right, 1 / 16384)) is Verdict.FAIL
    gap = right.clone()
    gap[-1] = 0
    assert verdict(SOFTMAX, case, gap) is Verdict.FAIL


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1.0])
def test_one_bad_element_fails(value: float) -> None:
    case = drawn(SOFTMAX, "ordinary numbers")
    values = case.golden[0].float()
    values[1, 5] = value
    assert verdict(SOFTMAX, case, values) is Verdict.FAIL


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_ordinary_attention_passes(dtype: str) -> None:
    case = drawn(ATTENTION, "ordinary numbers", dtype)
    inputs = [layout.tensor() for layout in case.inputs]
    assert verdict(ATTENTION, case, references.attention_model(*inputs)) is Verdict.PASS


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("wrong", ["zeros", "no scale", "last key lost"])
def test_wrong_attention_fails(wrong: str, dtype: str) -> None:
    case = drawn(ATTENTION, "values far from zero", dtype)
    q, k, v = (layout.tensor().double() for layout in case.inputs)
    values = {
        "zeros": torch.zeros_like(q),
        "no scale": references.attention(q * q.shape[-1] ** 0.5, k, v),
        "last key lost": references.attention(q, k[:-8], v[:-8]),
    }[wrong]
    assert verdict(ATTENTION, case, values.to(case.dtype)) is Verdict.FAIL


def test_tf32_fails_in_float32() -> None:
    case = drawn(ATTENTION, "ordinary numbers, float32")
    cut = [
        (layout.tensor().contiguous().view(torch.int32) & ~0x1FFF).view(torch.float32).double()
        for layout in case.inputs
    ]
    assert verdict(ATTENTION, case, references.attention(*cut).float()) is Verdict.FAIL


def test_rows_of_zeros_fail_however_far_the_inputs_lie_from_zero() -> None:
    case = drawn(SOFTMAX, "thousands and more below zero")
    right = case.golden[0].float()
    assert verdict(SOFTMAX, case, right) is Verdict.PASS
    assert verdict(SOFTMAX, case, torch.zeros_like(right)) is Verdict.FAIL


@pytest.mark.parametrize(
    ("name", "dtype", "factor"),
    [
        ("thousands and more below zero", "float32", 1.5),
        ("ordinary numbers", "bfloat16", 1.009),
        ("ordinary numbers", "float16", 1.0015),
    ],
)
def test_rows_sum_to_one_though_each_weight_may_be_further_off(name: str, dtype: str, factor: float) -> None:
    case = drawn(SOFTMAX, name, dtype)
    x = case.inputs[0].tensor()
    right = torch.softmax(x.float(), dim=-1)
    in_16_bits = torch.softmax((x - x.amax(dim=-1, keepdim=True)).float(), dim=-1)
    assert verdict(SOFTMAX, case, right.to(x.dtype)) is Verdict.PASS
    assert verdict(SOFTMAX, case, in_16_bits.to(x.dtype)) is Verdict.PASS
    assert verdict(SOFTMAX, case, (right * factor).to(x.dtype)) is Verdict.FAIL


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_a_single_sum_has_one_right_rounding(dtype: str) -> None:
    case = drawn(ADDITION, "ordinary numbers", dtype)
    right = case.inputs[0].tensor() + case.inputs[1].tensor()
    assert verdict(ADDITION, case, right) is Verdict.PASS
    assert verdict(ADDITION, case, torch.nextafter(right, right + 1)) is Verdict.FAIL


@pytest.mark.parametrize(("name", "infinite"), [("not a number", True), ("rows of minus infinity", False)])
def test_a_row_that_must_be_nan_must_be_nan_and_no_other(name: str, infinite: bool) -> None:
    case = drawn(SOFTMAX, name)
    right = torch.softmax(case.inputs[0].tensor(), dim=-1)
    lost = torch.isnan(right).all(dim=1)
    assert lost.tolist() == [row % 3 == 1 or (infinite and row % 6 == 2) for row in range(len(right))]
    assert verdict(SOFTMAX, case, right) is Verdict.PASS
    assert verdict(SOFTMAX, case, right.nan_to_num(0.0)) is Verdict.FAIL
    right[0] = torch.nan
    assert verdict(SOFTMAX, case, right) is Verdict.FAIL


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_a_sum_in_16_bits_shows_where_nothing_else_is_rounded(dtype: str) -> None:
    case = drawn(SOFTMAX, "bfloat16, rounded alike", dtype)
    x = case.inputs[0].tensor().float()
    e = torch.exp(x - x.max(dim=1, keepdim=True).values)
    assert verdict(SOFTMAX, case, (e / e.sum(dim=1, keepdim=True)).to(case.dtype)) is Verdict.PASS
    rounded = e.to(case.dtype).float().sum(dim=1, keepdim=True)
    assert verdict(SOFTMAX, case, (e / rounded).to(case.dtype)) is Verdict.FAIL


def test_attention_beside_a_query_of_nan_is_held_to_its_tolerance() -> None:
    case = drawn(ATTENTION, "a query of NaN")
    right = references.attention_model(*(layout.tensor() for layout in case.inputs))
    assert verdict(ATTENTION, case, right) is Verdict.PASS
    right[0, 1] += 1e-3
    assert verdict(ATTENTION, case, right) is Verdict.FAIL


ACTIVATED = ["activation", "activation, below zero", "activation, bfloat16", "activation, rows without numbers"]
PRODUCTS = [
    "ordinary numbers",
    "bfloat16",
    "a long k",
    "rows of every size",
    "sums beyond float16",
    "k = 0",
    *ACTIVATED,
]


def factors(case: DrawnCase) -> tuple[torch.Tensor, torch.Tensor]:
    a, b = (layout.tensor().float() for layout in case.inputs)
    return a, b


def product(case: DrawnCase, turns: int = 1) -> torch.Tensor:
    """Return the product in float32, its sums taken in so many iterations, the last first."""
    a, b = factors(case)
    parts = zip(a.tensor_split(turns, dim=1), b.tensor_split(turns), strict=True)
    return sum((x @ y for x, y in reversed([*parts])), torch.zeros(case.outputs[0].shape))


def finished(case: DrawnCase, sums: torch.Tensor) -> torch.Tensor:
    return references.activated(sums, str(case.values["activation"])).to(case.dtype)


@pytest.mark.parametrize("turns", [1, 5])
@pytest.mark.parametrize("name", [*PRODUCTS, "whole numbers", "activation, whole numbers"])
def test_products_in_float32_pass_in_any_order(name: str, turns: int) -> None:
    case = drawn(MATMUL, name)
    assert verdict(MATMUL, case, finished(case, product(case, turns))) is Verdict.PASS


@pytest.mark.parametrize("name", ["ordinary numbers", "bfloat16", "a long k", "rows of every size"])
def test_products_summed_in_16_bits_fail(name: str) -> None:
    case = drawn(MATMUL, name)
    a, b = factors(case)
    acc = torch.zeros(case.outputs[0].shape)
    for x, y in zip(a.split(64, dim=1), b.split(64), strict=True):
        acc = (acc + x @ y).to(case.dtype).float()
    assert verdict(MATMUL, case, finished(case, acc)) is Verdict.FAIL


@pytest.mark.parametrize("name", ["activation", "activation, below zero", "activation, bfloat16"])
def test_products_rounded_before_the_activation_fail(name: str) -> None:
    case = drawn(MATMUL, name)
    assert verdict(MATMUL, case, finished(case, product(case).to(case.dtype).float())) is Verdict.FAIL


@pytest.mark.parametrize("name", ["whole numbers", "one column", "sums beyond float16", "k = 0"])
def test_products_of_whole_numbers_are_exact(name: str) -> None:
    case = drawn(MATMUL, name)
    right = finished(case, product(case))
    assert torch.equal(right.double(), case.golden[0])
    off = right.view(torch.int16).clone()
    off[-1, -1] += 1  # the next number
    off = off.view(torch.float16)
    assert verdict(MATMUL, case, off) is Verdict.FAIL


def test_a_limit_of_each_element_fits_a_piece_of_the_whole() -> None:
    tolerance = Tolerance(0.5, 0.0, each=torch.arange(12.0, dtype=torch.float64).reshape(3, 4))
    golden = torch.ones(3, 4)
    assert torch.equal(tolerance.limit(golden).reshape(-1), torch.arange(12) + 0.5)
    assert torch.equal(tolerance.limit(golden.reshape(-1)[5:9], 5), torch.arange(5, 9) + 0.5)
