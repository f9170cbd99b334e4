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

STARTS_LOWEST = (  # an assignment of -inf, and no load or comparison
    r"^\s*(?!other\b|mask\b)\w+\s*=(?!=)(?!.*(?:tl\.load|==)).*(?:-\s*(?:float\(|math\.inf|torch\.inf)|float\([\"']-inf)"
    r"|^\s*\w+\s*=\s*-?\s*[A-Z]\w*\s*(?:#.*)?$"  # or of a constant
)

MISTAKES.add(
    "sum-not-rescaled",
    "The running sum is not rescaled when the running maximum grows. The terms summed so far were computed with the "
    "smaller maximum and are exp({m_new} - {m_old}) times too large.",
    "Multiply the old sum by exp({m_old} - {m_new}), with the maximum from before the tile; then add the tile's terms.",
    SUM,
    by=online(factor=lambda own, tile, m, m_new: torch.ones_like(m)),
)
MISTAKES.also(
    "sum-not-rescaled",
    r"tl\.sum\(\s*\w+\s*(,|\))",
    says="The lanes' sums are added without rescaling. Each is relative to the maximum of its lane, not of the row.",
    next_step="Multiply each lane's sum by exp(the lane's maximum - the row's maximum) before you add them.",
    by=softmax(m_in_sum=lambda x, m, tile: lane_maximum(x, m, tile).clamp_min(FIRST), pad=-INF),
)
MISTAKES.also(
    "sum-not-rescaled",
    says="All rows of a tile are rescaled by the largest of their factors: the sums of other rows are too large.",
    next_step="Use one factor for each row: exp({m_old} - {m_new}), with one maximum for each.",
    by=online(
        factor=lambda own, tile, m, m_new: joined(torch.exp(m - m_new), tile.rows, lambda a: a.amax(1, True), 1.0)
    ),
)
MISTAKES.add(
    "nan-from-minus-inf",
    "The running maximum starts at -inf. While all values so far are -inf, {m_old} - {m_new} and {x} - {m_new} are "
    "-inf - (-inf) = NaN, and the whole row becomes NaN.",
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
    "Multiply by exp({m_old} - {m_new}), which is never above 1.",
    *(r"^\s*{alpha}\s*=", r"\(\s*{m_new}\s*-\s*{m_old}\s*\)", EXP),
    by=[online(factor=lambda own, tile, m, m_new: torch.exp(m_new - m), spared=spared) for spared in (True, False)],
)
MISTAKES.add(
    "stand-in-kept",
    "The 0 that replaces a maximum of -inf is kept as the running maximum. If all later values are far below 0, every "
    "exp({x} - 0) underflows.",
    "Subtract the 0 in that iteration only, and keep the true maximum in {m}.",
    *(r"tl\.where\(.*(inf|==|<)", MAX),
    by=online(start=-INF, kept=lambda m, own: torch.maximum(m, own).nan_to_num(posinf=INF, neginf=0.0)),
)
MISTAKES.also(
    "rescaled-the-wrong-way",
    *(r"\(\s*{m_new}\s*-", SUM),
    says="The factor for the old sum is exp(new maximum - the tile's own maximum): the maximum from before the tile, "
    "which it needs, is already overwritten.",
    next_step="Give the new maximum a name of its own, rescale {l} by tl.exp({m} - that), and assign it to {m} last.",
    by=online(factor=lambda own, tile, m, m_new: torch.exp(m_new - own)),
)
MISTAKES.add(
    "new-terms-rescaled-too",
    "The factor is applied after the tile's terms are added to the sum. These are already relative to the new maximum.",
    "Rescale only the old sum: {l} = {l} * {alpha} + tl.sum(...).",
    SUM,
    by=[online(step=lambda l, alpha, p, grown: (l + p) * alpha, spared=spared) for spared in (True, False)],
)
MISTAKES.add(
    "terms-relative-to-old-max",
    "A tile's terms are computed with the maximum from before the tile, but added as if computed with the new one.",
    "Update the maximum first, then compute the tile's terms: exp({x} - {m_new}).",
    *(rf"{SUM}.*{EXP}", r"tl\.exp2?\(\s*x\b", EXP),
    by=[online(relative=lambda m, m_new, own: m, spared=spared) for spared in (True, False)],
)
MISTAKES.add(
    "terms-relative-to-own-max",
    "A tile's terms are computed with the tile's own maximum, but added as if computed with the running one.",
    "Compute the terms as exp({x} - {m_new}), with the maximum of all tiles so far.",
    SUM,
    by=online(relative=lambda m, m_new, own: own.clamp_min(FIRST)),
)
MISTAKES.add(
    "summed-where-the-maximum-grows",
    "Only tiles that raise the running maximum are summed: the terms of all other tiles are missing.",
    "Add every tile to the sum, without a condition: where the maximum stays, the factor is exp(0) = 1.",
    *(r"^\s*if\b.*[<>]", r"tl\.where\(", SUM),
    by=online(step=lambda l, alpha, p, grown: torch.where(grown, l * alpha + p, l), spared=True),
    by_text=True,
)
MISTAKES.add(
    "sum-starts-at-one",
    "The running sum starts at 1 and the maximum at 0, as if the row had one more column with value 0.",
    "Start the sum at 0, and the maximum at the lowest finite float32.",
    r"l\w*\s*=\s*1",
    by=softmax(start=0.0, l_of=lambda p, m, tile: total(p) + torch.exp(-m)),
)
MISTAKES.add(
    "factor-without-exp",
    "The old sum is multiplied by {m_old} - {m_new} itself: exp is missing in the factor.",
    "Multiply by tl.exp({m_old} - {m_new}).",
    SUM,
    by=online(factor=lambda own, tile, m, m_new: m - m_new, spared=True),
)
