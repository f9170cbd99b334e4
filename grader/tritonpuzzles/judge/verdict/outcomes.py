"""Where the wrong elements of a case lie, and what each of them is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from tritonpuzzles.judge.verdict.deviation import wrong_elements
from tritonpuzzles.judge.verdict.judged import JudgedCase
from tritonpuzzles.results.trace import LOAD, LaunchAccesses, Numbers, Outcome


def outcomes(judged: JudgedCase, launches: Sequence[LaunchAccesses]) -> tuple[str, Numbers | None]:
    """Return the name of the output with the most wrong elements, and the outcome of every element of it.

    Args:
        judged: a case whose values were compared.
        launches: of the same case, access by access.

    Returns:
        `Outcome` numbers in the output's shape; `None` if no element is wrong.
    """
    assert judged.comparison is not None
    found: dict[str, Numbers] = {}
    for number, value in enumerate(judged.comparison.values):
        name = judged.drawn.outputs[number].name
        golden, kinds = judged.drawn.golden[number], torch.zeros(value.shape, dtype=torch.uint8)
        stored = torch.from_numpy(written(launches, name, tuple(value.shape)))
        wrong = wrong_elements(value, golden, judged.tolerances[number])
        kinds[wrong & (value < golden)] = Outcome.TOO_SMALL
        kinds[wrong & (value > golden)] = Outcome.TOO_LARGE
        kinds[wrong & ~(torch.isfinite(value) & torch.isfinite(golden))] = Outcome.NOT_FINITE
        kinds[wrong & ~stored] = Outcome.UNWRITTEN
        found[name] = kinds.numpy()
    worst = max(found, key=lambda name: np.count_nonzero(found[name]), default="")
    return (worst, found[worst]) if worst and found[worst].any() else ("", None)


def written(
    launches: Sequence[LaunchAccesses], output: str, shape: tuple[int, ...]
) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Return which elements of an output some program stored; all, where no launch got it in this shape."""
    stored, seen = np.zeros(shape, dtype=np.bool_), False
    for launch in launches:
        for index, tensor in enumerate(launch.tensors):
            if tensor.role == output and tensor.shape == shape:
                seen = True
                for access in launch.accesses:
                    if access.tensor == index and access.operation != LOAD:
                        stored.reshape(-1)[access.elements] = True
    return stored if seen else np.ones(shape, dtype=np.bool_)
