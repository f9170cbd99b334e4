"""Machines: an algorithm, done as a kernel does it, with keywords for what may deviate. A mistake is such a deviation.

`@machine` before `def softmax(inputs, tile, *, start=FIRST)` makes `softmax(start=-1e9)` an emulation:
`MISTAKES.add("max-starts-too-high", "...", "...", by=[softmax(start=start) for start in (-1e9, -1e30)])`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Concatenate, ParamSpec

from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Emulation, Tile

P = ParamSpec("P")
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


def _told(value: object) -> str:
    code = getattr(value, "__code__", None)
    if code is not None and code.co_name == "<lambda>":
        return f"lambda in line {code.co_firstlineno}"
    return str(getattr(value, "__name__", repr(value)))
