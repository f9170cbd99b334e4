"""What is asked of every puzzle, and whether it is there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tritonpuzzles.curriculum.record import HINTS
from tritonpuzzles.front.dev.matrix import kills
from tritonpuzzles.front.dev.proof import Proof
from tritonpuzzles.front.shipped import stub_file
from tritonpuzzles.front.story import story
from tritonpuzzles.results import Verdict

FEWEST_WRONG, FEWEST_RIGHT = 15, 6
NAMED = 0.9  # of the wrong kernels, at least
STORY_WORDS = 60


@dataclass(frozen=True)
class Demand:
    """One thing that is asked: whether it holds, and what is the case."""

    ok: bool
    text: str


def demands(proof: Proof) -> Iterator[Demand]:
    """Yield every demand on a puzzle, in the order in which an author meets them."""
    puzzle = proof.puzzle
    words = len(story(stub_file(puzzle).read_text(encoding="utf-8")).split())
    yield Demand(bool(puzzle.title and puzzle.idea), f'title "{puzzle.title}"')
    yield Demand(words >= STORY_WORDS, f"story of {words} words (at least {STORY_WORDS})")
    yield Demand(len(puzzle.hints) == HINTS and all(puzzle.hints), f"{len(puzzle.hints)} hints of {HINTS}")
    yield Demand(proof.stub.verdict is Verdict.UNSOLVED, f"stub: {proof.stub.verdict.value} (unsolved)")
    yield Demand(proof.solution.passed, f"solution: {proof.solution.verdict.value} (pass)")
    yield from _wrong(proof)
    yield from _right(proof)
    yield from _cases(proof)


def _wrong(proof: Proof) -> Iterator[Demand]:
    total, survivors, misnamed = len(proof.wrong), proof.survivors, proof.misnamed
    yield Demand(total >= FEWEST_WRONG, f"{total} wrong kernels (at least {FEWEST_WRONG})")
    yield Demand(not survivors, f"{total - len(survivors)} of {total} wrong kernels rejected{_names(survivors)}")
    enough = total - len(misnamed) >= NAMED * total
    text = f"{total - len(misnamed)} of {total} named with their code (at least {NAMED:.0%}){_names(misnamed)}"
    yield Demand(enough, text)


def _right(proof: Proof) -> Iterator[Demand]:
    total, rejected = len(proof.right), proof.rejected
    yield Demand(total >= FEWEST_RIGHT, f"{total} right kernels (at least {FEWEST_RIGHT})")
    yield Demand(not rejected, f"{total - len(rejected)} of {total} right kernels pass{_names(rejected)}")


def _cases(proof: Proof) -> Iterator[Demand]:
    """Each case rejects a wrong kernel, or its record says why it is there all the same."""
    here = [case for case in proof.puzzle.cases if proof.device in case.devices]
    used = set().union(*(kills(result) for _, result in proof.wrong))
    idle = [case.name for case in here if case.name not in used and not case.kept_for]
    yield Demand(
        not idle, f"{len(here) - len(idle)} of {len(here)} cases reject a wrong kernel or say why{_names(idle)}"
    )


def _names(names: list[str]) -> str:
    return f": not {', '.join(names)}" if names else ""
