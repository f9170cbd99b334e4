"""What a call does to its inputs is seen to the byte, in dense storages and in those that are mostly gaps."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.worded import said
from tritonpuzzles.engine.memory import whole_storage
from tritonpuzzles.engine.session import laid_out
from tritonpuzzles.engine.watch import Kept, changed_inputs, kept
from tritonpuzzles.wire.job import JobInput

DTYPES = [torch.float16, torch.float32, torch.float64, torch.int8, torch.uint8, torch.bool]
LARGE = {"copied": 1 << 30, "elements alone": 0}


def matrix(dtype: torch.dtype, stride: int) -> torch.Tensor:
    """Return (3, 4) elements with a zone of ones on either side."""

    def reserve(elements: int, dtype: torch.dtype) -> torch.Tensor:
        whole = torch.empty(elements + 16, dtype=dtype)
        whole.view(torch.uint8).fill_(0xFF)
        return whole[8:-8]

    values = torch.arange(12).reshape(3, 4).to(dtype)
    nbytes = (2 * stride + 4) * values.element_size()
    return laid_out(values, JobInput("x", "", "", nbytes, (3, 4), (stride, 1), 0), reserve)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("large", LARGE.values(), ids=LARGE)
@given(data=st.data())
def test_one_byte_anywhere_is_seen(dtype: torch.dtype, large: int, data: st.DataObject) -> None:
    tensor = matrix(dtype, 5)
    before, kept_bytes = Kept(tensor, large), whole_storage(tensor).clone()
    assert before.changed_bytes() == 0
    place = data.draw(st.integers(0, kept_bytes.numel() - 1))
    whole_storage(tensor)[place] ^= 0x10
    assert before.changed_bytes() == 1
    whole_storage(tensor)[place] ^= 0x10
    assert torch.equal(whole_storage(tensor), kept_bytes)  # to look changes nothing


def test_gaps_of_ones_alone_are_not_copied() -> None:
    tensor = matrix(torch.float32, 1000)
    assert Kept(tensor, 0)._before.nbytes == 12 * 4
    whole_storage(tensor)[100] = 0
    assert Kept(tensor, 0)._before.nbytes == whole_storage(tensor).nbytes


def test_the_finding_counts() -> None:
    inputs = {"x": matrix(torch.float32, 100), "y": torch.ones(4)}
    before = kept(inputs)
    inputs["y"][1:3] = 0.0
    (found,) = said(changed_inputs(before), "f(x, y)")
    assert (found.code, found.message) == (
        "input-modified",
        "f(x, y) overwrites its input y: 4 bytes differ after the call.",
    )
