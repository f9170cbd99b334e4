"""Mistakes of what is loaded, computed and stored."""

from __future__ import annotations

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Tile
from tritonpuzzles.curriculum.mistakes.vector_add.common import LOAD, MISTAKES, STORE, Change, added


def _first(x: Tensor, _: Tile) -> Tensor:
    return x[:1]


def _counted(x: Tensor, _: Tile) -> Tensor:
    return x[:1] + torch.arange(len(x))


def _through(dtype: torch.dtype) -> Change:
    return lambda x, _: x.to(dtype).float()


HALF, BRAIN = _through(torch.float16), _through(torch.bfloat16)

MISTAKES.add(
    "values-shifted",
    "Every value stands one element beside its place.",
    "Load and store at the same offsets; elements are counted from 0.",
    LOAD,
    by=[added(of=lambda i, n, tile: i + 1), added(of=lambda i, n, tile: i - 1)],
)
MISTAKES.add(
    "offsets-missing",
    "The first element is added over and over: tl.load(x_ptr) is element 0, in every program and every lane.",
    "Load at x_ptr + offsets and y_ptr + offsets: a pointer for each lane.",
    LOAD,
    by=[added(of=lambda i, n, tile: 0 * i), added(x=_first), added(y=_first)],
)
MISTAKES.add(
    "offsets-added-to-values",
    "Offsets are added to numbers, and not to pointers: tl.load(x_ptr) + offsets is element 0 of x plus 0, 1, 2 ...",
    "Add them inside of the brackets: tl.load(x_ptr + offsets, mask=mask).",
    LOAD,
    by=[added(x=_counted, y=_counted), added(x=_counted), added(y=_counted)],
)
MISTAKES.add(
    "operand-left-out",
    "The result is x alone, or y alone: the other one is not added.",
    "Load both, and store x + y.",
    STORE,
    by=[added(operation=lambda x, y: x), added(operation=lambda x, y: y)],
)
MISTAKES.add(
    "operand-taken-twice",
    "One vector is added to itself: the result is 2 x, or 2 y.",
    "Load x from x_ptr and y from y_ptr.",
    r"^\s*(?:y\w*\s*=\s*tl\.load\(\s*x|x\w*\s*=\s*tl\.load\(\s*y)",
    r"\b(\w+)\s*\+\s*\1\b",
    LOAD,
    by=[added(operation=lambda x, y: x + x), added(operation=lambda x, y: y + y)],
)
MISTAKES.add(
    "wrong-operation",
    "Another operation than the sum is stored: the difference, the product, the quotient, the larger or the smaller.",
    "Store x + y.",
    STORE,
    by=[
        added(operation=operation)  # tl.maximum and tl.minimum take a number before a NaN
        for operation in (torch.sub, lambda x, y: y - x, torch.mul, torch.div, torch.fmax, torch.fmin)
    ],
)
MISTAKES.add(
    "sum-of-the-tile",
    "Every element of a tile gets the sum of the whole tile: tl.sum makes one number of all lanes.",
    "Store x + y, which adds lane by lane.",
    r"tl\.sum\(",
    by=added(stored=lambda z, tile: torch.cat([part.sum().expand(len(part)) for part in torch.split(z, tile.cols)])),
)
MISTAKES.add(
    "low-precision",
    "A step between load and store is computed in 16 bits. That keeps two or three digits of the seven of float32.",
    "Add in the dtype that was loaded; the store casts by itself.",
    r"tl\.b?float16",
    by=[*(added(stored=to) for to in (HALF, BRAIN)), *(added(x=to, y=to, stored=to) for to in (HALF, BRAIN))],
)
