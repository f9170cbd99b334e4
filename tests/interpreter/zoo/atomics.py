"""Atomics, locks and programs that wait for one another."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from .case import Case, integers, randn, zeros


@triton.jit
def scattered_add(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0)
    tl.atomic_add(y_ptr + (offsets % 7), x, mask=offsets < n)
    tl.atomic_max(y_ptr + 8, tl.max(x, axis=0))


@triton.jit
def integer_atomics(x_ptr, y_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets)
    place = y_ptr + offsets * 0
    tl.atomic_add(place, x)
    tl.atomic_min(place + 1, x)
    tl.atomic_max(place + 2, x)
    tl.atomic_and(place + 3, x)
    tl.atomic_or(place + 4, x)
    tl.atomic_xor(place + 5, x)


@triton.jit
def tickets(counter_ptr, y_ptr):
    tl.store(y_ptr + tl.program_id(0), tl.atomic_add(counter_ptr, 1))


@triton.jit
def lock(lock_ptr, y_ptr):
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(y_ptr, tl.load(y_ptr) + 1)
    tl.atomic_xchg(lock_ptr, 0)


@triton.jit
def last_arriver(x_ptr, partial_ptr, counter_ptr, y_ptr, BLOCK: tl.constexpr, N: tl.constexpr):
    pid = tl.program_id(0)
    tl.store(partial_ptr + pid, tl.sum(tl.load(x_ptr + pid * BLOCK + tl.arange(0, BLOCK))))
    if tl.atomic_add(counter_ptr, 1) == N - 1:
        tl.store(y_ptr, tl.sum(tl.load(partial_ptr + tl.arange(0, N))))


@triton.jit
def dynamic_tiles(counter_ptr, x_ptr, y_ptr, n):
    tile = tl.atomic_add(counter_ptr, 1)
    while tile < n:
        tl.store(y_ptr + tile, tl.load(x_ptr + tile) * 2)
        tile = tl.atomic_add(counter_ptr, 1)


@triton.jit
def chain(flag_ptr, x_ptr, y_ptr):
    pid = tl.program_id(0)
    before = 0.0
    if pid > 0:
        while tl.atomic_add(flag_ptr + pid - 1, 0) == 0:
            pass
        before = tl.load(y_ptr + pid - 1)
    tl.store(y_ptr + pid, before + tl.load(x_ptr + pid))
    tl.atomic_xchg(flag_ptr + pid, 1)


def _last_arriver() -> tuple:
    return randn(64), zeros(4), zeros(1, dtype=torch.int32), zeros(1), 16, 4


CASES = [
    Case("scattered_add", scattered_add, (9,), lambda: (integers(0, 9, 130).float(), zeros(9), 130, 16)),
    Case(
        "scattered_add_fp64",
        scattered_add,
        (9,),
        lambda: (randn(130, dtype=torch.float64), zeros(9, dtype=torch.float64), 130, 16),
    ),
    Case("integer_atomics", integer_atomics, (5,), lambda: (integers(-99, 99, 80), zeros(8, dtype=torch.int32), 16)),
    Case("tickets", tickets, (9,), lambda: (zeros(1, dtype=torch.int32), zeros(9, dtype=torch.int32))),
    Case("lock", lock, (5,), lambda: (zeros(1, dtype=torch.int32), zeros(1))),
    Case("last_arriver", last_arriver, (4,), _last_arriver),
    Case("dynamic_tiles", dynamic_tiles, (3,), lambda: (zeros(1, dtype=torch.int32), randn(20), zeros(20), 20)),
    Case("chain", chain, (5,), lambda: (zeros(5, dtype=torch.int32), randn(5), zeros(5))),
]
