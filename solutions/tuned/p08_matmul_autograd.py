# %% [markdown]
# # 8. A matrix product that can be trained: tuned
#
# An NVIDIA H200, fp16, Triton 3.6: c, da and db together, TFLOP/s:
#
# | M = N = K | cuBLAS | this file | the plain solution |
# |---|---|---|---|
# | 512 | 51 | 9 | 14 |
# | 1,024 | 270 | 208 | 165 |
# | 2,048 | 609 | 542 | 333 |
# | 4,096 | 670 | 662 | 319 |
# | 8,192 | 635 | 673 | 228 |
#
# At 512 columns the time is the host's.
#
# **The kernel** is that of puzzle 7's tuned solution, without its activation: tensor descriptors, one program per
# multiprocessor, groups of tiles, a store in halves.
#
# **What a backward pass adds.** Of the six factors of the three products, two are transposed views even where nothing
# was asked for transposed: `y.T` in $dX = G\, Y^T$ and `x.T` in $dY = X^T G$. A descriptor wants contiguous rows, so
# it describes the memory as it lies, and the tile is turned around on its way to the tensor cores. What a kernel
# writes needs contiguous rows too. Where $dA$ is the transpose of $dX$, the product is turned around as a whole:
# $dX^T = Y G^T$.
#
# **Where it does not apply.** A gradient with a stride of 0, as that of a sum, has no descriptor: the copy engine wants
# rows that are multiples of 16 bytes apart. Such matrices go through pointers, in the same kernel.

# %%
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


# %%
def reference(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    """Return x @ y for x = a or a.T, y = b or b.T, computed in float32; PyTorch knows how to differentiate that."""
    x, y = (a.T if transpose_a else a), (b.T if transpose_b else b)
    return (x.float() @ y.float()).to(a.dtype)


# %%
@triton.jit
def load_tile(
    source, row, col, row_stride, col_stride, n_rows, n_cols,
    ROWS: tl.constexpr, COLS: tl.constexpr, DESCRIPTORS: tl.constexpr, TRANSPOSED: tl.constexpr,
):  # fmt: skip
    """Return rows `row` and columns `col` and after of a matrix, (ROWS, COLS), 0 past its end."""
    if DESCRIPTORS:
        tile = source.load([col, row]).T if TRANSPOSED else source.load([row, col])
    else:
        rows = row + tl.arange(0, ROWS)[:, None].to(tl.int64)  # 64 bits: row * stride can pass 2^31
        cols = col + tl.arange(0, COLS)[None, :].to(tl.int64)
        mask = (rows < n_rows) & (cols < n_cols)
        tile = tl.load(source + rows * row_stride + cols * col_stride, mask=mask, other=0.0)
    return tile


@triton.jit
def store_tile(
    target, tile, row, col, row_stride, n_rows, n_cols,
    ROWS: tl.constexpr, COLS: tl.constexpr, DESCRIPTORS: tl.constexpr,
):  # fmt: skip
    """Write a tile, (ROWS, COLS), as far as it lies in a matrix with contiguous rows."""
    if DESCRIPTORS:
        target.store([row, col], tile)
    else:
        rows = row + tl.arange(0, ROWS)[:, None].to(tl.int64)
        cols = col + tl.arange(0, COLS)[None, :]
        tl.store(target + rows * row_stride + cols, tile, mask=(rows < n_rows) & (cols < n_cols))


@triton.jit
def dot_kernel(
    x_src,  # (M, K) float16 or bfloat16: a pointer, or a tensor descriptor with blocks of (BLOCK_M, BLOCK_K)
    y_src,  # (K, N) same dtype: a pointer, or a descriptor with blocks of (BLOCK_K, BLOCK_N)
    out_src,  # output, (M, N) same dtype: a pointer, or a descriptor with blocks of (BLOCK_M, BLOCK_N / 2)
    M,  # rows of x and out, at least 1
    N,  # columns of y and out, at least 1
    K,  # columns of x and rows of y, at least 0
    stride_xm,  # elements from one row of x to the next; descriptors know their own
    stride_xk,  # elements from one column of x to the next
    stride_yk,
    stride_yn,
    stride_om,
    BLOCK_M: tl.constexpr,  # rows of a tile of out, a power of two
    BLOCK_N: tl.constexpr,  # columns of a tile of out, a power of two
    BLOCK_K: tl.constexpr,  # columns of x and rows of y in one turn, a power of two
    GROUP_M: tl.constexpr,  # rows of tiles in a group
    DESCRIPTORS: tl.constexpr,  # whether x, y and out are descriptors
    X_TRANSPOSED: tl.constexpr,  # whether x's descriptor is of its transpose
    Y_TRANSPOSED: tl.constexpr,
):
    """Write every `tl.num_programs(0)`-th tile of x @ y, (BLOCK_M, BLOCK_N), each walking along K."""
    tiles_m, tiles_n = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    HALF: tl.constexpr = BLOCK_N // 2
    for number in range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0)):
        group, within = number // (GROUP_M * tiles_n), number % (GROUP_M * tiles_n)
        height = min(tiles_m - group * GROUP_M, GROUP_M)  # the last group may be lower
        row = (group * GROUP_M + within % height) * BLOCK_M
        col = within // height * BLOCK_N

        acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        for k in range(0, K, BLOCK_K):
            x = load_tile(x_src, row, k, stride_xm, stride_xk, M, K, BLOCK_M, BLOCK_K, DESCRIPTORS, X_TRANSPOSED)
            y = load_tile(y_src, k, col, stride_yk, stride_yn, K, N, BLOCK_K, BLOCK_N, DESCRIPTORS, Y_TRANSPOSED)
            acc = tl.dot(x, y, acc)

        out = acc.to(x_src.dtype if DESCRIPTORS else x_src.dtype.element_ty)
        left, right = tl.split(tl.permute(tl.reshape(out, (BLOCK_M, 2, HALF)), (0, 2, 1)))
        store_tile(out_src, left, row, col, stride_om, M, N, BLOCK_M, HALF, DESCRIPTORS)
        store_tile(out_src, right, row, col + HALF, stride_om, M, N, BLOCK_M, HALF, DESCRIPTORS)


# %%
def described(x: torch.Tensor, block: list[int]) -> tuple[TensorDescriptor, bool]:
    """Return a descriptor of a matrix, or of its transpose, whichever has contiguous rows, and which it is."""
    transposed = x.stride(1) != 1
    rows, shape = (x.T, block[::-1]) if transposed else (x, block)
    return TensorDescriptor(rows, list(rows.shape), list(rows.stride()), shape), transposed


def fits_descriptor(x: torch.Tensor) -> bool:
    """Return whether a matrix begins, and each of its rows or each of its columns, at a multiple of 16 bytes."""
    inner, outer = sorted(x.stride())
    return x.data_ptr() % 16 == 0 and inner == 1 and outer * x.element_size() % 16 == 0


def multiply(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    """Write x @ y to out, (M, N), in one launch, and return out.

    x: (M, K) and y: (K, N), any strides
    out: (M, N), of which the elements of a row, or those of a column, lie next to each other
    """
    if out.stride(1) != 1:
        multiply(y.T, x.T, out.T)
        return out
    (M, K), (_, N) = x.shape, y.shape
    if out.numel() == 0:
        return out
    device = torch.cuda.get_device_properties(x.device)
    multiprocessors, is_hopper = device.multi_processor_count, device.major == 9
    sizes = ((128, 256, 64, 8, 3), (64, 64, 128, 4, 3)) if is_hopper else ((128, 128, 32, 8, 3), (64, 64, 32, 4, 3))
    large = triton.cdiv(M, sizes[0][0]) * triton.cdiv(N, sizes[0][1])
    BLOCK_M, BLOCK_N, BLOCK_K, num_warps, num_stages = sizes[0] if 8 * large >= 7 * multiprocessors else sizes[1]
    tiles = triton.cdiv(M, BLOCK_M) * triton.cdiv(N, BLOCK_N)
    DESCRIPTORS = is_hopper and large > multiprocessors and K > 0 and all(fits_descriptor(t) for t in (x, y, out))

    sources, X_TRANSPOSED, Y_TRANSPOSED = [x, y, out], False, False
    if DESCRIPTORS:
        x_src, X_TRANSPOSED = described(x, [BLOCK_M, BLOCK_K])
        y_src, Y_TRANSPOSED = described(y, [BLOCK_K, BLOCK_N])
        sources = [x_src, y_src, described(out, [BLOCK_M, BLOCK_N // 2])[0]]
    grid = (min(tiles, multiprocessors) if DESCRIPTORS else tiles,)
    dot_kernel[grid](
        *sources,
        M,
        N,
        K,
        *x.stride(),
        *y.stride(),
        out.stride(0),
        BLOCK_M=BLOCK_M,
        BLOCK_N=BLOCK_N,
        BLOCK_K=BLOCK_K,
        GROUP_M=8,
        DESCRIPTORS=DESCRIPTORS,
        X_TRANSPOSED=X_TRANSPOSED,
        Y_TRANSPOSED=Y_TRANSPOSED,
        num_warps=num_warps,
        num_stages=num_stages,
    )
    return out


# %%
class Dot(torch.autograd.Function):
    """Tell PyTorch what runs forwards and what runs back."""

    @staticmethod
    def forward(ctx, a, b, transpose_a, transpose_b):
        """Return x @ y, (M, N)."""
        ctx.save_for_backward(a, b)
        ctx.transpose_a, ctx.transpose_b = transpose_a, transpose_b
        x, y = (a.T if transpose_a else a), (b.T if transpose_b else b)
        return multiply(x, y, torch.empty((x.shape[0], y.shape[1]), dtype=a.dtype, device=a.device))

    @staticmethod
    def backward(ctx, g):
        """Return the gradients of a and b for g: (M, N), each `None` where nobody asks for it, and `None` twice."""
        a, b = ctx.saved_tensors
        x, y = (a.T if ctx.transpose_a else a), (b.T if ctx.transpose_b else b)
        da = db = None
        if ctx.needs_input_grad[0]:
            da = torch.empty_like(a)
            multiply(g, y.T, da.T if ctx.transpose_a else da)
        if ctx.needs_input_grad[1]:
            db = torch.empty_like(b)
            multiply(x.T, g, db.T if ctx.transpose_b else db)
        return da, db, None, None


# %%
def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    """Return x @ y, (M, N), for x = a or a.T, y = b or b.T: float16 or bfloat16, any strides; differentiable."""
    return Dot.apply(a, b, transpose_a, transpose_b)
