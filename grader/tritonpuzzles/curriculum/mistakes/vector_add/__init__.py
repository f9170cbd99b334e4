"""What wrong vector additions compute: where a program works, its tile and its lanes; what is loaded and stored."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Mistakes, Tile
from tritonpuzzles.curriculum.mistakes.lines import ARANGE, LOAD, STORE
from tritonpuzzles.curriculum.mistakes.machines import machine, same

MISTAKES = Mistakes()
PROGRAM = r"program_id\(|tl\.load\("
Change = Callable[[Tensor, Tile], Tensor]
Lanes = Callable[[Tensor, int, Tile], Tensor]  # (indices of elements, their number, tile) -> a value for each


@machine
def added(
    inputs: tuple[Tensor, ...],
    tile: Tile,
    *,
    x: Change = same,  # what is loaded as x
    y: Change = same,
    operation: Callable[[Tensor, Tensor], Tensor] = torch.add,
    of: Lanes | None = None,  # index of the element that is loaded instead
    written: Lanes | None = None,  # whether an element is written
    stored: Change = same,  # changes the result
) -> Tensor:
    """Return x + y, (n_elements,) float32; an element that does not exist is 0."""
    n = len(inputs[0])
    z, numbers = operation(x(inputs[0], tile), y(inputs[1], tile)), torch.arange(n)
    if of is not None:
        places = of(numbers, n, tile)
        z = torch.where((places >= 0) & (places < n), z[places.clamp(0, n - 1)], 0.0)
    if written is not None:
        z = torch.where(written(numbers, n, tile), z, torch.nan)
    return stored(z, tile)


def _first(x: Tensor, _: Tile) -> Tensor:
    return x[:1]


def _counted(x: Tensor, _: Tile) -> Tensor:
    return x[:1] + torch.arange(len(x))


def _through(dtype: torch.dtype) -> Change:
    return lambda x, _: x.to(dtype).float()


HALF, BRAIN = _through(torch.float16), _through(torch.bfloat16)

MISTAKES.add(
    "first-tile-only",
    "Every program loads or stores the first tile only: its offsets do not start at tl.program_id(0) * BLOCK_SIZE, or "
    "only one program is launched.",
    "Start the offsets at tl.program_id(0) * BLOCK_SIZE, in the loads and in the store; launch one program per tile.",
    ARANGE,
    by=[
        added(written=lambda i, n, tile: i < tile.cols),
        added(of=lambda i, n, tile: i % tile.cols),
        added(  # in each lane the last program's value remains
            of=lambda i, n, tile: i + (n - 1 - i) // tile.cols * tile.cols, written=lambda i, n, tile: i < tile.cols
        ),
    ],
)
MISTAKES.add(
    "program-id-not-scaled",
    "The offsets start at tl.program_id(0), not at its product with BLOCK_SIZE: program 1 starts one element after "
    "program 0, and no program reaches the end of the vector.",
    "Compute the offsets as tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE).",
    PROGRAM,
    by=added(written=lambda i, n, tile: i < -(-n // tile.cols) - 1 + tile.cols),
)
MISTAKES.add(
    "arange-missing",
    "Each program loads or stores one element, not a tile of BLOCK_SIZE: its offset is one number.",
    "Add tl.arange(0, BLOCK_SIZE) to the start of the tile: one offset for each lane.",
    PROGRAM,
    by=[
        added(written=lambda i, n, tile: i % tile.cols == 0),
        added(written=lambda i, n, tile: i < -(-n // tile.cols)),
        added(of=lambda i, n, tile: i // tile.cols * tile.cols),
    ],
)
MISTAKES.add(
    "counted-in-bytes",
    "Offsets are multiplied by an element's bytes: only every fourth one is written, or every second one in 16 bits.",
    "Remove the factor: a pointer counts elements, and x_ptr + 1 is the next one in every dtype.",
    ARANGE,
    by=[
        added(written=lambda i, n, tile: i % 4 == 0),  # in any dtype
        added(written=lambda i, n, tile: i % tile.dtype.itemsize == 0),
    ],
)
MISTAKES.add(
    "whole-tiles-only",
    "The last, partial tile is left out: only whole tiles are written.",
    "Launch triton.cdiv(n_elements, BLOCK_SIZE) programs, rounded up, and mask with offsets < n_elements.",
    STORE,
    by=added(written=lambda i, n, tile: i < n // tile.cols * tile.cols),
)
MISTAKES.add(
    "values-shifted",
    "Every value is one element before or after its place.",
    "Load and store at the same offsets, counted from 0.",
    LOAD,
    by=[added(of=lambda i, n, tile: i + 1), added(of=lambda i, n, tile: i - 1)],
)
MISTAKES.add(
    "offsets-missing",
    "Every lane of every program gets element 0 of x, of y or of both: tl.load(x_ptr) has no offsets.",
    "Load at x_ptr + offsets and y_ptr + offsets: a pointer for each lane.",
    LOAD,
    by=[added(of=lambda i, n, tile: 0 * i), added(x=_first), added(y=_first)],
)
MISTAKES.add(
    "offsets-added-to-values",
    "Offsets are added to values, not to pointers: tl.load(x_ptr) + offsets is element 0 of x plus 0, 1, 2 ...",
    "Add them inside the brackets: tl.load(x_ptr + offsets, mask=mask).",
    LOAD,
    by=[added(x=_counted, y=_counted), added(x=_counted), added(y=_counted)],
)
MISTAKES.add(
    "operand-left-out",
    "The result is x only, or y only: the other vector is not added.",
    "Load both, and store x + y.",
    STORE,
    by=[added(operation=lambda x, y: x), added(operation=lambda x, y: y)],
)
MISTAKES.add(
    "operand-taken-twice",
    "One vector is added to itself: the result is 2 x, or 2 y.",
    "Load x from x_ptr and y from y_ptr.",
    *(r"^\s*(?:y\w*\s*=\s*tl\.load\(\s*x|x\w*\s*=\s*tl\.load\(\s*y)", r"\b(\w+)\s*\+\s*\1\b", LOAD),
    by=[added(operation=lambda x, y: x + x), added(operation=lambda x, y: y + y)],
)
MISTAKES.add(
    "wrong-operation",
    "The result is not the sum, but the difference, product or quotient, or the larger or the smaller of x and y.",
    "Store x + y.",
    STORE,
    by=[
        added(operation=operation)  # tl.maximum and tl.minimum return the number if the other operand is NaN
        for operation in (torch.sub, lambda x, y: y - x, torch.mul, torch.div, torch.fmax, torch.fmin)
    ],
)
MISTAKES.add(
    "sum-of-the-tile",
    "Every element of a tile gets the sum of the whole tile: tl.sum adds all lanes to one number.",
    "Store x + y, which adds lane by lane.",
    r"tl\.sum\(",
    by=added(stored=lambda z, tile: torch.cat([part.sum().expand(len(part)) for part in torch.split(z, tile.cols)])),
)
MISTAKES.add(
    "low-precision",
    "A step between load and store is computed in 16 bits. That keeps two or three of the seven digits of float32.",
    "Add in the dtype that was loaded; the store casts by itself.",
    r"tl\.b?float16",
    by=[*(added(stored=to) for to in (HALF, BRAIN)), *(added(x=to, y=to, stored=to) for to in (HALF, BRAIN))],
)
