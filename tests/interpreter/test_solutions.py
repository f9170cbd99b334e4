"""The puzzles' own solutions: bit-identical to the plain interpreter, and the traffic that the puzzles ask for."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest import mock

import pytest
import torch

from tritonpuzzles.engine.interpreter import Tracer

ROOT = Path(__file__).resolve().parents[2]
SOLUTIONS = {
    # slug: host function, shapes of its inputs
    "p00_vector_add": ("add", [(781,), (781,)]),
    "p01_softmax": ("softmax", [(33, 81)]),
    "p02_blocked_softmax": ("softmax", [(5, 3000)]),
    "p03_online_softmax": ("softmax", [(5, 3000)]),
    "p04_tiled_softmax": ("softmax", [(33, 81)]),
    "p05_flash_attention": ("flash_attention", [(70, 32)] * 3),
    "p06_persistent_softmax": ("softmax", [(83, 81)]),
    "p07_matmul": ("matmul", [(83, 81), (81, 50)]),
    "p08_matmul_autograd": ("dot", [(83, 81), (81, 50)]),
}
FIRST = {"BLOCK_M": 32, "BLOCK_N": 16, "BLOCK_K": 32, "GROUP_M": 2}  # of an autotuner, which needs a GPU

PRESENT = [slug for slug in SOLUTIONS if (ROOT / "solutions" / f"{slug}.py").exists()]


def load(slug: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"solution_{slug}", ROOT / "solutions" / f"{slug}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def call(slug: str) -> torch.Tensor:
    name, shapes = SOLUTIONS[slug]
    torch.manual_seed(2)
    small = SimpleNamespace(multi_processor_count=2)  # of a GPU that there need not be
    with mock.patch.object(torch.cuda, "get_device_properties", return_value=small):
        module = load(slug)
        if slug == "p07_matmul":
            module.matmul_kernel = Configured(module.matmul_kernel.fn)  # type: ignore[attr-defined]
        result: torch.Tensor = getattr(module, name)(*(torch.randn(shape) for shape in shapes))
    return result


class Configured:
    """A kernel with a configuration that nobody has chosen."""

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel

    def __getitem__(self, grid: Any) -> Any:
        return partial(self.kernel[grid(FIRST)], **FIRST)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The solutions' results under Triton's own interpreter."""
    out = tmp_path_factory.mktemp("plain") / "solutions.pt"
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    command = [sys.executable, "-m", "tests.interpreter.test_solutions", str(out)]
    subprocess.run(command, cwd=ROOT, env=environment, check=True)
    return torch.load(out, weights_only=True)


@pytest.mark.parametrize("slug", PRESENT)
def test_solution_agrees_with_plain_interpreter(slug: str, plain: dict[str, Any]) -> None:
    with Tracer(tf32=False) as tracer:
        result = call(slug)
    assert torch.equal(result, plain[slug])
    assert tracer.facts == []
    assert tracer.check_written(result) is None


@pytest.mark.parametrize(
    ("slug", "loads"),
    [
        ("p01_softmax", 1),
        ("p02_blocked_softmax", 3),
        ("p03_online_softmax", 2),
        ("p04_tiled_softmax", 2),
        ("p06_persistent_softmax", 1),
    ],
)
def test_softmax_traffic(slug: str, loads: int) -> None:
    if slug not in PRESENT:
        pytest.skip("no such solution yet")
    with Tracer() as tracer:
        call(slug)
    moved = [(argument.loaded_times, argument.stored_times) for argument in tracer.launches[-1].arguments]
    assert sorted(moved) == [(0, 1), (loads, 0)]


if __name__ == "__main__":
    from tests.interpreter.plain import repair_index

    repair_index()
    torch.save({slug: call(slug) for slug in PRESENT}, sys.argv[1])
