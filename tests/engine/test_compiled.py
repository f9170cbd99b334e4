"""Which launches of a check are compiled, and in what time."""

from __future__ import annotations

import torch
from triton.tools.tensor_descriptor import TensorDescriptor

from tests.compiler import kernels
from tritonpuzzles.engine.compiler import Launch
from tritonpuzzles.engine.cpu import telling

DTYPES = (torch.float32, torch.float16, torch.bfloat16)


def launch(x: object, block: int = 64) -> Launch:
    return Launch(kernels.scale, {"x_ptr": x, "y_ptr": torch.empty(4096), "BLOCK_SIZE": block}).without_data()


def test_a_dtype_that_arrives_by_descriptor_is_compiled_too() -> None:
    described = [TensorDescriptor.from_tensor(torch.zeros(64, 64, dtype=dtype), [16, 64]) for dtype in DTYPES]
    found = telling([launch(x) for x in described])
    assert {str(item.arguments["x_ptr"].base.dtype) for item in found} == {str(dtype) for dtype in DTYPES}


def test_a_dtype_that_arrives_in_a_tuple_is_compiled_too() -> None:
    found = telling([launch((torch.zeros(64, dtype=dtype), 3)) for dtype in DTYPES])
    assert {str(item.arguments["x_ptr"][0].dtype) for item in found} == {str(dtype) for dtype in DTYPES}
