"""TF32, the default of `tl.dot`: named where it is what is wrong, and never in the way of another mistake's name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.judge.check import check
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.results.check import Finding, Verdict
from tritonpuzzles.results.codes import Severity

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
ATTENTION = load_curriculum().find("5")
EXACT = ', input_precision="ieee"'


def errors(source: str, tmp_path: Path) -> list[Finding]:
    path = tmp_path / "p05_flash_attention.py"
    assert EXACT in source
    path.write_text(source.replace(EXACT, ""))
    (result,) = check([(ATTENTION, path)], CheckOptions(device="cpu", seed=1, targets=())).results
    assert result.verdict is Verdict.FAIL
    return [found for found in result.findings if found.severity is Severity.ERROR]


def test_alone_it_explains_all(tmp_path: Path) -> None:
    source = (ROOT / "solutions" / "p05_flash_attention.py").read_text()
    (found,) = errors(source, tmp_path)
    assert found.code == "tf32"
    assert "That explains every wrong value, in " in found.message
    assert "with exact products they are right." in found.message
    assert "tl.dot(" in source.splitlines()[(found.line or 0) - 1]


def wrong_kernels() -> list[Path]:
    return sorted((ROOT / "tests" / "mutants" / ATTENTION.stem / "wrong").glob("*.py"))


@pytest.mark.parametrize("name", ["acc_never_rescaled", "divides_in_the_loop", "keys_without_other"])
def test_another_mistake_is_named_beside_it(name: str, tmp_path: Path) -> None:
    (path,) = (path for path in wrong_kernels() if path.stem == name)
    source = path.read_text()
    code = source.partition("Code: ")[2].split()[0]
    codes = [found.code for found in errors(source, tmp_path)]
    assert code in codes
    assert "wrong-values" not in codes
