"""`doctor`: what it makes of versions and devices, and that a broken grader is exit code 3 with the fix."""

from __future__ import annotations

import pytest

from tests.front.conftest import Run
from tritonpuzzles.front.commands import doctor as diagnosis
from tritonpuzzles.sandbox import Held, report


@pytest.mark.parametrize(
    ("version", "word"), [("3.5.1", "broken"), ("3.6.0", "ok"), ("3.9", "ok"), ("3.10", "note"), ("4.0", "note")]
)
def test_supported_versions_of_triton(version: str, word: str) -> None:
    found = diagnosis.package_item("triton", version)
    assert found.word == word
    assert (found.fix is None) == (word != "broken")


def test_what_is_missing_names_the_command() -> None:
    assert diagnosis.package_item("torch", None).fix == "pip install torch"
    assert diagnosis.version_of("no-such-package-at-all") is None


@pytest.mark.parametrize(("cuda_build", "driver"), [(False, False), (False, True), (True, True), (True, False)])
def test_no_gpu_is_no_fault(cuda_build: bool, driver: bool) -> None:
    found = diagnosis.no_gpu(cuda_build, driver)
    assert found.word == "note"
    assert (found.fix is not None) == driver


@pytest.mark.parametrize(
    ("held", "word"),
    [
        (Held(("a wall",)), "ok"),
        (Held(("a wall",), ("a moat (dry)",)), "note"),
        (Held((), ("a moat (dry)",)), "note"),
    ],
)
def test_less_of_a_sandbox_is_no_fault(held: Held, word: str) -> None:
    found = diagnosis.sandbox_item(held)
    assert (found.word, found.found) == (word, str(held))
    assert (found.fix is None) == (word == "ok")


@pytest.mark.slow
def test_a_check_that_does_not_work_is_broken(run: Run) -> None:
    """The small curriculum has no references: the real judge cannot work with it."""
    done = run("doctor", judge=False)
    assert done.returncode == 3
    assert "✗ broken cpu probe" in done.stdout
    assert "check 0 --solution --device cpu --verbose shows why" in " ".join(done.stdout.split())
    assert "✓ ok     torch" in done.stdout
    assert str(report())[:20] in " ".join(done.stdout.split())
    assert "speed without a GPU: predicted for H200; tritonpuzzles check --gpu NAME changes that" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
