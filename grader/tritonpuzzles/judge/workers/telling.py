"""Which cases tell most of an autotuner's other configurations: all of them on every case would take too long."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from tritonpuzzles.judge.drawn import DrawnCase, Expected

TELLING_ELEMENTS = 1 << 19  # of an output: larger cases are not run again for each configuration


def telling_cases(cases: Sequence[DrawnCase]) -> set[int]:
    """Return the indices of the cases in which configurations of an autotuner differ most: the longest along each axis.

    Large outputs are left out, and so are empty cases, second calls and phantoms.
    """
    fit = [
        index
        for index, drawn in enumerate(cases)
        if not (drawn.is_empty or drawn.case.after or drawn.phantom)
        and sum(map(_elements, drawn.outputs)) <= TELLING_ELEMENTS
    ]
    axes = range(max((len(cases[index].shape) for index in fit), default=0))
    return {max(fit, key=lambda index: cases[index].shape[axis]) for axis in axes}


def _elements(output: Expected) -> int:
    return prod(output.shape)
