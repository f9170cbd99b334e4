"""What the host function may do with PyTorch, and what is counted of it."""

from pathlib import Path

import pytest
import torch

from tritonpuzzles.engine.tensors import storage_key
from tritonpuzzles.engine.watch.host import HostGuard, poison

HERE = Path(__file__)


def guarded(x: torch.Tensor) -> HostGuard:
    return HostGuard({"x": x}, HERE)


def test_allocation_reshaping_and_copies_are_allowed_and_counted() -> None:
    x = torch.arange(12.0).reshape(3, 4)[:, :3]
    guard = guarded(x)
    with guard:
        y = torch.empty_like(x)
        z = x.contiguous()
        torch.zeros(5)
        y.view(-1).reshape(3, 3).t()
    assert guard.findings("f(x)") == []
    assert guard.copied_bytes == {"x": 9 * 4}
    assert guard.origins[storage_key(z)] == "x"
    assert {(item.name, item.calls, item.bytes) for item in guard.operations} >= {("clone", 1, 36), ("zeros", 1, 20)}


@pytest.mark.parametrize("work", ["x + 1", "x.half()", "torch.softmax(x, -1)", "x.sum().item()", "x.fill_(1)"])
def test_work_is_a_finding_with_its_line(work: str) -> None:
    x = torch.ones(3)
    guard = guarded(x)
    with guard:
        exec(compile(f"\n\n{work}", str(HERE), "exec"), {"torch": torch, "x": x})
    found = guard.findings("f(x)")
    assert {finding.code for finding in found} == {"torch-compute"}
    assert found[0].line == 3


def test_fresh_memory_is_poisoned() -> None:
    with guarded(torch.ones(1)):
        assert bool(torch.empty(7).isnan().all())
    assert int(poison(torch.empty(2, dtype=torch.int32))[0]) == 0x7B7B7B7B


def test_filling_is_for_before_the_launch() -> None:
    guard = guarded(torch.ones(1))
    with guard:
        y = torch.empty(3)
        y.zero_()
        guard.note_launch([y, 3, None])
        y[:1] = 2
    assert [finding.code for finding in guard.findings("f(x)")] == ["host-wrote-output"]
