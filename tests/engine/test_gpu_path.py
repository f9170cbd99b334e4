"""The GPU's path without a GPU: its own code, on the CPU's memory, with its launches interpreted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.conftest import FIXTURE
from tritonpuzzles.engine import cuda, launched
from tritonpuzzles.engine.cuda import CudaRunner
from tritonpuzzles.engine.interpreter import Tracer
from tritonpuzzles.engine.measure import TimedCall
from tritonpuzzles.engine.program import Call
from tritonpuzzles.engine.reading import Kernels
from tritonpuzzles.judge.workers.job import example
from tritonpuzzles.recorder.session import Session
from tritonpuzzles.wire.job import JobCase, JobHost, JobInput

SOLUTION = (FIXTURE / "solutions" / "p01_square.py").read_text()
HOST = JobHost("square", ("x",), ("y",))
N, OFFSET = 1000, 3
TUNED = """
@triton.autotune([triton.Config({"BLOCK_SIZE": size}) for size in (64, 512)], key=["n_elements"])
@triton.jit
def square_kernel("""


@pytest.fixture(autouse=True)
def without_a_gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(CudaRunner, "device", "cpu")
    monkeypatch.setattr(cuda.torch.cuda, "synchronize", lambda: None)
    with Tracer(check_undefined=False):
        yield


def recorded(source: str, tmp_path: Path) -> tuple[Call, dict[str, torch.Tensor]]:
    """Return the call of a source on a slice of a storage, and the slice between guard zones."""
    path = tmp_path / "p01_square.py"
    path.write_text(source)
    storage = torch.randn(N + 2 * OFFSET)
    item = JobInput("x", "x", "float32", storage.numel() * 4, (N,), (1,), OFFSET)
    case = JobCase("a slice", (item,), 1 << 20)
    told: list[tuple[str, bytes]] = []
    session = Session(
        str(path), HOST, example("sm_90"), lambda kind, payload=b"", **fields: told.append((kind, payload))
    )
    assert session.load(), told
    session.record(0, case)
    (written,) = (payload for kind, payload in told if kind == "recorded")
    call = Kernels().call(case, HOST, path, written, {str(path): source})
    placed = CudaRunner().place(storage)
    return call, {"x": placed.as_strided((N,), (1,), int(placed.storage_offset()) + OFFSET)}


def codes(source: str, tmp_path: Path) -> set[str]:
    call, inputs = recorded(source, tmp_path)
    return {finding.code for finding in CudaRunner().run(call, inputs).facts}


def test_a_right_kernel_is_right_and_can_be_timed(tmp_path: Path) -> None:
    call, inputs = recorded(SOLUTION, tmp_path)
    seen = CudaRunner().run(call, inputs)
    assert not seen.facts
    assert seen.stored
    assert [launch.programs for launch in seen.launches] == [4]
    (result,) = seen.results
    assert isinstance(result, torch.Tensor)
    assert torch.equal(result, inputs["x"] ** 2)
    timed = TimedCall(call, inputs)
    timed()
    (again,) = timed.results
    assert isinstance(again, torch.Tensor)
    assert torch.equal(again, inputs["x"] ** 2)


STORE = "tl.store(y_ptr + offsets, x * x, mask=mask)"
END = "BLOCK_SIZE=256)\n    return y\n"


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        (STORE, STORE.replace("=mask", "=offsets < 990"), "unwritten-elements"),
        (STORE, f"{STORE}\n    tl.store(x_ptr + offsets, x * 0, mask=mask)", "input-modified"),
        (END, END.replace("    return", "    y.zero_()\n    return"), "host-wrote-output"),
        (END, END.replace("return y", "return torch.empty_like(x)"), "wrong-memory"),
    ],
)
def test_what_the_gpu_sees(old: str, new: str, code: str, tmp_path: Path) -> None:
    assert old in SOLUTION
    assert code in codes(SOLUTION.replace(old, new), tmp_path)


def test_the_fastest_configuration_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = SOLUTION.replace("\n@triton.jit\ndef square_kernel(", TUNED, 1).replace(", BLOCK_SIZE=256)", ")")
    source = source.replace(
        "(triton.cdiv(x.numel(), 256),)", 'lambda meta: (triton.cdiv(x.numel(), meta["BLOCK_SIZE"]),)'
    )
    assert "autotune" in source
    times = iter([2.0, 1.0])

    def clock(run: Any, **options: Any) -> float:
        run()
        return next(times)

    monkeypatch.setattr(launched, "do_bench", clock)
    call, inputs = recorded(source, tmp_path)
    seen = CudaRunner().run(call, inputs)
    assert not seen.facts
    assert [launch.constants["BLOCK_SIZE"] for launch in seen.launches] == [512]  # what it was chosen by does not count
    (result,) = seen.results
    assert isinstance(result, torch.Tensor)
    assert torch.equal(result, inputs["x"] ** 2)
