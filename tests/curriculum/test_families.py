"""What the families draw shows the mistake that each is there for."""

from __future__ import annotations

import pytest
import torch

from tritonpuzzles.curriculum.families import FAMILIES
from tritonpuzzles.curriculum.references import attention


def drawn(name: str, shape: tuple[int, int]) -> tuple[torch.Tensor, ...]:
    return FAMILIES[name](shape, torch.Generator().manual_seed(1))


@pytest.mark.parametrize("start", [-1e3, -1e4, -1e6, -1e9, -1e30])
def test_some_row_lies_below_every_usual_start_of_a_maximum(start: float) -> None:
    (x,) = drawn("deep_below_zero", (4, 50))
    assert any(torch.exp(row.float() - start).sum() == 0 for row in x)


def test_float16_holds_the_rows_that_are_twenty_thousand_below() -> None:
    (x,) = drawn("twenty_thousand_below", (3, 500))
    assert torch.isfinite(x.half()).all()
    assert x.max() < -1e4


def test_a_log_sum_is_lost_beside_the_plateau_and_its_numbers_are_exact() -> None:
    (x,) = drawn("plateau", (3, 500))
    m = x.float().amax(dim=1)
    assert torch.equal(m + torch.log(torch.tensor(500.0)), m)
    assert torch.equal(x.float().double(), x)


def test_late_scores_of_even_queries_are_so_low_that_the_inverse_factor_overflows() -> None:
    q, k, _ = drawn("overwhelming_key", (280, 64))
    scores = q[::2].half().float() @ k.half().float().mT / 8
    drop = scores[:, :256].amax(dim=1) - scores[:, 256:].amax(dim=1)
    assert torch.isinf(torch.exp(drop)).all()


@pytest.mark.parametrize("tile", [16, 32, 64])
def test_scores_of_odd_tiles_pass_those_of_even_ones_so_far_for_odd_queries_that_a_factor_overflows(tile: int) -> None:
    q, k, _ = drawn("overwhelming_key", (280, 64))
    scores = q[1::2].half().float() @ k.half().float().mT / 8
    odd = torch.arange(280) // tile % 2 == 1
    assert torch.isinf(torch.exp(scores[:, odd].amax(dim=1) - scores[:, ~odd].amax(dim=1))).all()


def test_deep_scores_are_two_numbers_below_every_usual_start_in_every_dtype_with_room() -> None:
    for dtype in (torch.float32, torch.bfloat16):
        q, k, _ = (tensor.to(dtype).float() for tensor in drawn("deep_scores", (70, 64)))
        assert (q @ k.mT / 8).unique().tolist() == [-(2.0**123), -(2.0**31)]


def test_sums_of_heavy_values_pass_float16_and_the_output_does_not() -> None:
    q, k, v = drawn("heavy_values", (263, 64))
    scores = q @ k.mT / 8
    weights = torch.exp(scores - scores.amax(dim=1, keepdim=True))
    assert (weights @ v).min() > torch.finfo(torch.float16).max
    tiles = [weights[:, start : start + 16] @ v[start : start + 16] for start in range(0, 256, 16)]
    assert all(tile.min() > torch.finfo(torch.float16).max for tile in tiles)
    assert torch.isfinite(attention(q, k, v).half()).all()


def test_huge_values_are_for_float32_and_bfloat16_alone() -> None:
    output = attention(*drawn("huge_values", (140, 64)))
    assert torch.isfinite(output.bfloat16()).all()
    assert torch.isinf(output.half()).any()


def test_signs_are_whole_numbers_whose_sums_float16_holds() -> None:
    (a,) = drawn("signs", (40, 300))
    assert a.unique().tolist() == [-1, 0, 1]
    assert (a.abs() @ a.abs().mT).max() <= 2048


@pytest.mark.parametrize("k", [1, 2, 149, 190])
def test_sums_beyond_float16_come_back_exactly(k: int) -> None:
    a, b = FAMILIES["sums_beyond_float16"]((50, 60, k), torch.Generator().manual_seed(1))
    assert (a.abs() @ b.abs()).max() <= 2**24  # whole numbers that float32 holds, in any order
    for dtype in (torch.float16, torch.bfloat16):
        assert torch.equal(a.to(dtype).double(), a)
        assert torch.equal(b.to(dtype).double(), b)
    assert torch.equal((a @ b).half().double(), a @ b)
    if k > 100:
        assert (a[:, : k // 2] @ b[: k // 2]).min() > torch.finfo(torch.float16).max


def test_rows_without_numbers_spoil_themselves_alone_and_their_infinities_have_signs() -> None:
    a, b = FAMILIES["rows_without_numbers"]((30, 40, 33), torch.Generator().manual_seed(1))
    c, spoilt = a @ b, torch.tensor([column % 7 == 2 for column in range(40)])
    infinite = torch.tensor([column % 7 == 4 for column in range(40)])
    assert c[:, spoilt].isnan().all()
    assert not a[:15].any()
    assert c[:15, infinite].isnan().all()
    assert not torch.isfinite(c[:, infinite]).any()
    assert {torch.inf, -torch.inf} <= set(c[15:, infinite].flatten().tolist())
    c = c[15:, ~(spoilt | infinite)]
    finite = torch.tensor([row % 7 in (0, 2, 5) for row in range(15)])
    assert torch.isfinite(c[finite]).all()
    assert not torch.isfinite(c[~finite]).any()
    assert {torch.inf, -torch.inf} <= set(c[3].tolist())


def test_opposed_signs_leave_no_sum_above_zero() -> None:
    a, b = FAMILIES["opposed_signs"]((15, 40, 33), torch.Generator().manual_seed(1))
    assert (a @ b).max() < 0


def test_large_products_are_for_bfloat16_alone() -> None:
    (a,) = drawn("large", (60, 60))
    c = a @ a
    assert torch.isfinite(c.bfloat16()).all()
    assert torch.isinf(c.half()).any()
