"""Stars: one for a right result, two and three for what it makes of the GPU."""

from __future__ import annotations

import math

from rich.text import Text

from tritonpuzzles.curriculum.speed import TRAFFIC
from tritonpuzzles.front.report.style import Lines
from tritonpuzzles.front.text import one_line, percent
from tritonpuzzles.results.check import Benchmark, PuzzleResult

MOST = 3


def star_signs(stars: int) -> str:
    """Return `★★☆` for 2."""
    stars = max(0, min(MOST, stars))
    return "★" * stars + "☆" * (MOST - stars)


def star_lines(result: PuzzleResult) -> Lines:
    """Return what a right result has earned, and what would earn more; nothing for any other."""
    if not result.passed or not result.stars:
        return []
    line = Text.assemble(("Stars  ", "bold"), (star_signs(result.stars), "bold yellow"), f"  {star_sentence(result)}")
    return [Text(), line]


def star_sentence(result: PuzzleResult) -> str:
    """Return the reason: `2 of 3: 88 % of what this puzzle's traffic allows; 92 % earn the next.`"""
    start = f"{result.stars} of {MOST}: "
    found = result.benchmark
    if found is None:
        where = "a newer GPU" if any(one.code == "not-timed-here" for one in result.findings) else "a GPU"
        return f"{start}the result is right. The others are for speed, on {where}."
    if found.labels:
        return f"{start}the result is right. A timing that is {one_line(found.labels[-1])} earns no more."
    if found.share_of_yardstick is None:
        return f"{start}the result is right. Speed is measured by {one_line(found.yardstick)}, which is not here."
    share = f"{_percent(found.share_of_yardstick, found)} of {yardstick_words(found)}"
    following = next((at for at in found.stars_at if found.share_of_yardstick < at), None)
    return f"{start}{share}." if following is None else f"{start}{share}; {percent(following)} earn the next."


def yardstick_words(found: Benchmark) -> str:
    """Return what stars are a share of."""
    return "what this puzzle's traffic allows" if found.yardstick == TRAFFIC else one_line(found.yardstick)


def _percent(share: float, found: Benchmark) -> str:
    """Return a share; where rounding would lift it to a star that it misses, cut after one more digit."""
    lifted = any(share < at <= round(share, 2) for at in found.stars_at)
    return f"{math.floor(1000 * share) / 10} %" if lifted else percent(share)
