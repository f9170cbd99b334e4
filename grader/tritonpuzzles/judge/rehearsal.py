"""Try every emulation of a puzzle's mistakes before a learner's kernel makes it needed: its author learns of a slip."""

from __future__ import annotations

from tritonpuzzles.curriculum.mistakes import Tile
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.judge.authors import authored, of_mistake
from tritonpuzzles.judge.inputs import draw
from tritonpuzzles.judge.resolve import resolve
from tritonpuzzles.judge.verdict.emulate import emulations, is_small

TRIED = 16, 64  # rows and columns of a tile: smaller than some matrices and larger than others


def rehearse(puzzle: Puzzle, seed: int) -> None:
    """Have each mistake that a record lists compute each case of the CPU once.

    Args:
        puzzle: whose mistakes are tried.
        seed: of the cases.

    Raises:
        RecordError: for the first emulation that raises, or gives something else than the outputs of a case.
    """
    cases = [drawn for drawn in draw(puzzle, seed, "cpu") if not drawn.is_empty and is_small(drawn)]
    for mistake in resolve(puzzle).mistakes:
        with authored(puzzle, of_mistake(mistake.code)):
            for drawn in cases:
                for _ in emulations(mistake, drawn, [Tile(*TRIED, drawn.dtype)]):
                    pass
