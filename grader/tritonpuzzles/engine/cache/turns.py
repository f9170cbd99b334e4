"""In which order the operations of programs reach memory that run at once."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from tritonpuzzles.engine.cache.touches import Numbers, Touches, as_numbers


@dataclass(frozen=True, eq=False)
class Operations:
    """The operations of a launch, those of one program after those of the program before, in order of time.

    Attributes:
        programs: of each operation.
        turns: the turn in which each has its place.
        of_runs: for each run of the touches, the number of its operation.
    """

    programs: Numbers
    turns: Numbers
    of_runs: Numbers

    def order(self) -> Numbers:
        """Return the operations' numbers in the order in which they reach memory."""
        return as_numbers(np.lexsort((self.programs, self.turns)))


def operations(touches: Touches, at_once: int) -> Operations:
    """Return the operations of a launch, with their turns.

    Programs start in launch order, `at_once` of them; each does one operation in a turn, and when one has no more, the
    next one takes its place.
    """
    if not len(touches):
        return Operations(*(as_numbers([]) for _ in range(3)))
    span = int(touches.times.max()) + 1
    keys, of_runs = np.unique(touches.programs * span + touches.times, return_inverse=True)
    programs = keys // span
    _, firsts, counts = np.unique(programs, return_index=True, return_counts=True)
    starts = np.repeat(starting_turns(counts.tolist(), at_once), counts)
    return Operations(programs, starts + np.arange(len(keys)) - np.repeat(firsts, counts), as_numbers(of_runs))


def starting_turns(lengths: list[int], at_once: int) -> Numbers:
    """Return the turn in which each program starts.

    Args:
        lengths: operations of each program, in launch order.
        at_once: programs that run at once, at least 1.
    """
    free = [0] * min(at_once, len(lengths))
    starts = []
    for length in lengths:
        starts.append(free[0])
        heapq.heapreplace(free, free[0] + length)
    return as_numbers(starts)
