"""Loops and branches that differ between programs, device functions, early returns."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from .case import Case, integers, randn, zeros

LIMIT = tl.constexpr(5)


@triton.jit
def twice(x):
    return x * 2


@triton.jit
def twice_plus(x, extra=1.0):
    return twice(x) + extra


@triton.jit
def sign(x):
    if x > 0:
        return 1.0
    else:
        return -1.0


@triton.jit
def device_functions(x_ptr, y_ptr, B: tl.constexpr):
    pid = tl.program_id(0)
    offsets = pid * B + tl.arange(0, B)
    x = tl.load(x_ptr + offsets)
    tl.store(y_ptr + offsets, twice_plus(x, extra=pid) + sign(tl.sum(x)))


@triton.jit
def triangle(x_ptr, y_ptr, B: tl.constexpr):
    pid = tl.program_id(0)
    acc = tl.zeros((B,), tl.float32)
    for i in range(pid + 1):
        acc += tl.load(x_ptr + i * B + tl.arange(0, B))
    tl.store(y_ptr + pid * B + tl.arange(0, B), acc)


@triton.jit
def triangle_with_break(x_ptr, y_ptr, B: tl.constexpr):
    pid = tl.program_id(0)
    acc = tl.zeros((B,), tl.float32)
    for i in range(pid + 2):
        if i > 3:
            break
        acc += tl.load(x_ptr + i * B + tl.arange(0, B))
    tl.store(y_ptr + pid * B + tl.arange(0, B), acc)


@triton.jit
def nested(x_ptr, y_ptr, B: tl.constexpr):
    pid = tl.program_id(0)
    total, count = 0.0, 0
    for i in range(pid % 3, pid + 1, 2):
        for j in range(i + 1):
            if (i + j) % 3 == 0:
                total += tl.load(x_ptr + i) * tl.load(x_ptr + j)
                count += 1
            elif j > 2:
                total -= 1.0
            else:
                count += 10
    tl.store(y_ptr + pid * 2, total)
    tl.store(y_ptr + pid * 2 + 1, count)


@triton.jit
def loop_variable(y_ptr):
    pid = tl.program_id(0)
    i = -1
    for i in range(pid, 2 * pid + 1):
        tl.store(y_ptr + pid * 32 + i, i)
    tl.store(y_ptr + pid * 32 + 31, i)


@triton.jit
def branches(x_ptr, y_ptr, B: tl.constexpr):
    pid = tl.program_id(0)
    offsets = pid * B + tl.arange(0, B)
    x = tl.load(x_ptr + offsets)
    if pid % 2 == 0:
        x = x * 2
        if pid > 4:
            x = x - 3
    else:
        x = x + 1
    while pid > 5:
        pid -= 1
    tl.store(y_ptr + offsets, x + pid)


@triton.jit
def early_return(x_ptr, y_ptr, n, B: tl.constexpr):
    pid = tl.program_id(0)
    if pid >= n:
        return
    offsets = pid * B + tl.arange(0, B)
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets) + 1)


@triton.jit
def collatz(x_ptr, y_ptr):
    pid = tl.program_id(0)
    x = tl.load(x_ptr + pid)
    steps = 0
    while x != 1:
        x = tl.where(x % 2 == 0, x // 2, 3 * x + 1)
        steps += 1
    tl.store(y_ptr + pid, steps)


@triton.jit
def binary_search(sorted_ptr, key_ptr, y_ptr, n):
    pid = tl.program_id(0)
    key = tl.load(key_ptr + pid)
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        if tl.load(sorted_ptr + middle) < key:
            low = middle + 1
        else:
            high = middle
    tl.store(y_ptr + pid, low)


@triton.jit
def static_loops(x_ptr, y_ptr):
    pid = tl.program_id(0)
    s = 0.0
    for i in tl.static_range(4):
        s += tl.load(x_ptr + pid * 4 + i)
    for i in tl.range(0, 4, num_stages=2):
        s = s * 2 + tl.load(x_ptr + pid * 4 + i)
    for i in tl.static_range(0, LIMIT, step=2):
        s += i
    tl.store(y_ptr + pid, s + tl.num_programs(0))


@triton.jit
def persistent(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    for block in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
        offsets = block * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
        tl.store(y_ptr + offsets, x * 3 + block, mask=offsets < n)


@triton.jit
def grouped(x_ptr, y_ptr, nx, ny, GROUP: tl.constexpr, B: tl.constexpr):
    pid = tl.program_id(0)
    width = GROUP * ny
    group = pid // width
    size = min(nx - group * GROUP, GROUP)
    i, j = group * GROUP + (pid % width) % size, (pid % width) // size
    place = (i * ny + j) * B + tl.arange(0, B)
    tl.store(y_ptr + place, tl.load(x_ptr + place) + pid + max(i, 1))


@triton.jit
def conditions(x_ptr, y_ptr, lo, hi):
    pid = tl.program_id(0)
    x = tl.load(x_ptr + pid)
    y = 0
    if lo < pid < hi:
        y += 1
    if pid > lo and x > 0:
        y += 10
    if not (pid == 3):  # noqa: SIM201
        y += 100
    z = 1000 if x > 0 else 2000
    tl.store(y_ptr + pid, y + z)


@triton.jit
def two_results(x_ptr, y_ptr):
    pid = tl.program_id(0)
    state = (0.0, pid)
    for i in range(pid):
        state = (state[0] + tl.load(x_ptr + i), state[1] + 2)
    tl.store(y_ptr + pid, state[0] + state[1])


CASES = [
    Case("device_functions", device_functions, (5,), lambda: (randn(80), zeros(80), 16)),
    Case("triangle", triangle, (12,), lambda: (randn(192), zeros(192), 16)),
    Case("triangle_with_break", triangle_with_break, (8,), lambda: (randn(192), zeros(192), 16)),
    Case("nested", nested, (11,), lambda: (randn(16), zeros(22), 16)),
    Case("loop_variable", loop_variable, (9,), lambda: (zeros(9 * 32, dtype=torch.int32),)),
    Case("branches", branches, (12,), lambda: (randn(192), zeros(192), 16)),
    Case("early_return", early_return, (7,), lambda: (randn(112), zeros(112), 4, 16)),
    Case("collatz", collatz, (20,), lambda: (integers(1, 99, 20), zeros(20, dtype=torch.int32))),
    Case(
        "binary_search",
        binary_search,
        (20,),
        lambda: (randn(50).sort().values, randn(20), zeros(20, dtype=torch.int32), 50),
    ),
    Case("static_loops", static_loops, (9,), lambda: (randn(36), zeros(9))),
    Case("persistent", persistent, (4,), lambda: (randn(150), zeros(150), 150, 16)),
    Case("grouped", grouped, (12,), lambda: (randn(192), zeros(192), 3, 4, 2, 16)),
    Case("conditions", conditions, (9,), lambda: (randn(9), zeros(9, dtype=torch.int32), 2, 6)),
    Case("two_results", two_results, (7,), lambda: (randn(7), zeros(7))),
]
