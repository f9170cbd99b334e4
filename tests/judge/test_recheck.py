"""Checks of one file, again and again: what is told before the end, how one is ended, several engines at once."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import FIXTURE
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.judge.check import check
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.judge.recheck import Rechecker
from tritonpuzzles.judge.workers.parent import Stop, StoppedError
from tritonpuzzles.results.check import Preliminary, PuzzleResult, Verdict
from tritonpuzzles.results.submission import Submission

RIGHT = (FIXTURE / "solutions" / "p01_square.py").read_text()
STUB = (FIXTURE / "puzzles" / "p01_square.py").read_text()
WRONG = RIGHT.replace("x * x", "x + x")
TUNED = RIGHT.replace(
    "@triton.jit\n",
    "@triton.autotune([triton.Config({'BLOCK_SIZE': n}) for n in (8192, 256, 512)], key=['n_elements'])\n@triton.jit\n",
).replace("(triton.cdiv(x.numel(), 256),)", "lambda meta: (triton.cdiv(x.numel(), meta['BLOCK_SIZE']),)")
TUNED = TUNED.replace(", BLOCK_SIZE=256)", ")").replace(
    '    """Write the square of one tile."""', "    tl.static_assert(BLOCK_SIZE <= 4096)"
)
DOES_NOT_COMPILE = RIGHT.replace("    x = tl.load(", "    print(offsets)\n    x = tl.load(")
ENDLESS = RIGHT.replace("    y = torch.empty_like(x)", "    while True:\n        pass")


@pytest.fixture
def several_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1, 2})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "p01_square.py"


@pytest.fixture
def stop() -> Iterator[Stop]:
    made = Stop()
    yield made
    made.close()


@pytest.fixture
def rechecker(square: Puzzle, file: Path, stop: Stop, several_cores: None) -> Iterator[Rechecker]:
    made = Rechecker(square, Submission.of(file), CheckOptions("cpu", 5), None, stop)
    yield made
    made.close()


def run(rechecker: Rechecker) -> tuple[PuzzleResult, list[Preliminary]]:
    told: list[Preliminary] = []
    (result,) = rechecker.check(lambda sentence: None, told.append).results
    return result, told


@pytest.mark.slow
@pytest.mark.parametrize("text", [RIGHT, STUB, WRONG, TUNED, DOES_NOT_COMPILE, "import nothing_of_the_kind\n"])
def test_it_says_what_a_check_says(text: str, square: Puzzle, file: Path, rechecker: Rechecker) -> None:
    file.write_text(text)
    (alone,) = check([(square, file)], CheckOptions("cpu", 5)).results
    rechecker.prepare()
    result, told = run(rechecker)
    assert set(result.compile) == set(alone.compile)
    same = {"seconds": 0.0, "compile": (), "confinement": None}
    assert replace(result, **same) == replace(alone, **same)
    assert all(found.result.seed == 5 for found in told)


def test_what_is_told_before_the_end(file: Path, rechecker: Rechecker) -> None:
    file.write_text(RIGHT)
    _, told = run(rechecker)
    assert [(found.right_so_far, found.doing) for found in told] == [(True, "compiling for sm_80 and sm_90")]
    assert told[0].result.compile == ()
    file.write_text(WRONG)
    result, told = run(rechecker)
    assert [found.doing for found in told] == [
        "running the other cases",
        "compiling for sm_80 and sm_90",
        "looking for the line that is wrong",
    ]
    assert [found.result.verdict for found in told] == [Verdict.FAIL] * 3
    assert len(told[0].result.cases) == 1
    assert [finding.code for finding in told[2].result.findings] == [finding.code for finding in result.findings]
    assert "Changing only that makes" in result.findings[0].message
    file.write_text(STUB)
    _, told = run(rechecker)
    assert [found.result.verdict for found in told] == [Verdict.UNSOLVED]


def test_every_check_has_a_seed_of_its_own(square: Puzzle, file: Path, stop: Stop) -> None:
    file.write_text(RIGHT)
    rechecker = Rechecker(square, Submission.of(file), CheckOptions("cpu"), None, stop)
    seeds = set()
    for _ in range(2):
        rechecker.prepare()
        seeds.add(run(rechecker)[0].seed)
    rechecker.close()
    assert len(seeds) == 2


def test_the_file_is_read_when_it_is_checked(file: Path, rechecker: Rechecker) -> None:
    file.write_text(WRONG)
    rechecker.prepare()
    file.write_text(RIGHT)
    assert run(rechecker)[0].passed
    rechecker.prepare()
    file.unlink()
    assert [finding.code for finding in run(rechecker)[0].findings] == ["missing-file"]


def test_a_check_that_is_asked_to_end_does(file: Path, rechecker: Rechecker, stop: Stop) -> None:
    file.write_text(ENDLESS)
    rechecker.prepare()
    asking = threading.Timer(0.5, stop.ask)
    asking.start()
    with pytest.raises(StoppedError):
        run(rechecker)
    asking.join()
    stop.take_back()
    stop.heed()
    file.write_text(RIGHT)
    assert run(rechecker)[0].passed


def test_workers_that_end_while_they_wait_are_replaced(file: Path, rechecker: Rechecker) -> None:
    file.write_text(RIGHT)
    rechecker.prepare()
    assert rechecker._next is not None
    for begun in rechecker._next.begun.values():
        assert begun.crew.is_waiting
        begun.crew.helpers[0].kill()
        assert not begun.crew.is_waiting
    assert run(rechecker)[0].passed
