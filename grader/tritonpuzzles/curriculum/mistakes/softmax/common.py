"""What the softmax mistakes share. x: (n_rows, n_cols) float32; tiles cut the columns, and sometimes the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Mistakes, Tile

MISTAKES = Mistakes()
SUM, MAX, EXP, STORE, LOAD = r"tl\.sum\(", r"tl\.max(imum)?\(", r"tl\.exp2?\(", r"tl\.store\(", r"tl\.load\("
WHOLE_MAX = r"tl\.max\((?:(?!axis|,).)*\)"  # without an axis
DIVISION, LOOP = r"[^/]/[^/]", r"^\s*(for|while)\b"
FLOORED_COUNT = r"^\s*\w+\s*=\s*[\w.]+\s*//\s*[\w.]+\s*(#.*)?$"  # a number of whole tiles
FLOORED, LATE = r"^\s*(for|while)\b.*//", r"^\s*for\b.*range\(\s*[A-Z]"  # a loop that ends, or begins, at another tile
COUNTED = r"^\s*for\b.*range\(.*cdiv"  # a loop that ends at a number of tiles
WITHOUT_START = r"^\s{8,}\w+\s*=\s*tl\.arange\("  # in a loop
ZEROED = r"^\s{8,}\w+\s*=\s*(0(\.0*)?|tl\.zeros\(.*)\s*(#.*)?$"  # in a loop
STARTS_LOWEST = (  # an assignment of -inf, and no load
    r"^\s*(?!other\b|mask\b)\w+\s*=(?!=)(?!.*tl\.load).*(?:-\s*(?:float\(|math\.inf|torch\.inf)|float\([\"']-inf)"
    r"|^\s*\w+\s*=\s*-?\s*[A-Z]\w*\s*(?:#.*)?$"  # or of a constant
)
FIRST = torch.finfo(torch.float32).min
Pairwise = Callable[[Tensor, Tensor], Tensor]


def maximum(x: Tensor) -> Tensor:
    """Return each row's maximum, (n_rows, 1), as `tl.max` takes it: of what is not NaN."""
    return x.nan_to_num(-torch.inf, torch.inf, -torch.inf).amax(dim=1, keepdim=True)


def normalised(x: Tensor, m: Tensor, l: Tensor | None = None) -> Tensor:
    """Return exp(x - m) / l; l is the sum of the row unless given."""
    numerator = torch.exp(x - m)
    return numerator / (numerator.sum(dim=1, keepdim=True) if l is None else l)


def tiles(x: Tensor, cols: int) -> Iterator[Tensor]:
    """Yield the column tiles, the last one short."""
    return iter(torch.split(x, cols, dim=1))


def turns_of(x: Tensor, tile: Tile) -> int:
    """Return in how many turns a loop takes a row."""
    return -(-x.shape[1] // tile.cols)


def padded(x: Tensor, cols: int, value: float) -> Tensor:
    """Return x with its last tile filled up, as a load with that `other=` gives it."""
    return torch.nn.functional.pad(x, (0, -x.shape[1] % cols), value=value)


def weight(x: Tensor, m: Tensor) -> Tensor:
    """Return exp(x - m)."""
    return torch.exp(x - m)


def total(x: Tensor, m: Tensor) -> Tensor:
    """Return each row's sum of exp(x - m), (n_rows, 1)."""
    return weight(x, m).sum(dim=1, keepdim=True)


def online_state(
    x: Tensor, tile: Tile, factor: Pairwise, running: bool = True, term: Pairwise = weight
) -> tuple[Tensor, Tensor]:
    """Return m and l after the online loop with this factor(m, m_new), the sum being that of term(x, m_new).

    Without `running`, m is each tile's own.
    """
    m, l = torch.full_like(x[:, :1], FIRST), torch.zeros_like(x[:, :1])
    for number, part in enumerate(tiles(x, tile.cols)):
        top = maximum(part).clamp_min(FIRST)
        m_new = torch.maximum(m, top) if running else top
        l = (l * factor(m, m_new) if number else l) + term(part, m_new).sum(dim=1, keepdim=True)
        m = m_new
    return m, l
