"""Launches in another order of their programs: in parts that run one after the other, each to its end.

A GPU starts programs in no particular order, and need not start one before another has ended. In lockstep, all programs
finish a statement before any begins the next: what is right there may be wrong for whoever comes first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tritonpuzzles.engine.interpreter.batch import ids
from tritonpuzzles.engine.interpreter.values import Array

MOST_PARTS = 16  # a launch of so few programs runs one program at a time
STEPS = 4_096  # operations of all parts together, some tenths of a second: longer launches have fewer parts
MOST_PROGRAMS = 1 << 20

Way = Literal["last first", "shuffled"]
WAYS: tuple[Way, ...] = ("last first", "shuffled")  # of few programs, which run one at a time, the first first


@dataclass(frozen=True)
class Order:
    """An order of programs, for some launches of a call.

    Attributes:
        way: how programs follow each other.
        steps: of each launch whose order may matter, by its number in the call: the operations that it takes in
            lockstep.
        most: parts of a launch. Two do of shared work, as from a queue, no more than twice what each program did; one
            program alone would do all of it.
    """

    way: Way
    steps: Mapping[int, int]
    most: int = MOST_PARTS

    def parts(self, launch: int, grid: tuple[int, int, int]) -> list[Array]:
        """Return the ids of a launch's programs, part by part, (count, 3) int32; nothing for the order of the launch.

        Half of more than two parts are one program each, with none beside it; those that are left share the others. Two
        of many programs are in one part in both ways by chance alone.
        """
        programs = math.prod(grid)
        if launch not in self.steps or not 1 < programs <= MOST_PROGRAMS:
            return []
        linear = np.arange(programs)
        if self.way == "last first":
            linear = linear[::-1]
        elif programs > MOST_PARTS:
            linear = np.random.default_rng(programs).permutation(programs)
        count = max(2, min(self.most, programs, STEPS // max(1, self.steps[launch])))
        alone = count // 2 if count > 2 else 0
        found = [*linear[:alone].reshape(-1, 1), *np.array_split(linear[alone:], count - alone)]
        return [ids(part, grid) for part in found]

    def most_steps(self, launch: int) -> int:
        """Return the operations of one part after which a launch is given up."""
        return 512 + 4 * self.steps[launch]
