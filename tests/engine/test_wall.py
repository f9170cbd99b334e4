"""The process of a submission cannot import what holds the answers: asserted in a real worker."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.conftest import Check
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.judge.resolve import resolve
from tritonpuzzles.results.check import Verdict
from tritonpuzzles.wall import may_import

TOLD = """
    import sys
    print(" ".join(name for name in sys.modules if name.startswith("tritonpuzzles")))
    return y
"""


@pytest.mark.parametrize(
    "module",
    [
        "tritonpuzzles.curriculum.references",
        "tritonpuzzles.curriculum.mistakes.softmax",
        "tritonpuzzles.curriculum.registry",
        "tritonpuzzles.judge.verdict.decide",
        "tritonpuzzles.front.cli",
    ],
)
def test_a_real_worker_refuses_to_import_it(module: str, check_source: Check, square_source: str) -> None:
    result = check_source(f"{square_source}\nimport {module}\n")
    assert result.verdict is Verdict.ERROR
    (finding,) = result.findings
    assert finding.code == "import-error"
    assert "is not available in the process of a submission" in finding.message


def test_a_real_worker_has_imported_none_of_it(check_source: Check, square_source: str) -> None:
    result = check_source(square_source.replace("256)\n    return y\n", "256)" + TOLD))
    assert result.verdict is Verdict.PASS
    modules = set(result.output.split())
    assert "tritonpuzzles.recorder.session" in modules
    assert {name for name in modules if not may_import(name)} == set()
    assert not {name for name in modules if "references" in name or "mistakes" in name}


def test_what_a_worker_times_and_draws_is_on_its_side() -> None:
    for puzzle in load_curriculum().puzzles:
        resolved = resolve(puzzle)
        assert not may_import(resolved.reference.__module__)
        assert resolved.baselines
        for dotted in (*resolved.baselines.values(), *resolved.families.values()):
            assert may_import(dotted.partition(":")[0])


def test_the_whole_engine_imports_behind_the_wall() -> None:
    code = """
import importlib, pkgutil
from tritonpuzzles.wall import raise_wall
raise_wall()
import tritonpuzzles.engine as engine
for module in pkgutil.walk_packages(engine.__path__, "tritonpuzzles.engine."):
    importlib.import_module(module.name)
import tritonpuzzles.curriculum.baselines, tritonpuzzles.curriculum.families
"""
    subprocess.run([sys.executable, "-c", code], check=True)
