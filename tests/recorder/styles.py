"""Kernels in every style that Triton accepts, each with a launch."""

import math
from typing import NamedTuple

import torch
import triton
import triton.language as language
import triton.language as tl
from triton.language import arange, load, store
from triton.language import math as tlmath
from triton.language.extra import libdevice
from triton.language.extra.cuda import libdevice as cuda_libdevice
from triton.tools.tensor_descriptor import TensorDescriptor

import tests.recorder.elsewhere
from tests.interpreter.zoo.case import Case, randn, zeros
from tests.recorder import elsewhere as other
from tests.recorder.elsewhere import positive as clipped

BLOCK = tl.constexpr(64)
SCALES = tl.constexpr((1.0, 2.0, 3.0))
INFINITY = tl.constexpr(float("inf"))
NAME = tl.constexpr("float")
KIND = tl.float32
POINTER = tl.pointer_type(tl.float32)
PI = math.pi
add = tl.atomic_add
exponential = tl.exp
load_again = load


class Pair(NamedTuple):
    first: tl.tensor
    second: tl.tensor


@triton.constexpr_function
def next_multiple(n, of=8):
    rest = n % of
    if rest == 0:
        return n
    return n + of - rest


@triton.constexpr_function
def log2_of(n):
    steps = 0
    while n > 1:
        n //= 2
        steps += 1
    assert steps == int(math.log2(2**steps))
    return steps


@triton.jit
def names_of_triton(x, y, n, B: tl.constexpr):
    cols = arange(0, B)
    v = load(x + cols, mask=cols < n, other=-float("inf"))
    v = exponential(v - tl.max(v, axis=0)) + tlmath.exp2(v) + language.math.abs(v)
    store(y + cols, triton.language.maximum(v, 0.0), mask=cols < n)


@triton.jit
def constants(x, y, n, B: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    v = load_again(x + cols, mask=cols < n, other=0.0).to(KIND)
    v = tl.where(v > -INFINITY, v, 0.0) * SCALES[1]
    tl.static_assert(NAME == "float")
    tl.store(y.to(POINTER) + cols, v * min(B, 2) * triton.cdiv(B, 32), mask=cols < n)


@triton.jit
def helpers(x, y, n, B: tl.constexpr):
    cols = tl.arange(0, B)
    v = tl.load(x + cols, mask=cols < n, other=0.0)
    v = clipped(v) + other.doubled(v) + tests.recorder.elsewhere.further.halved(v)
    tl.store(y + cols, v, mask=cols < n)


@triton.jit
def device_libraries(x, y, n, B: tl.constexpr):
    cols = tl.arange(0, B)
    v = tl.load(x + cols, mask=cols < n, other=0.0)
    v = libdevice.tanh(v) + cuda_libdevice.rsqrt(v * v + 1.0) + tl.extra.cuda.libdevice.exp(-v * v)
    tl.store(y + cols, v, mask=cols < n)


@triton.jit
def constexpr_functions(x, y, n, B: tl.constexpr):
    size: tl.constexpr = triton.next_power_of_2(next_multiple(B - 3))
    cols = tl.arange(0, size)
    tl.store(y + cols, tl.load(x + cols, mask=cols < n, other=0.0) * log2_of(size), mask=cols < n)


@triton.jit
def largest_of(a, b):
    return tl.where(a > b, a, b)


@triton.jit
def combines(x, y, n, B: tl.constexpr):
    cols = tl.arange(0, B)
    v = tl.load(x + cols, mask=cols < n, other=0.0)
    tl.store(y + cols, tl.associative_scan(v, 0, largest_of) + tl.reduce(v, 0, largest_of), mask=cols < n)


@triton.jit
def swapped(pair):
    return Pair(pair.second, pair.first)


@triton.jit
def tuples(x, y, n, B: tl.constexpr):
    cols = tl.arange(0, B)
    first, second = tl.load(x + cols), tl.load(x + cols + B)
    pair = swapped(Pair(first, second))
    both = (pair.first, pair.second)
    tl.store(y + cols, both[0] - 2 * both[1] + n)


@triton.jit
def defaults(x, y, n, scale=PI, B: tl.constexpr = BLOCK, shift: tl.constexpr = None):
    cols = tl.arange(0, B)
    v = tl.load(x + cols) * scale
    if shift is not None:
        v += shift
    tl.store(y + cols, v)


@triton.jit(do_not_specialize=["n"], do_not_specialize_on_alignment=["y"], debug=True)
def options(x: torch.Tensor, y: "tl.tensor", n: "i64", B: "tl.constexpr"):  # noqa: F821
    tl.device_assert(n > 0)
    cols = tl.arange(0, B)
    tl.store(y + cols, tl.load(x + cols), mask=cols < n)


@triton.jit(noinline=True)
def far_away(p, i):
    return tl.load(p + i) * 2


@triton.jit
def calls_far_away(x, y, n, B: tl.constexpr):
    for i in tl.static_range(4):
        add(y + i, far_away(x, i))
    for i in tl.range(0, n, B, num_stages=2):
        tl.store(y + 8 + i, 1.0)


@triton.jit
def descriptors(source, y, n, B: tl.constexpr):
    target = tl.make_tensor_descriptor(y, shape=[64, 64], strides=[64, 1], block_shape=[16, B])
    for row in range(0, n, 16):
        block = source.load([row, 0])
        tl.static_assert(source.block_shape[0] == 16)
        target.store([row, 0], block.T.trans().reshape(16, B).to(target.dtype))


def made(factor, inner):
    """Make a kernel that holds what it was made with."""
    table = tl.constexpr(factor)

    @triton.jit
    def kernel(x, y, n, B: tl.constexpr):
        """Multiply.

        def kernel(x): this is no code
        """
        cols = tl.arange(0, B)
        tl.store(y + cols, inner(tl.load(x + cols)) * table)

    return kernel


twice_doubled = made(3.0, other.doubled)
once_halved = made(5.0, other.further.halved)


@triton.jit
def literals(x, y, n, B: tl.constexpr):
    a, b = 0x10, 1e-3
    c = [1.0, 2.0][0] + (3,)[0]
    flag = not (n < 0 or n > 1_000_000) and n is not None
    tl.device_print("n", n)
    tl.store(y, a * b + c if flag else -1.0)
    tl.store(y + 1, tl.cast(n // 7 % 5, tl.float32))


@triton.jit
def odd_annotations(x: "Annotated['a', (1)]", y: "const int32*", B: "Annotated['tl.constexpr']"):  # noqa: F722, F821
    pass


def flat():
    return randn(256), zeros(256), 60, 64


CASES = [
    *(
        Case(kernel.__name__, kernel, (1,), flat)
        for kernel in (
            *(names_of_triton, constants, helpers, device_libraries, constexpr_functions, combines, tuples),
            *(options, calls_far_away, literals),
        )
    ),
    Case("defaults", defaults, (1,), lambda: (randn(64), zeros(64), 3)),
    Case("factory", twice_doubled, (1,), flat),
    Case("another of the same factory", once_halved, (1,), flat),
    Case(
        "descriptors",
        descriptors,
        (1,),
        lambda: (TensorDescriptor.from_tensor(randn(64, 64), [16, 64]), zeros(64, 64), 64, 64),
    ),
]
