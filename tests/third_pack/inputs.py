"""Families of inputs for the puzzles of this pack."""

from __future__ import annotations

import torch
from torch import Generator, Tensor

from tritonpuzzles.curriculum.families import FAMILIES, draws_all


def _normal(shape: tuple[int, ...], generator: Generator) -> Tensor:
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def small_numbers(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Numbers around 0.002: their squares are as small as eps."""
    return (0.002 * _normal(shape, generator),)


def large_numbers(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Numbers around 500: their squares are more than float16 can hold."""
    return (500 * _normal(shape, generator),)


def around_three(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Numbers with a mean of 3: nothing may be subtracted."""
    return (_normal(shape, generator) + 3,)


def _three_of_four(shape: tuple[int, ...], generator: Generator) -> Tensor:
    return (torch.rand(shape, generator=generator) < 0.75).double()


@draws_all
def normal_and_keep(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Ordinary numbers; 1 in three places of four of what is kept, 0 in the others."""
    return _normal(shape, generator), _three_of_four(shape, generator)


@draws_all
def around_three_and_keep(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Numbers with a mean of 3, and three of four of them kept."""
    return *around_three(shape, generator), _three_of_four(shape, generator)


@draws_all
def infinities_and_keep(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """One number in four is inf, -inf or NaN; three of four are kept, of these as of others."""
    return *FAMILIES["infinities_and_nan"](shape, generator), _three_of_four(shape, generator)


@draws_all
def any_byte(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Ordinary numbers; what is kept has any byte from 1 to 255, half of them from 128 on."""
    kept = torch.randint(1, 256, shape, generator=generator)
    return _normal(shape, generator), kept * _three_of_four(shape, generator)


@draws_all
def angles(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Ordinary x, and the cosine and sine of angles that differ in every place."""
    n, half = shape
    angle = 6 * torch.rand((n, half), generator=generator, dtype=torch.float64)
    return _normal((n, 2 * half), generator), angle.cos(), angle.sin()


@draws_all
def classes(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Ordinary logits, and a target at random for each row."""
    n_rows, n_cols = shape
    return _normal(shape, generator), torch.randint(0, max(1, n_cols), (n_rows,), generator=generator)


@draws_all
def large_logits(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Logits near 200, where exp overflows unless the maximum is subtracted."""
    logits, targets = classes(shape, generator)
    return logits + 200, targets


@draws_all
def rising_logits(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Logits that rise along the row: a running maximum grows in every tile."""
    logits, targets = classes(shape, generator)
    return logits + torch.linspace(-15, 15, shape[1], dtype=torch.float64), targets


@draws_all
def early_peak(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """A logit of 120 in the first third of each row: powers of e of a later tile's maximum overflow."""
    logits, targets = classes(shape, generator)
    column = torch.randint(0, max(1, shape[1] // 3), (shape[0], 1), generator=generator)
    return logits.scatter(1, column, 120.0), targets


@draws_all
def last_class(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """The last class has most of the weight, and is every other row's target."""
    logits, targets = classes(shape, generator)
    logits[:, -1] += 8
    targets[::2] = shape[1] - 1
    return logits, targets


@draws_all
def bytes_with_scales(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Whole numbers from -128 to 127, and a scale for each row of a: (m, k) and each column of b: (k, n)."""
    m, n, k = shape
    a = torch.randint(-128, 128, (m, k), generator=generator).double()
    b = torch.randint(-128, 128, (k, n), generator=generator).double()
    a_scale = 0.01 * (0.5 + torch.rand(m, generator=generator, dtype=torch.float64))
    b_scale = 0.002 * (0.5 + torch.rand(n, generator=generator, dtype=torch.float64))
    return a, b, a_scale, b_scale


@draws_all
def near_the_zero_point(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """One number of a in a hundred is a little above the zero point, -128, and all others are it: they stand for 0.

    Numbers of b are large, so that the sum of products and what is taken off it are, too.
    """
    m, n, k = shape
    _, _, a_scale, b_scale = bytes_with_scales(shape, generator)
    above = torch.randint(1, 10, (m, k), generator=generator) * (torch.rand((m, k), generator=generator) < 0.01)
    b = torch.randint(64, 128, (k, n), generator=generator).double()
    return above.double() - 128, b, a_scale, b_scale


@draws_all
def large_bytes(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """As `bytes_with_scales`, and all of b from 124 to 127: its sums grow as fast as bytes allow."""
    _, n, k = shape
    a, _, a_scale, b_scale = bytes_with_scales(shape, generator)
    return a, torch.randint(124, 128, (k, n), generator=generator).double(), a_scale, b_scale
