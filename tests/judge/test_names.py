"""Files are graded under any name that a file system allows: the assembler reads names too, and only ASCII ones."""

from pathlib import Path

import pytest

from tests.conftest import FIXTURE
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.judge.check import check
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.results import Verdict, renamed

SOLUTION = (FIXTURE / "solutions" / "p01_square.py").read_text()


@pytest.mark.parametrize("name", ["jürgen.py", 'a "b".py', "name with space & more.py"])
def test_a_file_of_any_name(name: str, square: Puzzle, tmp_path: Path) -> None:
    right, wrong = tmp_path / name, tmp_path / f"wrong {name}"
    right.write_text(SOLUTION)
    wrong.write_text(SOLUTION.replace("x * x, mask=mask", "x * x"))
    passed, failed = check([(square, right), (square, wrong)], CheckOptions(device="cpu", seed=1)).results
    assert passed.verdict is Verdict.PASS, passed
    assert failed.verdict is Verdict.FAIL
    assert {finding.file for finding in failed.findings if finding.line} == {str(wrong)}
    assert {line.file for line in failed.lines} == {str(wrong)}


def test_only_the_copys_name_is_replaced() -> None:
    data = {"file": "/tmp/x/p01.py", "lines": [{"text": "see /tmp/x/p01.py:3"}], "count": 3, "none": None}
    expected = {"file": "ü.py", "lines": [{"text": "see ü.py:3"}], "count": 3, "none": None}
    assert renamed(data, "/tmp/x/p01.py", "ü.py") == expected
