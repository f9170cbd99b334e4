"""Wrong kernels must die, right ones must live, whatever their style.

A sample of the wrong kernels runs every time; `pytest -m corpus` runs them all and prints the counts.
"""

import re
from pathlib import Path

import pytest

from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.judge.check import check
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.results import PuzzleResult, Report, Severity

HERE = Path(__file__).parent
PUZZLES = load_curriculum().puzzles
SAMPLE = 7  # every seventh wrong kernel of a puzzle
OPTIONS = CheckOptions(device="cpu", seed=1, timeout=60)
NEEDS_A_GPU = {"row_offset_in_32_bits"}  # overflows past 2^31 elements only


def run(stem: str, files: list[Path]) -> dict[str, PuzzleResult]:
    """Check files of one puzzle in one command; return the results by file name."""
    puzzle = load_curriculum().find(stem)
    report: Report = check([(puzzle, path) for path in files], OPTIONS)
    return {Path(result.file).stem: result for result in report.results}


def expected(path: Path) -> str:
    found = re.search(r"^Code: ([\w-]+)$", path.read_text(), re.MULTILINE)
    assert found, f"{path} names no code"
    return found.group(1)


def errors(result: PuzzleResult) -> set[str]:
    return {finding.code for finding in result.findings if finding.severity is Severity.ERROR}


def corpus(stem: str, kind: str) -> list[Path]:
    return [path for path in sorted((HERE / stem / kind).glob("*.py")) if path.stem not in NEEDS_A_GPU]


@pytest.mark.parametrize("stem", [puzzle.stem for puzzle in PUZZLES])
def test_right_kernels_pass_in_every_style(stem: str) -> None:
    files = corpus(stem, "right")
    assert len(files) >= 6
    rejected = {name: errors(result) for name, result in run(stem, files).items() if not result.passed}
    assert not rejected


@pytest.mark.parametrize("stem", [puzzle.stem for puzzle in PUZZLES])
def test_wrong_kernels_are_rejected(stem: str) -> None:
    files = corpus(stem, "wrong")[::SAMPLE]
    assert len(files) >= 4
    accepted = [name for name, result in run(stem, files).items() if result.passed]
    assert not accepted


@pytest.mark.corpus
@pytest.mark.parametrize("stem", [puzzle.stem for puzzle in PUZZLES])
def test_every_wrong_kernel_is_rejected_and_most_are_named(stem: str, capsys: pytest.CaptureFixture[str]) -> None:
    files = corpus(stem, "wrong")
    assert len(files) >= 15
    results = run(stem, files)
    missed = {
        path.stem: errors(results[path.stem]) for path in files if expected(path) not in errors(results[path.stem])
    }
    with capsys.disabled():
        killed = sum(not result.passed for result in results.values())
        print(f"\n{stem}: {killed}/{len(files)} killed, {len(files) - len(missed)}/{len(files)} named")
        for name, codes in missed.items():
            print(f"  {name}: {', '.join(sorted(codes)) or 'nothing'}")
    assert not [name for name, result in results.items() if result.passed]
    assert len(missed) <= 0.1 * len(files)
