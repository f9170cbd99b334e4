"""Files are graded under any name that a file system allows: the assembler reads names too, and only ASCII ones."""

from pathlib import Path

import pytest

from tests.conftest import FIXTURE
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.judge.check import check
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.results.check import Verdict
from tritonpuzzles.results.submission import Submission

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


def test_only_the_opened_files_name_is_replaced() -> None:
    file = Submission(Path("/tmp/x/p01.py"), Path("ü.py"))
    assert [file.known(path) for path in ("/tmp/x/p01.py", "/tmp/x/p01.pyc")] == ["ü.py", "/tmp/x/p01.pyc"]
    assert file.worded("see /tmp/x/p01.py:3") == "see ü.py:3"
