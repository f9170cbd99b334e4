"""Matrix product with gradients over small views of matrices."""

from typing import NamedTuple

import torch
import triton
import triton.language as tl


class View(NamedTuple):
    """A matrix as a kernel sees it."""

    data: torch.Tensor
    rows: int
    cols: int
    down: int
    right: int

    @property
    def t(self) -> "View":
        return View(self.data, self.cols, self.rows, self.right, self.down)


def view(x: torch.Tensor, transpose: bool = False) -> View:
    v = View(x, *x.shape, *x.stride())
    return v.t if transpose else v


@triton.jit
def view_product(
    left, right, out, rows, cols, depth,
    left_down, left_right, right_down, right_right, out_down, out_right,
    H: tl.constexpr, W: tl.constexpr, D: tl.constexpr,
):
    pid = tl.program_id(0)
    per_row = tl.cdiv(cols, W)
    i = ((pid // per_row).to(tl.int64) * H + tl.arange(0, H))[:, None]
    j = ((pid % per_row).to(tl.int64) * W + tl.arange(0, W))[None, :]
    total = tl.zeros((H, W), tl.float32)
    for base in range(0, depth, D):
        d = base + tl.arange(0, D).to(tl.int64)
        across, down = d[None, :], d[:, None]
        x = tl.load(left + i * left_down + across * left_right, mask=(i < rows) & (across < depth), other=0.0)
        y = tl.load(right + down * right_down + j * right_right, mask=(down < depth) & (j < cols), other=0.0)
        total += tl.dot(x, y).to(x.dtype)
    tl.store(out + i * out_down + j * out_right, total, mask=(i < rows) & (j < cols))


def product(left: View, right: View, out: View) -> None:
    rows, cols, depth = left.rows, right.cols, left.cols
    if rows == 0 or cols == 0:
        return
    grid = (triton.cdiv(rows, 64) * triton.cdiv(cols, 64),)
    view_product[grid](
        left.data, right.data, out.data, rows, cols, depth,
        left.down, left.right, right.down, right.right, out.down, out.right,
        H=64, W=64, D=32,
    )


class ViewDot(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, transpose_a, transpose_b):
        ctx.save_for_backward(a, b)
        ctx.transposes = transpose_a, transpose_b
        x, y = view(a, transpose_a), view(b, transpose_b)
        c = torch.empty((x.rows, y.cols), dtype=a.dtype, device=a.device)
        product(x, y, view(c))
        return c

    @staticmethod
    def backward(ctx, grad):
        (a, b), (ta, tb) = ctx.saved_tensors, ctx.transposes
        x, y, g = view(a, ta), view(b, tb), view(grad)
        da = db = None
        if ctx.needs_input_grad[0]:
            da = torch.empty_like(a)
            product(g, y.t, view(da, ta))
        if ctx.needs_input_grad[1]:
            db = torch.empty_like(b)
            product(g.t, x, view(db, tb))
        return da, db, None, None


def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    return ViewDot.apply(a, b, transpose_a, transpose_b)
