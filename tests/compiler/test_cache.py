"""Outcomes are kept on disk, and nothing that happens to the files does harm."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tritonpuzzles.compiler import TARGETS, CompileOutcome, Launch, compile, compile_launch, outcome
from tritonpuzzles.compiler.outcome import OutcomeCache
from tritonpuzzles.results.check import CompileResult

MakeLaunch = Callable[..., Launch]
SM_80, SM_90 = TARGETS["sm_80"], TARGETS["sm_90"]
OUTCOME = CompileOutcome(CompileResult("k", "sm_80", True))


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Targets that were really compiled for, in order."""
    done: list[str] = []
    real = compile.build

    def counted(variant, seconds):
        done.append(variant.target.name)
        return real(variant)

    monkeypatch.setattr(compile, "build", counted)
    return done


def test_second_time_nothing_is_compiled(scale: MakeLaunch, tmp_path: Path, builds: list[str]) -> None:
    first = compile_launch(scale(), SM_80, tmp_path)
    assert compile_launch(scale(n_elements=1024), SM_80, tmp_path) == first
    assert builds == ["sm_80"]
    compile_launch(scale(), SM_90, tmp_path)
    compile_launch(scale(n_elements=781), SM_80, tmp_path)
    compile_launch(scale(BLOCK_SIZE=512), SM_80, tmp_path)
    compile_launch(scale(num_warps=8), SM_80, tmp_path)
    assert builds == ["sm_80", "sm_90", "sm_80", "sm_80", "sm_80"]


def test_without_a_folder_nothing_is_kept(scale: MakeLaunch, builds: list[str]) -> None:
    compile_launch(scale(), SM_80)
    compile_launch(scale(), SM_80)
    assert builds == ["sm_80", "sm_80"]


def test_resources_are_added_to_a_kept_outcome(scale: MakeLaunch, tmp_path: Path, builds: list[str]) -> None:
    assert compile_launch(scale(), SM_80, tmp_path).resources is None
    full = compile_launch(scale(), SM_80, tmp_path, resources=True)
    assert full.resources is not None
    assert compile_launch(scale(), SM_80, tmp_path, resources=True) == full
    assert compile_launch(scale(), SM_80, tmp_path) == full
    assert len(builds) == 2


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b'{"result": {}}', b"\xff\xfe", b'{"resources": 1}'])
def test_corrupt_files_are_ignored(scale: MakeLaunch, tmp_path: Path, builds: list[str], content: bytes) -> None:
    first = compile_launch(scale(), SM_80, tmp_path)
    (path,) = tmp_path.iterdir()
    path.write_bytes(content)
    assert compile_launch(scale(), SM_80, tmp_path) == first
    assert len(builds) == 2
    assert json.loads(path.read_text())["result"]["kernel"] == "scale"


def test_findings_survive_the_disk(scale: MakeLaunch, tmp_path: Path) -> None:
    launch = scale(n_elements=scale)  # a function is no value for a kernel: refused, and not kept
    assert not compile_launch(launch, SM_80, tmp_path).result.ok
    assert not list(tmp_path.iterdir())
    from .test_rejected import launch as rejected_launch

    first = compile_launch(rejected_launch("breaks"), SM_80, tmp_path)
    (path,) = tmp_path.iterdir()
    assert compile_launch(rejected_launch("breaks"), SM_80, tmp_path) == first
    kept = CompileOutcome.from_json(json.loads(path.read_text()))
    assert kept.with_files({"<file 0>": str(first.findings[0].file)}) == first


TWO_FILES = {
    "helper.py": "import triton\nimport triton.language as tl\n\n\n"
    "@triton.jit\ndef helper(x):\n    for item in [x]:\n        x = x + item.no_such_thing\n    return x\n",
    "main.py": "import triton\nimport triton.language as tl\nfrom helper import helper\n\n\n"
    "@triton.jit\ndef main(x_ptr, y_ptr, n_elements, factor, BLOCK_SIZE: tl.constexpr):\n"
    "    x = tl.load(x_ptr + tl.arange(0, BLOCK_SIZE))\n    tl.store(y_ptr + tl.arange(0, BLOCK_SIZE), helper(x))\n",
}


def imported(folder: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    """Return the kernel of the two files, written to a folder."""
    folder.mkdir()
    for name, text in TWO_FILES.items():
        (folder / name).write_text(text)
    with monkeypatch.context() as patch:
        patch.syspath_prepend(folder)
        for name in ("helper", "main"):
            patch.delitem(sys.modules, name, raising=False)
        kernel = importlib.import_module("main").main
        for name in ("helper", "main"):
            del sys.modules[name]
    return kernel


def test_a_copy_elsewhere_is_told_of_under_its_own_name(
    scale: MakeLaunch, tmp_path: Path, builds: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for place in ("here", "there"):
        kernel = imported(tmp_path / place, monkeypatch)
        (finding,) = compile_launch(scale(kernel), SM_80, tmp_path / "cache").findings
        assert finding.file == str(tmp_path / place / "helper.py")
        found.append(replace(finding, file=None))
    assert found[0] == found[1]
    assert builds == ["sm_80"]


def test_unwritable_folder_is_no_failure(scale: MakeLaunch, tmp_path: Path) -> None:
    occupied = tmp_path / "file"
    occupied.write_text("")
    assert compile_launch(scale(), SM_80, occupied / "cache").result.ok


def test_nothing_half_written_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(outcome.os, "replace", fail)
    OutcomeCache(tmp_path).put("key", OUTCOME)
    assert not list(tmp_path.iterdir())


def test_cache_stays_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcome, "KEEP", 10)
    kept = OutcomeCache(tmp_path)
    for number in range(30):
        kept.put(str(number), OUTCOME)
    assert len(list(tmp_path.iterdir())) <= 10
    assert kept.get("29") == OUTCOME
