"""`tl.reduce` and `tl.associative_scan` combine as a tree does: in order, and not one element after the other."""

from __future__ import annotations

import pytest
import torch
import triton
import triton.language as tl

from tritonpuzzles.engine.interpreter import Tracer

LENGTH = 64


@triton.jit
def joined(m1, l1, m2, l2):
    m = tl.maximum(m1, m2)
    return m, l1 * tl.exp(m1 - m) + l2 * tl.exp(m2 - m)


@triton.jit
def one_taken_in(m1, l1, m2, l2):
    """Forget that the second operand may be a sum of several elements."""
    m = tl.maximum(m1, m2)
    return m, l1 * tl.exp(m1 - m) + tl.exp(m2 - m)


@triton.jit
def affine(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def sums(x_ptr, y_ptr, B: tl.constexpr, combine: tl.constexpr):
    pid, i = tl.program_id(0), tl.arange(0, B)
    x = tl.load(x_ptr + pid * B + i)
    m, l = tl.reduce((x, tl.full((B,), 1.0, tl.float32)), 0, combine)
    tl.store(y_ptr + pid, m + tl.log(l))


@triton.jit
def recurrence(a_ptr, b_ptr, y_ptr, B: tl.constexpr, REVERSE: tl.constexpr):
    i = tl.arange(0, B)
    _, b = tl.associative_scan((tl.load(a_ptr + i), tl.load(b_ptr + i)), 0, affine, reverse=REVERSE)
    tl.store(y_ptr + i, b)


def log_sum_exp(combine: object) -> tuple[torch.Tensor, torch.Tensor]:
    x = torch.randn(3, LENGTH, generator=torch.Generator().manual_seed(1))
    y = torch.zeros(3)
    with Tracer():
        sums[(3,)](x, y, LENGTH, combine)
    return y, torch.logsumexp(x, 1)


@triton.jit
def summed_down(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M), tl.arange(0, N)
    x = tl.load(x_ptr + i[:, None] + j[None, :] * M)
    tl.store(y_ptr + j, tl.sum(x, axis=0))
    tl.store(y_ptr + N + tl.arange(0, N), tl.sum(tl.trans(tl.trans(x)), axis=0))


def test_what_is_too_little_for_a_sum_by_itself_counts_together() -> None:
    x, y = torch.full((4, 1024), 4e-8), torch.empty(2, 4)
    x[:, 5] = 1.0
    with Tracer(tf32=False):
        summed_down[(1,)](x, y, 1024, 4)
    assert torch.allclose(y, torch.full_like(y, 1 + 1023 * 4e-8), rtol=1e-6, atol=0)


def test_states_are_joined() -> None:
    torch.testing.assert_close(*log_sum_exp(joined))


def test_a_function_for_one_element_after_the_other_is_wrong_as_on_a_gpu() -> None:
    found, truth = log_sum_exp(one_taken_in)
    assert (found < truth - 1).all()


@triton.jit
def the_first(a, b):
    return a


@triton.jit
def the_last(a, b):
    return b


@triton.jit
def of_ends(x_ptr, y_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(y_ptr, tl.reduce(x, 0, the_first))
    tl.store(y_ptr + 1, tl.reduce(x, 0, the_last))


def test_a_function_whose_operands_may_not_be_exchanged_is_wrong_as_on_a_gpu() -> None:
    x, y = torch.arange(16.0), torch.empty(2)
    with Tracer():
        of_ends[(1,)](x, y, 16)
    assert y[0] != x[0]
    assert y[1] != x[-1]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("length", [1, 2, 4, 32])
def test_a_scan_gives_every_prefix(length: int, reverse: bool) -> None:
    a, b = torch.rand(2, length, generator=torch.Generator().manual_seed(1))
    found, state, truth = torch.zeros(length), torch.zeros(()), torch.zeros(length)
    for i in range(length - 1, -1, -1) if reverse else range(length):
        state = truth[i] = state * a[i] + b[i]
    with Tracer():
        recurrence[(1,)](a, b, found, length, reverse)
    torch.testing.assert_close(found, truth)
