"""Rounding to 16 bits where the inputs have 32. x: (n_rows, n_cols) float32."""

from __future__ import annotations

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Tile
from tritonpuzzles.curriculum.mistakes.softmax.common import FIRST, MISTAKES, maximum, normalised, tiles, total


@MISTAKES.add(
    "low-precision",
    "A step between load and store is computed in 16 bits. That keeps two or three digits of the seven of float32.",
    "Convert with .to(tl.float32) right after the load; round once, at the store.",
    r"tl\.b?float16",
)
def loaded_as_fp16(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """x in float16."""
    (x,) = inputs
    return torch.softmax(x.half().float(), dim=1)


@MISTAKES.also("low-precision")
def loaded_as_bf16(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """x in bfloat16."""
    (x,) = inputs
    return torch.softmax(x.bfloat16().float(), dim=1)


@MISTAKES.also("low-precision")
def computed_in_fp16(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """x and its exponentials in float16."""
    (x,) = inputs
    x = x.half().float()
    numerator = torch.exp(x - maximum(x)).half().float()
    return numerator / numerator.sum(dim=1, keepdim=True)


@MISTAKES.also("low-precision")
def exponentials_in_fp16(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The exponentials alone in float16."""
    (x,) = inputs
    numerator = torch.exp(x - maximum(x)).half().float()
    return numerator / numerator.sum(dim=1, keepdim=True)


@MISTAKES.also("low-precision")
def state_in_fp16(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The running maximum and sum in float16, from one tile to the next."""
    (x,) = inputs
    m, l = torch.full_like(x[:, :1], FIRST), torch.zeros_like(x[:, :1])
    for part in tiles(x, tile.cols):
        m_new = torch.maximum(m, maximum(part))
        l = (l * torch.exp(m - m_new) + total(part, m_new)).half().float()
        m = m_new.half().float().clamp_min(torch.finfo(torch.float16).min)
    return normalised(x, m, l)
