"""The list of codes: complete, produced, expected by a test, and on its page."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import tritonpuzzles
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.judge.evidence.cases import finding
from tritonpuzzles.judge.resolve import resolve
from tritonpuzzles.results.check import Finding, plain
from tritonpuzzles.results.codes import CODES, Kind, Severity, code_named

PACKAGE = Path(tritonpuzzles.__file__).parent
ROOT = Path(__file__).parents[2]
MAKERS = {"Finding", "_finding", "_form", "_refused"}


def literals(path: Path) -> set[str]:
    """Return every text in a file that is a code on its own."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


@cache
def produced() -> set[str]:
    """Return what stands in the code that makes findings, and the mistakes that have names."""
    parts = ("recorder", "compiler", "engine", "judge", "speed", "verifier", "wire")
    named = ({mistake.code for mistake in resolve(puzzle).mistakes} for puzzle in load_curriculum().puzzles)
    return set().union(*(literals(path) for part in parts for path in (PACKAGE / part).rglob("*.py")), *named)


@cache
def expected() -> set[str]:
    """Return what stands in the other tests."""
    return set().union(*(literals(path) for path in (ROOT / "tests").rglob("test_*.py") if path != Path(__file__)))


@cache
def corpus() -> str:
    """Return the wrong kernels, which name the code that must be told."""
    return "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests" / "mutants").rglob("*.py"))


@pytest.mark.parametrize("name", CODES)
def test_each_code_is_produced_and_expected_by_a_test(name: str) -> None:
    assert name in produced()
    assert name in expected() or f": {name}\n" in corpus()


def test_each_finding_that_is_made_has_a_listed_code() -> None:
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MAKERS:
                texts = [arg.value for arg in node.args[:2] if isinstance(arg, ast.Constant)]
                codes = [text for text in texts if isinstance(text, str) and " " not in text]
                assert set(codes) <= set(CODES), path


def test_a_finding_weighs_what_its_code_weighs() -> None:
    assert Finding("better-than-asked", "x").severity is Severity.NOTE
    assert Finding("too-many-loads", "x").kind is Kind.COST
    assert (Finding("a-mistake-of-a-pack", "x").kind, Finding("a-mistake-of-a-pack", "x").severity) == (
        Kind.VALUE,
        Severity.ERROR,
    )


def test_only_errors_explain_why_two_devices_disagree() -> None:
    for code in CODES.values():
        assert code.severity is Severity.ERROR or not (code.on_cpu_alone or code.on_gpu_alone), code.name


def test_a_worker_cannot_make_an_error_a_note_or_invent_a_code() -> None:
    told = {**plain(Finding("out-of-bounds-load", "x")), "severity": "note"}
    assert finding(told).severity is Severity.ERROR
    with pytest.raises(ValueError, match="there is no finding 'all-is-well'"):
        finding({**told, "code": "all-is-well"})


def test_meanings_are_sentences() -> None:
    assert all(
        (code.meaning.endswith(".") and code.meaning[0].isupper()) or code.name == "tf32" for code in CODES.values()
    )
    assert code_named("crash").meaning


def test_the_page_is_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "codes.py"), "--check"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
