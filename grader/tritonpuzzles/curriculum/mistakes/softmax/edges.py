"""Mistakes at the end of a row: masked lanes, last columns, last tiles; and at its beginning."""

from __future__ import annotations

import torch

from tritonpuzzles.curriculum.mistakes.lines import LOAD, LOOP, MAX, STORE, SUM
from tritonpuzzles.curriculum.mistakes.machines import weight
from tritonpuzzles.curriculum.mistakes.softmax.machine import FIRST, MISTAKES, softmax

MISTAKES.add(
    "masked-lanes-as-zero",
    "The lanes past the end of the row hold 0 and count as columns. Each adds exp(0 - {m}) to the sum, and 0 becomes "
    "the maximum of a row that is negative throughout.",
    'Load with other=-float("inf"): it wins no maximum and adds nothing to a sum.',
    *(r"tl\.load\(.*other\s*=\s*[-+]?0(\.0*)?\s*[,)]", LOAD),
    by=softmax(pad=0.0),
    by_text=True,
)
MISTAKES.add(
    "masked-lanes-in-the-sum",
    "The lanes past the end of the row do not touch the maximum but do enter the sum, each as exp(0 - {m}) or as 1.",
    "Let masked lanes be -inf until after exp, or zero them with tl.where before tl.sum.",
    SUM,
    by=softmax(pad=0.0, compared="no masked lanes"),
)
MISTAKES.add(
    "masked-lanes-too-high",
    "The lanes past the end of the row hold a number that is low and not low enough: a row that lies far below it has "
    "its largest value, and its sum, in lanes that are not there.",
    'Load with other=-float("inf"): no row lies below it.',
    *(r"\bother\s*=\s*-", LOAD),
    by=[softmax(pad=value) for value in (-1e9, -1e30, -1e4, -1e3)],
    unless=(r"\bother\s*=|\btl\.where\([^,]*(?:<|mask)", r"-\s*(?:float\(\s*[\"']inf|math\.inf|torch\.inf)|[\"']-inf"),
    by_text=True,
)
MISTAKES.add(
    "zero-sum-hidden",
    "A row of -inf alone comes out as 0 and must be NaN, as 0 / 0 is in PyTorch: its sum is not 0 here. It starts "
    "above 0, or something is added to it, or put in its place, before the division.",
    "Start the sum at 0.0, and divide by it as it is.",
    *(r"\+\s*1e-", r"==\s*0", r"^\s*\w+\s*=\s*1(?:\.0*)?\s*$|tl\.(?:full\([^)]*\)?,\s*1(?:\.0*)?\b|ones\()", STORE),
    by=softmax(stored=lambda x, m, l: torch.where(torch.isneginf(m), 0.0, weight(x, m) / l)),
)
MISTAKES.add(
    "last-column-left-out-of-max",
    "The maximum misses the last column. A spike there overflows.",
    "Use the same mask, {cols} < {n_cols}, for the maximum as for the rest.",
    MAX,
    by=softmax(compared="but the last column"),
    loses="m",
)
MISTAKES.add(
    "last-column-left-out-of-sum",
    "The sum misses the last column. Every other probability of the row is too large.",
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
    next_step="Add what is past the last whole tile, or round the number of tiles up, with a mask: {all_tiles}.",
    by=softmax(summed="whole tiles"),
)
MISTAKES.also(
    "tail-skipped",
    says="The maximum leaves out the last, partial tile.",
    next_step="Take in what is past the last whole tile, or round the number of tiles up, with a mask: {all_tiles}.",
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
    "The last tile is left out, whole or not: the loop ends one tile early.",
    "End after the tile that holds the last column: {all_tiles}.",
    LOOP,
    by=[softmax(seen="but the last tile", written="but the last tile"), softmax(summed="but the last tile")],
)
MISTAKES.add(
    "values-shifted",
    "Every value stands one column beside its place.",
    "Load and store with the same offsets.",
    STORE,
    by=softmax(loaded=lambda x, tile: x.roll(1, dims=1)),
)
MISTAKES.add(
    "masked-lanes-as-inf",
    "The lanes past the end of the row hold +inf, which is their maximum too: inf - inf is NaN, and the row is lost.",
    'Load with other=-float("inf"), with the minus.',
    LOAD,
    by=softmax(pad=torch.inf),
    unless=(r"\bother\s*=", r"\bother\s*=\s*(?:-|float\(\s*[\"']-)"),
)
MISTAKES.add(
    "row-not-scaled",
    "A program's rows are told apart by the row's number alone: program 1 starts one element after program 0, in the "
    "midst of the first row.",
    "Start row r at x_ptr + r * x_row_stride, and pass x.stride(0) as that stride.",
    *(r"_ptr\w*\s*\+", r"program_id"),
    by=softmax(loaded=lambda x, tile: x.flatten().unfold(0, x.shape[1], 1)[: len(x)]),
)
