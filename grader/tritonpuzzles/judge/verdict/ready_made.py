"""What a kernel that passes leaves to a function of Triton, although the puzzle is about it: a note, and no fault."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.submission import Submission


def ready_made(puzzle: Puzzle, file: Submission) -> Iterator[Finding]:
    """Yield a note for each call in a kernel of a function that does all that the puzzle is about."""
    for node in (node for kernel in file.source.kernels for node in kernel.nodes):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in puzzle.taught:
            text = f"It passes, and tl.{node.func.attr} does all that this puzzle is about (line {node.lineno})."
            step = puzzle.taught[node.func.attr]
            yield Finding("ready-made", text, file=str(file), line=node.lineno, next_step=step)
