"""Families of inputs for the puzzles of this pack."""

from __future__ import annotations

import torch
from torch import Generator, Tensor

from tritonpuzzles.curriculum.families import draws_all


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


def keep_three_of_four(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """1 in three places of four, 0 in the others."""
    return ((torch.rand(shape, generator=generator) < 0.75).double(),)


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
