"""Named mistakes, each with the results of a kernel that makes it.

An emulation gets the case's tensors in float32, so that it overflows and underflows where a kernel does, and the tile
that the kernel used. It returns as many values as the host function; arguments that are not tensors are in
`tile.values`. Elements that the kernel does not write are NaN; a lane outside of its tensor loads 0. A record lists the
codes that apply to its puzzle, the likeliest first. Most emulations are a machine with a deviation, see `machines`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import torch
from torch import Tensor


@dataclass(frozen=True)
class Tile:
    """The tile that a kernel loads."""

    rows: int  # and cols: of the matrix; for attention, queries of a program and keys of one step
    cols: int
    dtype: torch.dtype = torch.float32  # of the inputs: a kernel rounds to it before a product on tensor cores
    programs: int = 1  # of the launch with the most of them
    # the whole-number constexprs of the launch, by name
    constants: Mapping[str, int] = field(default_factory=dict, compare=False)
    # the arguments that are not tensors, by name
    values: Mapping[str, bool | int | float | str] = field(default_factory=dict, compare=False)
    # of a backward call, the arguments whose gradients are requested
    gradients: tuple[str, ...] = field(default=(), compare=False)


Emulation = Callable[[tuple[Tensor, ...], Tile], "Tensor | tuple[Tensor, ...]"]
E = TypeVar("E", bound=Emulation)


@dataclass(frozen=True)
class Recognised:
    """What a recogniser reads off the wrong outputs of a case."""

    output: int  # index of the first
    says: str  # what it holds
    next_step: str
    lines: tuple[str, ...] = ()  # patterns for the lines of host code that cause it


Recogniser = Callable[[tuple[Tensor, ...], Tile, Mapping[int, Tensor]], "Recognised | None"]


@dataclass(frozen=True)
class Form:
    """The lines and texts of one form of a mistake, which replace the mistake's own unless empty: see `Mistake`."""

    lines: tuple[str, ...] = ()
    says: str = ""
    next_step: str = ""


@dataclass(frozen=True)
class Mistake:
    """A mistake that learners make."""

    code: str  # stable, kebab-case
    # what happens and why it matters, two sentences. Names that a file may spell differently are in braces, see `WORDS`
    says: str
    next_step: str  # what to do, likewise
    lines: tuple[str, ...]  # regular expressions for the source line that probably contains it, the most reliable first
    # float32 inputs and tile -> the results of such a kernel, in float32; one for each form
    emulations: tuple[Emulation, ...]
    # two expressions: if a kernel has lines that match the first, and all of them match the second, it has not made the
    # mistake, whatever its values
    unless: tuple[str, str] | None = None
    needs: str | None = None  # an expression that some line of a kernel with the mistake must match
    # rules the mistake out for a kernel with a loop that takes the same tile in every iteration, or that ends early: at
    # a number of tiles, though it steps by tiles
    moving: bool = False
    still: bool = False  # such loops are reported
    # the part of a tile that the emulations use, if not all: tiles with equal parts are tried once
    seen: Callable[[Tile], Hashable] | None = None
    # a quantity of the puzzle's walk that no variable of such a kernel has right to the end. If one has it, NaN alone
    # does not prove the mistake
    loses: str = ""
    host: bool = False  # the line is in the host code, not in a kernel
    # if a single line matches the first of `lines` with any match, that line is reported. Values would show the mistake
    # only where they are used
    by_text: bool = False
    # lines and texts of single forms, where they differ
    forms: Mapping[Emulation, Form] = field(default_factory=dict, compare=False)
    # inputs, tile and a case's wrong outputs by index -> what they are, reported in place of `says`. A mistake without
    # emulations has only this
    recognise: Recogniser | None = None

    @property
    def said(self) -> list[str]:
        """The texts of all of its forms."""
        return [self.says, *(form.says for form in self.forms.values() if form.says)]


WORDS = {
    "m": "m",  # the running maximum
    "m_old": "m_old",
    "m_new": "m_new",
    "alpha": "alpha",  # the factor that rescales the old sum
    "l": "l",  # the running sum
    "lowest": "-inf",  # the start of a maximum; another number if it is subtracted while all scores so far are -inf
    "acc": "acc",
    "p": "p",  # the exponentials of a tile
    "x": "x",  # the tile that maximum and sum are taken of
    "s": "s",
    "axis": "axis=0",  # along which
    "max_axis": "the axis of tl.max",
    "sum_axis": "the axis of tl.sum",
    "column": "[:, None]",  # spreads a maximum along a row of the tile
    "start": "start",  # a loop's variable
    "cols": "cols",  # the columns or keys of its tile
    "keys": "keys",
    "key_mask": "keys < n",  # which of them exist, along a row of the tile
    "BLOCK": "BLOCK_SIZE",  # its step
    "BLOCK_N": "BLOCK_N",
    "n_cols": "n_cols",  # its end
    "n": "n",
    "all_tiles": "tl.cdiv(n_cols, BLOCK_SIZE)",  # the range of a loop that includes a partial tile
    "all_blocks": "tl.cdiv(n, BLOCK_N)",
    "all_turns": "tl.cdiv(K, BLOCK_K)",
    "pid": "pid",  # a program's id
    "tiles_m": "tiles_m",  # rows of tiles
    "tiles_n": "tiles_n",  # columns of tiles
    "GROUP_M": "GROUP_M",  # rows of tiles of a group
}
"""The names that a text may have in braces, each with its default where a file does not show its own name."""

TF32 = Mistake(  # found by exact products, not by an emulation
    "tf32",
    "Products of float32 are computed in TF32, with 11 significant bits in place of 24: this is the default of tl.dot.",
    'Pass input_precision="ieee" to tl.dot where the inputs are float32.',
    (r"^(?!.*ieee).*tl\.dot\(", r"tl\.dot\("),
    (),
)

_NAMED = re.compile(rf"\{{({'|'.join(WORDS)})\}}")


def in_words(text: str, names: Mapping[str, str] = WORDS) -> str:
    """Return a text with the names in braces replaced: by `names`, else by `WORDS`."""
    return _NAMED.sub(lambda found: names.get(found[1], WORDS[found[1]]), text)


class Mistakes:
    """The mistakes that one module defines, by code; for `seen` see `Mistake`."""

    def __init__(self, seen: Callable[[Tile], Hashable] | None = None) -> None:
        self.by_code: dict[str, Mistake] = {}
        self._seen = seen

    def add(
        self, code: str, says: str, next_step: str, *lines: str, by: Emulation | Sequence[Emulation] = (), **about: Any
    ) -> Callable[[E], E]:
        """Register a mistake; its forms are `by` and the decorated emulation, if any; `about` are other fields."""
        self.by_code[code] = Mistake(code, says, next_step, lines, (), seen=self._seen, **about)
        return self.also(code, by=by)

    def recognised(self, code: str, says: str, *lines: str, host: bool = False) -> Callable[[Recogniser], Recogniser]:
        """Register the decorated function as the recogniser of a mistake without emulations."""

        def register(recognise: Recogniser) -> Recogniser:
            self.by_code[code] = Mistake(code, says, "", lines, (), host=host, recognise=recognise)
            return recognise

        return register

    def also(
        self, code: str, *lines: str, says: str = "", next_step: str = "", by: Emulation | Sequence[Emulation] = ()
    ) -> Callable[[E], E]:
        """Register more forms of a mistake, as `add` does, with their own lines and texts if given."""
        form = Form(lines, says, next_step)

        def register(emulate: E) -> E:
            known = self.by_code[code]
            forms = dict(known.forms)
            if form != Form():
                forms[emulate] = form
            self.by_code[code] = replace(known, emulations=(*known.emulations, emulate), forms=forms)
            return emulate

        for emulate in (by,) if callable(by) else by:
            register(emulate)
        return register
