"""Families of inputs that catch what ordinary numbers let through, for the puzzles of this pack."""

from __future__ import annotations

import torch
from torch import Generator, Tensor

from tritonpuzzles.curriculum.families import draws_all


def _normal(shape: tuple[int, ...], generator: Generator) -> Tensor:
    return torch.randn(shape, generator=generator, dtype=torch.float64)


# RMS norm: x alone, from its own shape.


def small_numbers(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Numbers around 0.002: their squares are as small as eps, which must not be lost."""
    return (0.002 * _normal(shape, generator),)


def large_numbers(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Numbers around 500: their squares are more than float16 can hold."""
    return (500 * _normal(shape, generator),)


def around_three(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Numbers with a mean of 3: nothing may be subtracted."""
    return (_normal(shape, generator) + 3,)


def rows_of_all_sizes(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Row i is 4^(i % 4) times as large as ordinary numbers: each needs a factor of its own."""
    return (_normal(shape, generator) * 4.0 ** (torch.arange(shape[0]) % 4)[:, None],)


def every_third_row_zero(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Rows of zeros between ordinary ones: without eps they are 0 / 0."""
    x = _normal(shape, generator)
    x[::3] = 0
    return (x,)


# Gather: table and index together, for the index depends on the table's number of rows.


def _table(shape: tuple[int, ...], generator: Generator) -> Tensor:
    n_rows, n_cols, _ = shape
    return _normal((n_rows, n_cols), generator)


@draws_all
def picks(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Rows at random, some twice; the last row is the first pick, the first row the last one."""
    n_rows, _, n_picks = shape
    index = torch.randint(0, max(1, n_rows), (n_picks,), generator=generator)
    if n_picks > 1:
        index[0], index[-1] = n_rows - 1, 0
    return _table(shape, generator), index


@draws_all
def one_row_again_and_again(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """The second row, every time."""
    n_rows, _, n_picks = shape
    return _table(shape, generator), torch.full((n_picks,), min(1, n_rows - 1), dtype=torch.int64)


@draws_all
def rows_in_order(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Row i at place i, and from the start again: a kernel that ignores the index is right up to there."""
    n_rows, _, n_picks = shape
    return _table(shape, generator), torch.arange(n_picks) % max(1, n_rows)


@draws_all
def last_row_first(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """The rows backwards: a pick that is one too high or too low is seen at once."""
    n_rows, _, n_picks = shape
    return _table(shape, generator), (n_rows - 1 - torch.arange(n_picks)) % max(1, n_rows)


@draws_all
def not_all_finite(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Tables with infinities in some rows: a copy keeps them where they are, a product with 0 spreads them."""
    table, index = picks(shape, generator)
    table[::3, ::5] = torch.inf
    table[1::3, 2::7] = -torch.inf
    return table, index


@draws_all
def numbers_of_all_sizes(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Numbers from 1e-9 to 1e9: more than float16 can hold, and fewer than it can tell apart."""
    table, index = picks(shape, generator)
    return table * 10.0 ** torch.randint(-9, 10, table.shape, generator=generator), index


# Swish, backwards: x and the gradient dy, together or one by one.


@draws_all
def flat_gradient(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Every dy is 1, as after y.sum().backward()."""
    return 2 * _normal(shape, generator), torch.ones(shape, dtype=torch.float64)


@draws_all
def far_from_zero(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Values of x up to 150 and down to -150, where exp overflows one way or the other."""
    return 50 * _normal(shape, generator).clamp(-3, 3), _normal(shape, generator)


@draws_all
def rising_gradient(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Gradients that grow along the row: one that is taken from another column is far off."""
    rise = torch.linspace(1, 9, shape[1], dtype=torch.float64).expand(shape)
    return _normal(shape, generator), rise.clone()


@draws_all
def half_of_it_switched_off(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Every other dy is 0, as behind a mask: those elements have no gradient, whatever x is."""
    dy = _normal(shape, generator)
    dy[:, ::2] = 0
    return _normal(shape, generator) + 1, dy


def above_one(shape: tuple[int, ...], generator: Generator) -> tuple[Tensor, ...]:
    """Numbers around 2: where both terms of the derivative count."""
    return (0.5 * _normal(shape, generator) + 2,)
