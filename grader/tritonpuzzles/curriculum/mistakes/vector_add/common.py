"""What the mistakes of vector additions share: a kernel with keywords for what may deviate, and lines."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Mistakes, Tile
from tritonpuzzles.curriculum.mistakes.machines import machine

MISTAKES = Mistakes()
ARANGE, LOAD, STORE = r"tl\.arange\(", r"tl\.load\(", r"tl\.store\("
Change = Callable[[Tensor, Tile], Tensor]
Lanes = Callable[[Tensor, int, Tile], Tensor]  # numbers of elements, how many there are -> something of each


def same(x: Tensor, _: Tile) -> Tensor:
    """Change nothing."""
    return x


@machine
def added(
    inputs: tuple[Tensor, ...],
    tile: Tile,
    *,
    x: Change = same,  # what is loaded as x
    y: Change = same,
    operation: Callable[[Tensor, Tensor], Tensor] = torch.add,
    of: Lanes | None = None,  # the element that is loaded in its place
    written: Lanes | None = None,  # whether it is
    stored: Change = same,  # what becomes of the result
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
