"""How far values are from the truth: block by block, for what fits into the cache is read from memory once."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from tritonpuzzles.judge.drawn import widened
from tritonpuzzles.judge.tolerances import Tolerance

HALF_RANGE = 2.0**62  # of int64
BLOCK = 1 << 16  # elements; half a mebibyte in float64


@dataclass(frozen=True)
class Deviation:
    """What is known of a whole output.

    Attributes:
        wrong: how many elements are over their limit.
        worst: flat index of the element that is farthest beyond its limit, or nearest to it.
        error, limit: its distance from the truth, and what is allowed there.
        rms: root mean square of all distances.
    """

    wrong: int
    worst: int
    error: float
    limit: float
    rms: float


def deviation(given: Tensor, golden: Tensor, tolerance: Tolerance) -> Deviation:
    """Measure an output.

    Args:
        given: any dtype, at least one element.
        golden: widened, of the same shape; its NaN and infinities want the same in return.
        tolerance: of this output.
    """
    flat, truth = given.reshape(-1), golden.reshape(-1)
    wrong, squares, worst, farthest, at = 0, 0.0, 0, -1.0, (0.0, 0.0)
    for start in range(0, truth.numel(), BLOCK):
        error, limit = _distance(flat[start : start + BLOCK], truth[start : start + BLOCK], tolerance, start)
        wrong += error.numel() - int((error <= limit).sum())
        squares += float(error.square().sum())
        ratio, index = (error / limit).nan_to_num_(torch.inf, torch.inf).max(dim=0)
        if float(ratio) > farthest:
            farthest, worst = float(ratio), start + int(index)
            at = float(error[index]), float(limit[index])
    return Deviation(wrong, worst, *at, (squares / truth.numel()) ** 0.5)


def wrong_elements(given: Tensor, golden: Tensor, tolerance: Tolerance) -> Tensor:
    """Return the mask of the elements over their limit; if none is, of those that make the whole too inexact."""
    error, limit = _distance(given, golden, tolerance)
    wrong = ~(error <= limit)
    if tolerance.rms is None or bool(wrong.any()):
        return wrong
    return wrong if error.square().mean().sqrt() <= tolerance.rms else error > tolerance.rms


def difference(values: Tensor, golden: Tensor) -> Tensor:
    """Return |values - golden| in float64: of whole numbers exactly, however large they are."""
    values = widened(values)
    error = (values.double() - golden.double()).abs_()
    if values.dtype.is_floating_point or golden.dtype.is_floating_point:
        return error
    return torch.where(error < HALF_RANGE, (values - golden).abs().double(), error)  # what is farther apart may wrap


def _distance(values: Tensor, golden: Tensor, tolerance: Tolerance, start: int = 0) -> tuple[Tensor, Tensor]:
    """Return distances and limits of a piece; where the truth is not finite the distance is 0 or NaN."""
    limit = tolerance.limit(golden, start).clamp_min_(torch.finfo(torch.float64).tiny)
    error = difference(values, golden)
    special = ~torch.isfinite(golden)
    if bool(special.any()):
        same = torch.where(torch.isnan(golden), torch.isnan(values), values == golden)
        error = torch.where(special, torch.where(same, 0.0, torch.nan), error)
        limit = torch.where(special, 1.0, limit)
    return error, limit
