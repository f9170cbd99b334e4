"""Products in fewer bits than the inputs have. q, k, v: (n, d) float32."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Tile
from tritonpuzzles.curriculum.mistakes.attention.common import DOT, MISTAKES
from tritonpuzzles.curriculum.mistakes.attention.tiles import State, Step, follow, queries_by_keys, right_step


@MISTAKES.add(
    "tf32",
    "The products are computed in TF32, with 11 significant bits in place of 24: it is the default of tl.dot for "
    "float32.",
    'Pass input_precision="ieee" to tl.dot where the inputs are float32.',
    rf"^(?!.*ieee).*{DOT}",
    DOT,
)
def tf32(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Attention with the operands of both products cut to TF32, as tensor cores do."""
    return follow(inputs, tile, lambda q, k: _cut(q) @ _cut(k).mT, _rounding(_cut))


@MISTAKES.also("tf32")
def tf32_to_nearest(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The same, rounded to nearest."""
    return follow(inputs, tile, lambda q, k: _nearest(q) @ _nearest(k).mT, _rounding(_nearest))


def _cut(x: Tensor) -> Tensor:
    return (x.contiguous().view(torch.int32) & ~0x1FFF).view(torch.float32)


def _nearest(x: Tensor) -> Tensor:
    return ((x.contiguous().view(torch.int32) + 0x1000) & ~0x1FFF).view(torch.float32)


def _rounding(rounded: Callable[[Tensor], Tensor]) -> Step:
    """Return the step of a kernel that rounds both operands of its second product."""

    def step(s: Tensor, v: Tensor, state: State) -> State:
        m, l, acc = state
        m_new = torch.maximum(m, s.amax(dim=1, keepdim=True))
        alpha, p = torch.exp(m - m_new), torch.exp(s - m_new)
        return m_new, l * alpha + p.sum(dim=1, keepdim=True), acc * alpha + rounded(p) @ rounded(v)

    return step


@MISTAKES.add(
    "low-precision",
    "The weights are rounded to 16 bits where the inputs have more, or the accumulator is between two tiles.",
    "Round {p} to the inputs' own dtype, {p}.to(v.dtype), and keep {acc} in float32.",
    r"float16",
    DOT,
)
def weights_in_bf16(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """P and v in bfloat16."""
    return follow(inputs, tile, queries_by_keys, _rounding(lambda x: x.bfloat16().float()))


@MISTAKES.also("low-precision")
def acc_in_fp16(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The accumulator in float16, which ends at 65,504, from one tile to the next."""

    def step(s: Tensor, v: Tensor, state: State) -> State:
        m, l, acc = right_step(tile.dtype)(s, v, state)
        return m, l, acc.half().float()

    return follow(inputs, tile, queries_by_keys, step)


@MISTAKES.also("low-precision")
def weights_in_fp16(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """P and v in float16."""
    return follow(inputs, tile, queries_by_keys, _rounding(lambda x: x.half().float()))
