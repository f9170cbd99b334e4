"""What emulations are told of a kernel's tiles, and how often each is tried."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Emulation, Mistakes, Tile
from tritonpuzzles.curriculum.mistakes.machines import machine
from tritonpuzzles.curriculum.mistakes.matmul.common import Blocks, blocks_of
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.judge.inputs import draw
from tritonpuzzles.judge.verdict.emulate import emulations
from tritonpuzzles.wire.authored import AuthorError

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


@machine
def product(inputs: tuple[Tensor, ...], tile: Tile, *, factor: float = 1.0, of: object = None) -> Tensor:
    if of is not None:
        raise ValueError("no product")
    return factor * inputs[0] @ inputs[1]


def test_deviations_of_a_machine_are_forms_of_a_mistake_in_their_order() -> None:
    mistakes = Mistakes()
    mistakes.add("scaled", "It is scaled.", "Do not.", by=[product(factor=factor) for factor in (2.0, 3.0)])
    mistakes.also("scaled", says="It is negative.", by=product(factor=-1.0))
    drawn = next(drawn for drawn in draw(MATMUL, 1, "cpu") if drawn.name == "whole numbers")
    found = [values for (values,) in emulations(mistakes.by_code["scaled"], drawn, [Tile(16, 32)])]
    assert all(torch.equal(values, factor * drawn.golden[0]) for values, factor in zip(found, (2, 3, -1), strict=True))
    assert mistakes.by_code["scaled"].said == ["It is scaled.", "It is negative."]


@pytest.mark.parametrize(
    ("emulation", "name"),
    [
        (product(factor=2.0, of=torch.sub), r"product\(factor=2.0, of=sub\)"),
        (product(of=lambda x: x), r"product\(of=lambda in line \d+\)"),
        (product(of=draw), r"product\(of=draw\)"),
    ],
)
def test_a_deviation_that_raises_is_named_by_what_deviates(emulation: Emulation, name: str) -> None:
    mistakes = Mistakes()
    mistakes.add("scaled", "It is scaled.", "Do not.", by=emulation)
    drawn = next(drawn for drawn in draw(MATMUL, 1, "cpu") if drawn.name == "whole numbers")
    with pytest.raises(AuthorError, match=rf"emulation {name} \(test_emulate.py, line \d+\), .*no product \(test_em"):
        list(emulations(mistakes.by_code["scaled"], drawn, [Tile(16, 32)]))
