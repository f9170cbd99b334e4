"""Mistakes in the running maximum and sum: what is carried from one tile to the next."""

from __future__ import annotations

import torch

from tritonpuzzles.curriculum.mistakes.lines import EXP, MAX, SUM
from tritonpuzzles.curriculum.mistakes.machines import total
from tritonpuzzles.curriculum.mistakes.softmax.machine import (
    FIRST,
    INF,
    MISTAKES,
    joined,
    lane_maximum,
    online,
    softmax,
)

STARTS_LOWEST = (  # an assignment of -inf, and no load
    r"^\s*(?!other\b|mask\b)\w+\s*=(?!=)(?!.*tl\.load).*(?:-\s*(?:float\(|math\.inf|torch\.inf)|float\([\"']-inf)"
    r"|^\s*\w+\s*=\s*-?\s*[A-Z]\w*\s*(?:#.*)?$"  # or of a constant
)

MISTAKES.add(
    "sum-not-rescaled",
    "The running sum is not rescaled when the running maximum grows. What was summed before belongs to the smaller "
    "maximum and is too large by exp({m_new} - {m_old}).",
    "Multiply the old sum by exp({m_old} - {m_new}), with the maximum from before the tile; then add the tile's own.",
    SUM,
    by=online(factor=lambda own, tile, m, m_new: torch.ones_like(m)),
)
MISTAKES.also(
    "sum-not-rescaled",
    r"tl\.sum\(\s*\w+\s*(,|\))",
    says="The lanes' sums are added up as they are. Each is relative to the maximum of its own lane, not to the row's.",
    next_step="Multiply each lane's sum by the exponential of its maximum less the row's, and add them then.",
    by=softmax(m_in_sum=lambda x, m, tile: lane_maximum(x, m, tile).clamp_min(FIRST), pad=-INF),
)
MISTAKES.also(
    "sum-not-rescaled",
    says="All rows of a tile are rescaled by one factor, the largest among them: the sums of the others are too large.",
    next_step="Take a factor for each row: exp({m_old} - {m_new}), with one maximum for each.",
    by=online(
        factor=lambda own, tile, m, m_new: joined(torch.exp(m - m_new), tile.rows, lambda a: a.amax(1, True), 1.0)
    ),
)
MISTAKES.add(
    "nan-from-minus-inf",
    "The running maximum starts at -inf. While all that it has seen is -inf, {m_old} - {m_new} and {x} - {m_new} are "
    "-inf - (-inf) = NaN, and the row is lost.",
    "Start {m} at the lowest finite float32, -3.4028234663852886e38: then neither difference is NaN.",
    *(STARTS_LOWEST, r"-\s*float\(.inf.\)"),
    by=[
        online(start=-INF),
        softmax(loaded=lambda x, tile: x.masked_fill((x[:, : tile.cols] == -INF).any(dim=1, keepdim=True), torch.nan)),
    ],
    needs=STARTS_LOWEST,
    by_text=True,
)
MISTAKES.add(
    "rescaled-the-wrong-way",
    "The old sum is multiplied by exp({m_new} - {m_old}), the inverse of the right factor. It grows where it must "
    "shrink.",
    "The factor is exp({m_old} - {m_new}): never above 1.",
    *(r"^\s*{alpha}\s*=", r"\(\s*{m_new}\s*-\s*{m_old}\s*\)", EXP),
    by=[online(factor=lambda own, tile, m, m_new: torch.exp(m_new - m), spared=spared) for spared in (True, False)],
)
MISTAKES.add(
    "stand-in-kept",
    "The 0 that stands in for a maximum of -inf is kept as the running maximum. Where all that follows lies far below "
    "0, every exp({x} - 0) vanishes.",
    "Subtract the stand-in in that iteration alone, and let {m} keep the maximum itself.",
    *(r"tl\.where\(.*(inf|==|<)", MAX),
    by=online(start=-INF, kept=lambda m, own: torch.maximum(m, own).nan_to_num(posinf=INF, neginf=0.0)),
)
MISTAKES.also(
    "rescaled-the-wrong-way",
    *(r"\(\s*{m_new}\s*-", SUM),
    says="The factor for the old sum is exp(the new maximum less the tile's own): the maximum from before the tile, "
    "which it must start from, is overwritten by then.",
    next_step="Give the new maximum a name of its own, rescale {l} by tl.exp({m} - that), and let it become {m} last.",
    by=online(factor=lambda own, tile, m, m_new: torch.exp(m_new - own)),
)
MISTAKES.add(
    "new-terms-rescaled-too",
    "The factor is applied to the sum after the tile's own terms were added. Those already belong to the new maximum.",
    "{l} = {l} * {alpha} + tl.sum(...): rescale the old sum alone.",
    SUM,
    by=[online(step=lambda l, alpha, p, grown: (l + p) * alpha, spared=spared) for spared in (True, False)],
)
MISTAKES.add(
    "terms-relative-to-old-max",
    "A tile's terms are taken relative to the maximum before the tile, and then counted as relative to the new one.",
    "Update the maximum first: the tile's own terms are exp({x} - {m_new}).",
    *(rf"{SUM}.*{EXP}", r"tl\.exp2?\(\s*x\b", EXP),
    by=[online(relative=lambda m, m_new, own: m, spared=spared) for spared in (True, False)],
)
MISTAKES.add(
    "terms-relative-to-own-max",
    "A tile's terms are taken relative to the tile's own maximum, and then counted as relative to the running one.",
    "The tile's terms are exp({x} - {m_new}), with the maximum of all tiles until there.",
    SUM,
    by=online(relative=lambda m, m_new, own: own.clamp_min(FIRST)),
)
MISTAKES.add(
    "summed-where-the-maximum-grows",
    "Only tiles that raise the running maximum are summed: what other tiles hold is missing from the sum.",
    "Every tile adds to the sum. Where the maximum stays, the factor is exp(0) = 1: nothing needs a condition.",
    *(r"^\s*if\b.*[<>]", r"tl\.where\(", SUM),
    by=online(step=lambda l, alpha, p, grown: torch.where(grown, l * alpha + p, l), spared=True),
    by_text=True,
)
MISTAKES.add(
    "sum-starts-at-one",
    "The running sum starts at 1 and the maximum at 0, as if a column with value 0 stood before the row.",
    "Start the sum at 0.",
    r"l\w*\s*=\s*1",
    by=softmax(start=0.0, l_of=lambda p, m, tile: total(p) + torch.exp(-m)),
)
MISTAKES.add(
    "factor-without-exp",
    "The old sum is multiplied by {m_old} - {m_new} itself: exp is missing in the factor.",
    "The factor is tl.exp({m_old} - {m_new}).",
    SUM,
    by=online(factor=lambda own, tile, m, m_new: m - m_new, spared=True),
)
