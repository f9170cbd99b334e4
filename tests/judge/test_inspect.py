"""What `inspect` finds out about a file, in a real worker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.hardware.l2 import USUAL
from tritonpuzzles.judge.evidence.memory import kernel_resources
from tritonpuzzles.judge.inspect import inspect, representative, shrunk
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.results.inspect import (
    Inspection,
    KernelResources,
    Occupancy,
    OnTarget,
    Resources,
    predicted_share,
    programs_per_sm,
)

Inspect = Callable[..., Inspection]
TARGETS = ("sm_80", "gfx942")


@pytest.fixture
def inspect_source(square: Puzzle, tmp_path: Path) -> Inspect:
    def run(source: str, *targets: str, gpu: str | None = None) -> Inspection:
        path = tmp_path / "p01_square.py"
        path.write_text(source)
        return inspect(
            square, path, targets or TARGETS, CheckOptions("cpu", seed=3, timeout=20, gpu=gpu), cache=tmp_path
        )

    return run


def test_every_dtype_is_compiled_for_every_target(inspect_source: Inspect, square_source: str) -> None:
    found = inspect_source(square_source)
    assert found.ok
    assert found.findings == ()
    assert [kernel.dtypes for kernel in found.kernels] == [("float32",), ("float16",)]
    for kernel in found.kernels:
        assert (kernel.kernel, kernel.constants) == ("square_kernel", {"BLOCK_SIZE": 256})
        assert [there.target for there in kernel.targets] == list(TARGETS)
        for there in kernel.targets:
            assert there.resources is not None
            assert there.resources.occupancy is not None
            assert 0 < (there.resources.registers or 0) <= 64
            assert there.resources.tensor_core == {}
    assert found.kernels[0].targets[0].resources.load_bits == 64  # 256 elements on 4 warps, aligned


def test_the_ledger_predicts_a_share_of_copy(inspect_source: Inspect, square_source: str) -> None:
    once = inspect_source(square_source).prediction
    assert once is not None
    assert once.copy_share == 1.0
    again = "    x = tl.load(x_ptr + offsets, mask=mask)\n"
    twice = inspect_source(square_source.replace(again, again + again)).prediction
    assert twice is not None
    assert (twice.memory_bound, twice.ledger_bytes) == (True, once.ledger_bytes * 3 // 2)
    assert (twice.gpu, twice.dram_bytes) == ("H200", once.ledger_bytes)  # the cache holds what was read just before
    assert twice.copy_share == 1.0
    there = inspect_source(square_source, gpu="RTX 4090").prediction
    assert there is not None
    assert there.gpu == "RTX 4090"
    assert replace(twice, dram_bytes=None).copy_share == pytest.approx(2 / 3)
    assert replace(twice, l2_over_copy=1.2).copy_share == pytest.approx(1.2 * 2 / 3)


def test_what_the_cache_does_not_hold_comes_from_dram(
    inspect_source: Inspect, square_source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = "    x = tl.load(x_ptr + offsets, mask=mask)\n"
    monkeypatch.setattr("tritonpuzzles.judge.inspect.USUAL", replace(USUAL, nbytes=0))
    twice = inspect_source(square_source.replace(again, again + again)).prediction
    assert twice is not None
    assert twice.dram_bytes == twice.ledger_bytes
    assert twice.copy_share == pytest.approx(2 / 3)


def test_programs_that_share_an_sm_are_known_by_variant() -> None:
    def kernel(block: int, *blocks: int) -> KernelResources:
        rooms = [Resources(0, 4, 3, occupancy=Occupancy(count, 4 * count, 0.5, "warps")) for count in blocks]
        names = ("sm_90", "sm_80")
        return KernelResources("k", (), {"N": 1, "BLOCK": block}, tuple(map(OnTarget, names, (True, True), rooms)))

    unread = KernelResources("k", (), {"BLOCK": 9}, (OnTarget("sm_90", True, Resources(0, 4, 3)),))
    found = programs_per_sm([kernel(16, 2, 1), kernel(32, 4, 3), kernel(16, 5, 5), unread], "sm_90")
    assert found == {"k BLOCK=16 N=1": 2, "k BLOCK=32 N=1": 4}


def test_what_the_compiler_rejects_is_found(inspect_source: Inspect, square_source: str) -> None:
    found = inspect_source(square_source.replace("x * x", "x * sum([1])"), "sm_90")
    assert not found.ok
    assert {finding.code for finding in found.findings} == {"compile-error"}
    assert all(there.resources is None for kernel in found.kernels for there in kernel.targets)


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("import torch\n", "import torch, no_such_module\n", "import-error"),
        ("    y = torch.empty_like(x)\n", "    import os; os._exit(0)\n", "exit"),
        ("    square_kernel[", "    raise ValueError\n    square_kernel[", "runtime-error"),
        ("    square_kernel[", "    return y\n    square_kernel[", "no-launch"),
        ("BLOCK_SIZE=256)\n", "BLOCK_SIZE=256, num_warps=64)\n", "num-warps-impossible"),
    ],
)
def test_files_that_do_not_run(inspect_source: Inspect, square_source: str, old: str, new: str, code: str) -> None:
    assert square_source.count(old) == 1
    found = inspect_source(square_source.replace(old, new))
    assert not found.ok
    assert code in {finding.code for finding in found.findings}


def test_wrong_values_are_not_its_matter(inspect_source: Inspect, square_source: str) -> None:
    assert inspect_source(square_source.replace("x * x", "x + x")).ok


def test_one_case_per_dtype_first_the_timed_one_at_a_small_size() -> None:
    for number, first in (("3", (64, 65536)), ("5", (256, 128))):
        puzzle = load_curriculum().find(number)
        cases = list(representative(puzzle, seed=1))
        assert cases[0].shape == first
        assert {case.dtype for case in cases} == {"float32", "float16", "bfloat16"}
        assert len(cases) == 3
        assert all(size <= 16 or size % 16 == 0 for case in cases for size in case.shape)


def test_shrinking_keeps_small_dimensions() -> None:
    spec = load_curriculum().find("5").benchmark
    assert spec is not None
    assert shrunk(spec, ("n", "d"), (100, 32), 2) == (100, 32)


@pytest.mark.parametrize(("minimum", "ledger", "share"), [(2, 3, 2 / 3), (2, 2, 1.0), (3, 2, 1.0), (2, 0, None)])
def test_predicted_share(minimum: int, ledger: int, share: float | None) -> None:
    assert predicted_share(minimum, ledger) == (None if share is None else pytest.approx(share))


@pytest.mark.parametrize(
    "change", [{"target": "sm_1"}, {"target": 90}, {"resources": {}}, {"resources": []}, {"resources": "many"}]
)
def test_a_workers_words_are_doubted(change: dict[str, Any]) -> None:
    there = {"target": "sm_90", "ok": True, "resources": None, **change}
    good = {"kernel": "k", "dtypes": [], "constants": {}, "targets": [{**there, **dict.fromkeys(change)}]}
    with pytest.raises((ValueError, TypeError, KeyError)):
        kernel_resources({**good, "targets": [there]})
