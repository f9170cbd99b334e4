"""Which cases tell most of an autotuner's other configurations: all of them on every case would take too long."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from tritonpuzzles.judge.drawn import DrawnCase, Expected

WHOLE = 64  # a size of tiles
TELLING_ELEMENTS = 1 << 19  # of an output: larger cases are not run again for each configuration


def telling_cases(cases: Sequence[DrawnCase]) -> set[int]:
    """Return the indices of the cases in which configurations of an autotuner differ most.

    These are the longest along each axis, and the largest of those that tiles fit whole: nothing there excuses a
    configuration that reads too often.

    Large outputs are left out, and so are empty cases, second calls, phantoms, and tensors whose rows lie far apart.
    """
    fit = [
        index
        for index, drawn in enumerate(cases)
        if not (drawn.is_empty or drawn.case.after or drawn.phantom or drawn.far_apart)
        and sum(map(_elements, drawn.outputs)) <= TELLING_ELEMENTS
    ]
    axes = range(max((len(cases[index].shape) for index in fit), default=0))
    whole = [index for index in fit if _fits_tiles(cases[index].shape)]
    longest = {max(fit, key=lambda index: cases[index].shape[axis]) for axis in axes}
    return longest | ({max(whole, key=lambda index: prod(cases[index].shape))} if whole else set())


def _fits_tiles(shape: Sequence[int]) -> bool:
    """Return whether tiles divide every size that is larger than one of them."""
    large = [size for size in shape if size >= WHOLE]
    return bool(large) and all(size % WHOLE == 0 for size in large)


def _elements(output: Expected) -> int:
    return prod(output.shape)
