"""Named families of inputs, each of which catches mistakes that random normal numbers let through.

A family takes a shape and a generator and returns tensors in float64, one, or those of the whole call; the judge
rounds them to their dtypes and lays them out. A pack's own families need no more than that. Offsets such as 120 and
200 are past the point where exp overflows float32 (88.7) and still exact enough in float16 and bfloat16.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Generator, Tensor

Family = Callable[[tuple[int, ...], Generator], tuple[Tensor, ...]]
FAMILIES: dict[str, Family] = {}


def family(function: Family) -> Family:
    """Register an input family under the function's name: it draws each tensor by itself, from that tensor's shape."""
    FAMILIES[function.__name__] = function
    return function


def draws_all(function: Family) -> Family:
    """Mark a family that draws all tensors of a call together, from the case's shape: one depends on the other."""
    function.draws_all = True  # type: ignore[attr-defined]
    return function


def _normal(shape: tuple[int, ...], generator: Generator) -> Tensor:
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def _columns(n_rows: int, low: int, high: int, generator: Generator) -> Tensor:
    """Draw one column per row from low (inclusive) to high (exclusive), as an index of shape (n_rows, 1)."""
    return torch.randint(low, max(low + 1, high), (n_rows, 1), generator=generator)


@family
def normal(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Ordinary numbers around 0: the case that every kernel is written for."""
    return (_normal(shape, generator),)


@family
def huge(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Numbers around 1e30, which float32 and bfloat16 hold and float16 does not."""
    return (1e30 * _normal(shape, generator),)


@family
def infinities_and_nan(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """One element in four is inf, -inf or NaN, wherever it falls: of two such tensors, each kind meets each other."""
    x, kind = _normal(shape, generator), torch.randint(0, 12, shape, generator=generator)
    for number, value in enumerate((torch.inf, -torch.inf, torch.nan)):
        x[kind == number] = value
    return (x,)


@family
def far_above_zero(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Every value near 200, where exp overflows unless the maximum is subtracted."""
    return (_normal(shape, generator) + 200,)


@family
def far_below_zero(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Every value near -200: a maximum that starts at 0, or sees a masked lane as 0, makes every exp vanish."""
    return (_normal(shape, generator) - 200,)


@family
def deep_below_zero(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Rows that lie below -1e3, -1e4, -1e9 and -1e30 in turn, where a maximum may start.

    The last two kinds of rows hold one power of two throughout: times log2(e) it is exact, so that a kernel may
    multiply first, fused with the difference or not.
    """
    depths = torch.tensor([1.2e3, 1.2e6, 2.0**31, 2.0**126], dtype=torch.float64)[torch.arange(shape[0]) % 4][:, None]
    return (torch.where(depths < 1e9, _normal(shape, generator), 0.0) - depths,)


@family
def twenty_thousand_below(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Every value near -20,000, deep in float16's range, whose numbers are 16 apart there."""
    return (_normal(shape, generator) * 16 - 20_000,)


@family
def plateau(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Half of each row is one huge number, 3e8, the rest 10,000 less: 3e8 + log(sum) is 3e8 again in float32."""
    high = torch.rand(shape, generator=generator) < 0.5
    high[:, :1] = True
    return (torch.where(high, 3e8, 3e8 - 1e4).double(),)


@family
def nearly_alike(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """1, and one number in twenty a little less: a row's exponentials, from its maximum on, add up to its length."""
    less = torch.rand(shape, generator=generator) < 0.05
    return (torch.where(less, 1 - 2.0**-10, 1.0).double(),)


@family
def rounded_alike(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """0 once in each row, and everywhere else one multiple of 1/8 below it, which exp makes one number.

    Differences are exact in every dtype. Eight bits round that number by 0.2 to 0.4 %, and a row's sum with it.
    """
    n_rows, n_cols = shape
    eighths = torch.tensor([7, 10, 11, 12, 16, 19, 21], dtype=torch.float64)
    below = -eighths[torch.randint(0, len(eighths), (n_rows, 1), generator=generator)] / 8
    return (below.repeat(1, n_cols).scatter_(1, _columns(n_rows, 0, n_cols, generator), 0.0),)


@family
def not_a_number(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """One NaN in every third row: that row's weights are all NaN, and no other row's."""
    x = _normal(shape, generator)
    n_rows, n_cols = shape
    spoilt = torch.where(torch.arange(n_rows) % 3 == 1, torch.nan, 0.0).double()[:, None]
    column = _columns(n_rows, 0, n_cols, generator)
    return (x.scatter_add_(1, column, spoilt),)


@family
def hidden_rows(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Every third row is -inf throughout: 0 / 0, so that its weights are NaN, and no other row's."""
    x = _normal(shape, generator)
    x[torch.arange(shape[0]) % 3 == 1] = -torch.inf
    return (x,)


@family
def below_zero(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Every value near -3: a masked lane read as 0 would be the largest of its row and enter the sum."""
    return (_normal(shape, generator) * 0.25 - 3,)


@family
def late_maximum(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """A clear maximum in the last third of each row: what was summed before must be rescaled."""
    x = _normal(shape, generator)
    n_rows, n_cols = shape
    return (x.scatter_add_(1, _columns(n_rows, 2 * n_cols // 3, n_cols, generator), torch.full_like(x, 9)),)


@family
def rising(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Rows that rise from -15 to 15: the running maximum grows in every tile."""
    return (_normal(shape, generator) + torch.linspace(-15, 15, shape[1], dtype=torch.float64),)


@family
def early_maximum(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """A maximum of 120 in the first third: subtracting the last tile's maximum instead overflows."""
    x = _normal(shape, generator)
    n_rows, n_cols = shape
    return (x.scatter_(1, _columns(n_rows, 0, n_cols // 3, generator), torch.full_like(x, 120)),)


@family
def last_column_spike(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """A value of 120 in the very last column: a maximum or sum that misses it is far off."""
    x = _normal(shape, generator)
    x[:, -1] = 120
    return (x,)


@family
def last_column_weight(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """A value of 8 in the last column: without overflow, but most of each row's sum."""
    x = _normal(shape, generator)
    x[:, -1] = 8
    return (x,)


@family
def shifted_rows(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Row i shifted by 128 i: one maximum for several rows makes all but the largest row vanish, whole."""
    return (_normal(shape, generator) + 128.0 * (torch.arange(shape[0]) % 300)[:, None],)


@family
def minus_infinity(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """A third of the entries -inf, as masked scores are; the first column stays finite."""
    x = _normal(shape, generator)
    hidden = torch.rand(shape, generator=generator) < 0.3
    hidden[:, :1] = False
    return (x.masked_fill_(hidden, -torch.inf),)


@family
def hidden_start(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """The first half of each row and more is -inf, and -inf - (-inf) is NaN; every other row's rest lies near -150.

    There a 0 that stands in for a maximum of -inf, and is kept, makes every exp vanish.
    """
    x = _normal(shape, generator) - 150.0 * (torch.arange(shape[0]) % 2)[:, None]
    x[:, : 3 * shape[1] // 5] = -torch.inf
    return (x,)


@family
@draws_all
def attention_normal(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Ordinary q, k and v."""
    return _normal(shape, generator), _normal(shape, generator), _normal(shape, generator)


@family
@draws_all
def large_logits(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Q four times as large: some logits pass exp's range, and a missing or wrong scale shows."""
    q, k, v = attention_normal(shape, generator)
    return 4 * q, k, v + 1


@family
@draws_all
def opposed_keys(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Keys that point away from every query, and from each of four as far again: no score is near 0 or another row's.

    With 32 dimensions and more all scores lie below -110, where exp(s) is 0 in float32.
    """
    q, k, v = attention_normal(shape, generator)
    further = 1 + torch.arange(shape[0])[:, None] % 4
    return further * (0.25 * q + 5), 0.1 * k - 5, v + 3


@family
@draws_all
def biased_values(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Values whose mean is 5: a weight that is lost or counted twice shows in every element."""
    q, k, v = attention_normal(shape, generator)
    return q, k, v + 5


@family
@draws_all
def rising_keys(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Keys that match better and better: the running maximum grows in every block."""
    q, k, v = attention_normal(shape, generator)
    rise = torch.linspace(-1, 3, shape[0], dtype=torch.float64)[:, None]
    return 0.5 * q + 1.5, 0.5 * k + rise, v


@family
@draws_all
def early_key(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """One of the first keys outweighs all others: its weight must survive to the end of the loop."""
    q, k, v = attention_normal(shape, generator)
    k[: max(1, shape[0] // 8)] += 2
    return 0.5 * q + 1.5, k, v + 2


@family
@draws_all
def overwhelming_key(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """The first keys score more than 100 above all others: a factor that grows with a smaller maximum overflows."""
    q, k, v = attention_normal(shape, generator)
    k[: max(1, shape[0] // 8)] += 12
    return 0.5 * q + 1.5, k, v + 2


@family
@draws_all
def deep_scores(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """All scores of a query are one number, with 64 dimensions -2^31 and -2^123 in turn: below -1e9, and below -1e30.

    Powers of two: every product and sum is exact, in whatever order, and so is a score times any scale (a kernel may
    keep scores in units of log2, and a GPU may fuse that product with the difference). No rounding tells keys apart.
    """
    _, _, v = attention_normal(shape, generator)
    keys = torch.full(shape, -(2.0**60), dtype=torch.float64)
    queries = torch.tensor([2.0**-32, 2.0**60], dtype=torch.float64)[torch.arange(shape[0]) % 2][:, None].expand(shape)
    return queries, keys, v + 1


@family
@draws_all
def heavy_values(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Keys that weigh nearly alike, and values near 8,000: the sum of 16, not yet divided, passes float16's 65,504."""
    q, k, v = attention_normal(shape, generator)
    return 0.1 * q, k, 20 * v + 8000


@family
@draws_all
def huge_values(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Values near 100,000, which float32 and bfloat16 hold and float16 does not."""
    q, k, v = attention_normal(shape, generator)
    return q, k, 1e4 * v + 1e5


@family
@draws_all
def query_of_nan(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """One NaN in every third query: its output is NaN, and no other query's."""
    q, k, v = attention_normal(shape, generator)
    q[1::3, :1] = torch.nan
    return q, k, v


@family
def signs(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """-1, 0 and 1: sums of their products are exact in float32, whatever the order, and so are the outputs."""
    return (torch.randint(-1, 2, shape, generator=generator).double(),)


@family
def far_from_zero(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Numbers whose mean is 1: a product that is lost or counted twice shows in every sum."""
    return (0.5 * _normal(shape, generator) + 1,)


@family
@draws_all
def opposed_signs(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """A (m, k) above and b (k, n) below 0: all products, and all their sums, lie below it."""
    m, n, k = shape
    return _normal((m, k), generator).abs() + 0.5, -_normal((k, n), generator).abs() - 0.5


@family
@draws_all
def rows_of_every_size(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Row i of a (m, k) multiplied by 2^-12 to 2^7: where a limit is one number, small rows may hold anything."""
    m, n, k = shape
    sizes = 2.0 ** (torch.arange(m, dtype=torch.float64) % 20 - 12)
    return sizes[:, None] * _normal((m, k), generator), _normal((k, n), generator)


@family
@draws_all
def sums_beyond_float16(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Whole numbers: sums climb to millions halfway along k, where float16 ends at 65,504, and come back exactly.

    a (m, k) is the same read from behind, b (k, n) the opposite, but for -1, 0 and 1.
    """
    m, n, k = shape
    first, half = torch.arange(k), k // 2
    mirrored = torch.minimum(first, k - 1 - first)
    a = 64.0 * torch.randint(1, 3, (m, k), generator=generator)[:, mirrored].double()
    sign = torch.where(first < half, 1.0, torch.where(first < k - half, 0.0, -1.0)).double()
    return a, 128 * sign[:, None] + torch.randint(-1, 2, (k, n), generator=generator)


@family
@draws_all
def rows_without_numbers(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """In some rows of a (m, k) one NaN, in others inf, -inf, or both; b (k, n) has no 0. The other rows are finite."""
    m, n, k = shape
    a, b = _normal((m, k), generator), _normal((k, n), generator)
    a[1::7, k // 2] = torch.nan
    a[3::7, k // 3] = torch.inf
    a[4::7, -1:] = -torch.inf
    a[6::7, :1], a[6::7, -1:] = torch.inf, -torch.inf
    return a, torch.where(b == 0, 1.0, b)


@family
def large(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Numbers around 1e15, whose products float32 and bfloat16 hold, and float16 holds not even them."""
    return (1e15 * _normal(shape, generator),)
