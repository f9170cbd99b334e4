"""A Triton that nobody has tried, and one that lacks what the grader needs, in real checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import triton

from tests.conftest import FIXTURE, Check
from tritonpuzzles import insides
from tritonpuzzles.judge.workers import parent
from tritonpuzzles.judge.workers.process import WorkerBrokenError

SOLUTION = (FIXTURE / "solutions" / "p01_square.py").read_text()
UNTRIED = "import tritonpuzzles.supported\ntritonpuzzles.supported.TRITON = ('3.0',)\n"
# Runs in every process of Python's: only those that have Triton in them are changed.
LACKING = """
import importlib.util, sys
from importlib.abc import MetaPathFinder

class Lacking(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name != "triton.runtime.jit":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        load = spec.loader.exec_module
        spec.loader.exec_module = lambda module: (load(module), delattr(module, "mangle_type"))
        return spec

sys.meta_path.insert(0, Lacking())
"""
BROKEN = (
    UNTRIED
    + """
import tritonpuzzles.engine.interpreter.selftest as selftest
selftest.problems = lambda: ["atomics are computed in another way"]
"""
)
Site = Callable[[str], None]


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """Return a function that has all processes to come run some code when they begin."""

    def set_up(code: str) -> None:
        (tmp_path / "site").mkdir()
        (tmp_path / "site" / "sitecustomize.py").write_text(code)
        monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))

    monkeypatch.setattr(parent, "_parent", None)
    yield set_up
    parent.warm_parent().close()


def test_nothing_is_missing_here() -> None:
    assert insides.missing() == []


def test_a_version_that_passes_the_self_test_is_used(site: Site, check_source: Check) -> None:
    site(UNTRIED)
    assert check_source(SOLUTION).passed


def test_one_that_lacks_a_name_is_one_sentence(site: Site, check_source: Check) -> None:
    site(LACKING)
    with pytest.raises(WorkerBrokenError) as error:
        check_source(SOLUTION)
    lacks = "triton.runtime.jit.mangle_type is not there"
    tried = "The grader was tried with Triton 3.6 to 3.9."
    assert str(error.value) == f"Triton {triton.__version__} cannot be used: {lacks}. {tried}"


def test_one_that_computes_otherwise_is_one_sentence(site: Site, check_source: Check) -> None:
    site(BROKEN)
    with pytest.raises(WorkerBrokenError, match=r"cannot be used: atomics are computed in another way\."):
        check_source(SOLUTION)
