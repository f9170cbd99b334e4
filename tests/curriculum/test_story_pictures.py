"""The pictures in stories are what the ledger says: who touches which element or row, what a mask lets through."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.interpreter.test_solutions import ROOT, load
from tritonpuzzles.engine.interpreter import Tracer
from tritonpuzzles.engine.interpreter.ledger import Access

STEM = "p00_vector_add"
N_ELEMENTS, BLOCK_SIZE = 10, 4  # as the story says


def accesses(programs: int, block_size: int = BLOCK_SIZE) -> list[Access]:
    """Return what the solution's kernel touches."""
    tracer = Tracer(element_counts=True)
    x, y, z = torch.ones(3, N_ELEMENTS)
    with tracer:
        load(STEM).add_kernel[(programs,)](x, y, z, N_ELEMENTS, BLOCK_SIZE=block_size)
    (launch,) = tracer.launches
    assert [access.argument for access in launch.accesses] == ["x_ptr", "y_ptr", "z_ptr"]
    return list(launch.accesses)


def programs_of(access: Access) -> list[str]:
    """Return the program of each element; "-" where there is none."""
    who = dict(zip(access.elements.tolist(), access.programs.tolist(), strict=True))
    return [str(who.get(element, "-")) for element in range(N_ELEMENTS)]


def row(name: str, cells: list[str], width: int) -> str:
    return f"#     {name:<{width}}" + "".join(f"{cell:>3}" for cell in cells)


@pytest.fixture(params=["puzzles", "solutions"])
def story(request: pytest.FixtureRequest) -> str:
    text: str = (ROOT / request.param / f"{STEM}.py").read_text()
    return text


@pytest.mark.parametrize(("programs", "block_size"), [(3, BLOCK_SIZE), (2, BLOCK_SIZE), (2, 8)])
def test_which_program_has_which_element(story: str, programs: int, block_size: int) -> None:
    elements = row("element", [str(element) for element in range(N_ELEMENTS)], 8)
    for access in accesses(programs, block_size):
        assert f"{elements}\n{row('program', programs_of(access), 8)}\n" in story


def test_what_each_program_loads_and_what_the_mask_keeps_out(story: str) -> None:
    lanes = np.arange(BLOCK_SIZE)
    for access in accesses(3):
        for program in range(3):
            offsets = program * BLOCK_SIZE + lanes
            touched = access.elements[access.programs == program]
            assert set(touched.tolist()) <= set(offsets.tolist())
            assert f"{row(f'offsets in program {program}', [str(n) for n in offsets], 22)}\n" in story
        mask = np.isin(offsets, touched).astype(int)
        masks = f"{row('offsets', [str(n) for n in offsets], 8)}\n{row('mask', [str(n) for n in mask], 8)}\n"
        assert masks in story


@pytest.mark.parametrize("folder", ["puzzles", "solutions"])
def test_which_program_of_puzzle_6_has_which_row(folder: str) -> None:
    tracer = Tracer(element_counts=True)
    x, y = torch.ones(2, 8, 5)
    with tracer:
        load("p06_persistent_softmax").softmax_kernel[(3,)](x, y, 5, 5, 8, 5, BLOCK_SIZE=8)
    (launch,) = tracer.launches
    rows = row("row", [str(number) for number in range(8)], 8)
    text = (ROOT / folder / "p06_persistent_softmax.py").read_text()
    who: dict[str, dict[int, int]] = {}
    for access in launch.accesses:
        found = zip((access.elements // 5).tolist(), access.programs.tolist(), strict=True)
        who.setdefault(access.argument, {}).update(found)
    assert set(who) == {"x_ptr", "y_ptr"}
    for programs in who.values():
        assert f"{rows}\n{row('program', [str(programs[number]) for number in range(8)], 8)}\n" in text


@pytest.mark.parametrize("folder", ["puzzles", "solutions"])
def test_which_program_of_puzzle_7_has_which_tile(folder: str) -> None:
    kernel, block, (m, n) = load("p07_matmul").matmul_kernel.fn, 16, (3, 4)
    a, b, c = torch.ones(m * block, 16), torch.ones(16, n * block), torch.empty(m * block, n * block)
    strides = (*a.stride(), *b.stride(), *c.stride())
    sizes = {"ACTIVATION": "", "BLOCK_M": block, "BLOCK_N": block, "BLOCK_K": 16, "GROUP_M": 2}
    with Tracer(element_counts=True) as tracer:
        kernel[(m * n,)](a, b, c, m * block, n * block, 16, *strides, **sizes)
    (stored,) = (access for access in tracer.launches[0].accesses if access.operation == "store")
    who = np.empty(c.numel(), dtype=int)
    who[stored.elements] = stored.programs
    tiles = who.reshape(m, block, n, block)[:, 0, :, 0]
    picture = [["pid_n", *map(str, range(n))], *([str(number), *map(str, tiles[number])] for number in range(m))]
    text = (ROOT / folder / "p07_matmul.py").read_text()
    shown = [line.removeprefix("#").replace("pid_m", "").split() for line in text.splitlines()]
    first = next(number for number, words in enumerate(shown) if words[:1] == ["pid_n"])
    assert shown[first : first + m + 1] == picture
