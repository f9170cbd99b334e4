# %% [markdown]
# # 3. Cross-entropy
#
# The loss of a row of logits is how surprised the model is by the class that was right:
#
# $$\ell_i = \log \sum_j e^{x_{ij}} - x_{i t_i}.$$
#
# **What to watch.** Subtract the maximum before `exp`, and add it again behind the logarithm. The target is loaded: its
# column is an offset. A masked lane must add nothing to the sum.
#
# **Limits:** one launch, at most one program per row, no scratch memory.
#
# **Traffic to reach:** reads $MN$ and $8M$ bytes of targets, writes $4M$ bytes.

# %%
import torch
import triton
import triton.language as tl


# %%
def reference(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Return the loss of each row.

    logits: (n_rows, n_cols) float32, float16 or bfloat16
    targets: (n_rows,) int64, each from 0 to n_cols - 1
    returns: (n_rows,) float32
    """
    return torch.nn.functional.cross_entropy(logits.float(), targets, reduction="none")


# %%
@triton.jit
def cross_entropy_kernel(
    logits_ptr,  # input, (n_rows, n_cols)
    targets_ptr,  # input, (n_rows,) int64
    loss_ptr,  # output, (n_rows,) float32
    logits_row_stride,  # elements from one row to the next, at least n_cols
    n_cols,  # classes, at least 1
    BLOCK_SIZE: tl.constexpr,  # the power of two at or above n_cols
):
    """Write the loss of row `tl.program_id(0)`."""
    # TODO: load the row, its maximum, the sum of exponentials, the target's logit, store the loss (about 9 lines)


# %%
def cross_entropy(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Launch one program per row.

    logits: (n_rows, n_cols) float32, float16 or bfloat16, last dimension contiguous
    targets: (n_rows,) int64, contiguous
    returns: (n_rows,) float32
    """
    n_rows, n_cols = logits.shape
    loss = torch.empty((n_rows,), dtype=torch.float32, device=logits.device)
    if n_rows == 0:
        return loss
    BLOCK_SIZE = triton.next_power_of_2(n_cols)
    cross_entropy_kernel[(n_rows,)](logits, targets, loss, logits.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE)
    return loss
