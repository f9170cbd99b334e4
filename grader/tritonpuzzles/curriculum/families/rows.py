"""Families of vectors, and of matrices whose rows are independent; and the definition of a family.

Offsets such as 120 and 200 are past the point where exp overflows float32 (88.7) and still exact enough in float16 and
bfloat16.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
from torch import Generator, Tensor

Family = Callable[[tuple[int, ...], Generator], tuple[Tensor, ...]]
FAMILIES: dict[str, Family] = {}


def family(function: Family) -> Family:
    """Register an input family under the function's name: it draws each tensor by itself, from that tensor's shape."""
    FAMILIES[function.__name__] = function
    return function


def draws_all(function: Family) -> Family:
    """Mark a family that draws all tensors of a call together, from the case's shape."""
    function.draws_all = True  # type: ignore[attr-defined]
    return function


def family_of_all(function: Family) -> Family:
    """Register an input family that draws all tensors of a call together, under the function's name."""
    return family(draws_all(function))


def standard_normal(shape: tuple[int, ...], generator: Generator) -> Tensor:
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def for_each_row(n_rows: int, generator: Generator, low: float, high: float) -> Tensor:
    """Draw one number per row between low and high, of shape (n_rows, 1)."""
    return low + (high - low) * torch.rand(n_rows, 1, generator=generator, dtype=torch.float64)


def _columns(n_rows: int, low: int, high: int, generator: Generator) -> Tensor:
    """Draw one column per row from low (inclusive) to high (exclusive), as an index of shape (n_rows, 1)."""
    return torch.randint(low, max(low + 1, high), (n_rows, 1), generator=generator)


@family
def normal(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Ordinary numbers around 0: the case that every kernel is written for."""
    return (standard_normal(shape, generator),)


@family
def huge(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Numbers around 1e30, which float32 and bfloat16 hold and float16 does not; one in twelve is NaN, inf or 3e38."""
    numbers, kind = 1e30 * standard_normal(shape, generator), torch.randint(0, 36, shape, generator=generator)
    for number, value in enumerate((torch.nan, torch.inf, 3e38)):
        numbers[kind == number] = value
    return (numbers,)


@family
def infinities_and_nan(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """One element in four is inf, -inf or NaN, at random places: two such tensors contain every pair of kinds.

    One in twelve is below 1e-38, where float32 loses bits, one around 1e-6, where float16 does, one is float16's
    largest number, and one nearly float32's: a sum of two is infinite.
    """
    x, kind = standard_normal(shape, generator), torch.randint(0, 12, shape, generator=generator)
    for number, value in enumerate((torch.inf, -torch.inf, torch.nan)):
        x[kind == number] = value
    x[kind == 3] *= 2.0**-130
    x[kind == 4] *= 2.0**-20
    x[kind == 5], x[kind == 6] = 65_504.0, 3e38
    return (x,)


@family
def far_above_zero(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Every value near 200, where exp overflows unless the maximum is subtracted."""
    return (standard_normal(shape, generator) + 200,)


@family
def far_below_zero(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Every value near -200: a maximum that starts at 0, or sees a masked lane as 0, makes every exp vanish."""
    return (standard_normal(shape, generator) - 200,)


@family
def deep_below_zero(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Rows below -1e3, -1e4, -1e9 and -1e30 in turn, numbers that kernels use as the start of a maximum.

    Each row of the last two kinds holds a single power of two. Times log2(e) it is exact, so that a kernel may multiply
    first, fused with the difference or not.
    """
    depths = torch.tensor([1.2e3, 1.2e6, 2.0**31, 2.0**126], dtype=torch.float64)[torch.arange(shape[0]) % 4][:, None]
    return (torch.where(depths < 1e9, standard_normal(shape, generator), 0.0) - depths,)


@family
def twenty_thousand_below(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Every value near -20,000, where float16's numbers are 16 apart."""
    return (standard_normal(shape, generator) * 16 - 20_000,)


@family
def plateau(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Half of each row is one huge number, 3e8, the rest 10,000 less: 3e8 + log(sum) is 3e8 again in float32."""
    high = torch.rand(shape, generator=generator) < 0.5
    high[:, :1] = True
    return (torch.where(high, 3e8, 3e8 - 1e4).double(),)


@family
def nearly_alike(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """1, with one number in twenty a little less: a row's exponentials, relative to its maximum, sum to its length."""
    less = torch.rand(shape, generator=generator) < 0.05
    return (torch.where(less, 1 - 2.0**-10, 1.0).double(),)


@family
def below_overflow(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """78, with one number in twenty a little less: exp(78) is below float32's end, a sum of 65,536 of them is not."""
    less = torch.rand(shape, generator=generator) < 0.05
    return (torch.where(less, 77.9, 78.0).double(),)


@family
def rounded_alike(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """0 once in each row, and everywhere else the same multiple of 1/8 below it, with one exponential.

    Differences are exact in every dtype. Eight bits round that exponential, and the row's sum, by 0.2 to 0.4 %.
    """
    n_rows, n_cols = shape
    eighths = torch.tensor([7, 10, 11, 12, 16, 19, 21], dtype=torch.float64)
    below = -eighths[torch.randint(0, len(eighths), (n_rows, 1), generator=generator)] / 8
    return (below.repeat(1, n_cols).scatter_(1, _columns(n_rows, 0, n_cols, generator), 0.0),)


@family
def not_a_number(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """One NaN in every third row, inf in every sixth: the weights of these rows are all NaN, and no other row's."""
    x = standard_normal(shape, generator)
    n_rows, n_cols = shape
    spoilt = torch.zeros(n_rows, 1, dtype=torch.float64)
    spoilt[1::3], spoilt[2::6] = torch.nan, torch.inf
    column = _columns(n_rows, 0, n_cols, generator)
    return (x.scatter_add_(1, column, spoilt),)


@family
def hidden_rows(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Every third row is -inf throughout: 0 / 0, so that its weights are NaN, and no other row's."""
    x = standard_normal(shape, generator)
    x[1::3] = -torch.inf
    return (x,)


@family
def rows_without_weights(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Of four rows one is -inf throughout, one has NaN and one inf: their weights are NaN, and no other row's."""
    x = standard_normal(shape, generator)
    x[1::4] = -torch.inf
    x[2::4, shape[1] // 2], x[3::4, shape[1] // 2] = torch.nan, torch.inf
    return (x,)


@family
def below_zero(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Every value near -3: a masked lane read as 0 would be the largest of its row and enter the sum."""
    return (standard_normal(shape, generator) * 0.25 - 3,)


@family
def late_maximum(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """A clear maximum in the last third of each row: what was summed before must be rescaled."""
    x = standard_normal(shape, generator)
    n_rows, n_cols = shape
    return (x.scatter_add_(1, _columns(n_rows, 2 * n_cols // 3, n_cols, generator), torch.full_like(x, 9)),)


@family
def rising(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Rows that rise from -15 to 15: the running maximum grows in every tile."""
    return (standard_normal(shape, generator) + torch.linspace(-15, 15, shape[1], dtype=torch.float64),)


@family
def early_maximum(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """A maximum of 120 in the first third: subtracting the last tile's maximum instead overflows."""
    x = standard_normal(shape, generator)
    n_rows, n_cols = shape
    return (x.scatter_(1, _columns(n_rows, 0, n_cols // 3, generator), torch.full_like(x, 120)),)


@family
def few_above_many(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """One value of 18 early in each row: a single other term is lost to rounding, but 7,000 of them are not."""
    x = standard_normal(shape, generator)
    return (x.scatter(1, _columns(len(x), 0, shape[1] // 99, generator), torch.full_like(x, 18)),)


@family
def last_column_spike(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """A value of 120 in the very last column: a maximum or sum that misses it is far off."""
    x = standard_normal(shape, generator)
    x[:, -1] = 120
    return (x,)


@family
def two_ends(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """The middle half of each row is -inf; every other row has a value of 120 somewhere in its last quarter.

    A loop that ends where the sum no longer changes leaves out that quarter, a maximum that misses 120 overflows.
    """
    x = standard_normal(shape, generator)
    n_rows, n_cols = shape
    quarter = n_cols // 4
    x[:, quarter:-quarter] = -torch.inf
    with_spike = x.scatter(1, _columns(n_rows, n_cols - quarter, n_cols, generator), 120.0)
    return (torch.where(torch.arange(n_rows)[:, None] % 2 == 1, with_spike, x),)


@family
def last_column_weight(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """A value of 8 in the last column: without overflow, but most of each row's sum."""
    x = standard_normal(shape, generator)
    x[:, -1] = 8
    return (x,)


@family
def shifted_rows(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Row i shifted by 128 i: with one maximum for several rows, all but the largest row become 0."""
    return (standard_normal(shape, generator) + 128.0 * (torch.arange(shape[0]) % 300)[:, None],)


@family
def minus_infinity(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """A third of the entries -inf, as masked scores are; the first column stays finite."""
    x = standard_normal(shape, generator)
    hidden = torch.rand(shape, generator=generator) < 0.3
    hidden[:, :1] = False
    return (x.masked_fill_(hidden, -torch.inf),)


@family
def hidden_start(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """The first three fifths of each row are -inf, and -inf - (-inf) is NaN; every other row's rest is near -150.

    There, a maximum of 0 that replaces -inf, and is kept, makes every exp 0.
    """
    x = standard_normal(shape, generator) - 150.0 * (torch.arange(shape[0]) % 2)[:, None]
    x[:, : 3 * shape[1] // 5] = -torch.inf
    return (x,)


@family
def rows_unlike_each_other(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Rows of all kinds: their offset from 0 is up to 1,450, and the spread of their numbers 6e-5 to 64.

    One row of four is 80 to 110 below the row before it, where exp has few or no bits left in float32. Of five rows one
    rises, one falls, one repeats few numbers, and one steps up by 80 to 89 in its first half. In one row of three a
    share of the numbers is -inf. One of eight is -inf from some column on, and NaN in the last.
    """
    n_rows, n_cols = shape
    between = partial(for_each_row, n_rows, generator)

    def column(end: int) -> Tensor:
        return _columns(n_rows, 0, end, generator)

    x, columns = standard_normal(shape, generator), torch.arange(n_cols)
    order, rising = torch.randint(0, 5, (n_rows, 1), generator=generator), x.sort(dim=1).values
    for number, reordered in enumerate((rising, rising.flip(1), x.round())):
        x = torch.where(order == number, reordered, x)
    height, spread = between(-1, 1).sign() * 2 ** between(-8, 10.5), 2 ** between(-14, 6)
    below = between(80, 110)[1::2]
    height[1::2] = torch.where(between(0, 2)[1::2] < 1, height[: len(below) * 2 : 2] - below, height[1::2])
    step = between(80, 89) * (columns >= column(n_cols // 2))
    x = height + torch.where(order == 3, step, x * spread)
    hidden = (torch.rand(shape, generator=generator) < between(-2, 1)) & (columns != column(n_cols))
    spoilt = between(0, 8) < 1
    hidden = torch.where(spoilt, columns >= column(n_cols), hidden)
    return (x.masked_fill(hidden, -torch.inf).masked_fill(spoilt & (columns == n_cols - 1), torch.nan),)
