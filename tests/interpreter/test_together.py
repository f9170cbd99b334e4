"""The tiles that one tuple holds count together, wherever a name comes to hold it; what is taken apart does not."""

from __future__ import annotations

from typing import NamedTuple

import pytest
import torch
import triton
import triton.language as tl

from tests.interpreter.test_ledger import traced

TILE = 16


class Pair(NamedTuple):
    m: object
    l: object


@triton.jit
def assigned(x_ptr, TILE: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, TILE))
    pair = (x, x + 1, 3)
    tl.store(x_ptr + tl.arange(0, TILE), pair[0] + pair[1])


@triton.jit
def nested(x_ptr, TILE: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, TILE))
    pair = ((x, x + 1), (x, (tl.sum(x, axis=0), x)))
    tl.store(x_ptr + tl.arange(0, TILE), pair[0][1] + pair[1][0])


@triton.jit
def grown(x_ptr, TILE: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, TILE))
    tiles = ()
    for _ in tl.static_range(5):
        tiles += (x,)
    tl.store(x_ptr + tl.arange(0, TILE), tiles[4])


@triton.jit
def named(x_ptr, TILE: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, TILE))
    pair = Pair(x, x + 1)
    tl.store(x_ptr + tl.arange(0, TILE), pair.m + pair.l)


@triton.jit
def last_of(tiles):
    return tiles[2]


@triton.jit
def passed(x_ptr, TILE: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, TILE))
    tl.store(x_ptr + tl.arange(0, TILE), last_of((x, x, x + 1)))


@triton.jit
def merge(m, l, other_m, other_l):
    return tl.maximum(m, other_m), l + other_l


@triton.jit
def taken_apart(x_ptr, TILE: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, TILE))
    m, l = tl.associative_scan((x, x), 0, merge)
    a, b = merge(m, l, x, x)
    a, b = b, a
    tl.store(x_ptr + tl.arange(0, TILE), a + b)


@triton.jit
def in_part(x_ptr, TILE: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, TILE))
    pair, y = (x, x + 1), x
    tl.store(x_ptr + tl.arange(0, TILE), pair[0] + y)


@pytest.mark.parametrize(
    ("kernel", "tiles"),
    [(assigned, 2), (nested, 4), (grown, 5), (named, 2), (passed, 3), (taken_apart, 0), (in_part, 2)],
)
def test_tiles_of_one_tuple(kernel: object, tiles: int) -> None:
    trace = traced(lambda: kernel[(1,)](torch.ones(TILE), TILE), check_undefined=False)  # type: ignore[index]
    assert trace.largest_tile == TILE
    assert trace.most_together == tiles * TILE
