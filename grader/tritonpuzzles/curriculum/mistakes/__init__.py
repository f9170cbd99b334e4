"""Named mistakes, each with what a kernel that makes it would compute.

An emulation gets the case's inputs in float32, so that it overflows and underflows where a kernel does, and the tile
that the kernel worked with. A record lists the codes that apply to its puzzle, the likeliest first.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import Tensor


@dataclass(frozen=True)
class Tile:
    """The tile that a kernel loads.

    Attributes:
        rows, cols: of the matrix; for attention, queries of a program and keys of one step.
        dtype: of the inputs: what a kernel rounds to before a product on tensor cores.
    """

    rows: int
    cols: int
    dtype: torch.dtype = torch.float32


Emulation = Callable[[tuple[Tensor, ...], Tile], Tensor]


@dataclass(frozen=True)
class Mistake:
    """A way in which learners go wrong.

    Attributes:
        code: stable, kebab-case.
        says: what happens and why it matters, two sentences.
        next_step: what to do.
        line: regular expression for the source line that it probably stands in.
        emulations: float32 inputs and tile -> what such a kernel computes, in float32; one for each form it takes.
    """

    code: str
    says: str
    next_step: str
    line: str
    emulations: tuple[Emulation, ...]


class Mistakes:
    """The mistakes that one module defines, by code."""

    def __init__(self) -> None:
        self.by_code: dict[str, Mistake] = {}

    def add(self, code: str, says: str, next_step: str, line: str) -> Callable[[Emulation], Emulation]:
        """Register the decorated emulation under a code."""

        def register(emulate: Emulation) -> Emulation:
            self.by_code[code] = Mistake(code, says, next_step, line, (emulate,))
            return emulate

        return register

    def also(self, code: str) -> Callable[[Emulation], Emulation]:
        """Register the decorated emulation as another form of a mistake."""

        def register(emulate: Emulation) -> Emulation:
            known = self.by_code[code]
            self.by_code[code] = replace(known, emulations=(*known.emulations, emulate))
            return emulate

        return register


def find_mistakes(module: str, codes: tuple[str, ...]) -> tuple[Mistake, ...]:
    """Return the mistakes that a record lists.

    Args:
        module: dotted name of a module with `MISTAKES`.
        codes: in the order in which they are tried.

    Raises:
        KeyError: for a code that the module does not define.
    """
    if not codes:
        return ()
    known: Mistakes = importlib.import_module(module).MISTAKES
    return tuple(known.by_code[code] for code in codes)
