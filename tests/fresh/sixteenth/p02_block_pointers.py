import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """Return x with each pair of elements turned.

    x: (n, d) float32, float16 or bfloat16, d even
    cos, sin: (n, d / 2) same dtype
    returns: (n, d), dtype of x
    """
    first, second = x.chunk(2, dim=1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=1)


@triton.jit
def _read(base, n, width, stride, top, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    tile = tl.make_block_ptr(
        base=base, shape=(n, width), strides=(stride, 1), offsets=(top, 0), block_shape=(ROWS, BLOCK), order=(1, 0)
    )
    return tl.load(tile, boundary_check=(0, 1), padding_option="zero").to(tl.float32)


@triton.jit
def _write(base, value, n, width, stride, top, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    tile = tl.make_block_ptr(
        base=base, shape=(n, width), strides=(stride, 1), offsets=(top, 0), block_shape=(ROWS, BLOCK), order=(1, 0)
    )
    tl.store(tile, value.to(base.dtype.element_ty), boundary_check=(0, 1))


@triton.jit
def rope_blocks(
    x_ptr, cos_ptr, sin_ptr, y_ptr, n, half, sx, sc, ss, sy, ROWS: tl.constexpr, BLOCK: tl.constexpr
):
    top = tl.program_id(0) * ROWS
    x1 = _read(x_ptr, n, half, sx, top, ROWS, BLOCK)
    x2 = _read(x_ptr + BLOCK, n, half, sx, top, ROWS, BLOCK)
    c = _read(cos_ptr, n, half, sc, top, ROWS, BLOCK)
    s = _read(sin_ptr, n, half, ss, top, ROWS, BLOCK)
    _write(y_ptr, x1 * c - x2 * s, n, half, sy, top, ROWS, BLOCK)
    _write(y_ptr + half, x2 * c + x1 * s, n, half, sy, top, ROWS, BLOCK)


def rotary(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    n, d = x.shape
    y = torch.empty((n, d), dtype=x.dtype, device=x.device)
    if y.numel() == 0:
        return y
    half, ROWS = d // 2, 4
    rope_blocks[(triton.cdiv(n, ROWS),)](
        x,
        cos,
        sin,
        y,
        n,
        half,
        x.stride(0),
        cos.stride(0),
        sin.stride(0),
        y.stride(0),
        ROWS=ROWS,
        BLOCK=triton.next_power_of_2(half),
    )
    return y
