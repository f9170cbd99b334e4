"""A launch as the engine saw it, with its kernel's text as the judge read it; whether its programs are enough."""

from __future__ import annotations

import ast
import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tritonpuzzles.results.words import plural
from tritonpuzzles.source import source_of
from tritonpuzzles.source.functions import Function
from tritonpuzzles.source.spelling import asked_axes
from tritonpuzzles.wire.facts import Gap, LaunchFact, Tensor

DIVISIONS = (ast.FloorDiv, ast.Mod)
MOST_NODES = 10_000  # of a kernel's text that is searched for each fact: usual kernels have some hundreds
_UNKNOWN = Function(next(node for node in ast.parse("def unknown(): ...").body if isinstance(node, ast.FunctionDef)))


class Launch:
    """One launch.

    Attributes:
        function: the text of its kernel; an empty function if it is not known.
        bound, numbers: arguments by parameter: whole numbers and tensors; only the whole numbers.
        file, line: where the host code launches it.
    """

    def __init__(self, fact: LaunchFact, function: Function) -> None:
        self.function = function
        self.kernel, self.grid, self.programs, self.tensors = fact.kernel, fact.grid, fact.programs, fact.tensors
        self.largest_tile, self.stored = fact.largest_tile, fact.stored
        self.bound: dict[str, Any] = {**fact.numbers, **{one.name: one for one in fact.tensors}}
        self.numbers = {name: value for name, value in self.bound.items() if type(value) is int}
        self.file, self.line = fact.place

    def tensor(self, name: str) -> Tensor | None:
        """Return a tensor argument by name, or `None`."""
        return next((tensor for tensor in self.tensors if tensor.name == name), None)

    def program_ids(self, linear: int) -> tuple[int, int, int]:
        """Return the id (x, y, z) of a program from its linear index, which starts at 0."""
        _, y, z = self.grid
        return linear // (y * z), linear // z % y, linear % z

    def program_text(self, linear: int) -> str:
        """Return a program's id as a learner writes it: `3`, or `(3, 0, 1)` in a grid of more dimensions."""
        ids = self.program_ids(linear)
        return str(ids[0]) if self.grid[1:] == (1, 1) else f"({', '.join(map(str, ids))})"

    def too_few_for_tiles(self, store: int, shape: Sequence[int]) -> str:
        """Return a sentence that it has too few programs to write everything at one tile each; else ""."""
        tile, programs, size = self.largest_tile, self.programs, math.prod(shape)
        elsewhere = store not in self.function.lines  # in a helper, which a loop of the kernel may call
        if not tile or self.function.around(store) or (elsewhere and self.function.loops):
            return ""
        runs = f"{self.kernel} runs as {plural(programs, 'program')}"
        if programs * tile < size:
            return f"{runs} of {tile:,} elements at most: at least {-(-size // tile):,} are needed."
        if (found := self._tiles(shape)) is not None:
            (rows, columns), (down, across) = found
            if programs < down * across:
                return f"{runs}, and there are {down} x {across} = {down * across:,} tiles of {rows} x {columns}."
        return ""

    def _block(self) -> tuple[int, int] | None:
        """Return rows and columns of the largest tile, if two constants, in parameter order, multiply to its size."""
        sides = [self.numbers[name] for name in self.function.constants if name in self.numbers]
        pairs = itertools.combinations(sides, 2)
        return next((pair for pair in pairs if 1 < pair[0] * pair[1] == self.largest_tile), None)

    def _tiles(self, shape: Sequence[int]) -> tuple[tuple[int, int], tuple[int, int]] | None:
        """Return a tile's rows and columns, and the tile counts down and across a matrix; `None` if unknown."""
        block = self._block()
        if block is None or len(shape) != 2:
            return None
        return block, (-(-shape[0] // block[0]), -(-shape[1] // block[1]))

    def exchanged_axes(self, gap: Gap) -> str:
        """Return a sentence on exchanged axes of the grid, if these explain exactly what is left out; else ""."""
        found = self._tiles(gap.shape)
        if found is None or gap.ends is None or self.grid[2] > 1 or not asked_axes(self.function) >= {0, 1}:
            return ""
        block, (down, across) = found
        for rows, columns in ((0, 1), (1, 0)) if down != across else ():  # the kernel's axes for tile rows and columns
            counts = self.grid[rows], self.grid[columns]
            reached = [min(count * size, whole) for count, size, whole in zip(counts, block, gap.shape, strict=True)]
            if counts == (across, down) and list(gap.ends) == reached:
                along = f"{plural(down, 'row')} of tiles along axis {rows}, {plural(across, 'column')} along {columns}"
                return f"The grid is {self.grid[:2]}, and the kernel counts {along}."
        return ""

    def are_enough(self, shape: Sequence[int], store: int | None) -> bool:
        """Return whether there is a program for each tile of a matrix, or for each row of tiles if a loop stores."""
        found = self._tiles(shape)
        if found is None or store is None or self.axes > 1:
            return False
        _, (down, across) = found
        return self.programs >= down * (1 if self.function.around(store) else across)

    def all_did_theirs(self, end: int, store: int | None) -> bool:
        """Return whether each program stored its constant number of rows, once: then there are too few programs."""
        each, rest = divmod(end, self.programs)
        sizes = [self.bound.get(name) for name in self.function.constants]
        return not rest and each in sizes and store is not None and not self.function.around(store)

    @property
    def axes(self) -> int:
        """The number of axes of its grid, up to the last one with several programs."""
        return max((axis for axis, count in enumerate(self.grid, 1) if count > 1), default=1)

    def one_tile_of_each_row(self, store: int, gap: Gap) -> str:
        """Return a sentence that each program stores one tile of a longer row, without a loop; else ""."""
        if len(gap.shape) != 2 or self.function.around(store) or not self.largest_tile:
            return ""
        block = self._block()
        # A kernel that numbers tiles along both axes uses a division.
        divides = any(isinstance(node, ast.BinOp) and isinstance(node.op, DIVISIONS) for node in self.function.nodes)
        if block is not None and (asked_axes(self.function) != {0} or divides):
            return ""  # programs may cover both axes
        tall, wide = block or (1, self.largest_tile)
        rows, columns = gap.shape
        if self.programs < -(-rows // tall) or columns <= wide or gap.written != (0, wide):
            return ""
        return f"Line {store} is in no loop, and a row has {-(-columns // wide):,} tiles of {wide:,}."

    def axis_of_one(self, shape: Sequence[int]) -> str:
        """Return a sentence that the kernel uses axis 1 and the grid has one axis, a program for each tile; else ""."""
        found = self._tiles(shape)
        if found is None or min(found[1]) < 2 or self.grid != (math.prod(found[1]), 1, 1):
            return ""
        if 1 not in asked_axes(self.function):
            return ""
        return f"The grid has one axis, {self.grid[0]:,} programs long: tl.program_id(1) is 0 in each of them."


@dataclass(frozen=True)
class Known:
    """What the judge knows of a submission."""

    file: str  # the path at which it is opened
    call: str  # of the host function: "softmax(x)"
    texts: Mapping[str, str] = field(default_factory=dict)  # of the files that contain its kernels, by path

    def launch(self, fact: LaunchFact) -> Launch:
        """Return a launch with its kernel's text."""
        functions = source_of(self.texts.get(fact.file, "").encode()).functions
        named = (one for one in functions if one.name == fact.kernel and len(one.nodes) <= MOST_NODES)
        return Launch(fact, next((one for one in named if _begins_at(one.node, fact.first)), _UNKNOWN))


def _begins_at(node: ast.FunctionDef, line: int) -> bool:
    """Return whether a line is one from the first decorator of a function to its `def`."""
    return min([node.lineno, *(one.lineno for one in node.decorator_list)]) <= line <= node.lineno
