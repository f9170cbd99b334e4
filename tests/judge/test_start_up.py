"""What a check must not pay for: PyTorch's compiler, threads that wait for each other, a worker that lingers."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

import pytest
import torch

from tests.conftest import Check
from tritonpuzzles.curriculum.expressions import is_prime
from tritonpuzzles.judge.environment import import_torch, one_thread
from tritonpuzzles.judge.workers import process
from tritonpuzzles.judge.workers.process import Worker
from tritonpuzzles.results.check import Verdict

TOLD = """
    import sys
    print(sorted({"torch._dynamo", "sympy"} & set(sys.modules)), torch.get_num_threads())
    return y
"""


def test_a_worker_imports_no_compiler_and_computes_on_one_thread(check_source: Check, square_source: str) -> None:
    result = check_source(square_source.replace("BLOCK_SIZE=256)\n    return y\n", "BLOCK_SIZE=256)" + TOLD))
    assert result.verdict is Verdict.PASS
    assert set(result.output.splitlines()) == {"[] 1"}


def test_the_judges_threads_are_given_back() -> None:
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        with one_thread():
            assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_torch_is_imported_without_the_collector(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "torch.py").write_text("import gc\ncollects = gc.isenabled()\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "torch")
    assert gc.isenabled()
    import_torch()
    assert sys.modules["torch"].collects is False
    assert gc.isenabled()


def test_a_worker_that_waits_for_commands_ends_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "GRACE_SECONDS", 120.0)  # on a machine that is busy it takes longer than usual
    worker = Worker("recorder", "cpu")
    assert worker.receive(120).kind == "ready"
    seen: list[int | None] = []
    kill = worker.kill
    worker.kill = lambda: seen.append(kill()) or seen[-1]  # type: ignore[method-assign, func-returns-value]
    worker.close()
    assert seen == [0]  # its own exit code: it was not killed


def test_primes_are_remembered() -> None:
    before = is_prime.cache_info().hits
    assert [n for n in range(20) if is_prime(n)] == [2, 3, 5, 7, 11, 13, 17, 19]
    assert is_prime(19)
    assert is_prime.cache_info().hits > before
