"""A file that is saved while it is checked: whenever that is, the check ends, and the next one gives its answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.judge.recheck import Rechecker
from tritonpuzzles.judge.workers.parent import Stop, StoppedError
from tritonpuzzles.results.submission import Submission

pytestmark = pytest.mark.slow

SOLUTIONS = Path(__file__).parents[2] / "solutions"
PATIENCE = 100.0  # seconds that no answer takes
WRONG = {1: ("x - tl.max(x, axis=0)", "x - 1.0"), 3: ("l * alpha", "l")}


@pytest.fixture
def stop() -> Iterator[Stop]:
    made = Stop()
    yield made
    made.close()


def check(rechecker: Rechecker, stop: Stop, seconds: float | None) -> bool | None:
    """Check, and ask for the end after some seconds; return whether the file passes, nothing where it was ended."""
    asking = threading.Timer(PATIENCE if seconds is None else seconds, stop.ask)
    asking.start()
    with ThreadPoolExecutor(1) as thread:
        try:
            report = thread.submit(rechecker.check, lambda sentence: None, lambda found: None).result(PATIENCE)
            return report.results[0].passed
        except StoppedError:
            return None
        finally:
            asking.cancel()
            asking.join()
            stop.take_back()


@pytest.mark.parametrize("number", [1, 3])
@pytest.mark.parametrize("saves", [8, pytest.param(200, marks=pytest.mark.attacks)])
def test_every_save_gets_its_answer(number: int, saves: int, tmp_path: Path, stop: Stop) -> None:
    puzzle = load_curriculum().puzzles[number]
    right = (SOLUTIONS / f"{puzzle.stem}.py").read_text()
    wrong = right.replace(*WRONG[number])
    assert wrong != right
    file = tmp_path / f"{puzzle.stem}.py"
    rechecker = Rechecker(puzzle, Submission.of(file), CheckOptions("cpu", 5), None, stop)
    file.write_text(right)
    began, stopped = time.monotonic(), 0
    assert check(rechecker, stop, None)
    whole = time.monotonic() - began
    for save in range(saves):
        file.write_text(wrong)
        stopped += check(rechecker, stop, whole * (save + 0.5) / saves) is None
        file.write_text(right if save % 2 else wrong)
        assert check(rechecker, stop, None) is bool(save % 2)
    rechecker.close()
    assert stopped
