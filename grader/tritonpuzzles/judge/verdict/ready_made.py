"""What a kernel that passes leaves aside of what the puzzle teaches: a note, and no fault."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.wire.observed import LaunchSummary


def ready_made(puzzle: Puzzle, file: Submission) -> Iterator[Finding]:
    """Yield a note for each call in a kernel of a function that does all that the puzzle is about."""
    for node in (node for kernel in file.source.kernels for node in kernel.nodes):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in puzzle.taught:
            text = f"It passes, and tl.{node.func.attr} does all that this puzzle is about (line {node.lineno})."
            step = puzzle.taught[node.func.attr]
            yield Finding("ready-made", text, file=str(file), line=node.lineno, next_step=step)


def without_tiles(launches: Sequence[LaunchSummary], file: Submission) -> Iterator[Finding]:
    """Yield a note where no launch of the largest case works on more than one element at a time."""
    if launches and all(launch.largest_tile == 1 for launch in launches):
        kernel, line = launches[0].kernel, launches[0].line
        text = f"It passes, and {kernel} has no tile: it takes one element at a time, and a GPU takes many."
        step = "Load a tile, tl.load(x_ptr + tl.arange(0, BLOCK_SIZE), mask=...), in steps of BLOCK_SIZE."
        yield Finding("no-tile", text, file=str(file), line=line, next_step=step)
