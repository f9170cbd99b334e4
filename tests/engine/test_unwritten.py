"""What the GPU path sees beside values, shown on memory of the CPU: marks that stay, and loads that stray."""

import pytest
import torch
from torch import Tensor

from tests.worded import said
from tritonpuzzles.engine.memory import bytes_of
from tritonpuzzles.engine.watch import (
    dependences,
    differing_runs,
    poison,
    reserve,
    stray_stores,
    unmarked,
    unwritten,
    zones,
)

FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]


@pytest.mark.parametrize("dtype", FLOATS)
def test_the_mark_is_a_nan_that_no_other_nan_is(dtype: torch.dtype) -> None:
    tensor = poison(torch.empty(3, 5, dtype=dtype))
    assert torch.isnan(tensor).all()
    assert unwritten(tensor).all()
    tensor[0] = torch.nan
    tensor[1] = torch.inf - torch.tensor(torch.inf, dtype=dtype)
    assert unwritten(tensor).sum(dim=1).tolist() == [0, 0, 5]


@pytest.mark.parametrize("dtype", FLOATS)
def test_arithmetic_does_not_give_the_mark(dtype: torch.dtype) -> None:
    marked = poison(torch.empty(1000, dtype=dtype))
    for result in (marked.exp(), marked / marked, torch.softmax(marked, dim=0)):
        assert torch.isnan(result).all()
    assert not unwritten(torch.full((1000,), torch.nan, dtype=dtype)).any()


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1,), (2, 1, 2)])
@pytest.mark.parametrize("dtype", [*FLOATS, torch.int64, torch.bool])
def test_memory_of_any_shape_can_be_marked(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    tensor = poison(torch.empty(shape, dtype=dtype))
    assert tensor.shape == unwritten(tensor).shape == shape
    assert bool(unwritten(tensor).all()) == (dtype in FLOATS or not tensor.numel())


@pytest.mark.parametrize(
    ("shape", "stride"), [((3, 4), (10, 2)), ((5, 1), (4, 1)), ((5,), (4,)), ((3, 2), (1, 3)), ((1,), (4,))]
)
@pytest.mark.parametrize("dtype", FLOATS)
def test_the_mark_is_seen_in_a_strided_tensor(
    dtype: torch.dtype, shape: tuple[int, ...], stride: tuple[int, ...]
) -> None:
    tensor = poison(torch.empty_strided(shape, stride, dtype=dtype))
    assert unwritten(tensor).all()
    tensor[1:] = 1.0
    assert unwritten(tensor)[0].all()
    assert not unwritten(tensor)[1:].any()


@pytest.mark.parametrize(("shape", "stride"), [((1,), (7,)), ((2, 1), (1, 7)), ((1, 3), (7, 2)), ((0, 2), (1, 7))])
def test_a_tensor_of_any_strides_has_its_bytes(shape: tuple[int, ...], stride: tuple[int, ...]) -> None:
    tensor = torch.arange(9.0).as_strided(shape, stride, 1)
    assert bytes_of(tensor).numpy().tobytes() == tensor.numpy().tobytes()


def test_whole_numbers_have_no_mark() -> None:
    assert not unwritten(poison(torch.empty(4, dtype=torch.int32))).any()


def test_what_nothing_writes_is_said_in_words() -> None:
    output = poison(torch.empty(3, 8))
    output[:, :6] = 1.0
    (finding,) = said(unmarked((output,)))
    assert finding.code == "unwritten-elements"
    assert "6 of 24 elements" in finding.message
    assert "columns 6 and after of every row" in finding.message


def run_with_input(reads: slice) -> tuple[dict[str, Tensor], Tensor, object]:
    """Return a guarded input and a host that sums a window of its storage, counted from the tensor's first element."""
    x = reserve(8, torch.float32, "cpu").copy_(torch.arange(8.0))
    start = x.storage_offset()

    def host() -> list[Tensor]:
        whole = torch.empty(0).set_(x.untyped_storage())
        return [whole[start + reads.start : start + reads.stop].nan_to_num(-1.0).sum()[None]]

    return {"x": x}, host()[0], host


@pytest.mark.parametrize(("reads", "seen"), [(slice(0, 8), False), (slice(0, 9), True), (slice(-1, 8), True)])
def test_a_result_that_depends_on_the_neighbourhood(reads: slice, seen: bool) -> None:
    inputs, first, host = run_with_input(reads)
    found = dependences(host, inputs, (first,))  # type: ignore[arg-type]
    assert [finding.code for finding in found] == ["out-of-bounds-load"] * seen
    assert all(bool((zone == 0xFF).all()) for zone in zones(inputs["x"]))


@pytest.mark.parametrize(
    ("index", "words"), [(-2, "2 elements before its first"), (8, "1 element after its last"), (3, None)]
)
def test_a_stray_store_is_measured(index: int, words: str | None) -> None:
    y = reserve(8, torch.float32, "cpu")
    torch.empty(0).set_(y.untyped_storage())[y.storage_offset() + index] = 1.0
    found = said(stray_stores([("output", y)], is_fresh=True), "f(x)")
    assert [finding.message for finding in found] == (
        [] if words is None else [f"f(x) writes outside its output: {words}, on the GPU."]
    )


def test_other_bits_are_a_race_and_equal_nans_are_none() -> None:
    numbers = iter([1.0, 1.0, 2.0])
    (finding,) = said(differing_runs(lambda: [torch.tensor([3.0, next(numbers)])], (torch.tensor([3.0, 1.0]),)))
    assert finding.code == "race"
    assert "run 4 of 5" in finding.message
    assert "1 element, the first at [1]" in finding.message
    assert not differing_runs(lambda: [torch.tensor([torch.nan])], (torch.tensor([torch.nan]),))
