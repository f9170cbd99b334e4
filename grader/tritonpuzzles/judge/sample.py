"""Some rows of a call whose numbers are too many to be sent: which of them are looked at, and what they must be.

Judge and engine draw the same numbers, each for itself, from one seed (`wire/drawing.py`). Of the output the judge asks
for rows that nobody could know before, the first and the last among them; an output of at most 16 MiB it asks for
whole. What this finds: a kernel that is wrong in general at this size, in a tail or an offset past 2^31, or that
leaves out work. A fault in 5 % of the rows slips through once in five times where 32 rows are looked at.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from threading import Thread

import torch
from torch import Tensor

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.judge.authors import authored
from tritonpuzzles.judge.drawn import DrawnCase, Expected, Layout
from tritonpuzzles.judge.resolve import resolve, tolerances_of
from tritonpuzzles.judge.tolerances import Tolerance
from tritonpuzzles.judge.truth import truth
from tritonpuzzles.wire.drawing import drawn_on, dtype_of
from tritonpuzzles.wire.job import Value

SAMPLE_BYTES = 16 << 20
FEWEST_ROWS, MOST_ROWS = 32, 2048
CHUNK = 256  # rows whose truth is computed at once, in float64


def wake(device: str) -> None:
    """Begin to use a GPU in a thread, so that this process can draw there by the time that rows have come.

    A context takes as long as many cases do. Where none is to be had, whoever draws there will say why.
    """

    def use() -> None:
        with contextlib.suppress(RuntimeError):
            torch.zeros(1, device=device)

    Thread(target=use, daemon=True).start()


def rows_looked_at(n_rows: int, row_bytes: int) -> int:
    """Return how many rows of an output are looked at."""
    return min(n_rows, MOST_ROWS, max(FEWEST_ROWS, SAMPLE_BYTES // max(1, row_bytes)))


def choose_rows(n_rows: int, row_bytes: int) -> tuple[int, ...]:
    """Return which rows to look at, unpredictably: all of a small output, else the first, the last and some between."""
    count = rows_looked_at(n_rows, row_bytes)
    if count == n_rows:
        return tuple(range(n_rows))
    between = random.SystemRandom().sample(range(1, n_rows - 1), count - 2)
    return (0, *sorted(between), n_rows - 1)


def rows_to_look_at(drawn: DrawnCase) -> tuple[int, ...]:
    """Return which rows of a drawn case's outputs to look at."""
    return choose_rows(_n_rows(drawn.outputs), max(map(_row_bytes, drawn.outputs)))


def sampled_bytes(drawn: DrawnCase) -> int:
    """Return how many bytes those rows of all outputs have."""
    widest = max(map(_row_bytes, drawn.outputs))
    return rows_looked_at(_n_rows(drawn.outputs), widest) * sum(map(_row_bytes, drawn.outputs))


def _n_rows(outputs: Sequence[Expected]) -> int:
    return max(output.shape[0] for output in outputs)


def _row_bytes(output: Expected) -> int:
    return prod(output.shape[1:]) * dtype_of(output.dtype).itemsize


def with_rows(
    puzzle: Puzzle, drawn: DrawnCase, rows: Sequence[int], place: str
) -> tuple[DrawnCase, tuple[Tolerance, ...]]:
    """Return a case with the truth of some rows of its outputs, on the CPU, and how far they may be from it.

    Args:
        puzzle: with a bench, which says of which tensors a row decides about the same row of the output.
        drawn: a case that has a `drawing`.
        rows: to be known.
        place: of the case in its record, for messages.

    Raises:
        RecordError: if a family, the reference or a tolerance does not fit the record at this size.
    """
    assert drawn.drawing is not None
    assert puzzle.benchmark is not None
    assert puzzle.benchmark.bench is not None
    rowwise = puzzle.benchmark.bench.rows
    with authored(puzzle, place):
        chosen = torch.tensor(rows, device=drawn.drawn_on)
        picked = {
            name: tensor.index_select(0, chosen) if name in rowwise else tensor
            for name, tensor in drawn_on(chosen.device, drawn.drawing).items()
        }
        golden = _truth(puzzle, picked, drawn.values, rowwise)
    there = replace(
        drawn,
        tensors={name: Layout(t.reshape(-1), tuple(t.shape), t.stride(), 0) for name, t in picked.items()},
        outputs=tuple(replace(output, shape=(len(rows), *output.shape[1:])) for output in drawn.outputs),
        golden=golden,
        rows=tuple(rows),
    )
    tolerances = tolerances_of(puzzle, there)
    here = replace(there, tensors=drawn.tensors, golden=tuple(tensor.cpu() for tensor in golden))
    return here, tolerances


def _truth(
    puzzle: Puzzle, tensors: Mapping[str, Tensor], values: Mapping[str, Value], rowwise: Sequence[str]
) -> tuple[Tensor, ...]:
    """Return the reference's outputs in float64, a few rows at a time."""
    resolved = resolve(puzzle)
    n_rows = max(tensors[name].shape[0] for name in rowwise)
    pieces = []
    for start in range(0, n_rows, CHUNK):
        part = slice(start, start + CHUNK)
        some = {name: tensor[part] if name in rowwise else tensor for name, tensor in tensors.items()}
        pieces.append(truth(puzzle, resolved, some, values))
    return tuple(torch.cat(outputs) for outputs in zip(*pieces, strict=True))
