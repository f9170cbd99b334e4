"""Two: the name of the activation is misspelt, so it never runs, and the columns of b are taken to lie side by side."""
import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[
        triton.Config({"TM": 64, "TN": 64, "TK": 64, "GROUP": 8}, num_warps=4, num_stages=3),
        triton.Config({"TM": 64, "TN": 128, "TK": 32, "GROUP": 8}, num_warps=4, num_stages=3),
    ],
    key=["m", "n", "k"],
)
@triton.jit
def matmul_kernel(
    a, b, c, m, n, k, a_row, a_col, b_row, b_col, c_row, c_col, act: tl.constexpr, TM: tl.constexpr,
    TN: tl.constexpr, TK: tl.constexpr, GROUP: tl.constexpr
):  # fmt: skip
    p = tl.program_id(0)
    cols = tl.cdiv(n, TN)
    rows = tl.cdiv(m, TM)
    strip = GROUP * cols
    y0 = p // strip * GROUP
    h = min(rows - y0, GROUP)
    y = y0 + p % strip % h
    x = p % strip // h
    i = (y.to(tl.int64) * TM + tl.arange(0, TM))[:, None]
    j = (x.to(tl.int64) * TN + tl.arange(0, TN))[None, :]
    t = tl.arange(0, TK).to(tl.int64)
    a += i * a_row + t[None, :] * a_col
    b += t[:, None] * b_row + j
    s = tl.zeros((TM, TN), tl.float32)
    todo = k
    while todo > 0:
        s = tl.dot(
            tl.load(a, mask=(i < m) & (t[None, :] < todo), other=0.0),
            tl.load(b, mask=(t[:, None] < todo) & (j < n), other=0.0),
            s,
        )
        a += TK * a_col
        b += TK * b_row
        todo -= TK
    if act == "leaky-relu":
        s = tl.where(s < 0, s * 0.01, s)
    tl.store(c + i * c_row + j * c_col, s, mask=(i < m) & (j < n))


def matmul(a: torch.Tensor, b: torch.Tensor, activation: str = "") -> torch.Tensor:
    m, k = a.shape
    n = b.shape[1]
    c = torch.empty((m, n), dtype=a.dtype, device=a.device)
    if c.numel() == 0:
        return c
    strides = (*a.stride(), *b.stride(), *c.stride())
    matmul_kernel[lambda o: (triton.cdiv(m, o["TM"]) * triton.cdiv(n, o["TN"]),)](
        a, b, c, m, n, k, *strides, act=activation
    )
    return c
