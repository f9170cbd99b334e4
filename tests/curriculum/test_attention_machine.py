"""The attention machine is right as it stands, and each of its deviations is seen somewhere."""

import pytest
import torch
from torch import Generator, Tensor

from tritonpuzzles.curriculum.families import FAMILIES
from tritonpuzzles.curriculum.mistakes import Tile
from tritonpuzzles.curriculum.mistakes.attention import MISTAKES
from tritonpuzzles.curriculum.mistakes.attention.machine import attention

FAMILY = ("attention_normal", "opposed_keys", "large_logits", "rising_keys", "overwhelming_key", "deep_scores")
FORMS = [(code, number) for code, known in MISTAKES.by_code.items() for number in range(len(known.emulations))]


def drawn(name: str, n: int) -> tuple[Tensor, ...]:
    return tuple(tensor.float() for tensor in FAMILIES[name]((n, 32), Generator().manual_seed(1)))


def truth(inputs: tuple[Tensor, ...]) -> Tensor:
    q, k, v = (tensor.double() for tensor in inputs)
    return torch.softmax(q @ k.mT / q.shape[1] ** 0.5, dim=1) @ v


@pytest.mark.parametrize("family", FAMILY)
@pytest.mark.parametrize("tile", [Tile(16, 16), Tile(64, 32), Tile(16, 64), Tile(128, 128)])
@pytest.mark.parametrize("n", [1, 16, 77])
def test_nothing_deviates_by_itself(n: int, tile: Tile, family: str) -> None:
    inputs = drawn(family, n)
    for emulation in (attention(), attention(square=True), attention(whole=True)):
        torch.testing.assert_close(emulation(inputs, tile).double(), truth(inputs), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(("code", "number"), FORMS)
def test_a_mistake_deviates_in_each_form(code: str, number: int) -> None:
    emulation = MISTAKES.by_code[code].emulations[number]
    assert any(
        not torch.allclose(emulation(inputs, Tile(16, cols)).double(), truth(inputs), rtol=1e-4, atol=1e-4)
        for inputs in (drawn(family, 77) for family in FAMILY)
        for cols in (16, 32)
    )
