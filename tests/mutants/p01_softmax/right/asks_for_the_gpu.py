"""Asks in every way for the GPU that the tensor is on, and makes it the current one."""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    numerator = tl.exp(x - tl.max(x, axis=0))
    y = numerator / tl.sum(numerator, axis=0)
    tl.store(y_ptr + row * y_row_stride + cols, y, mask=mask)


def reference(x):
    return torch.softmax(x, dim=1)


def softmax(x):
    assert x.is_cuda
    assert x.device.type == "cuda"
    assert x.get_device() == 0
    assert torch.cuda.is_available()
    assert torch.cuda.current_device() == 0
    n_rows, n_cols = x.shape
    with torch.cuda.device(x.device):
        y = torch.empty_like(x, device=x.device)
        if y.numel() == 0:
            return y
        BLOCK_SIZE = triton.next_power_of_2(n_cols)
        properties = torch.cuda.get_device_properties(x.device)
        told = triton.runtime.driver.active.utils.get_device_properties(x.device.index)
        assert properties.multi_processor_count == told["multiprocessor_count"] > 0
        assert told["max_shared_mem"]
        assert told["max_num_regs"]
        assert told["warpSize"] == 32
        with torch.cuda.device_of(x):
            softmax_kernel[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE)
    return y
