"""What a submission raises becomes one sentence; what CUDA says of a lost context is told in words of ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from tritonpuzzles.engine.failures import run_failure

CUDA = "CUDA error: {}\nSearch for `cudaError' in\nhttps://docs.nvidia.com for more information."


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("an illegal memory access was encountered", "illegal-memory-access", "memory that is not its own"),
        ("misaligned address", "illegal-memory-access", "no multiple of its size"),
        ("device-side assert triggered", "kernel-error", "assertion in the kernel does not hold"),
        ("unspecified launch failure", "kernel-error", "without a reason"),
    ],
)
def test_a_lost_context_is_told_in_one_sentence(words: str, code: str, said: str) -> None:
    finding, lost = run_failure(RuntimeError(CUDA.format(words)), Path("p.py"), "softmax(x)")
    assert lost
    assert finding.code == code
    assert said in finding.message
    assert "Search" not in finding.message
    assert finding.message.count(".") == 1
    assert "--device cpu" in (finding.next_step or "")


def test_any_other_error_leaves_the_process_of_use() -> None:
    finding, lost = run_failure(ValueError("no"), Path("p.py"), "softmax(x)")
    assert (finding.code, lost) == ("runtime-error", False)
    assert finding.message == "softmax(x) raises ValueError: no."
