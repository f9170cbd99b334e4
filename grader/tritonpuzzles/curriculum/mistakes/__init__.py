"""Named mistakes, each with what a kernel that makes it would compute.

An emulation gets the case's tensors in float32, so that it overflows and underflows where a kernel does, and the tile
that the kernel worked with; where the host function returns several values, so does the emulation, and arguments that
are no tensors are in `tile.values`. What the kernel does not write is NaN; a lane outside of its tensor loads
0. A record lists the codes that apply to its puzzle, the likeliest first. Most emulations are a machine with something
that deviates in it, see `machines`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import torch
from torch import Tensor


@dataclass(frozen=True)
class Tile:
    """The tile that a kernel loads.

    Attributes:
        rows, cols: of the matrix; for attention, queries of a program and keys of one step.
        dtype: of the inputs: what a kernel rounds to before a product on tensor cores.
        programs: of the launch with the most of them.
        constants: the constexprs of the launch that are whole numbers, by name.
        values: the arguments that are no tensors, by name.
        gradients: of a backward call the arguments whose gradients are asked for.
    """

    rows: int
    cols: int
    dtype: torch.dtype = torch.float32
    programs: int = 1
    constants: Mapping[str, int] = field(default_factory=dict, compare=False)
    values: Mapping[str, bool | int | float | str] = field(default_factory=dict, compare=False)
    gradients: tuple[str, ...] = field(default=(), compare=False)


Emulation = Callable[[tuple[Tensor, ...], Tile], "Tensor | tuple[Tensor, ...]"]
E = TypeVar("E", bound=Emulation)


@dataclass(frozen=True)
class Recognised:
    """What wrong outputs of one case are, read off their values: the number of the first, what it holds, what to do.

    `lines` are patterns of lines of the host code that do so.
    """

    output: int
    says: str
    next_step: str
    lines: tuple[str, ...] = ()


Recogniser = Callable[[tuple[Tensor, ...], Tile, Mapping[int, Tensor]], "Recognised | None"]


@dataclass(frozen=True)
class Form:
    """What one form of a mistake has in place of the mistake's own, where it has any: see `Mistake`."""

    lines: tuple[str, ...] = ()
    says: str = ""
    next_step: str = ""


@dataclass(frozen=True)
class Mistake:
    """A way in which learners go wrong.

    Attributes:
        code: stable, kebab-case.
        says: what happens and why it matters, two sentences. What a file may call otherwise stands in braces, see
            `WORDS`.
        next_step: what to do, likewise.
        lines: regular expressions for the source line that it probably stands in, the surest first.
        unless: two of them: a kernel with lines that match the first, all of which match the second, has not made it,
            whatever its values look like.
        needs: one that some line of a kernel that has made it must match.
        moving: a kernel has not made it with a loop that takes the same tile in every iteration, or that ends early:
            at a number of tiles, though it moves on by tiles.
        still: such loops are reported.
        by_text: where one line alone matches the first of `lines` that any does, the text knows the line better than
            values, which show it only where they are used.
        emulations: float32 inputs and tile -> what such a kernel computes, in float32; one for each form it takes.
        forms: what differs of single emulations' forms.
        recognise: inputs, tile and a case's wrong outputs by number -> what they are, said in place of `says`. It is
            all that a mistake without emulations has.
        seen: what the emulations look at of a tile, where that is not all: tiles alike in it are tried once.
        loses: the quantity of the puzzle's walk that no variable of such a kernel has right to the end: where one has,
            NaN alone is no proof of the mistake.
        host: the line stands in the host code, and not in a kernel.
    """

    code: str
    says: str
    next_step: str
    lines: tuple[str, ...]
    emulations: tuple[Emulation, ...]
    unless: tuple[str, str] | None = None
    needs: str | None = None
    moving: bool = False
    still: bool = False
    seen: Callable[[Tile], Hashable] | None = None
    loses: str = ""
    host: bool = False
    by_text: bool = False
    forms: Mapping[Emulation, Form] = field(default_factory=dict, compare=False)
    recognise: Recogniser | None = None

    @property
    def said(self) -> list[str]:
        """What is said of it, in whichever form."""
        return [self.says, *(form.says for form in self.forms.values() if form.says)]


WORDS = {
    "m": "m",  # the running maximum
    "m_old": "m_old",
    "m_new": "m_new",
    "alpha": "alpha",  # the factor that rescales the old sum
    "l": "l",  # the running sum
    "lowest": "-inf",  # what a maximum starts at; not where it is subtracted while all that was seen is -inf
    "acc": "acc",
    "p": "p",  # the exponentials of a tile
    "x": "x",  # the tile that maximum and sum are taken of
    "s": "s",
    "axis": "axis=0",  # along which
    "max_axis": "the axis of tl.max",
    "sum_axis": "the axis of tl.sum",
    "column": "[:, None]",  # what spreads a maximum along a row of the tile
    "start": "start",  # a loop's variable
    "cols": "cols",  # the columns or keys of its tile
    "keys": "keys",
    "key_mask": "keys < n",  # which of them are there, along a row of the tile
    "BLOCK": "BLOCK_SIZE",  # its step
    "BLOCK_N": "BLOCK_N",
    "n_cols": "n_cols",  # its end
    "n": "n",
    "all_tiles": "tl.cdiv(n_cols, BLOCK_SIZE) of them",  # the range of a loop that takes a partial tile, too
    "all_blocks": "tl.cdiv(n, BLOCK_N) of them",
    "all_turns": "tl.cdiv(K, BLOCK_K) of them",
    "pid": "pid",  # a program's number
    "tiles_m": "tiles_m",  # rows of tiles
    "tiles_n": "tiles_n",  # columns of tiles
    "GROUP_M": "GROUP_M",  # rows of tiles of a group
}
"""What a text may name in braces, with what stands there where a file does not tell its own name."""

TF32 = Mistake(  # known by exact products, and without an emulation
    "tf32",
    "The products of float32 are computed in TF32, with 11 significant bits in place of 24, as tl.dot does unless told "
    "otherwise.",
    'Pass input_precision="ieee" to tl.dot where the inputs are float32.',
    (r"^(?!.*ieee).*tl\.dot\(", r"tl\.dot\("),
    (),
)

_NAMED = re.compile(rf"\{{({'|'.join(WORDS)})\}}")


def in_words(text: str, names: Mapping[str, str] = WORDS) -> str:
    """Return a text with what it names in braces as `names` has it, or as `WORDS` has it where that lacks it."""
    return _NAMED.sub(lambda found: names.get(found[1], WORDS[found[1]]), text)


class Mistakes:
    """The mistakes that one module defines, by code; for `seen` see `Mistake`."""

    def __init__(self, seen: Callable[[Tile], Hashable] | None = None) -> None:
        self.by_code: dict[str, Mistake] = {}
        self._seen = seen

    def add(
        self,
        code: str,
        says: str,
        next_step: str,
        *lines: str,
        by: Emulation | Sequence[Emulation] = (),
        unless: tuple[str, str] | None = None,
        needs: str | None = None,
        moving: bool = False,
        still: bool = False,
        loses: str = "",
        host: bool = False,
        by_text: bool = False,
        recognise: Recogniser | None = None,
    ) -> Callable[[E], E]:
        """Register a mistake, its forms those of `by` and the emulation that is decorated, if any."""
        self.by_code[code] = Mistake(
            code,
            says,
            next_step,
            lines,
            (),
            unless=unless,
            needs=needs,
            moving=moving,
            still=still,
            by_text=by_text,
            seen=self._seen,
            loses=loses,
            host=host,
            recognise=recognise,
        )
        return self.also(code, by=by)

    def recognised(self, code: str, says: str, *lines: str, host: bool = False) -> Callable[[Recogniser], Recogniser]:
        """Register the decorated function as what tells a mistake that has no emulation, under a code."""

        def register(recognise: Recogniser) -> Recogniser:
            self.by_code[code] = Mistake(code, says, "", lines, (), host=host, recognise=recognise)
            return recognise

        return register

    def also(
        self,
        code: str,
        *lines: str,
        says: str = "",
        next_step: str = "",
        by: Emulation | Sequence[Emulation] = (),
    ) -> Callable[[E], E]:
        """Register more forms of a mistake, as `add` does, in other lines or words where they have any."""
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
