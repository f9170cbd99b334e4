"""Softmax of long rows, forwards, backwards and forwards again: what was read last is still in the cache."""

import torch
import triton
import triton.language as tl


@triton.jit
def tile_of(row_ptr, number, n, SIZE: tl.constexpr):
    j = number * SIZE + tl.arange(0, SIZE)
    t = tl.load(row_ptr + j, mask=j < n, other=-float("inf"))
    return t.to(tl.float32)


@triton.jit
def zigzag(x_ptr, y_ptr, x_pitch, y_pitch, n, SIZE: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    x_row = x_ptr + r * x_pitch
    y_row = y_ptr + r * y_pitch
    tiles = tl.cdiv(n, SIZE)

    largest = -float("inf")
    number = 0
    while number < tiles:
        largest = tl.maximum(largest, tl.max(tile_of(x_row, number, n, SIZE), axis=0))
        number += 1

    denominator = 0.0
    number = tiles - 1
    while number > 0:
        denominator += tl.sum(tl.exp(tile_of(x_row, number, n, SIZE) - largest), axis=0)
        number -= 1

    number = 0
    while number < tiles:
        j = number * SIZE + tl.arange(0, SIZE)
        e = tl.exp(tile_of(x_row, number, n, SIZE) - largest)
        tl.store(y_row + j, e / denominator, mask=j < n)
        number += 1


def softmax(x: torch.Tensor) -> torch.Tensor:
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    SIZE = min(triton.next_power_of_2(x.size(1)), 4096)
    zigzag[(x.size(0),)](x, y, x.stride(0), y.stride(0), x.size(1), SIZE=SIZE, num_warps=max(SIZE // 512, 1))
    return y
