"""What a submission raises becomes one sentence; what CUDA says of a lost context is told in words of ours."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from triton.tools.tensor_descriptor import TensorDescriptor

from tests.interpreter.zoo.movement import device_descriptor
from tests.worded import said
from tritonpuzzles.compiler.explain import phrased
from tritonpuzzles.engine.failures import run_failure
from tritonpuzzles.engine.interpreter import KernelError, Tracer
from tritonpuzzles.recorder.kernels import KernelTable
from tritonpuzzles.recorder.recording import Recording
from tritonpuzzles.recorder.session import call_failure
from tritonpuzzles.results.check import Finding

CUDA = "CUDA error: {}\nSearch for `cudaError' in\nhttps://docs.nvidia.com for more information."


def ended(error: BaseException) -> tuple[Finding, bool]:
    """Return what the judge says of an exception that an engine has seen, and whether the process is lost."""
    fact, lost = run_failure(error, Path("p.py"))
    (finding,) = said([fact])
    return finding, lost


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("an illegal memory access was encountered", "illegal-memory-access", "memory that is not its own"),
        ("misaligned address", "illegal-memory-access", "no multiple of its size"),
        ("device-side assert triggered", "kernel-error", "assertion in the kernel fails"),
        ("unspecified launch failure", "kernel-error", "without a reason"),
    ],
)
def test_a_lost_context_is_told_in_one_sentence(words: str, code: str, said: str) -> None:
    finding, lost = ended(RuntimeError(CUDA.format(words)))
    assert lost
    assert finding.code == code
    assert said in finding.message
    assert "Search" not in finding.message
    assert finding.message.count(".") == 1
    assert "--device cpu" in (finding.next_step or "")


def test_any_other_error_leaves_the_process_of_use() -> None:
    finding, lost = ended(ValueError("no"))
    assert (finding.code, lost) == ("runtime-error", False)
    assert finding.message == "softmax(x) raises ValueError: no."


@pytest.mark.parametrize(("width", "first"), [(50, 0), (64, 3)])
def test_rows_that_no_descriptor_takes_are_read_by_pointers(width: int, first: int) -> None:
    x, y = torch.zeros(64 * 64)[first:], torch.zeros(64, 64)
    with pytest.raises(KernelError) as caught, Tracer():
        device_descriptor[(1, 1)](x, y, 32, width, 32, 32)
    finding, _ = ended(caught.value)
    assert "of a tensor descriptor must be" in finding.message
    assert "Compute pointers with tl.arange" in (finding.next_step or "")


@pytest.mark.parametrize(("strides", "first"), [([50, 1], 0), ([64, 1], 3), ([1, 64], 0)])
def test_so_are_those_of_a_descriptor_that_the_host_makes(strides: list[int], first: int) -> None:
    x = torch.zeros(64 * 64)[first:].as_strided((32, 32), strides)
    with pytest.raises(AssertionError) as caught:
        TensorDescriptor(x, [32, 32], strides, [32, 32])
    finding = call_failure(caught.value, Recording("p.py", "softmax(x)", KernelTable()), Path("p.py"), "softmax(x)")
    assert "Compute pointers with tl.arange" in (finding.next_step or "")


def test_block_pointers_are_not_answered_with_descriptors() -> None:
    reason = phrased("Block pointers have been removed in favor of the tensor descriptor API")
    assert reason is not None
    assert reason.step == "Compute pointers with tl.arange: they take any base and any strides."
