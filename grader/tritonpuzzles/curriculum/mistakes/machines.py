"""Machines: an algorithm, done as a kernel does it, with keywords for what may deviate. A mistake is such a deviation.

`@machine` before `def softmax(inputs, tile, *, start=FIRST)` makes `softmax(start=-1e9)` an emulation:
`MISTAKES.add("max-starts-too-high", "...", "...", by=[softmax(start=start) for start in (-1e9, -1e30)])`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Concatenate, NamedTuple, ParamSpec

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Emulation, Tile

P = ParamSpec("P")
Pairwise = Callable[[Tensor, Tensor], Tensor]  # of scores and a maximum, or of two maxima
Step = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]  # the new sum: of the old, alpha, terms, whether m has grown
Outputs = Tensor | tuple[Tensor, ...]


@dataclass(frozen=True, eq=False)
class Deviation:
    """An emulation: a machine, and what deviates in it."""

    machine: Callable[..., Outputs]
    values: Mapping[str, object]

    def __call__(self, inputs: tuple[Tensor, ...], tile: Tile) -> Outputs:
        """Return what a kernel that deviates so computes."""
        return self.machine(inputs, tile, **self.values)

    def __repr__(self) -> str:
        """Return `softmax(start=-1e9)`."""
        told = ", ".join(f"{name}={_told(value)}" for name, value in self.values.items())
        return f"{self.machine.__name__}({told})"


def machine(run: Callable[Concatenate[tuple[Tensor, ...], Tile, P], Outputs]) -> Callable[P, Emulation]:
    """Return what makes emulations of a machine: it takes the keywords that deviate."""

    def deviating(*_: P.args, **values: P.kwargs) -> Emulation:
        return Deviation(run, values)

    return deviating


class Turn(NamedTuple):
    """What the variables of a running softmax hold after a tile."""

    m_old: Tensor  # the maximum before it
    l_old: Tensor  # the sum before it
    m: Tensor  # the maximum behind it
    l: Tensor  # the sum behind it
    alpha: Tensor  # the factor for the old sum
    p: Tensor  # the exponentials of the tile
    terms: Tensor  # their sum


def same(x: Tensor, _: object) -> Tensor:
    """Change nothing."""
    return x


def weight(x: Tensor, m: Tensor) -> Tensor:
    """Return exp(x - m)."""
    return torch.exp(x - m)


def total(terms: Tensor, *_: object) -> Tensor:
    """Return the sum along dimension 1: of a row, of a tile of `joined`."""
    return terms.sum(dim=1, keepdim=True)


def begun(like: Tensor) -> Turn:
    """Return what variables hold before the first tile."""
    m, zeros = torch.full_like(like, -torch.inf), torch.zeros_like(like)
    return Turn(m, zeros, m, zeros, zeros, zeros, zeros)


def turn(
    m_old: Tensor,
    l_old: Tensor,
    s: Tensor,
    own: Tensor,
    *,
    kept: Pairwise = torch.maximum,  # the new maximum, of the old one and the tile's own
    weights: Pairwise = weight,  # of scores and the new maximum
    reduced: Callable[[Tensor], Tensor] = total,  # the terms of the sum, of the weights
    factor: Pairwise = weight,  # for the old sum, of the old and the new maximum
    step: Step = lambda l, alpha, terms, grown: l * alpha + terms,
) -> Turn:
    """Return what variables hold after one tile of scores, whose own maximum is `own`; keywords say what deviates."""
    m = kept(m_old, own)
    alpha, p = factor(m_old, m), weights(s, m)
    terms = reduced(p)
    return Turn(m_old, l_old, m, step(l_old, alpha, terms, m > m_old), alpha, p, terms)


def _told(value: object) -> str:
    code = getattr(value, "__code__", None)
    if code is not None and code.co_name == "<lambda>":
        return f"lambda in line {code.co_firstlineno}"
    return str(getattr(value, "__name__", repr(value)))
