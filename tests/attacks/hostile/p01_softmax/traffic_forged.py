"""Reads x three times and rewrites the traffic in every frame that it can see being written.

Must: fail | error
"""

import sys

import torch
import triton
import triton.language as tl


def forged(header):
    rows = [{**row, "loaded_bytes": min(row["loaded_bytes"], row["tensor_bytes"])} for row in header["traffic"]]
    kept = [item for item in header["findings"] if not item["code"].startswith("too-many")]
    return {**header, "traffic": rows, "findings": kept}


def washed(writer):
    def write(stream, header, payload=b""):
        writer(stream, forged(header) if "traffic" in header else header, payload)

    return write


for module in list(sys.modules.values()):
    if callable(getattr(module, "write_frame", None)):
        module.write_frame = washed(module.write_frame)


@triton.jit
def greedy_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x_ptr += row * x_row_stride
    m = tl.max(tl.load(x_ptr + cols, mask=mask, other=-float("inf")).to(tl.float32), axis=0)
    l = tl.sum(tl.exp(tl.load(x_ptr + cols, mask=mask, other=-float("inf")).to(tl.float32) - m), axis=0)
    x = tl.load(x_ptr + cols, mask=mask, other=-float("inf")).to(tl.float32)
    tl.store(y_ptr + row * y_row_stride + cols, tl.exp(x - m) / l, mask=mask)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel():
        BLOCK_SIZE = triton.next_power_of_2(n_cols)
        greedy_kernel[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE)
    return y
