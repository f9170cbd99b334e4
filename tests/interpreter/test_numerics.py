"""bfloat16 and TF32 as a GPU computes them; torch is the judge where Triton's own interpreter is wrong."""

from __future__ import annotations

import inspect
import math

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from hypothesis import given
from hypothesis import strategies as st

from tritonpuzzles.engine.interpreter import KernelError, Tracer
from tritonpuzzles.engine.interpreter.float8 import decoded, encoded
from tritonpuzzles.engine.interpreter.values import bf16_bits, bf16_values, float_to_bf16, round_bf16, tf32


@triton.jit
def arithmetic(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    y = tl.load(y_ptr + offsets, mask=offsets < n, other=1.0)
    tl.store(z_ptr + offsets, x * y + x - y, mask=offsets < n)


@triton.jit
def convert(x_ptr, y_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets).to(y_ptr.dtype.element_ty))


@triton.jit
def row_sum(x_ptr, y_ptr, BLOCK: tl.constexpr):
    tl.store(y_ptr + tl.program_id(0), tl.sum(tl.load(x_ptr + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK))))


@triton.jit
def product(a_ptr, b_ptr, c_ptr, B: tl.constexpr, PRECISION: tl.constexpr):
    i = tl.arange(0, B)
    tile = i[:, None] * B + i[None, :]
    c = tl.dot(tl.load(a_ptr + tile), tl.load(b_ptr + tile), input_precision=PRECISION)
    tl.store(c_ptr + tile, c.to(c_ptr.dtype.element_ty))


@triton.jit
def bits(x_ptr, y_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    pattern = tl.load(x_ptr + offsets).to(tl.int16, bitcast=True)
    tl.store(y_ptr + offsets, (pattern ^ 1).to(tl.bfloat16, bitcast=True))


@triton.jit
def extrema(x_ptr, y_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets)
    ALL: tl.constexpr = tl.PropagateNan.ALL
    tl.store(y_ptr + offsets, tl.maximum(x, -1.0))
    tl.store(y_ptr + BLOCK + offsets, tl.minimum(1.0, x))
    tl.store(y_ptr + 2 * BLOCK + offsets, tl.clamp(x, -1.0, 1.0))
    tl.store(y_ptr + 3 * BLOCK + offsets, tl.maximum(x, -1.0, propagate_nan=ALL))
    tl.store(y_ptr + 4 * BLOCK + offsets, tl.clamp(x, -1.0, 1.0, propagate_nan=ALL))


def test_extrema_pass_over_nan_unless_they_are_asked_for_it() -> None:
    nan = float("nan")
    y = torch.zeros(5, 4)
    with Tracer():
        extrema[(1,)](torch.tensor([nan, -2.0, 0.5, 2.0]), y, BLOCK=4)
    expected = [[-1, -1, 0.5, 2], [1, -2, 0.5, 1], [-1, -1, 0.5, 1], [nan, -1, 0.5, 2], [nan, -1, 0.5, 1]]
    torch.testing.assert_close(y, torch.tensor(expected), rtol=0, atol=0, equal_nan=True)


def test_bf16_arithmetic_equals_torch() -> None:
    x, y = torch.randn(100).bfloat16(), torch.randn(100).bfloat16()
    z = torch.zeros_like(x)
    with Tracer():
        arithmetic[(4,)](x, y, z, 100, BLOCK=32)
    assert torch.equal(z, x * y + x - y)


def test_bf16_conversion_equals_torch() -> None:
    special = torch.tensor([float("inf"), -float("inf"), float("nan"), 3.3895e38, 1e-40, -0.0])
    x = torch.cat([torch.randn(250) * 1e3, special])
    there, back = torch.zeros(256, dtype=torch.bfloat16), torch.zeros(256)
    with Tracer():
        convert[(1,)](x, there, BLOCK=256)
        convert[(1,)](there, back, BLOCK=256)
    torch.testing.assert_close(there, x.bfloat16(), rtol=0, atol=0, equal_nan=True)
    torch.testing.assert_close(back, x.bfloat16().float(), rtol=0, atol=0, equal_nan=True)


def test_bf16_bitcast() -> None:
    x = torch.randn(32).bfloat16()
    y = torch.zeros_like(x)
    with Tracer():
        bits[(1,)](x, y, BLOCK=32)
    assert torch.equal(y.view(torch.int16), x.view(torch.int16) ^ 1)


@triton.jit
def bits_of(x_ptr, y_ptr, BLOCK: tl.constexpr, KIND: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets)
    tl.store(y_ptr + offsets, (x - x).to(KIND, bitcast=True))


@pytest.mark.parametrize(
    ("dtype", "kind", "bits"),
    [
        (torch.float32, tl.int32, 0x7FFFFFFF),
        (torch.float16, tl.int16, 0x7FFF),
        (torch.bfloat16, tl.int16, 0x7FFF),
    ],
    ids=str,
)
def test_nan_has_the_bits_that_a_gpu_gives_it(dtype: torch.dtype, kind: tl.dtype, bits: int) -> None:
    y = torch.zeros(4, dtype=torch.int32 if kind == tl.int32 else torch.int16)
    with Tracer():
        bits_of[(1,)](torch.tensor([torch.inf, torch.nan, 1, -torch.inf], dtype=dtype), y, BLOCK=4, KIND=kind)
    assert y.tolist() == [bits, bits, 0, bits]


@triton.jit
def there_and_back(x_ptr, y_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    offsets = tl.arange(0, ROWS * COLUMNS)
    rows = tl.reshape(tl.load(x_ptr + offsets), (ROWS, COLUMNS), can_reorder=True)
    rows /= tl.sum(rows, axis=1)[:, None]
    tl.store(y_ptr + offsets, tl.reshape(rows, (ROWS * COLUMNS,), can_reorder=True))


@pytest.mark.skipif("can_reorder" not in inspect.signature(tl.reshape.__wrapped__).parameters, reason="Triton 3.10")
@pytest.mark.filterwarnings("ignore:tl.reshape")
def test_an_order_that_is_the_compilers_mixes_rows_and_does_not_come_back() -> None:
    x, y = torch.rand(4, 8) + 1, torch.zeros(4, 8)
    with Tracer():
        there_and_back[(1,)](x, y, ROWS=4, COLUMNS=8)
    assert ((y - x / x.sum(1, keepdim=True)).abs() > 1e-6).sum() > 24


@triton.jit
def in_pairs(x_ptr, y_ptr, first, PAIRS: tl.constexpr):
    offsets = tl.arange(0, PAIRS)
    words = tl.load((x_ptr + first).to(tl.pointer_type(tl.int32)) + offsets)
    tl.store(y_ptr.to(tl.pointer_type(tl.int32)) + offsets, words)


def test_two_numbers_are_read_as_one_where_the_address_allows_it() -> None:
    x, y = torch.arange(16, dtype=torch.float16), torch.zeros(8, dtype=torch.float16)
    with Tracer():
        in_pairs[(1,)](x, y, 2, PAIRS=4)
    assert torch.equal(y, x[2:10])
    with Tracer(), pytest.raises(KernelError, match="4 bytes are accessed at an address that is no multiple") as ended:
        in_pairs[(1,)](x, y, 3, PAIRS=4)
    assert ended.value.code == "illegal-memory-access"


def in_halves(x: torch.Tensor) -> torch.Tensor:
    while x.shape[1] > 1:
        x = x[:, ::2] + x[:, 1::2]
    return x[:, 0]


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16], ids=str)
def test_a_sum_of_16_bits_rounds_after_each_addition(kind: torch.dtype) -> None:
    x = torch.randn(3, 64, generator=torch.Generator().manual_seed(1)).to(kind)
    y = torch.zeros(3, dtype=kind)
    with Tracer():
        row_sum[(3,)](x, y, BLOCK=64)
    assert torch.equal(y, in_halves(x))
    assert not torch.equal(y, x.double().sum(1).to(kind))


@triton.jit
def sums_of_a_tile(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M), tl.arange(0, N)
    x = tl.load(x_ptr + i[:, None] * N + j[None, :])
    tl.store(y_ptr + j[None, :], tl.sum(x, axis=0, keep_dims=True))
    tl.store(y_ptr + N + i, tl.sum(x, axis=1))
    tl.store(y_ptr + N + M, tl.sum(x))
    tl.store(y_ptr + N + M + 1 + tl.zeros((1, 1), tl.int32), tl.sum(x, keep_dims=True))


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16], ids=str)
def test_sums_of_16_bits_along_each_axis(kind: torch.dtype) -> None:
    x, y = torch.arange(32).reshape(4, 8).to(kind), torch.zeros(14, dtype=kind)
    with Tracer():
        sums_of_a_tile[(1,)](x, y, 4, 8)
    exact = x.float()
    assert y.tolist() == [*exact.sum(0).tolist(), *exact.sum(1).tolist(), 496, 496]


@pytest.mark.parametrize("pattern", [[1, -1], [1, 1, -1, -1]], ids=str)
@pytest.mark.parametrize("repeats", [1, 8])
def test_a_float16_sum_that_is_infinite_in_one_order_is_not_finite(pattern: list[int], repeats: int) -> None:
    x = torch.tensor(pattern).repeat_interleave(16 * repeats // len(pattern)).repeat(8 // repeats) * 60000.0
    y = torch.zeros(1, dtype=torch.float16)
    with Tracer():
        row_sum[(1,)](x[None].half(), y, BLOCK=128)
    assert not y.isfinite().any()


@triton.jit
def running(x_ptr, y_ptr, BLOCK: tl.constexpr):
    tl.store(y_ptr + tl.arange(0, BLOCK), tl.cumsum(tl.load(x_ptr + tl.arange(0, BLOCK)), axis=0))


def test_a_bf16_cumsum_rounds_after_each_addition() -> None:
    x, y = torch.full((4,), 1 + 2**-7).bfloat16(), torch.zeros(4).bfloat16()
    with Tracer():
        running[(1,)](x, y, BLOCK=4)
    pair = x[0] + x[0]
    assert y.tolist() == [x[0], pair, pair + x[0], pair + pair]


@triton.jit
def product_in_float16(a_ptr, b_ptr, c_ptr, M: tl.constexpr, K: tl.constexpr):
    i, k = tl.arange(0, M), tl.arange(0, K)
    a, b = tl.load(a_ptr + i[:, None] * K + k[None, :]), tl.load(b_ptr + k[:, None] * M + i[None, :])
    tl.store(c_ptr + i[:, None] * M + i[None, :], tl.dot(a, b, out_dtype=tl.float16))


def test_a_float16_product_rounds_after_every_16_elements_along_k() -> None:
    generator = torch.Generator().manual_seed(1)
    a, b = (torch.randn(shape, generator=generator).half() for shape in ((16, 64), (64, 16)))
    a[0], b[:, 0] = 60000.0, 1 / 16
    b[32:, 0] = -1 / 16  # as much again, taken away: infinite on the way
    c, expected = torch.zeros(16, 16).half(), torch.zeros(16, 16).half()
    with Tracer():
        product_in_float16[(1,)](a, b, c, 16, 64)
    for k in range(0, 64, 16):
        expected = (expected.float() + a[:, k : k + 16].float() @ b[k : k + 16].float()).half()
    torch.testing.assert_close(c, expected, rtol=0, atol=0, equal_nan=True)
    assert not c[0, 0].isfinite()
    assert not torch.equal(c[1:, 1:], (a.float() @ b.float()).half()[1:, 1:])


@triton.jit
def cut(x_ptr, y_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets).to(y_ptr.dtype.element_ty, fp_downcast_rounding="rtz"))


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16], ids=str)
def test_rounding_towards_zero(kind: torch.dtype) -> None:
    special = [math.inf, -math.inf, math.nan, 3.4e38, -3.4e38, 1e-40, -1e-8, 0.0]
    x = torch.cat([torch.randn(248, generator=torch.Generator().manual_seed(1)), torch.tensor(special)])
    y = torch.zeros(256, dtype=kind)
    with Tracer():
        cut[(1,)](x, y, BLOCK=256)
    near, finite = x.to(kind), x.isfinite()
    assert (y.float().abs() <= x.abs())[finite].all()
    assert y[finite].isfinite().all()
    farther = torch.nextafter(y, torch.copysign(torch.full_like(y, math.inf), y))
    assert (farther.float().abs() > x.abs())[x.isfinite() & (y != near)].all()
    exact = near.float() == x
    assert torch.equal(y[exact], near[exact])
    assert (y != near)[finite].any()
    assert math.isnan(y[250])


def test_bf16_product() -> None:
    a, b = torch.randn(16, 16).bfloat16(), torch.randn(16, 16).bfloat16()
    c = torch.zeros(16, 16)
    with Tracer():
        product[(1,)](a, b, c, B=16, PRECISION="tf32")
    torch.testing.assert_close(c, a.float() @ b.float(), rtol=1e-6, atol=1e-6)


def test_float32_product_is_tf32_unless_ieee_is_asked_for() -> None:
    a, b = torch.randn(16, 16), torch.randn(16, 16)
    exact = (a.double() @ b.double()).float()
    errors = {}
    for precision in ("tf32", "tf32x3", "ieee", "bf16x3", "bf16x6"):
        c = torch.zeros(16, 16)
        with Tracer():
            product[(1,)](a, b, c, B=16, PRECISION=precision)
        errors[precision] = (c - exact).abs().max().item()
    assert errors["tf32"] > 100 * errors["ieee"]
    assert max(errors["tf32x3"], errors["bf16x6"]) <= 2 * errors["ieee"]
    assert 4 * errors["ieee"] < errors["bf16x3"] < errors["tf32"] / 10
    cut = [torch.from_numpy(tf32(m.numpy())) for m in (a, b)]
    c = torch.zeros(16, 16)
    with Tracer():
        product[(1,)](a, b, c, B=16, PRECISION="tf32")
    torch.testing.assert_close(c, cut[0] @ cut[1], rtol=1e-6, atol=1e-6)


def test_an_infinity_keeps_its_products_in_parts_of_bfloat16() -> None:
    a, b, c = torch.eye(16), torch.ones(16, 16), torch.zeros(16, 16)
    a[0, 0] = math.inf
    with Tracer():
        product[(1,)](a, b, c, B=16, PRECISION="bf16x3")
    assert torch.equal(c, torch.where(torch.arange(16)[:, None] == 0, math.inf, 1.0).expand(16, 16))


floats = st.floats(width=32, allow_nan=True, allow_infinity=True)


@given(st.lists(floats, min_size=1, max_size=50))
def test_rounding_to_bf16_equals_torch(values: list[float]) -> None:
    x = np.array(values, dtype=np.float32)
    expected = torch.from_numpy(x).bfloat16()
    torch.testing.assert_close(torch.from_numpy(round_bf16(x)), expected.float(), rtol=0, atol=0, equal_nan=True)
    finite = ~np.isnan(x)
    assert (bf16_bits(round_bf16(x))[finite] == expected.view(torch.int16).numpy().view(np.uint16)[finite]).all()
    assert (bf16_values(bf16_bits(round_bf16(x)))[finite] == round_bf16(x)[finite]).all()


@given(st.integers(-(2**24), 2**24), st.integers(0, 8), st.integers(-1, 1))
def test_float64_rounds_once(mantissa: int, shift: int, nudge: int) -> None:
    """A value next to the middle of two bfloat16 numbers must not be rounded twice."""
    middle = float(mantissa) * 2.0 ** (8 - shift) + 2.0**7
    x = np.array([np.nextafter(middle, np.inf * nudge) if nudge else middle])
    got = float(float_to_bf16(x)[0])
    pattern = int(bf16_bits(x.astype(np.float32))[0])
    neighbours = bf16_values(np.array([max(pattern - 1, 0), pattern, pattern + 1], dtype=np.uint16))
    assert abs(got - x[0]) == np.nanmin(np.abs(neighbours - x[0]))


@triton.jit
def add_up(x_ptr, y_ptr, before_ptr, n, BLOCK: tl.constexpr):
    """Add every element of x to y[0], and the elements again to those of y[1:]."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    before = tl.atomic_add(y_ptr + offsets * 0, x, mask=offsets < n)
    tl.store(before_ptr + offsets, before, mask=offsets < n)
    tl.atomic_add(y_ptr + 1 + offsets, x, mask=offsets < n)


def test_bf16_atomics_round_after_each_addition() -> None:
    x = torch.randn(100).bfloat16()
    y, before = torch.ones(101).bfloat16(), torch.zeros(100).bfloat16()
    with Tracer():
        add_up[(4,)](x, y, before, 100, BLOCK=32)
    total, seen = torch.tensor(1.0).bfloat16(), []
    for value in x:
        seen.append(total)
        total = total + value
    assert torch.equal(y[0], total)
    assert torch.equal(before, torch.stack(seen))
    assert torch.equal(y[1:], 1 + x)


@triton.jit
def shares(y_ptr, whole, half: tl.float16, exact: tl.float64):
    tl.store(y_ptr, whole.to(tl.float64) / 3)
    tl.store(y_ptr + 1, half.to(tl.float64))
    tl.store(y_ptr + 2, exact)


def test_a_number_with_a_point_is_a_float32_or_of_the_type_that_its_parameter_names() -> None:
    y = torch.zeros(3, dtype=torch.float64)
    with Tracer():
        shares[(1,)](y, 0.1, 0.1, 0.1)
    assert y.tolist() == [torch.tensor(0.1).item() / 3, torch.tensor(0.1).half().item(), 0.1]


@triton.jit
def exchange(x_ptr, y_ptr, z_ptr):
    row = tl.program_id(0)
    tl.store(z_ptr + row, tl.atomic_xchg(y_ptr + row, tl.load(x_ptr + row)))


@triton.jit
def swap(x_ptr, y_ptr, z_ptr):
    row = tl.program_id(0)
    tl.store(z_ptr + row, tl.atomic_cas(y_ptr + row, tl.load(z_ptr + row), tl.load(x_ptr + row)))


@pytest.mark.parametrize("kind", [torch.float32, torch.float64, torch.int32, torch.int64], ids=str)
def test_exchanged(kind: torch.dtype) -> None:
    x, y = torch.tensor([1.5, -2, 3], dtype=torch.float32).to(kind), torch.tensor([4, 5, 6], dtype=kind)
    z = torch.zeros_like(y)
    with Tracer() as tracer:
        exchange[(3,)](x, y, z)
    assert not tracer.facts
    assert torch.equal(y, x)
    assert z.tolist() == [4, 5, 6]


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int16], ids=str)
def test_swapped_where_the_bits_are_the_same(kind: torch.dtype) -> None:
    """Of floats too: 0 and -0 are different, NaN and NaN are not."""
    odd = -0.0 if kind.is_floating_point else 1
    same = math.nan if kind.is_floating_point else 7
    x, y = torch.tensor([1, 2, 3], dtype=kind), torch.tensor([4, 0, same], dtype=kind)
    z = torch.tensor([4, odd, same], dtype=kind)
    with Tracer() as tracer:
        swap[(3,)](x, y, z)
    assert not tracer.facts
    assert y.tolist() == [1, 0, 3]
    assert z.nan_to_num(7).tolist() == [4, 0, 7]


BEYOND = [math.nan, math.inf, -math.inf, 300.0, -300.0, 40960.0, -40960.0, -2.9]
WHOLE = {  # and what NaN of float64 becomes; 8 bits are the low half of 16
    torch.int8: ([0, -1, 0, 44, -44, -1, 0, -2], 0),
    torch.uint8: ([0, 255, 0, 44, 0, 0, 0, 0], 0),
    torch.int16: ([0, 32767, -32768, 300, -300, 32767, -32768, -2], -32768),
    torch.uint16: ([0, 65535, 0, 300, 0, 40960, 0, 0], 32768),
    torch.int32: ([0, 2**31 - 1, -(2**31), 300, -300, 40960, -40960, -2], -(2**31)),
    torch.uint32: ([0, 2**32 - 1, 0, 300, 0, 40960, 0, 0], 2**31),
    torch.int64: ([-(2**63), 2**63 - 1, -(2**63), 300, -300, 40960, -40960, -2], -(2**63)),
    torch.uint64: ([2**63, 2**64 - 1, 0, 300, 0, 40960, 0, 0], 2**63),
}


@pytest.mark.parametrize("source", [torch.float16, torch.bfloat16, torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("kind", WHOLE, ids=str)
def test_what_is_no_integer_becomes_what_a_gpu_makes_of_it(source: torch.dtype, kind: torch.dtype) -> None:
    x, y = torch.tensor(BEYOND, dtype=source), torch.zeros(len(BEYOND), dtype=kind)
    with Tracer() as tracer:
        convert[(1,)](x, y, BLOCK=len(BEYOND))
    assert not tracer.facts
    expected, of_nan = WHOLE[kind]
    assert y.tolist() == ([of_nan, *expected[1:]] if source == torch.float64 else expected)


EIGHTS = [torch.float8_e5m2, torch.float8_e4m3fn, torch.float8_e5m2fnuz, torch.float8_e4m3fnuz]


@pytest.mark.parametrize("source", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("dtype", EIGHTS)
def test_a_conversion_to_float8_rounds_to_nearest_even_and_stops_at_the_largest(
    source: torch.dtype, dtype: torch.dtype
) -> None:
    patterns = torch.arange(-(1 << 15), 1 << 15, dtype=torch.int16)
    x = patterns.view(torch.float16 if source == torch.float32 else source).to(source)  # each with its halves
    result = torch.empty(len(x), dtype=dtype)
    with Tracer():
        convert[(1,)](x, result, BLOCK=len(x))
    most = torch.finfo(dtype).max
    expected = x.float().clamp(-most, most).to(dtype)
    assert torch.equal(result.float().nan_to_num(999.0), expected.float().nan_to_num(999.0))


@pytest.mark.parametrize("dtype", EIGHTS)
def test_every_float8_is_the_number_that_pytorch_reads(dtype: torch.dtype) -> None:
    codes = torch.arange(256, dtype=torch.uint8).view(dtype)
    for target in (torch.float32, torch.float16, torch.bfloat16):
        result = torch.empty(256, dtype=target)
        with Tracer():
            convert[(1,)](codes, result, BLOCK=256)
        numbers = (one.float().nan_to_num(99.5, 98.5, -98.5) for one in (result, codes.float().to(target)))
        assert torch.equal(*numbers)


def test_the_float8_that_pytorch_does_not_know() -> None:
    values = np.array([0.0, 1.06, 1.0625, 1.19, 1.1875, 1.9, -3.0, 2.0**-17, 2.0**-18 * 1.01, 2.0**-19], np.float32)
    there = decoded(encoded(values, tl.float8e4b15), tl.float8e4b15)
    assert there.tolist() == [0.0, 1.0, 1.0, 1.25, 1.25, 1.875, -1.875, 2.0**-17, 2.0**-17, 0.0]
