"""Mistakes at the end of a row: masked lanes, last columns, last tiles; and at its beginning."""

from __future__ import annotations

import torch

from tritonpuzzles.curriculum.mistakes.lines import LOAD, LOOP, MAX, STORE, SUM
from tritonpuzzles.curriculum.mistakes.machines import weight
from tritonpuzzles.curriculum.mistakes.softmax.machine import FIRST, MISTAKES, softmax

MISTAKES.add(
    "masked-lanes-as-zero",
    "The lanes past the end of the row hold 0 and count as columns. Each adds exp(0 - {m}) to the sum, and 0 becomes "
    "the maximum of a row of negative values.",
    'Load with other=-float("inf"): it changes no maximum and adds 0 to a sum.',
    *(r"tl\.load\(.*other\s*=\s*[-+]?0(\.0*)?\s*[,)]", LOAD),
    by=softmax(pad=0.0),
    by_text=True,
)
MISTAKES.add(
    "masked-lanes-in-the-sum",
    "The lanes past the end of the row do not enter the maximum, but each adds exp(0 - {m}) to the sum.",
    "Keep masked lanes at -inf until after exp, or set them to 0 with tl.where before tl.sum.",
    SUM,
    by=softmax(pad=0.0, compared="no masked lanes"),
)
MISTAKES.add(
    "masked-lanes-too-high",
    "The lanes past the end of the row hold a number that is not low enough: a row far below it gets its maximum and "
    "its sum from lanes that do not exist.",
    'Load with other=-float("inf"): no value is lower.',
    *(r"\bother\s*=\s*-", LOAD),
    by=[softmax(pad=value, pad_dtype=dtype) for dtype in (None, torch.float32) for value in (-1e9, -1e30, -1e4, -1e3)],
    unless=(r"\bother\s*=|\btl\.where\([^,]*(?:<|mask)", r"-\s*(?:float\(\s*[\"']inf|math\.inf|torch\.inf)|[\"']-inf"),
    by_text=True,
)
MISTAKES.add(
    "zero-sum-hidden",
    "A row of nothing but -inf must become NaN, as in PyTorch, but becomes 0: its sum is not 0 here. The sum starts "
    "above 0, or it is increased or replaced before the division.",
    "Start the sum at 0.0, and divide by it as it is.",
    *(r"\+\s*1e-", r"==\s*0", r"^\s*\w+\s*=\s*1(?:\.0*)?\s*$|tl\.(?:full\([^)]*\)?,\s*1(?:\.0*)?\b|ones\()", STORE),
    by=softmax(stored=lambda x, m, l: torch.where(torch.isneginf(m), 0.0, weight(x, m) / l)),
)
MISTAKES.add(
    "last-column-left-out-of-max",
    "The maximum leaves out the last column. A large value there overflows.",
    "Use the same mask, {cols} < {n_cols}, for the maximum as for the rest.",
    MAX,
    by=softmax(compared="but the last column"),
    loses="m",
)
MISTAKES.add(
    "last-column-left-out-of-sum",
    "The sum leaves out the last column. Every probability of the row is too large.",
    "Use the same mask, {cols} < {n_cols}, for the sum as for the rest.",
    SUM,
    by=softmax(summed="but the last column"),
)
MISTAKES.add(
    "tail-skipped",
    "The last, partial tile is left out of the maximum and the sum, or never written: a loop covers whole tiles only.",
    "Round the number of tiles up: {all_tiles}.",
    r"^\s*\w+\s*=\s*[\w.]+\s*//\s*[\w.]+\s*(#.*)?$",  # a number of whole tiles
    r"^\s*(for|while)\b.*//",  # a loop that ends at another tile
    LOOP,
    by_text=True,
)
MISTAKES.also(  # the form that claims least comes first
    "tail-skipped",
    says="The sum leaves out the last, partial tile.",
    next_step="Add columns past the last whole tile, or round the number of tiles up, with a mask: {all_tiles}.",
    by=softmax(summed="whole tiles"),
)
MISTAKES.also(
    "tail-skipped",
    says="The maximum leaves out the last, partial tile.",
    next_step="Include columns past the last whole tile, or round the number of tiles up, with a mask: {all_tiles}.",
    by=[softmax(compared="whole tiles", start=FIRST), softmax(compared="whole tiles")],
)
MISTAKES.also(
    "tail-skipped",
    says="The last, partial tile is never written: a loop covers whole tiles only.",
    by=softmax(written="whole tiles"),
)
MISTAKES.also(
    "tail-skipped",
    by=[
        softmax(seen="whole tiles", unseen=FIRST),
        softmax(seen="whole tiles", unseen=torch.nan),
        softmax(seen="whole tiles", unseen=FIRST, written="whole tiles"),
    ],
)
MISTAKES.add(
    "last-block-skipped",
    "The loop ends one tile early: the last tile is left out, whole or partial.",
    "End the loop after the tile with the last column: {all_tiles}.",
    LOOP,
    by=[softmax(seen="but the last tile", written="but the last tile"), softmax(summed="but the last tile")],
)
MISTAKES.add(
    "values-shifted",
    "Every value is one column to the right of its place.",
    "Load and store with the same offsets.",
    STORE,
    by=softmax(loaded=lambda x, tile: x.roll(1, dims=1)),
)
MISTAKES.add(
    "masked-lanes-as-inf",
    "The lanes past the end of the row hold +inf, which becomes the maximum: inf - inf is NaN, and so is the row.",
    'Load with other=-float("inf"), with the minus sign.',
    LOAD,
    by=softmax(pad=torch.inf),
    unless=(r"\bother\s*=", r"\bother\s*=\s*(?:-|float\(\s*[\"']-)"),
)
MISTAKES.add(
    "row-not-scaled",
    "The row number is not multiplied by the row stride: program 1 starts one element after program 0, inside the "
    "first row.",
    "Start row r at x_ptr + r * x_row_stride, and pass x.stride(0) as that stride.",
    *(r"_ptr\w*\s*\+", r"program_id"),
    by=softmax(loaded=lambda x, tile: x.flatten().unfold(0, x.shape[1], 1)[: len(x)]),
)
