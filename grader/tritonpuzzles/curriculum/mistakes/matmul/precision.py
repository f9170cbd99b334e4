"""Sums in fewer bits than float32. a: (m, k), b: (k, n) float32."""

from __future__ import annotations

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Tile
from tritonpuzzles.curriculum.mistakes.matmul.common import (
    MISTAKES,
    Inputs,
    accumulated,
    activated,
    product,
    right,
    turns,
    zeros,
)


@MISTAKES.add(
    "low-precision",
    "The sums are kept in 16 bits from one turn to the next, or rounded to them on the way: before they are complete, "
    "or to another dtype than that of c.",
    "Keep {acc} in float32, tl.zeros((BLOCK_M, BLOCK_N), tl.float32), and leave the rounding to the store.",
    r"float16",
    r"out_dtype",
    r"^(?!.*(program_id|arange|int)).*\.to\(",
    r"acc\w*\s*=",
    needs=r"float16|\.to\(|dtype|\.element_ty",
)
def sums_in_the_dtype(inputs: Inputs, tile: Tile) -> Tensor:
    """acc rounded to the inputs' dtype after each turn."""
    return activated(accumulated(turns(inputs, tile), inputs, lambda acc: acc.to(tile.dtype).float()), tile)


@MISTAKES.also("low-precision")
def sums_in_float16(inputs: Inputs, tile: Tile) -> Tensor:
    """acc rounded to float16 after each turn, whatever the inputs."""
    return activated(accumulated(turns(inputs, tile), inputs, lambda acc: acc.half().float()), tile)


@MISTAKES.also("low-precision")
def parts_in_the_dtype(inputs: Inputs, tile: Tile) -> Tensor:
    """Each turn's product rounded to the inputs' dtype, their sum not."""
    return activated(sum((part.to(tile.dtype).float() for part in turns(inputs, tile)), zeros(inputs)), tile)


@MISTAKES.also("low-precision")
def parts_in_float16(inputs: Inputs, tile: Tile) -> Tensor:
    """Each turn's product rounded to float16, and their sum after each turn as well."""
    parts = (part.half().float() for part in turns(inputs, tile))
    return activated(accumulated(parts, inputs, lambda acc: acc.half().float()), tile)


@MISTAKES.also("low-precision")
def result_through_float16(inputs: Inputs, tile: Tile) -> Tensor:
    """The sum rounded to float16 before it is stored in another type."""
    return right(inputs, tile).half().float()


@MISTAKES.also("low-precision")
def result_through_bfloat16(inputs: Inputs, tile: Tile) -> Tensor:
    """The sum rounded to bfloat16 before it is stored in another type."""
    return right(inputs, tile).bfloat16().float()


@MISTAKES.also("low-precision")
def inputs_through_bfloat16(inputs: Inputs, tile: Tile) -> Tensor:
    """Both tiles in bfloat16."""
    a, b = (tensor.bfloat16().float() for tensor in inputs)
    return product(a, b, tile)


@MISTAKES.also("low-precision")
def inputs_through_float16(inputs: Inputs, tile: Tile) -> Tensor:
    """Both tiles in float16, which ends at 65,504."""
    a, b = (tensor.half().float() for tensor in inputs)
    return product(a, b, tile)


@MISTAKES.also("low-precision")
def inputs_through_float8(inputs: Inputs, tile: Tile) -> Tensor:
    """Both tiles in eight bits."""
    a, b = (tensor.to(torch.float8_e4m3fn).float() for tensor in inputs)
    return product(a, b, tile)
