# %% [markdown]
# # 0. Vector add: what a program is
#
# $z_i = x_i + y_i$. You know Python and PyTorch; this page explains what else a first kernel needs. The pictures show
# what the grader saw a right kernel read and write, with `n_elements` 10 and `BLOCK_SIZE` 4.
#
# **Programs.** A *kernel* is a function that runs on the GPU, many times at once. One such run is a *program*. Each
# program does one part of the work, here `BLOCK_SIZE` elements that lie side by side:
#
#     element   0  1  2  3  4  5  6  7  8  9
#     program   0  0  0  0  1  1  1  1  2  2
#
# All of them run the same code with the same arguments. Only `tl.program_id(0)` differs: 0, 1 or 2.
#
# **The launch grid** says how many programs start. `add` below, the *host function*, is ordinary Python. Its line
# `add_kernel[grid](x, y, z, ...)` starts them, with `grid = (3,)`: 10 / 4 rounded up, `triton.cdiv(10, 4)`. Rounded
# down, only two programs start. Nobody writes elements 8 and 9, and `z` keeps there whatever was in memory, since
# `torch.empty_like` clears nothing:
#
#     element   0  1  2  3  4  5  6  7  8  9
#     program   0  0  0  0  1  1  1  1  -  -
#
# **Tiles.** A program has no loop over its elements: it works on a *tile*, many values at once, each in a *lane*.
# `tl.arange(0, BLOCK_SIZE)` is a tile: 0, 1, 2, 3. Arithmetic and comparisons work lane by lane; `4 + tile` adds 4 in
# every lane. So `pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)`, where `pid` is the program's number, gives *offsets*:
#
#     lane                    0  1  2  3
#     offsets in program 0    0  1  2  3
#     offsets in program 1    4  5  6  7
#     offsets in program 2    8  9 10 11
#
# **Pointers.** A tensor arrives as a *pointer*: the address of its first element, without shape or length. Pointers
# count in elements, not bytes: `x_ptr + 4` is the address of element 4, `x_ptr + offsets` a tile of addresses.
# `x = tl.load(x_ptr + offsets, ...)` reads what lies there, and `tl.store(z_ptr + offsets, values, ...)` writes a tile.
# There is no indexing: `x_ptr[0]` does not compile.
#
# **Masks.** Elements 10 and 11 do not exist; at their addresses lies something else. A *mask* is a tile of truth
# values, `offsets < n_elements`. In program 2:
#
#     offsets   8  9 10 11
#     mask      1  1  0  0
#
# With `mask=mask`, a load or a store touches no memory in a lane where the mask is false. Every load and every store
# here needs its mask.
#
# **`tl.constexpr`.** The compiler must know the size of a tile, a power of two: `BLOCK_SIZE` is a constant of the
# compiled kernel, `n_elements` may be another number at every launch. Compiled anew with `BLOCK_SIZE` 8:
#
#     element   0  1  2  3  4  5  6  7  8  9
#     program   0  0  0  0  0  0  0  0  1  1
#
# **Long vectors.** `tl.program_id(0)` has 32 bits, and so has its product with `BLOCK_SIZE`: past 2,147,483,647 the
# product wraps around and is negative. `tl.program_id(0).to(tl.int64)` has 64.
#
# **Limit:** tiles of at most 65,536 elements.
#
# **Traffic to reach**, the elements that go to and from memory: reads $x$ and $y$ once, writes $z$ once. Nothing is
# faster: a GPU adds far more numbers than its memory can bring.
#
# **How to go on.** Write the kernel where it says TODO, save, run `tritonpuzzles check 0`; or leave
# `tritonpuzzles watch 0` open, which checks at every save. Read the first thing that the report says, fix it, check
# again. `tritonpuzzles hint 0` helps, and `tritonpuzzles trace 0 --plot picture.png` draws which program of your kernel
# reads and writes which elements.

# %%
import torch
import triton
import triton.language as tl


# %%
def reference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return the sum of two vectors, element by element.

    x, y: (n_elements,) float32, float16 or bfloat16
    returns: (n_elements,), dtype of x
    """
    return x + y


# %%
@triton.jit
def add_kernel(
    x_ptr,  # input, (n_elements,)
    y_ptr,  # input, (n_elements,), same dtype
    z_ptr,  # output, (n_elements,), same dtype
    n_elements,  # of each vector, at least 1
    BLOCK_SIZE: tl.constexpr,  # elements of a program, a power of two
):
    """Write x + y to z for elements pid * BLOCK_SIZE to (pid + 1) * BLOCK_SIZE - 1, as far as they exist."""
    start = (tl.program_id(0) * BLOCK_SIZE).to(tl.int64)  # long vectors: 64 bits
    lane = tl.arange(0, BLOCK_SIZE)
    here = start + lane
    ok = here < n_elements
    x_tile = tl.load(x_ptr + here, mask=ok)
    y_tile = tl.load(y_ptr + here, mask=ok)
    tl.store(z_ptr + here, x_tile + y_tile, mask=ok)


# %%
def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Launch one program per BLOCK_SIZE elements.

    x, y: (n_elements,) float32, float16 or bfloat16, contiguous
    returns: (n_elements,), dtype of x
    """
    n_elements = x.numel()
    z = torch.empty_like(x)
    if n_elements == 0:
        return z
    BLOCK_SIZE = 1024
    grid = (triton.cdiv(n_elements, BLOCK_SIZE),)
    add_kernel[grid](x, y, z, n_elements, BLOCK_SIZE=BLOCK_SIZE)
    return z
