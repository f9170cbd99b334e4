"""Which part of the corpora a run takes: CI another one for each commit, by the number of commits in `CORPUS_TURN`.

Even numbers take all kernels of one puzzle, and the proof of first divergence, odd ones a part of everything else.
Where nobody counts, all is meant.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

import pytest

Item = TypeVar("Item")
TURN = int(os.environ["CORPUS_TURN"]) if "CORPUS_TURN" in os.environ else None
ROUND = 0 if TURN is None else TURN // 2  # of all puzzles, and of all parts
OF_ONE_PUZZLE = TURN is None or TURN % 2 == 0
on_odd_turns = pytest.mark.skipif(TURN is not None and TURN % 2 == 0, reason="the turn of one puzzle's kernels")
on_even_turns = pytest.mark.skipif(not OF_ONE_PUZZLE, reason="the turn of everything but one puzzle's kernels")


def part(items: Sequence[Item], *, in_ci: int, otherwise: int, start: int = 0) -> Sequence[Item]:
    """Return each item of so many, the next ones in the next round.

    Args:
        items: to choose from.
        in_ci: of so many items one, where turns are counted.
        otherwise: of so many items one, where they are not.
        start: number of the first one, in the first round.
    """
    every = otherwise if TURN is None else in_ci
    return items[(start + ROUND) % every :: every]
