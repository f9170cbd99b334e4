"""Checking a timed output by some of its rows."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tritonpuzzles.curriculum import baselines, references
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.judge.bench import BenchOptions
from tritonpuzzles.judge.bench.plan import Plan, Sample, draw_sample, form_finding, plan_bench, value_finding
from tritonpuzzles.judge.evidence.fields import Output
from tritonpuzzles.judge.resolve import resolve
from tritonpuzzles.judge.truth import CHUNK, FEWEST_ROWS, MOST_ROWS, SAMPLE_BYTES, choose_rows
from tritonpuzzles.wire.authored import AuthorError
from tritonpuzzles.wire.drawing import draw_tensors
from tritonpuzzles.wire.job import TensorSpec

CPU = torch.device("cpu")
FAMILY = "tritonpuzzles.curriculum.families.rows:normal"
ATTENTION = "tritonpuzzles.curriculum.families.products:attention_normal"


@given(st.integers(1, 100_000), st.integers(1, 1 << 22))
def test_rows_are_few_distinct_rising_and_hold_both_ends(n_rows: int, row_bytes: int) -> None:
    rows = choose_rows(n_rows, row_bytes)
    assert list(rows) == sorted(set(rows))
    assert (rows[0], rows[-1]) == (0, n_rows - 1)
    assert len(rows) == n_rows or FEWEST_ROWS <= len(rows) <= MOST_ROWS
    assert len(rows) <= FEWEST_ROWS or len(rows) * row_bytes <= SAMPLE_BYTES


def test_nobody_can_know_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    random.seed(1)
    first = choose_rows(4096, 524288)
    random.seed(1)
    assert choose_rows(4096, 524288) != first


def inputs_of(plan: Plan) -> list[torch.Tensor]:
    """Return what a worker draws to be checked on."""
    point = plan.job("x.py").points[0]
    generator = torch.Generator(CPU).manual_seed(point.check_seed)
    return draw_tensors(plan.family, point.tensors, point.shape, generator, plan.puzzle.folder)


def test_both_sides_draw_the_same_numbers() -> None:
    def drawn(seed: int, family: str = FAMILY, names: str = "x") -> list[torch.Tensor]:
        specs = [TensorSpec(name, (7, 16), "float16") for name in names]
        return draw_tensors(family, specs, (7, 16), torch.Generator(CPU).manual_seed(seed), None)

    (a,), (b,) = drawn(5), drawn(5)
    assert torch.equal(a, b)
    assert (a.dtype, a.shape, a.device) == (torch.float16, (7, 16), CPU)
    assert not torch.equal(a, drawn(6)[0])
    assert len(drawn(5, ATTENTION, "qkv")) == 3
    q, k, _ = drawn(5, names="qkv")
    assert not torch.equal(q, k)
    with pytest.raises(AuthorError, match=r"draws 3 tensors where 2 are needed \(q, k\)"):
        drawn(5, ATTENTION, "qk")


def softmax_plan() -> Plan:
    return plan_bench(load_curriculum().find("3"), BenchOptions((777,)), 3)


def attention_plan(dtype: str = "float16") -> Plan:
    return plan_bench(load_curriculum().find("5"), BenchOptions((600,), dtype=dtype), 3)


def sampled(plan: Plan, rows: tuple[int, ...]) -> tuple[Sample, torch.Tensor]:
    """Return a sample, and the whole output of an ordinary correct kernel."""
    inputs = inputs_of(plan)
    kernel = baselines.torch_softmax if plan.puzzle.number == 3 else references.attention_model
    return draw_sample(plan, 0, CPU, rows), kernel(*inputs)


def look(sample: Sample, whole: torch.Tensor) -> str | None:
    output = Output("Tensor", tuple(whole.shape), str(whole.dtype).removeprefix("torch."), "cpu")
    wrong = form_finding(sample, [output], "cpu", "f(x)")
    if wrong is None:
        piece = whole[list(sample.rows)].reshape(-1).view(torch.uint8).numpy().tobytes()
        wrong = value_finding(sample, [output], [piece], "f(x)")
    return None if wrong is None else wrong.message


@pytest.mark.parametrize(
    "plan",
    [softmax_plan(), attention_plan(), attention_plan("float32")],
    ids=lambda plan: f"{plan.puzzle.slug}, {plan.dtype}",
)
@pytest.mark.parametrize("rows", [(0, 5, 311, 599), tuple(range(600))], ids=["some", "many"])
def test_right_rows_are_right(plan: Plan, rows: tuple[int, ...]) -> None:
    sample, whole = sampled(plan, rows)
    assert look(sample, whole) is None
    assert sample.nbytes == len(rows) * whole.shape[1] * whole.element_size()
    truth = resolve(plan.puzzle).reference
    expected = truth(*(tensor.double() for tensor in inputs_of(plan)))[list(rows)]
    assert torch.allclose(sample.drawn.golden[0], expected, rtol=1e-12)


def dot_sampled(spoil: str | None = None) -> str | None:
    """Return what is found in some rows of puzzle 8's outputs, one of which may be wrong in a row that is looked at."""
    plan = plan_bench(load_curriculum().find("8"), BenchOptions((400,)), 3)
    rows = (0, 5, *range(10, 300), 399)
    assert len(rows) > CHUNK
    a, b, g = inputs_of(plan)
    whole = dict(zip(("da", "db", "c"), baselines.torch_dot(a, b, False, False, g), strict=True))
    if spoil is not None:
        whole[spoil][5, 7] += 3
    sample = draw_sample(plan, 0, CPU, rows)
    outputs = [Output("Tensor", tuple(t.shape), str(t.dtype).removeprefix("torch."), "cpu") for t in whole.values()]
    assert form_finding(sample, outputs, "cpu", "f(x)") is None
    pieces = [t[list(rows)].reshape(-1).view(torch.uint8).numpy().tobytes() for t in whole.values()]
    found = value_finding(sample, outputs, pieces, "f(x)")
    return None if found is None else found.message


def test_rows_of_gradients_may_need_columns_of_what_they_are_made_from() -> None:
    assert dot_sampled() is None


@pytest.mark.parametrize("name", ["da", "db", "c"])
def test_a_wrong_element_of_any_output_is_seen(name: str) -> None:
    message = dot_sampled(name)
    assert message is not None
    assert f"1 of 117,200 elements of {name} looked at, of 160,000; the first is [5, 7]" in message


MISTAKES: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "nan": lambda y: y * torch.nan,
    "zeros": torch.zeros_like,
    "another row": lambda y: y.roll(1, 0),
    "scaled": lambda y: y * 1.01,
    "one element": lambda y: y.index_put((torch.tensor([311]), torch.tensor([7])), torch.tensor(0.5, dtype=y.dtype)),
    "shape": lambda y: y[:-1],
    "dtype": lambda y: y.double(),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_wrong_rows_are_wrong(mistake: str) -> None:
    sample, whole = sampled(softmax_plan(), (0, 5, 311, 4095))
    message = look(sample, MISTAKES[mistake](whole))
    assert message is not None
    if mistake == "one element":
        assert (
            "at n_cols = 777, in the very call that was timed: 1 of 3,108 elements of y looked at, of 3,182,592"
            in message
        )
        assert "the first is [311, 7]: expected" in message
    if mistake == "shape":
        assert "returns y with shape (4095, 777); (4096, 777) is expected" in message


def test_bytes_of_another_length_are_no_rows() -> None:
    sample, whole = sampled(softmax_plan(), (0, 1))
    output = Output("Tensor", tuple(whole.shape), "float32", "cpu")
    with pytest.raises(ValueError, match="bytes"):
        value_finding(sample, [output], [b"123"], "f(x)")


def test_two_outputs_where_one_is_expected() -> None:
    sample, whole = sampled(softmax_plan(), (0, 1))
    output = Output("Tensor", tuple(whole.shape), "float32", "cpu")
    found = form_finding(sample, [output, output], "cpu", "f(x)")
    assert found is not None
    assert found.code == "wrong-type"
    assert form_finding(sample, [output], "cuda", "f(x)") is not None
    assert CHUNK < MOST_ROWS
