"""What the mistakes of matrix products share. a: (m, k) float32, b: (k, n) float32; the result is (m, n).

Tiles are BLOCK_M x BLOCK_N elements of the result, and a turn takes BLOCK_K products of each.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tritonpuzzles.curriculum.mistakes import Mistakes, Tile

USUAL_GROUP = 8


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
