"""What emulations are told of a kernel's tiles, and how often each is tried."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Mistakes, Tile
from tritonpuzzles.curriculum.mistakes.matmul.common import Blocks, blocks_of
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.judge.inputs import draw
from tritonpuzzles.judge.verdict.emulate import emulations

MATMUL = load_curriculum().find("7")


@pytest.mark.parametrize(
    ("constants", "blocks"),
    [
        ({"BLOCK_M": 128, "BLOCK_N": 64, "BLOCK_K": 32, "GROUP_M": 4}, Blocks(128, 64, 32, 4)),
        ({"BLOCK_SIZE_M": 128, "BLOCK_SIZE_N": 64, "BLOCK_SIZE_K": 32, "GROUP_SIZE_M": 4}, Blocks(128, 64, 32, 4)),
        ({"BM": 128, "BN": 64, "BK": 32, "SPLITS": 3}, Blocks(128, 64, 32, 8)),
        ({"TILE_K": 32, "N": 1000}, Blocks(16, 48, 32, 8)),
        ({}, Blocks(16, 48, 48, 8)),
    ],
)
def test_sizes_of_tiles_are_those_of_constants_by_name(constants: dict[str, int], blocks: Blocks) -> None:
    assert blocks_of(Tile(16, 48, constants=constants)) == blocks


@pytest.mark.parametrize(("seen", "tries"), [(None, 3), (lambda tile: tile.cols, 2)])
def test_tiles_alike_in_what_emulations_look_at_are_tried_once(seen: object, tries: int) -> None:
    mistakes, tried = Mistakes(seen), []  # type: ignore[arg-type]

    @mistakes.add("doubled", "It is doubled.", "Do not.")
    def doubled(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
        tried.append(tile)
        return 2 * inputs[0] @ inputs[1]

    drawn = next(drawn for drawn in draw(MATMUL, 1, "cpu") if drawn.name == "whole numbers")
    found = list(emulations(mistakes.by_code["doubled"], drawn, [Tile(16, 32), Tile(64, 32), Tile(16, 64)]))
    assert len(found) == len(tried) == tries
    assert torch.equal(found[0][0], 2 * drawn.golden[0])
    assert tried[0].values == {"activation": ""}
