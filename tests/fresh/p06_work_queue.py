import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor) -> torch.Tensor:
    """Return the softmax of every row.

    x: (n_rows, n_cols) float32, float16 or bfloat16
    returns: (n_rows, n_cols), dtype of x
    """
    return torch.softmax(x, dim=1)


@triton.jit
def softmax_kernel(x_ptr, y_ptr, ticket_ptr, x_row_stride, y_row_stride, n_rows, n_cols, BLOCK_SIZE: tl.constexpr):
    """Programs draw a ticket for each row, so a slow one holds nobody up."""
    if tl.program_id(0) == 0:
        tl.store(ticket_ptr, 0)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    row = tl.atomic_add(ticket_ptr, 1)
    while row < n_rows:
        at = row.to(tl.int64)
        x = tl.load(x_ptr + at * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
        num = tl.exp(x - tl.max(x, axis=0))
        tl.store(y_ptr + at * y_row_stride + cols, num / tl.sum(num, axis=0), mask=mask)
        row = tl.atomic_add(ticket_ptr, 1)


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = triton.next_power_of_2(n_cols)
    num_warps = min(max(BLOCK_SIZE // 256, 2), 32)
    per_sm = 32 // num_warps
    sms = torch.cuda.get_device_properties(x.device).multi_processor_count
    ticket = torch.empty(1, dtype=torch.int32, device=x.device)
    softmax_kernel[(min(n_rows, sms * per_sm),)](
        x, y, ticket, x.stride(0), y.stride(0), n_rows, n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=num_warps
    )
    return y
