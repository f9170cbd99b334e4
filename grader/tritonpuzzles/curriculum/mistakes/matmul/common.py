"""What the mistakes of matrix products share. a: (m, k) float32, b: (k, n) float32; the result is (m, n).

Tiles are BLOCK_M x BLOCK_N elements of the result, and a turn takes BLOCK_K products of each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import pad

from tritonpuzzles.curriculum import references
from tritonpuzzles.curriculum.mistakes import Mistakes, Tile

Inputs = tuple[Tensor, ...]
UNWRITTEN = torch.nan
USUAL_GROUP = 8
LEAST_STEP = 16  # of tl.dot along k

DOT, STORE, LOAD = r"tl\.dot\(", r"tl\.store\(", r"tl\.load\("
LOAD_A, LOAD_B = r"\ba\w*\s*=\s*tl\.load\(", r"\bb\w*\s*=\s*tl\.load\("
LOOP, ACC = r"^\s*(for|while)\b", r"acc\w*\s*[*+]?=(?!.*tl\.(zeros|full)\()"
START = r"acc\w*\s*=\s*tl\.(zeros|full)\("
BRANCH, WHERE = r"(?i)^\s*if\b.*activation", r"tl\.(where|maximum|minimum)\("
MOVE_A, MOVE_B = r"\b(a_?ptrs?\w*)\s*(\+=|=\s*\1\s*\+)", r"\b(b_?ptrs?\w*)\s*(\+=|=\s*\1\s*\+)"
MOVE = r"\b([ab]_?ptrs?\w*)\s*(\+=|=\s*\1\s*\+)"
PID_M, PID_N = r"\bpid_m\w*\s*(,\s*\w+\s*)?=", r"\bpid_n\w*\s*="


@dataclass(frozen=True)
class Blocks:
    """The sizes of a kernel's tiles: m and n of the result, k products in a turn, rows of tiles in a group."""

    m: int
    n: int
    k: int
    group: int


def blocks_of(tile: Tile) -> Blocks:
    """Return the sizes of tiles, by the names of a kernel's constants: BLOCK_M, BLOCK_SIZE_K, BN, GROUP_M.

    Where names do not tell, a tile of the result is (rows, cols), and a turn takes `cols` products.
    """
    found: dict[str, int] = {}
    for name, value in tile.constants.items():
        size = re.fullmatch(r"(?i)(?:\w*?(?:block|tile)\w*?_?|b)([mnk])", name)
        if re.search(r"(?i)group", name):
            found["group"] = value
        elif size is not None:
            found[size[1].lower()] = value
    group = max(1, found.get("group", USUAL_GROUP))
    return Blocks(
        max(1, found.get("m", tile.rows)), max(1, found.get("n", tile.cols)), max(1, found.get("k", tile.cols)), group
    )


def seen_of(tile: Tile) -> tuple[Blocks, int]:
    """Return what emulations look at of a tile."""
    return blocks_of(tile), tile.programs


MISTAKES = Mistakes(seen_of)


def activated(c: Tensor, tile: Tile) -> Tensor:
    """Return what a right kernel makes of its sums: a leaky ReLU where the call asks for one."""
    return references.activated(c, _activation(tile))


def is_activated(tile: Tile) -> bool:
    """Return whether the call asks for an activation."""
    return _activation(tile) == references.LEAKY_RELU


def _activation(tile: Tile) -> str:
    return str(tile.values.get("activation", ""))


def product(a: Tensor, b: Tensor, tile: Tile) -> Tensor:
    """Return a right kernel's result for these tensors."""
    return activated(a @ b, tile)


def right(inputs: Inputs, tile: Tile) -> Tensor:
    """Return a right kernel's result."""
    a, b = inputs
    return product(a, b, tile)


def turns(inputs: Inputs, tile: Tile) -> list[Tensor]:
    """Return the product of each turn's tiles, (m, n)."""
    (a, b), step = inputs, blocks_of(tile).k
    return [a[:, start : start + step] @ b[start : start + step] for start in range(0, a.shape[1], step)]


def accumulated(parts: Iterable[Tensor], like: Inputs, then: Callable[[Tensor], Tensor]) -> Tensor:
    """Return the sum of some products, of which `then` makes something after each turn."""
    acc = zeros(like)
    for part in parts:
        acc = then(acc + part)
    return acc


def zeros(inputs: Inputs) -> Tensor:
    """Return a result of zeros."""
    return torch.zeros(inputs[0].shape[0], inputs[1].shape[1])


def tiled(c: Tensor, blocks: Blocks) -> Tensor:
    """Return a result padded to whole tiles, as (rows of tiles, columns of tiles, BLOCK_M, BLOCK_N)."""
    m, n = c.shape
    whole = pad(c, (0, -n % blocks.n, 0, -m % blocks.m))
    shape = whole.shape[0] // blocks.m, blocks.m, whole.shape[1] // blocks.n, blocks.n
    return whole.reshape(shape).transpose(1, 2)


def untiled(tiles: Tensor, like: Inputs) -> Tensor:
    """Return a result from its tiles, without the padding."""
    rows, cols, height, width = tiles.shape
    whole = tiles.transpose(1, 2).reshape(rows * height, cols * width)
    return whole[: like[0].shape[0], : like[1].shape[1]]
