# %% [markdown]
# # 3. Cross-entropy, four rows per program

# %%
import torch
import triton
import triton.language as tl

ROWS_PER_PROGRAM = 4


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
def ce_rows(x_ptr, t_ptr, loss_ptr, n_rows, n_cols, ld, R: tl.constexpr, BLOCK: tl.constexpr):
    r = tl.program_id(0).to(tl.int64) * R + tl.arange(0, R)
    r_ok = r < n_rows
    label = tl.load(t_ptr + r, mask=r_ok, other=-1)
    counted = label > 0

    m = tl.full((R,), float("-inf"), tl.float32)
    z = tl.zeros((R,), tl.float32)
    for start in range(0, n_cols, BLOCK):
        c = start + tl.arange(0, BLOCK)
        ok = r_ok[:, None] & (c < n_cols)[None, :]
        x = tl.load(x_ptr + (r * ld)[:, None] + c[None, :], mask=ok, other=float("-inf")).to(tl.float32)
        m_next = tl.maximum(m, tl.max(x, axis=1))
        ref = tl.where(m_next == float("-inf"), 0.0, m_next)
        z = z * tl.exp(m - ref) + tl.sum(tl.exp(x - ref[:, None]), axis=1)
        m = m_next

    own = tl.load(x_ptr + r * ld + label, mask=counted, other=0.0).to(tl.float32)
    tl.store(loss_ptr + r, tl.where(counted, m + tl.log(z) - own, 0.0), mask=r_ok)


# %%
def cross_entropy(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = logits.shape
    loss = torch.empty((n_rows,), dtype=torch.float32, device=logits.device)
    if n_rows == 0:
        return loss
    grid = (max(n_rows // ROWS_PER_PROGRAM, 1),)
    ce_rows[grid](logits, targets, loss, n_rows, n_cols, logits.stride(0), R=ROWS_PER_PROGRAM, BLOCK=256)
    return loss
