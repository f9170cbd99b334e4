"""An autotuner's configurations where there is no clock: each that computes in another way is worth a run.

A GPU takes the fastest, and which that is depends on the GPU: a kernel is right when it is right in all of them.
Configurations that differ in warps and stages alone compute alike here.
"""

from __future__ import annotations

from collections.abc import Iterator

from tritonpuzzles.engine.memory import Memory
from tritonpuzzles.engine.replay import Ready
from tritonpuzzles.wire.program import Choose, Fill, Launch, Program
from tritonpuzzles.wire.values import Constant, Constexpr


class Chosen:
    """Chooses one number for every autotuner of a program; of one that has fewer configurations, the last."""

    def __init__(self, number: int) -> None:
        self._number = number

    def choose(self, step: Choose, memory: Memory, ready: Ready) -> int:
        """Return the number."""
        return min(self._number, len(step.choices) - 1)


def configurations(program: Program) -> int:
    """Return how many configurations its autotuner has that has most; 1 where it has none."""
    return max((len(step.choices) for step in tuners(program)), default=1)


def different(program: Program) -> list[int]:
    """Return the numbers of the configurations that differ in what they compute, the first of each kind, in order."""
    found: dict[str, int] = {}
    for number in range(configurations(program)):
        found.setdefault(repr([_computed(steps) for steps in _steps(program, number)]), number)
    return list(found.values())


def words(program: Program, numbers: list[int]) -> list[str]:
    """Return each configuration by the constants in which it differs from the others: "BLOCK_ROWS=4, BLOCK_COLS=64"."""
    constants = [_constants(program, number) for number in numbers]
    names = dict.fromkeys(name for found in constants for name in found)
    telling = [name for name in names if len({repr(found.get(name)) for found in constants}) > 1]
    return [", ".join(f"{name}={found[name]}" for name in telling if name in found) for found in constants]


def tuners(program: Program) -> list[Choose]:
    """Return the steps at which an autotuner chooses."""
    return [step for step in program.steps if isinstance(step, Choose)]


def _steps(program: Program, number: int) -> Iterator[tuple[Fill | Launch, ...]]:
    for step in tuners(program):
        yield step.choices[min(number, len(step.choices) - 1)]


def _computed(steps: tuple[Fill | Launch, ...]) -> list[object]:
    """Return what decides the numbers: all of a launch but its options."""
    return [(s.kernel, s.arguments, s.grid) if isinstance(s, Launch) else (s.target, s.value) for s in steps]


def _constants(program: Program, number: int) -> dict[str, object]:
    found: dict[str, object] = {}
    for steps in _steps(program, number):
        for step in steps:
            for name, value in step.arguments.items() if isinstance(step, Launch) else ():
                plain = value.value if isinstance(value, Constexpr) else value
                if isinstance(plain, Constant):
                    found[name] = plain.value
    return found
