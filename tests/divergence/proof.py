"""Is the first diverging line the mistaken one? `python -m tests.divergence.proof [NUMBER ...] [--every N] [--jobs N]`.

Checks the wrong kernels of both corpora with all named mistakes switched off. Those that then fail by values, and whose
cause no pattern tells, are counted: the line that the report names must be the one where the mistake stands, or
the next. A kernel says where that is: `Mistake at: l += tl.sum(`, a piece of the line, or of each of several; of
something left out, the line that first needs it. Five to ten seconds a kernel.
"""

from __future__ import annotations

import argparse
import ast
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front.dev.proof import read_corpus
from tritonpuzzles.judge.check import check
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.results.check import PuzzleResult
from tritonpuzzles.results.codes import Kind

ROOT = Path(__file__).resolve().parents[2]
CORPORA = "mutants", "real_style"
NUMBERS = (2, 3, 4, 5, 7)
ASKED = 0.8  # of the kernels
UNKNOWN = "wrong-values"
QUICK = CheckOptions(device="cpu", seed=1, targets=())


@dataclass(frozen=True)
class Outcome:
    """What the report said of one kernel.

    Attributes:
        mistaken: the lines where the mistake stands.
        line: that the report names, if any.
        message: of the finding.
    """

    puzzle: int
    path: Path
    mistaken: tuple[int, ...]
    line: int | None
    message: str

    @property
    def hits(self) -> bool:
        """Whether the line is a mistaken one, or the next."""
        return self.line is not None and bool({self.line, self.line - 1} & set(self.mistaken))


def main(words: Sequence[str] | None = None) -> int:
    """Print a line for each kernel and a table; return 1 if too few lines are right."""
    parser = argparse.ArgumentParser(prog="python -m tests.divergence.proof", description="Prove first divergence.")
    parser.add_argument("numbers", nargs="*", type=int, default=NUMBERS, help="of puzzles; 2 to 5 and 7 without any")
    parser.add_argument("--only", default="", help="kernels whose names match this")
    parser.add_argument("--every", type=int, default=1, help="take each Nth kernel only")
    parser.add_argument("--jobs", type=int, default=1, help="kernels at a time (default 1)")
    asked = parser.parse_args(words)
    outcomes = []
    for outcome in proved(asked.numbers, asked.every, asked.only, asked.jobs):
        outcomes.append(outcome)
        print(described(outcome), flush=True)
    print(table(outcomes))
    return 0 if share(outcomes) >= ASKED else 1


def proved(numbers: Iterable[int], every: int = 1, only: str = "", jobs: int = 1) -> Iterator[Outcome]:
    """Yield what is said of each kernel that counts, in order; with several jobs from processes of their own."""
    puzzles = [puzzle for puzzle in load_curriculum().puzzles if puzzle.number in numbers]
    chosen = [item for puzzle in puzzles for item in _wrong(puzzle, every, only)]
    if jobs == 1:
        found: Iterator[Outcome | None] = itertools.starmap(_outcome, chosen)
        yield from filter(None, found)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield from filter(None, pool.map(_outcome, *zip(*chosen, strict=True)))


def _wrong(puzzle: Puzzle, every: int, only: str) -> list[tuple[Puzzle, Path]]:
    """Return each Nth wrong kernel whose name matches, beside its puzzle without named mistakes."""
    bare = replace(puzzle, mistakes=())
    wrong = [mutant for corpus in CORPORA for mutant in read_corpus(ROOT / "tests" / corpus, puzzle, "cpu").wrong]
    taken = wrong[puzzle.number % every :: every]
    return [(bare, mutant.path) for mutant in taken if re.search(only, mutant.name)]


def _outcome(puzzle: Puzzle, path: Path) -> Outcome | None:
    """Return what is said of a kernel; nothing where it fails otherwise than by values, or a cause is told."""
    (result,) = check([(puzzle, path)], replace(QUICK, mend=False)).results  # it would name the line to be mended
    found = next((finding for finding in result.errors if finding.code == UNKNOWN), None)
    if found is None or any(finding.kind is not Kind.VALUE for finding in result.errors) or _is_rounding(result):
        return None
    return Outcome(puzzle.number, path, mistaken(path), found.line, found.message)


def _is_rounding(result: PuzzleResult) -> bool:
    return any(finding.code == "tf32" for finding in result.errors)


def mistaken(path: Path) -> tuple[int, ...]:
    """Return the lines of the code that hold a piece that the docstring names.

    Raises:
        ValueError: if it names none, or one that is not there.
    """
    text = path.read_text(encoding="utf-8")
    docstring = ast.parse(text).body[0]
    pieces = re.findall(r"^Mistake at: (.+)$", text, re.MULTILINE)
    code = text.splitlines()[docstring.end_lineno or 0 :]
    found = {
        piece: [n for n, line in enumerate(code, (docstring.end_lineno or 0) + 1) if piece in line] for piece in pieces
    }
    if not pieces or not all(found.values()):
        raise ValueError(f"{path}: a line `Mistake at: ...` is missing, or names what is not there")
    return tuple(sorted({line for lines in found.values() for line in lines}))


def share(outcomes: Sequence[Outcome]) -> float:
    """Return the share of the kernels whose line is right."""
    return sum(outcome.hits for outcome in outcomes) / max(1, len(outcomes))


def described(outcome: Outcome) -> str:
    """Return one kernel's line."""
    name = f"p{outcome.puzzle:02d} {outcome.path.parents[2].name}/{outcome.path.stem}"
    lines = ", ".join(map(str, outcome.mistaken))
    sign = "+" if outcome.hits else "-"
    return f"{sign} {name}: line {outcome.line}, the mistake is at {lines}. {outcome.message}"


def table(outcomes: Sequence[Outcome]) -> str:
    """Return how many lines are right of each puzzle."""
    rows = []
    for number in dict.fromkeys(outcome.puzzle for outcome in outcomes):
        own = [outcome for outcome in outcomes if outcome.puzzle == number]
        rows.append(f"puzzle {number}: {sum(outcome.hits for outcome in own)} of {len(own)} ({share(own):.0%})")
    hits = sum(outcome.hits for outcome in outcomes)
    return "\n".join([*rows, f"all: {hits} of {len(outcomes)} ({share(outcomes):.0%})"])


if __name__ == "__main__":
    raise SystemExit(main())
