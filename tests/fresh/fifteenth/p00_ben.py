import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x + y


@triton.jit
def sum_of_two(left, right, result, length, CHUNK: tl.constexpr):
    """result[chunk] = left[chunk] + right[chunk]"""
    chunk = tl.program_id(0).to(tl.int64) * CHUNK + tl.arange(0, CHUNK)
    exists = chunk < length
    tl.store(
        result + chunk,
        tl.load(left + chunk, mask=exists) + tl.load(right + chunk, mask=exists),
        mask=exists,
    )


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    (length,) = x.shape
    result = torch.empty(length, device=x.device)
    if length:
        CHUNK = 512
        sum_of_two[(triton.cdiv(length, CHUNK),)](x, y, result, length, CHUNK=CHUNK)
    return result
