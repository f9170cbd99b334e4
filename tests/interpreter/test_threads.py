"""What a program stores to global memory, other threads of it load after a barrier alone."""

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


RACING = (turned_round, in_smaller_tiles, one_number, overwritten)


def found(kernel: Any, *, programs: int = 1, warps: int = 4, **constants: Any) -> list[tuple[str, int | None]]:
    x, y = torch.randn(1024), torch.zeros(2048)
    with Tracer() as tracer:
        kernel[(programs,)](x, y, N=256, num_warps=warps, **constants)
    return [(finding.code, finding.line) for finding in findings_of(tracer)]


@pytest.mark.parametrize("kernel", RACING, ids=lambda kernel: kernel.fn.__name__)
def test_what_another_thread_has_just_stored_is_a_race(kernel: Any) -> None:
    assert found(kernel, BARRIER=False) == [(CODE, line_of(kernel))]


@pytest.mark.parametrize("kernel", RACING, ids=lambda kernel: kernel.fn.__name__)
def test_it_is_none_after_a_barrier_or_in_one_warp(kernel: Any) -> None:
    assert found(kernel, BARRIER=True) == found(kernel, BARRIER=False, warps=1) == []


@pytest.mark.parametrize("kernel", [summed_between, each_its_own, zeros_twice], ids=lambda kernel: kernel.fn.__name__)
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
