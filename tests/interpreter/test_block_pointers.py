"""Block pointers, where Triton has them: 3.6 to 3.8."""

from __future__ import annotations

import pytest
import torch
import triton
import triton.language as tl

from tritonpuzzles.engine.interpreter import Tracer

VERSION = tuple(int(part) for part in triton.__version__.split(".")[:2])
pytestmark = pytest.mark.skipif(VERSION >= (3, 9), reason="Triton 3.9 has removed them")


@triton.jit
def double_by_columns(
    x_ptr, y_ptr, M, N, stride, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, METHOD: tl.constexpr, PAD: tl.constexpr
):
    first = tl.program_id(0) * BLOCK_M
    x_block = tl.make_block_ptr(x_ptr, (M, N), (stride, 1), (first, 0), (BLOCK_M, BLOCK_N), (1, 0))
    y_block = tl.make_block_ptr(y_ptr, (M, N), (N, 1), (first, 0), (BLOCK_M, BLOCK_N), (1, 0))
    for _ in range(0, N, BLOCK_N):
        x = tl.load(x_block, boundary_check=(0, 1), padding_option=PAD)
        tl.store(y_block, x * 2, boundary_check=(0, 1))
        if METHOD:
            x_block = x_block.advance((0, BLOCK_N))
            y_block = y_block.advance((0, BLOCK_N))
        else:
            x_block = tl.advance(x_block, (0, BLOCK_N))
            y_block = tl.advance(y_block, (0, BLOCK_N))


@triton.jit
def padded_sums(x_ptr, y_ptr, N, BLOCK: tl.constexpr, PAD: tl.constexpr):
    x = tl.load(tl.make_block_ptr(x_ptr, (N,), (1,), (0,), (BLOCK,), (0,)), boundary_check=(0,), padding_option=PAD)
    tl.store(y_ptr, tl.sum(x, axis=0))


@triton.jit
def reaches_out(x_ptr, y_ptr, N, BLOCK: tl.constexpr):
    x = tl.load(tl.make_block_ptr(x_ptr, (N,), (1,), (0,), (BLOCK,), (0,)))
    tl.store(y_ptr, tl.max(x, axis=0))


@pytest.mark.parametrize("method", [False, True])
def test_a_tile_that_is_moved_on_covers_a_matrix_with_gaps(method: bool) -> None:
    x, y = torch.randn(11, 40), torch.zeros(11, 37)
    with Tracer() as tracer:
        double_by_columns[(3,)](x, y, 11, 37, 40, BLOCK_M=4, BLOCK_N=16, METHOD=method, PAD="zero")
    assert torch.equal(y, 2 * x[:, :37])
    assert not tracer.facts
    loaded = {argument.name: argument.loaded_bytes for argument in tracer.launches[0].arguments}
    assert loaded["x_ptr"] == 11 * 37 * 4  # what lies outside costs nothing


def test_padding_is_what_it_says() -> None:
    x, y = torch.ones(10), torch.zeros(1)
    with Tracer():
        padded_sums[(1,)](x, y, 10, BLOCK=16, PAD="zero")
    assert float(y) == 10
    with Tracer():
        padded_sums[(1,)](x, y, 10, BLOCK=16, PAD="nan")
    assert torch.isnan(y).all()


def test_without_a_check_it_reaches_out_of_the_tensor() -> None:
    x, y = torch.ones(10), torch.zeros(1)
    with Tracer() as tracer:
        reaches_out[(1,)](x, y, 10, BLOCK=16)
    assert "out-of-bounds-load" in {finding.code for finding in tracer.facts}
