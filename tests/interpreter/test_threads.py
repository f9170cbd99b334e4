"""What a program stores to global memory, other threads of it load after a barrier alone; so do pipelined loops."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import triton
import triton.language as tl

from tests.worded import findings_of
from tritonpuzzles.engine.interpreter import Tracer

from .test_findings import line_of

CODE = "race-in-program"


@triton.jit
def turned_round(x_ptr, y_ptr, N: tl.constexpr, BARRIER: tl.constexpr):
    o = tl.arange(0, N)
    tl.store(y_ptr + o, tl.load(x_ptr + o))
    if BARRIER:
        tl.debug_barrier()
    turned = tl.load(y_ptr + N - 1 - o)  # here
    tl.store(y_ptr + N + o, turned)


@triton.jit
def in_smaller_tiles(x_ptr, y_ptr, N: tl.constexpr, BARRIER: tl.constexpr):
    o = tl.arange(0, N)
    tl.store(y_ptr + o, tl.load(x_ptr + o))
    if BARRIER:
        tl.debug_barrier()
    half = tl.arange(0, N // 2)
    for start in range(0, N, N // 2):
        tl.store(y_ptr + N + start + half, tl.load(y_ptr + start + half))  # here


@triton.jit
def one_number(x_ptr, y_ptr, N: tl.constexpr, BARRIER: tl.constexpr):
    o = tl.arange(0, N)
    tl.store(y_ptr, tl.load(x_ptr) + 1.0)
    if BARRIER:
        tl.debug_barrier()
    tl.store(y_ptr + N + o, tl.load(x_ptr + o) * tl.load(y_ptr))  # here


@triton.jit
def overwritten(x_ptr, y_ptr, N: tl.constexpr, BARRIER: tl.constexpr):
    o = tl.arange(0, N)
    tl.store(y_ptr + o, tl.zeros((N,), tl.float32))
    if BARRIER:
        tl.debug_barrier()
    tl.store(y_ptr + N - 1 - o, tl.load(x_ptr + o))  # here


@triton.jit
def summed_between(x_ptr, y_ptr, N: tl.constexpr):
    o = tl.arange(0, N)
    x = tl.load(x_ptr + o)
    tl.store(y_ptr + o, x)
    total = tl.sum(x)
    tl.store(y_ptr + N + o, tl.load(y_ptr + N - 1 - o) / total)


@triton.jit
def each_its_own(x_ptr, y_ptr, N: tl.constexpr):
    o = tl.arange(0, N)
    for start in range(0, 4 * N, N):
        tl.store(y_ptr + start + o, tl.load(x_ptr + o))
    for start in range(0, 4 * N, N):
        tl.store(y_ptr + start + o, tl.load(y_ptr + start + o) + 1.0)


@triton.jit
def zeros_twice(x_ptr, y_ptr, N: tl.constexpr):
    o = tl.arange(0, N)
    tl.store(y_ptr + o, tl.zeros((N,), tl.float32))
    tl.store(y_ptr + N - 1 - o, tl.zeros((N,), tl.float32))


@triton.jit
def few_numbers(x_ptr, y_ptr, N: tl.constexpr, BARRIER: tl.constexpr):
    few = tl.arange(0, N // 4)
    tl.store(y_ptr + few, tl.load(x_ptr + few))
    if BARRIER:
        tl.debug_barrier()
    tl.store(y_ptr + N + few, tl.load(y_ptr + few))  # here


@triton.jit
def sums_of_terms_in_another_order(x_ptr, y_ptr, N: tl.constexpr):
    o = tl.arange(0, N)
    for start in range(0, 4 * N, N):
        tl.store(y_ptr + start + o, tl.load(x_ptr + o))
    for first in range(0, 4 * N, N):
        at = o + first
        tl.store(y_ptr + 4 * N + at, tl.load(y_ptr + at))


@triton.jit
def stored_twice(x_ptr, y_ptr, N: tl.constexpr):
    few = tl.arange(0, 16)
    tl.store(y_ptr + few, tl.load(x_ptr + few))
    tl.store(y_ptr + few, tl.load(x_ptr + N + few))
    tl.store(y_ptr + N, 1.0)
    tl.store(y_ptr + N, 2.0)


@triton.jit
def in_a_loop(x_ptr, y_ptr, N: tl.constexpr, STAGES: tl.constexpr, BARRIER: tl.constexpr):
    o = tl.arange(0, N)
    tl.store(y_ptr + o, tl.zeros((N,), tl.float32))
    for start in tl.range(0, 4 * N, N, num_stages=STAGES):
        total = tl.load(y_ptr + o)  # here
        total += tl.sum(tl.load(x_ptr + start + o))
        if BARRIER:
            tl.debug_barrier()
        tl.store(y_ptr + o, total)
    tl.store(y_ptr + N + o, tl.load(y_ptr + o))


@triton.jit
def of_products(x_ptr, y_ptr, N: tl.constexpr, VECTOR: tl.constexpr):
    o = tl.arange(0, N) if VECTOR else tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    x = tl.load(x_ptr + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :])
    for _turn in range(3):
        y = tl.load(y_ptr + o)  # here
        tl.store(y_ptr + o, y + tl.sum(tl.dot(x, x)))


RACING = (turned_round, in_smaller_tiles, one_number, overwritten, few_numbers)
RIGHT = (summed_between, each_its_own, zeros_twice, sums_of_terms_in_another_order, stored_twice)


def found(kernel: Any, *, warps: int = 4, **constants: Any) -> list[tuple[str, int | None]]:
    x, y = torch.randn(1024), torch.zeros(2048)
    with Tracer() as tracer:
        kernel[(1,)](x, y, N=256, num_warps=warps, **constants)
    return [(finding.code, finding.line) for finding in findings_of(tracer)]


@pytest.mark.parametrize("kernel", RACING, ids=lambda kernel: kernel.fn.__name__)
def test_what_another_thread_has_just_stored_is_a_race(kernel: Any) -> None:
    assert found(kernel, BARRIER=False) == [(CODE, line_of(kernel))]


@pytest.mark.parametrize("kernel", RACING, ids=lambda kernel: kernel.fn.__name__)
def test_it_is_none_after_a_barrier_or_in_one_warp(kernel: Any) -> None:
    assert found(kernel, BARRIER=True) == found(kernel, BARRIER=False, warps=1) == []


@pytest.mark.parametrize("kernel", RACING, ids=lambda kernel: kernel.fn.__name__)
def test_a_barrier_of_each_block_keeps_no_cluster_together(kernel: Any) -> None:
    assert found(kernel, BARRIER=True, num_ctas=2) == [(CODE, line_of(kernel))]


@pytest.mark.parametrize("warps", [1, 4])
def test_a_pipelined_loop_loads_before_the_same_thread_stores(warps: int) -> None:
    race = [(CODE, line_of(in_a_loop))]
    assert found(in_a_loop, warps=warps, STAGES=3, BARRIER=False) == race
    assert found(in_a_loop, warps=warps, STAGES=3, BARRIER=True) == []
    assert found(in_a_loop, warps=warps, STAGES=1, BARRIER=False) == []
    assert found(in_a_loop, warps=warps, STAGES=None, BARRIER=False) == []


def test_without_a_hint_operands_of_products_alone_are_loaded_before() -> None:
    assert found(of_products, VECTOR=False) == [(CODE, line_of(of_products))]
    assert found(of_products, VECTOR=True) == found(of_products, VECTOR=False, num_stages=1) == []


@pytest.mark.parametrize("kernel", RIGHT, ids=lambda kernel: kernel.fn.__name__)
def test_it_is_none_where_threads_meet_or_keep_to_their_own_or_nothing_changes(kernel: Any) -> None:
    assert found(kernel) == []


def test_the_sentence_says_what_to_do() -> None:
    x, y = torch.randn(256), torch.zeros(512)
    with Tracer() as tracer:
        turned_round[(1,)](x, y, N=256, BARRIER=False)
    (finding,) = findings_of(tracer)
    assert finding.message.startswith("Other threads of the same program have just stored 256 elements of y_ptr here")
    assert finding.details["count"] == 256
    assert "tl.debug_barrier()" in (finding.next_step or "")
    with Tracer() as tracer:
        in_a_loop[(1,)](torch.randn(1024), y, N=256, STAGES=2, BARRIER=False)
    (finding,) = findings_of(tracer)
    assert finding.message.startswith("A loop loads elements of y_ptr that the same program stores in it")
    assert "it is pipelined" in finding.message
