import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return the sum of two vectors, element by element."""
    return x + y


@triton.jit
def tile_index(pid, ROWS: tl.constexpr, COLS: tl.constexpr):
    """Flat positions of a (ROWS, COLS) tile laid out row after row."""
    r = tl.arange(0, ROWS)
    c = tl.arange(0, COLS)
    corner = pid.to(tl.int64) * (ROWS * COLS)
    return corner + r[:, None] * ROWS + c[None, :]


@triton.jit
def add_kernel(x_ptr, y_ptr, z_ptr, numel, ROWS: tl.constexpr, COLS: tl.constexpr):
    where = tile_index(tl.program_id(0), ROWS, COLS)
    valid = where < numel
    lhs = tl.load(x_ptr + where, mask=valid, other=0.0)
    rhs = tl.load(y_ptr + where, mask=valid, other=0.0)
    tl.store(z_ptr + where, lhs + rhs, mask=valid)


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    z = torch.empty_like(x)
    numel = z.numel()
    if numel == 0:
        return z
    ROWS, COLS = 8, 128
    add_kernel[(triton.cdiv(numel, ROWS * COLS),)](x, y, z, numel, ROWS=ROWS, COLS=COLS)
    return z
