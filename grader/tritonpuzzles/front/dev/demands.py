"""What is asked of every puzzle, and whether it is there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tritonpuzzles.curriculum.pack import Pack
from tritonpuzzles.curriculum.record import HINTS, Puzzle
from tritonpuzzles.front.dev.matrix import kills
from tritonpuzzles.front.dev.proof import Proof
from tritonpuzzles.front.dev.templates import TODO
from tritonpuzzles.front.story import story
from tritonpuzzles.front.workspace.shipped import solution_file, stub_file
from tritonpuzzles.results.check import PuzzleResult, Verdict
from tritonpuzzles.results.codes import CODES
from tritonpuzzles.results.states import NOT_KEPT, NOT_MATCHED

NAMED = 0.9  # of the wrong kernels, at least
STORY_WORDS = 60


@dataclass(frozen=True)
class Demand:
    """One thing that is asked: whether it holds, and what is the case.

    Attributes:
        reasons: why not, one for each file that is not what it must be.
    """

    ok: bool
    text: str
    reasons: tuple[str, ...] = ()


def demands(proof: Proof, pack: Pack) -> Iterator[Demand]:
    """Yield every demand on a puzzle of a pack, in the order in which an author meets them."""
    puzzle = proof.puzzle
    stub, solution = (path(puzzle).read_text(encoding="utf-8") for path in (stub_file, solution_file))
    left = [name for name, text in _texts(puzzle, stub, solution).items() if TODO in text]
    words = len(story(stub).split())
    yield Demand(bool(puzzle.title and puzzle.idea), f'title "{puzzle.title}"')
    yield Demand(words >= STORY_WORDS, f"story of {words} words (at least {STORY_WORDS})")
    yield Demand(len(puzzle.hints) == HINTS and all(puzzle.hints), f"{len(puzzle.hints)} hints of {HINTS}")
    if unknown := [code for code in puzzle.answers if code not in CODES and code not in puzzle.mistakes]:
        yield Demand(False, f"the hints answer findings that there are not: {', '.join(unknown)}")
    unsolved, passed = proof.stub.verdict is Verdict.UNSOLVED, proof.solution.passed
    yield Demand(unsolved, f"stub: {proof.stub.verdict.value} (unsolved)", why([] if unsolved else [proof.stub]))
    yield Demand(passed, f"solution: {proof.solution.verdict.value} (pass)", why([] if passed else [proof.solution]))
    if puzzle.walk and passed:
        yield _walk(proof)
    where = f": it stands in the {', '.join(left)}" if left else ""
    yield Demand(not left, f"nothing says {TODO} any more{where}")
    yield from _wrong(proof, pack.wrong)
    yield from _right(proof, pack.right)
    yield from _cases(proof)


def further_demands(proof: Proof) -> Iterator[Demand]:
    """Yield what is asked of a further corpus of a puzzle: its kernels get their verdicts, and are not counted."""
    yield from _wrong(proof, 0)
    yield from _right(proof, 0)


def _walk(proof: Proof) -> Demand:
    """The walk of a puzzle fits the arguments of a call, and finds nothing wrong in the solution."""
    states, walk = proof.solution.states, proof.puzzle.walk
    values = states.variables if states is not None else ()
    strays = dict.fromkeys(f"{value.name} in line {value.line}" for value in values if not value.right)
    if strays:
        return Demand(False, f"walk {walk}: the solution passes, and the walk finds it wrong: {', '.join(strays)}")
    fits = states is not None and states.note not in (NOT_KEPT, NOT_MATCHED)
    note = "" if fits or states is None else f": {states.note}"
    return Demand(fits, f"walk {walk}: variables of the solution hold its quantities{note}")


def _texts(puzzle: Puzzle, stub: str, solution: str) -> dict[str, str]:
    """Return what an author writes of a puzzle, by what people call it."""
    record = (puzzle.folder / "records" / f"{puzzle.stem}.toml").read_text(encoding="utf-8")
    hints = "\n".join((*puzzle.answers.values(), *puzzle.hints))
    return {"record": record, "hints": hints, "stub": stub, "solution": solution}


def _wrong(proof: Proof, fewest: int) -> Iterator[Demand]:
    total, survivors, misnamed = len(proof.wrong), proof.survivors, proof.misnamed
    if fewest:
        yield Demand(total >= fewest, f"{total} wrong kernels (at least {fewest})")
    yield Demand(not survivors, f"{total - len(survivors)} of {total} wrong kernels rejected{_names(survivors)}")
    enough = total - len(misnamed) >= NAMED * total
    text = f"{total - len(misnamed)} of {total} named with their code (at least {NAMED:.0%}){_names(misnamed)}"
    yield Demand(enough, text, why(result for mutant, result in proof.wrong if mutant.name in misnamed))


def _right(proof: Proof, fewest: int) -> Iterator[Demand]:
    total, rejected = len(proof.right), proof.rejected
    if fewest:
        yield Demand(total >= fewest, f"{total} right kernels (at least {fewest})")
    text = f"{total - len(rejected)} of {total} right kernels pass{_names(rejected)}"
    yield Demand(not rejected, text, why(result for result in proof.right if not result.passed))


def _cases(proof: Proof) -> Iterator[Demand]:
    """Each case rejects a wrong kernel, or its record says why it is there all the same."""
    here = [case for case in proof.puzzle.cases if proof.device in case.devices]
    used = set().union(*(kills(result) for _, result in proof.wrong))
    idle = [case.name for case in here if case.name not in used and not case.kept_for]
    yield Demand(
        not idle, f"{len(here) - len(idle)} of {len(here)} cases reject a wrong kernel or say why{_names(idle)}"
    )


def why(results: Iterable[PuzzleResult]) -> tuple[str, ...]:
    """Return what the grader says of some files, a line for each: name, verdict, and its first error."""
    return tuple(_said(result) for result in results)


def _said(result: PuzzleResult) -> str:
    first = "".join(f": {found.code}: {found.message}" for found in result.errors[:1])
    return f"{result.file.shown.stem}: {result.verdict.value}{first}"


def _names(names: list[str]) -> str:
    return f": not {', '.join(names)}" if names else ""
