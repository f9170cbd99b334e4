"""Families for attention and matrix products: most draw all tensors of a call, because one depends on another."""

from __future__ import annotations

from functools import partial

import torch
from torch import Generator, Tensor

from tritonpuzzles.curriculum.families.rows import family, family_of_all, for_each_row, standard_normal


@family_of_all
def attention_normal(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Ordinary q, k and v."""
    return standard_normal(shape, generator), standard_normal(shape, generator), standard_normal(shape, generator)


@family_of_all
def large_logits(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Q four times as large: some logits pass exp's range, and a missing or wrong scale shows."""
    q, k, v = attention_normal(shape, generator)
    return 4 * q, k, v + 1


@family_of_all
def opposed_keys(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Keys that point away from every query, four times as far for some queries: no score is near 0 or another row's.

    With 32 dimensions and more all scores are below -110, where exp(s) is 0 in float32.
    """
    q, k, v = attention_normal(shape, generator)
    further = 1 + torch.arange(shape[0])[:, None] % 4
    return further * (0.25 * q + 5), 0.1 * k - 5, v + 3


@family_of_all
def biased_values(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Values whose mean is 5: a weight that is lost or counted twice shows in every element."""
    q, k, v = attention_normal(shape, generator)
    return q, k, v + 5


@family_of_all
def rising_keys(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Keys that match better and better: the running maximum grows in every block."""
    q, k, v = attention_normal(shape, generator)
    rise = torch.linspace(-1, 3, shape[0], dtype=torch.float64)[:, None]
    return 0.5 * q + 1.5, 0.5 * k + rise, v


@family_of_all
def early_key(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """One of the first keys outweighs all others: its weight must survive to the end of the loop."""
    q, k, v = attention_normal(shape, generator)
    k[: max(1, shape[0] // 8)] += 2
    return 0.5 * q + 1.5, k, v + 2


@family_of_all
def overwhelming_key(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """The first keys, or keys 112 to 127 for odd queries, score more than 100 above all others.

    A factor that grows with a smaller maximum overflows. Keys 112 to 127 lie in an odd tile, be it of 16, 32 or 64
    keys, the first ones in an even tile: so do states overflow that odd and even tiles keep apart.
    """
    q, k, v = attention_normal(shape, generator)
    q, half = 0.5 * q + 1.5, shape[1] // 2
    q[::2, half:], q[1::2, :half] = 0, 0
    k[: max(1, shape[0] // 8), :half] += 24
    k[112:128, half:] += 24
    return q, k, v + 2


@family_of_all
def deep_scores(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """All scores of a query are equal, with 64 dimensions -2^31 and -2^123 alternately: below -1e9, and below -1e30.

    Powers of two: every product and sum is exact, in any order, and so is a score times any scale. (A kernel may keep
    scores in units of log2, and a GPU may fuse that product with the difference.) Rounding cannot make keys differ.
    """
    _, _, v = attention_normal(shape, generator)
    keys = torch.full(shape, -(2.0**60), dtype=torch.float64)
    queries = torch.tensor([2.0**-32, 2.0**60], dtype=torch.float64)[torch.arange(shape[0]) % 2][:, None].expand(shape)
    return queries, keys, v + 1


@family_of_all
def heavy_values(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Keys of nearly equal weight, and values near 8,000: a sum of 16, before division, exceeds float16's 65,504."""
    q, k, v = attention_normal(shape, generator)
    return 0.1 * q, k, 20 * v + 8000


@family_of_all
def huge_values(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Values near 100,000, which float32 and bfloat16 hold and float16 does not."""
    q, k, v = attention_normal(shape, generator)
    return q, k, 1e4 * v + 1e5


@family_of_all
def tokens_unlike_each_other(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Each query, key and value has its own scale: 2^-6 to 16 times, 2^-4 to 2 times, 2^-8 to 256 times the usual.

    Queries near 0 weigh all keys alike; for others a single key has all the weight.
    """
    between = partial(for_each_row, shape[0], generator)
    q, k, v = attention_normal(shape, generator)
    return 2 ** between(-6, 4) * q, 2 ** between(-4, 1) * k, 2 ** between(-8, 8) * v


@family_of_all
def query_of_nan(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """NaN in every third query of the second half: its output is NaN. Values of inf and NaN: all outputs have them.

    These values belong to keys of small weight: the last 128 keys have little, and the last 64 so little that it is 0
    in float32. They may not be left out even so.
    """
    q, k, v = attention_normal(shape, generator)
    q[:, 1:2], k[-128:, 1:2], k[-64:, 1:2] = 8.0, -40.0, -120.0
    q[shape[0] // 2 :: 3, :1], v[-65:-64, -1:], v[-1:, :1] = torch.nan, torch.inf, torch.nan
    return q, k, v


@family_of_all
def keys_of_infinity(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """One key in fifty has inf: its score is inf for queries above 0 there, whose output is NaN, and -inf for others.

    NaN in every fifth query.
    """
    q, k, v = attention_normal(shape, generator)
    k[7::50, :1], q[::5, -1:] = torch.inf, torch.nan
    return q, k, v


@family
def signs(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """-1, 0 and 1: sums of their products are exact in float32, whatever the order, and so are the outputs."""
    return (torch.randint(-1, 2, shape, generator=generator).double(),)


@family
def around_float16s_end(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Multiples of 32 from -160 to 160: half of the sums of 50 products pass 65,504, and are infinite in float16."""
    return (32.0 * torch.randint(-5, 6, shape, generator=generator).double(),)


@family
def far_from_zero(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Numbers whose mean is 1: a product that is lost or counted twice shows in every sum."""
    return (0.5 * standard_normal(shape, generator) + 1,)


@family_of_all
def opposed_signs(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """A (m, k) is above 0 and b (k, n) below: all products, and all their sums, are negative."""
    m, n, k = shape
    return standard_normal((m, k), generator).abs() + 0.5, -standard_normal((k, n), generator).abs() - 0.5


@family_of_all
def rows_of_every_size(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Row i of a (m, k) multiplied by 2^-12 to 2^7: with one limit for all rows, small rows could hold anything."""
    m, n, k = shape
    sizes = 2.0 ** (torch.arange(m, dtype=torch.float64) % 20 - 12)
    return sizes[:, None] * standard_normal((m, k), generator), standard_normal((k, n), generator)


@family_of_all
def sums_beyond_float16(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Whole numbers whose sums reach millions halfway along k, beyond float16's 65,504, and return exactly.

    a (m, k) is mirrored along k; b (k, n) changes its sign halfway, apart from added -1, 0 and 1.
    """
    m, n, k = shape
    first, half = torch.arange(k), k // 2
    mirrored = torch.minimum(first, k - 1 - first)
    a = 64.0 * torch.randint(1, 3, (m, k), generator=generator)[:, mirrored].double()
    sign = torch.where(first < half, 1.0, torch.where(first < k - half, 0.0, -1.0)).double()
    return a, 128 * sign[:, None] + torch.randint(-1, 2, (k, n), generator=generator)


@family_of_all
def rows_without_numbers(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Some rows of a (m, k) have one NaN, others inf, -inf, or both; b (k, n) has no 0, and NaN or inf in some columns.

    The first half of a is 0: 0 times NaN is NaN too, and a tile of zeros may not be left out.
    """
    m, n, k = shape
    a, b = standard_normal((m, k), generator), standard_normal((k, n), generator)
    a[: m // 2] = 0.0
    rest = a[m // 2 :]
    rest[1::7, k // 2] = torch.nan
    rest[3::7, k // 3] = torch.inf
    rest[4::7, -1:] = -torch.inf
    rest[6::7, :1], rest[6::7, -1:] = torch.inf, -torch.inf
    b[k // 4, 2::7], b[k // 5, 4::7] = torch.nan, torch.inf
    return a, torch.where(b == 0, 1.0, b)


@family
def large(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Numbers around 1e15: float32 and bfloat16 can hold their products, float16 not even the numbers."""
    return (1e15 * standard_normal(shape, generator),)
