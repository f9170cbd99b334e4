"""What many files share: the solution that comes first, second tries after a fault, and the refusal to run unheld."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import pytest

from tests.conftest import FIXTURE
from tritonpuzzles.curriculum.reading import load_puzzle
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.judge import many
from tritonpuzzles.judge.checker import Checker
from tritonpuzzles.judge.inputs import Draws
from tritonpuzzles.judge.many import Broken, Done, NotHeldError, Task, Told
from tritonpuzzles.judge.workers.cards import Card
from tritonpuzzles.judge.workers.endings import USED_UP
from tritonpuzzles.judge.workers.parent import Stop
from tritonpuzzles.results.check import Confinement, Finding, PuzzleResult, Verdict
from tritonpuzzles.results.speed import Benchmark, Timing
from tritonpuzzles.results.submission import Submission

PUZZLE = load_puzzle(FIXTURE / "records" / "p01_square.toml", FIXTURE / "hints" / "p01_square.md", FIXTURE)
HELD = Confinement(("a PID namespace", "Landlock 7"))
SOLUTION = b"solution"
FINDINGS = {
    "memory": Finding("out-of-memory", "Memory ran out."),
    "late": Finding("timeout", "It was still running then.", details={USED_UP: False}),
    "endless": Finding("timeout", "It was still running then.", details={USED_UP: True}),
    "not-compiled": Finding("not-compiled", "The seconds for it are over."),
}


@dataclass(frozen=True)
class Scripted:
    """A checker that gives each text what stands in the script, one after the other, and notes who was checked."""

    script: dict[bytes, list[str]]
    confinement: Confinement | None = HELD
    seen: list[bytes] = field(default_factory=list)
    devices: tuple[str, ...] = ("cpu",)
    seed: int = 1
    start: Any = None
    card: Card = field(default_factory=Card)
    yardsticks: Benchmark | None = None
    benchmark: Benchmark | None = None  # of the solution
    given: list[Benchmark | None] = field(default_factory=list)  # yardsticks, in the order of the checks

    def check_file(self, puzzle: Puzzle, file: Submission) -> PuzzleResult:
        data = file.opened.read_bytes()
        assert (file.opened.parent.stat().st_mode & 0o777, len([*file.opened.parent.iterdir()])) == (0o700, 1)
        assert file.shown == Path("p01_square.py")
        said = self.script.get(data, ["pass"])
        self.seen.append(data)
        self.given.append(self.yardsticks)
        word = said[min(self.seen.count(data), len(said)) - 1]
        findings = (FINDINGS[word],) if word in FINDINGS else ()
        verdict = Verdict.ERROR if word in FINDINGS else Verdict(word)
        benchmark = self.benchmark if data == SOLUTION else None
        return PuzzleResult(
            1, "square", file, verdict, "cpu", 1, findings, benchmark=benchmark, confinement=self.confinement
        )


def told(checker: Scripted, *texts: bytes, jobs: int = 1, unconfined: bool = False) -> list[Told]:
    """Return what is said of files that are checked at the same time, and then of those of which nothing was, alone."""
    said: list[Told] = []
    tasks = [Task(number, PUZZLE, text) for number, text in enumerate(texts)]
    while left := [task for task in tasks if task.number not in verdicts(said)]:
        beside = jobs > 1
        texts_of = {PUZZLE.stem: SOLUTION}
        running = many._Many(cast(Checker, checker), Draws(1), left, texts_of, said.append, beside, unconfined)
        with closing(Stop()) as stop:
            many._at_once(running.work(jobs), jobs, stop)
        assert beside or len(verdicts(said)) == len(tasks)
        jobs = 1
    return said


def verdicts(said: list[Told]) -> dict[int, str]:
    done = [one for one in said if isinstance(one, Done)]
    assert len({one.number for one in done}) == len(done)
    return {one.number: one.result.verdict.value for one in done}


def test_the_solution_comes_first_and_once() -> None:
    checker = Scripted({b"a": ["fail"]})
    assert verdicts(told(checker, b"a", b"b", b"c", jobs=3)) == {0: "fail", 1: "pass", 2: "pass"}
    assert checker.seen[0] == SOLUTION
    assert checker.seen.count(SOLUTION) == 1


def test_pytorch_and_a_copy_are_timed_with_the_solution_alone() -> None:
    found = Benchmark(
        "H200", (8,), "float32", Timing(1.0, 1.0, 1.0, 1.0, 50), "GB/s", 3000.0, {"torch": 2500.0}, 4000.0
    )
    checker = Scripted({}, benchmark=found)
    told(checker, b"a", b"b")
    assert checker.given == [None, found, found]
    doubtful = Scripted({}, benchmark=replace(found, labels=("suspicious",)))
    told(doubtful, b"a")
    assert doubtful.given == [None, None]


def test_after_a_fault_the_solution_is_graded_again_and_then_the_file() -> None:
    checker = Scripted({b"a": ["infra_error", "fail"]})
    assert verdicts(told(checker, b"a", b"b")) == {0: "fail", 1: "pass"}
    assert checker.seen == [SOLUTION, b"a", SOLUTION, b"a", b"b"]


def test_a_file_that_no_grader_survives_is_not_graded_and_the_others_are() -> None:
    checker = Scripted({b"a": ["infra_error"]})
    assert verdicts(told(checker, b"a", b"b")) == {0: "infra_error", 1: "pass"}
    assert Counter(checker.seen)[b"a"] == 2


def test_a_machine_that_breaks_in_between_judges_nobody_any_more() -> None:
    checker = Scripted({b"b": ["infra_error"], SOLUTION: ["pass", "fail"]})
    said = told(checker, b"a", b"b", b"c")
    assert verdicts(said) == {0: "pass", 1: "infra_error", 2: "infra_error"}
    assert b"c" not in checker.seen
    (broken,) = [one for one in said if isinstance(one, Broken)]
    assert "does not pass on this machine" in broken.why


@pytest.mark.parametrize("word", ["memory", "late", "not-compiled"])
def test_what_others_may_have_kept_from_its_end_is_checked_alone(word: str) -> None:
    checker = Scripted({b"a": [word, "pass"], b"b": [word]})
    assert verdicts(told(checker, b"a", b"b", jobs=2)) == {0: "pass", 1: "error"}
    alone = Scripted({b"a": [word, "pass"]})
    assert verdicts(told(alone, b"a")) == {0: "error"}


def test_a_file_that_computed_for_all_its_seconds_is_checked_once() -> None:
    checker = Scripted({b"a": ["endless", "pass"]})
    assert verdicts(told(checker, b"a", b"b", jobs=2)) == {0: "error", 1: "pass"}


def test_a_fault_of_the_grader_beside_others_is_tried_again_alone() -> None:
    checker = Scripted({b"a": ["infra_error", "infra_error", "pass"]})
    assert verdicts(told(checker, b"a", b"b", jobs=2)) == {0: "pass", 1: "pass"}


def test_a_solution_that_others_keep_from_its_end_is_graded_again_alone() -> None:
    checker = Scripted({SOLUTION: ["late", "pass"]})
    said = told(checker, b"a", b"b", jobs=2)
    assert verdicts(said) == {0: "pass", 1: "pass"}
    assert not [one for one in said if isinstance(one, Broken)]
    broken = Scripted({SOLUTION: ["fail"]})
    said = told(broken, b"a", b"b", jobs=2)
    assert verdicts(said) == {0: "infra_error", 1: "infra_error"}
    assert len([one for one in said if isinstance(one, Broken)]) == 1
    assert broken.seen == [SOLUTION, SOLUTION]


def test_nothing_is_run_where_nothing_holds_it_unless_somebody_asks_for_that() -> None:
    checker = Scripted({}, confinement=Confinement((), ("Landlock (Function not implemented)",)))
    with pytest.raises(NotHeldError, match="files and processes of one student"):
        told(checker, b"a", b"b", jobs=2)
    assert set(checker.seen) == {SOLUTION}
    assert verdicts(told(checker, b"a", unconfined=True)) == {0: "pass"}
