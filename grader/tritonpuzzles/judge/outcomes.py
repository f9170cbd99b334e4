"""Where the wrong elements of a case lie, and what each of them is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from tritonpuzzles.judge.cases import JudgedCase
from tritonpuzzles.judge.deviation import wrong_elements
from tritonpuzzles.picturing import LOAD, Numbers, Outcome, PicturedLaunch


def outcomes(judged: JudgedCase, launches: Sequence[PicturedLaunch]) -> Numbers | None:
    """Return the outcome of every element of the output with the most wrong elements.

    Args:
        judged: a case whose values were compared.
        launches: of the same case, access by access.

    Returns:
        `Outcome` numbers in the output's shape; `None` if no element is wrong.
    """
    assert judged.comparison is not None
    found: list[Numbers] = []
    for number, value in enumerate(judged.comparison.values):
        golden, kinds = judged.drawn.golden[number], torch.zeros(value.shape, dtype=torch.uint8)
        wrong = wrong_elements(value, golden, judged.tolerances[number])
        kinds[wrong & (value < golden)] = Outcome.TOO_SMALL
        kinds[wrong & (value > golden)] = Outcome.TOO_LARGE
        kinds[wrong & ~(torch.isfinite(value) & torch.isfinite(golden))] = Outcome.NOT_FINITE
        kinds[wrong & torch.from_numpy(~written(launches, number, tuple(value.shape)))] = Outcome.UNWRITTEN
        found.append(kinds.numpy())
    worst = max(found, key=np.count_nonzero, default=None)
    return worst if worst is not None and worst.any() else None


def written(
    launches: Sequence[PicturedLaunch], number: int, shape: tuple[int, ...]
) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Return which elements of an output some program stored; all, where no launch got it in this shape."""
    role = f"output{number}" if number else "output"
    stored, seen = np.zeros(shape, dtype=np.bool_), False
    for launch in launches:
        for index, tensor in enumerate(launch.tensors):
            if tensor.role == role and tensor.shape == shape:
                seen = True
                for access in launch.accesses:
                    if access.tensor == index and access.operation != LOAD:
                        stored.reshape(-1)[access.elements] = True
    return stored if seen else np.ones(shape, dtype=np.bool_)
