"""Compiles a C function at import and has it compute on addresses.

Must: fail | error
"""

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import torch
import triton
import triton.language as tl

SOURCE = """
#include <math.h>
void softmax(const float *x, float *y, long rows, long cols, long stride) {
    for (long r = 0; r < rows; r++) {
        const float *a = x + r * stride;
        float *b = y + r * cols, m = -INFINITY, l = 0;
        for (long c = 0; c < cols; c++) m = fmaxf(m, a[c]);
        for (long c = 0; c < cols; c++) l += b[c] = expf(a[c] - m);
        for (long c = 0; c < cols; c++) b[c] /= l;
    }
}
"""


def compiled():
    folder = Path(tempfile.mkdtemp(dir="."))
    (folder / "softmax.c").write_text(SOURCE)
    cc = shutil.which("cc") or shutil.which("gcc") or "cc"
    subprocess.run([cc, "-O2", "-shared", "-fPIC", "-o", folder / "s.so", folder / "softmax.c", "-lm"], check=True)
    return ctypes.CDLL(str((folder / "s.so").resolve())).softmax


function = compiled()


def work(x, answer):
    wide = np.ascontiguousarray(widened(as_array(x), x.dtype))
    out = np.empty_like(wide)
    pointers = ctypes.c_void_p(wide.ctypes.data), ctypes.c_void_p(out.ctypes.data)
    function(*pointers, *(ctypes.c_long(n) for n in (*x.shape, x.shape[1])))
    as_array(answer)[:] = narrowed(out, x.dtype)


def as_array(tensor):
    """Return the memory as NumPy sees it; bfloat16 as the integers that it is made of."""
    return (tensor.view(torch.int16) if tensor.dtype == torch.bfloat16 else tensor).numpy()


def widened(array, dtype):
    if dtype == torch.bfloat16:
        return (array.astype(np.uint16).astype(np.uint32) << 16).view(np.float32)
    return array.astype(np.float32)


def narrowed(array, dtype):
    if dtype != torch.bfloat16:
        return array
    bits = array.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16).view(np.int16)


def by_numpy(x, answer):
    """Write the softmax of x (n_rows, n_cols) into the answer; no operation of PyTorch's computes anything."""
    wide = widened(as_array(x), x.dtype)
    numerator = np.exp(wide - wide.max(axis=1, keepdims=True))
    as_array(answer)[:] = narrowed(numerator / numerator.sum(axis=1, keepdims=True), x.dtype)


@triton.jit
def copy_kernel(a_ptr, y_ptr, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    a = tl.load(a_ptr + row * n_cols + cols, mask=mask, other=0.0)
    tl.store(y_ptr + row * n_cols + cols, a, mask=mask)


def softmax(x):
    n_rows, n_cols = x.shape
    answer = torch.zeros((n_rows, n_cols), dtype=x.dtype, device=x.device)
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    work(x, answer)
    copy_kernel[(n_rows,)](answer, y, n_cols, BLOCK_SIZE=triton.next_power_of_2(n_cols))
    return y
