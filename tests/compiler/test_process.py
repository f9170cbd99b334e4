"""Compiling leaves the process as it was: environment, output, driver, interpreter."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
import triton
from triton import knobs
from triton.runtime import cache as triton_cache

from tritonpuzzles.compiler import TARGETS, Launch, build, compile_launch
from tritonpuzzles.compiler.build import BuildError

from . import kernels
from .test_rejected import launch as rejected_launch

MakeLaunch = Callable[..., Launch]
SM_80 = TARGETS["sm_80"]


def test_environment_is_untouched(scale: MakeLaunch) -> None:
    before = dict(os.environ)
    compile_launch(scale(), SM_80, resources=True)
    compile_launch(rejected_launch("breaks"), SM_80)
    assert dict(os.environ) == before


def test_triton_keeps_nothing(scale: MakeLaunch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "triton"))
    compile_launch(scale(), SM_80)
    assert not (tmp_path / "triton").exists()
    assert os.environ["TRITON_CACHE_DIR"] == str(tmp_path / "triton")


def test_nothing_is_printed(scale: MakeLaunch, capfd: pytest.CaptureFixture[str]) -> None:
    compile_launch(scale(), SM_80, resources=True)
    for name in ("breaks", "math_exp", "prints_tensor"):
        compile_launch(rejected_launch(name), SM_80)
    assert capfd.readouterr() == ("", "")


def test_stderr_of_native_code_is_kept_for_the_finding(
    scale: MakeLaunch, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def noisy(variant: object) -> None:
        os.write(2, b'"/tmp/p05.py":12:4: error: too wide\n')
        raise RuntimeError("PassManager::run failed")

    monkeypatch.setattr(build, "_compile", noisy)
    (finding,) = compile_launch(scale(), SM_80).findings
    assert (finding.message, finding.line) == ("scale does not compile: too wide.", 12)
    os.write(2, b"back\n")
    assert capfd.readouterr() == ("", "back\n")


def test_failure_without_diagnostics(scale: MakeLaunch, monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(variant: object) -> None:
        raise RuntimeError("PassManager::run failed")

    monkeypatch.setattr(build, "_compile", silent)
    (finding,) = compile_launch(scale(), SM_80).findings
    assert f"a pass of Triton {triton.__version__}'s compiler fails without a reason" in finding.message
    assert "num_stages" in str(finding.next_step)
    assert issubclass(BuildError, Exception)


@pytest.mark.parametrize("error", [RuntimeError("Cannot find ptxas"), OSError("no space"), FileNotFoundError("ptxas")])
def test_machines_faults_are_not_the_kernels(
    scale: MakeLaunch, monkeypatch: pytest.MonkeyPatch, error: Exception, tmp_path: Path
) -> None:
    def fail(variant: object) -> None:
        raise error

    monkeypatch.setattr(build, "_compile", fail)
    with pytest.raises(OSError, match=str(error)):
        compile_launch(scale(), SM_80, tmp_path)
    assert not list(tmp_path.iterdir())


def test_works_beside_the_interpreter(scale: MakeLaunch) -> None:
    from tritonpuzzles.engine.interpreter import Tracer

    before = compile_launch(scale(), SM_80)
    x, y = torch.rand(4096), torch.empty(4096)
    with Tracer() as tracer:
        kernels.scale[(4,)](x, y, 4096, 2.0, 1024)
    assert torch.equal(y, x * 2)
    (trace,) = tracer.launches
    traced = Launch(trace.function, trace.bound, trace.options)
    assert compile_launch(traced, SM_80) == before
    assert "`break`" in compile_launch(rejected_launch("breaks"), SM_80).findings[0].message


def test_no_driver_is_asked_for() -> None:
    """A child may be forked after compiling only if CUDA was never touched."""
    code = (
        "import torch, triton\n"
        "from triton.backends.nvidia import driver\n"
        "def refuse(*a, **k): raise AssertionError('the driver was asked for')\n"
        "driver.CudaUtils.__init__ = refuse\n"
        "triton.backends.nvidia.driver.CudaDriver.is_active = staticmethod(refuse)\n"
        "from tests.compiler import kernels\n"
        "from tritonpuzzles.compiler import TARGETS, Launch, compile_launch\n"
        "x = torch.zeros(64)\n"
        "launch = Launch(kernels.normalise, {'x_ptr': x, 'y_ptr': x, 'BLOCK_SIZE': 64})\n"
        "print(compile_launch(launch, TARGETS['sm_90']).result.ok)\n"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root)
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_triton_does_not_hash_its_own_library(scale: MakeLaunch, monkeypatch: pytest.MonkeyPatch) -> None:
    def fingerprint() -> str:
        raise AssertionError("hundreds of MB are read")

    monkeypatch.setattr(triton_cache, "triton_key", fingerprint, raising=False)
    assert compile_launch(scale(), SM_80).result.ok
    assert triton_cache.triton_key is fingerprint


def test_the_cache_is_triton_s_own_again(scale: MakeLaunch) -> None:
    before = knobs.cache.manager_class, knobs.cache.dir
    assert compile_launch(scale(), SM_80).result.ok
    assert (knobs.cache.manager_class, knobs.cache.dir) == before


@pytest.mark.slow
def test_a_launch_before_anything_is_compiled_leaves_no_trace() -> None:
    """Triton keeps functions of the language the first time it compiles; they must not be the interpreter's."""
    code = """
import torch
from tests.compiler.test_rejected import rejection
from tests.interpreter.zoo.arithmetic import add
from tritonpuzzles.engine.interpreter import Tracer

with Tracer():
    add[(1,)](torch.ones(8), torch.ones(8), torch.empty(8), 8, BLOCK=8)
print(rejection("static_assert_fails").message)
"""
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False)
    assert "tl.static_assert fails: B must be 128" in done.stdout, done.stderr
