"""Which wrong case shows best where a kernel leaves the right track: a small one, of several tiles, in float32."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from tritonpuzzles.judge.verdict.emulate import is_small
from tritonpuzzles.judge.verdict.judged import JudgedCase
from tritonpuzzles.wire.observed import MAX_ELEMENTS

FEW_TURNS = 3  # enough to see what is carried from one to the next
SMALLEST_TILE = 8  # a smaller constant is a number of stages, or of rows
ROOM = MAX_ELEMENTS // 8  # elements of an output: a kernel has that many variables of its shape


def telling_cases(compared: Sequence[JudgedCase]) -> list[JudgedCase]:
    """Return the cases that are small enough to be looked at closely, the clearest first."""
    return sorted(filter(_fits, compared), key=_unclear)


def _fits(case: JudgedCase) -> bool:
    drawn = case.drawn
    elements = max((golden.numel() for golden in drawn.golden), default=0)
    seen = bool(case.evidence.launches) and not drawn.far_apart  # whose memory is too large to be looked at
    return seen and not drawn.is_empty and is_small(drawn) and elements <= ROOM


def _unclear(case: JudgedCase) -> tuple[bool, int, bool, bool, int]:
    assert case.comparison is not None
    numbers = any(bool(torch.isfinite(values).any()) for values in case.comparison.values)
    elements = max(golden.numel() for golden in case.drawn.golden)
    alone = case.drawn.shape[0] == 1  # what one row does may be chance
    return case.drawn.case.dtype != "float32", -min(FEW_TURNS, _turns(case)), not numbers, alone, elements


def _turns(case: JudgedCase) -> int:
    """Return how many tiles a row has, judged by the smallest constant that may be their width."""
    constants = (size for launch in case.evidence.launches for size in launch.constants.values())
    longest = max(max(golden.shape, default=1) for golden in case.drawn.golden)
    width = min((size for size in constants if size > SMALLEST_TILE), default=longest)
    return -(-longest // width)
