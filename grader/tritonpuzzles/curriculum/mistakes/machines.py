"""Machines: algorithms computed as a kernel does, with a keyword for each possible deviation. A mistake is a deviation.

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
Step = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]  # (old sum, alpha, terms, whether m has grown) -> new sum
Outputs = Tensor | tuple[Tensor, ...]


@dataclass(frozen=True, eq=False)
class Deviation:
    """An emulation: a machine with its deviations."""

    machine: Callable[..., Outputs]
    values: Mapping[str, object]

    def __call__(self, inputs: tuple[Tensor, ...], tile: Tile) -> Outputs:
        """Return the results of a kernel with these deviations."""
        return self.machine(inputs, tile, **self.values)

    def __repr__(self) -> str:
        """Return `softmax(start=-1e9)`."""
        told = ", ".join(f"{name}={_told(value)}" for name, value in self.values.items())
        return f"{self.machine.__name__}({told})"


def machine(run: Callable[Concatenate[tuple[Tensor, ...], Tile, P], Outputs]) -> Callable[P, Emulation]:
    """Return a function that makes emulations of a machine; it takes the machine's keywords."""

    def deviating(*_: P.args, **values: P.kwargs) -> Emulation:
        return Deviation(run, values)

    return deviating


class Turn(NamedTuple):
    """The variables of a running softmax after a tile."""

    m_old: Tensor  # the maximum before it
    l_old: Tensor  # the sum before it
    m: Tensor  # the maximum after it
    l: Tensor  # the sum after it
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
    """Return the variables before the first tile."""
    m, zeros = torch.full_like(like, -torch.inf), torch.zeros_like(like)
    return Turn(m, zeros, m, zeros, zeros, zeros, zeros)


def turn(
    m_old: Tensor,
    l_old: Tensor,
    s: Tensor,
    own: Tensor,
    *,
    kept: Pairwise = torch.maximum,  # (old maximum, the tile's own) -> new maximum
    weights: Pairwise = weight,  # (scores, new maximum) -> weights
    reduced: Callable[[Tensor], Tensor] = total,  # weights -> terms of the sum
    factor: Pairwise = weight,  # (old maximum, new maximum) -> factor for the old sum
    step: Step = lambda l, alpha, terms, grown: l * alpha + terms,
) -> Turn:
    """Return the variables after one tile of scores with maximum `own`; the keywords are possible deviations."""
    m = kept(m_old, own)
    alpha, p = factor(m_old, m), weights(s, m)
    terms = reduced(p)
    return Turn(m_old, l_old, m, step(l_old, alpha, terms, m > m_old), alpha, p, terms)


def _told(value: object) -> str:
    code = getattr(value, "__code__", None)
    if code is not None and code.co_name == "<lambda>":
        return f"lambda in line {code.co_firstlineno}"
    return str(getattr(value, "__name__", repr(value)))
