"""Softmax as a callable object."""

import torch
import triton
import triton.language as tl


@triton.jit
def _shifted_exp(t):
    return tl.exp(t - tl.max(t, axis=0))


@triton.jit
def _one_row(x_ptr, y_ptr, x_pitch, y_pitch, n_cols, TILE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lane = tl.arange(0, TILE)
    used = lane < n_cols
    t = tl.load(x_ptr + row * x_pitch + lane, mask=used, other=float("-inf"))
    e = _shifted_exp(t.to(tl.float32))
    tl.store(y_ptr + row * y_pitch + lane, e * (1.0 / tl.sum(e, axis=0)), mask=used)


class RowSoftmax:
    def __init__(self, per_thread: int = 16):
        self.per_warp = 32 * per_thread

    @staticmethod
    def tile(n: int) -> int:
        return 1 << n.bit_length()

    def warps(self, tile: int) -> int:
        return max(1, min(16, tile // self.per_warp))

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        if y.numel() == 0:
            return y
        tile = self.tile(x.shape[1])
        _one_row[(x.shape[0],)](
            x, y, x.stride(0), y.stride(0), x.shape[1], TILE=tile, num_warps=self.warps(tile)
        )
        return y


_softmax = RowSoftmax()


def softmax(x: torch.Tensor) -> torch.Tensor:
    return _softmax(x)
