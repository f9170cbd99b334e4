"""A puzzle with one of its cases."""

from __future__ import annotations

from dataclasses import replace

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.decoding.marks import nearest
from tritonpuzzles.front.errors import FrontError


def with_case(puzzle: Puzzle, name: str, device: str) -> Puzzle:
    """Return a puzzle with one case, and those before it that share its memory; nothing is timed.

    Args:
        puzzle: with all cases.
        name: of the case; capital letters do not matter.
        device: where it is to run: "auto", "cpu" or "cuda".

    Raises:
        FrontError: if there is no such case, or it does not run there.
    """
    cases = {case.name.lower(): case for case in puzzle.cases if {"cpu", "cuda"} & set(case.devices)}
    case = cases.get(name.lower())
    if case is None:
        near = nearest(name, [case.name for case in cases.values()])
        text = f"Puzzle {puzzle.number} has no case {name!r}.{near}"
        raise FrontError(text, f"tritonpuzzles check {puzzle.number} --verbose lists its cases")
    if device != "auto" and device not in case.devices:
        other = next(iter(sorted(case.devices)))
        raise FrontError(f"The case {case.name!r} does not run with --device {device}.", f"--device {other}")
    chosen = [case]
    while chosen[0].after is not None:
        chosen.insert(0, cases[chosen[0].after.lower()])
    return replace(puzzle, cases=tuple(chosen), benchmark=None)
