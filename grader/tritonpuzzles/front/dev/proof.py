"""Check a puzzle's stub, solution and corpus, several files at a time, each in the grader's own isolation."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front.dev.corpus import Corpus, Mutant
from tritonpuzzles.front.workspace.shipped import solution_file, stub_file
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.results.check import PuzzleResult

BATCH = 8  # files that one process checks in a row
ENDLESS = "timeout"  # the code of what never ends,
PATIENCE = 10.0  # and the seconds after which that is believed

Say = Callable[[str], None]
Task = tuple[str, Path, "str | None"]  # puzzle, file, and the code of a wrong kernel


@dataclass(frozen=True)
class Proof:
    """What the grader says of one puzzle's files."""

    puzzle: Puzzle
    device: str
    stub: PuzzleResult
    solution: PuzzleResult
    wrong: tuple[tuple[Mutant, PuzzleResult], ...]
    right: tuple[PuzzleResult, ...]

    @property
    def survivors(self) -> list[str]:
        """Wrong kernels that pass, or that the grader's own fault kept from being judged."""
        return [mutant.name for mutant, result in self.wrong if result.passed or result.verdict.value == "infra_error"]

    @property
    def misnamed(self) -> list[str]:
        """Wrong kernels whose report lacks their code."""
        return [mutant.name for mutant, result in self.wrong if mutant.code not in codes(result)]

    @property
    def rejected(self) -> list[str]:
        """Right kernels that do not pass."""
        return [result.file.shown.stem for result in self.right if not result.passed]


def codes(result: PuzzleResult) -> list[str]:
    """Return the codes of a result's errors, each once."""
    return list(dict.fromkeys(finding.code for finding in result.errors))


def prove(items: Sequence[tuple[Puzzle, Corpus]], options: CheckOptions, jobs: int, say: Say) -> list[Proof]:
    """Check every file of some puzzles.

    A wrong kernel is compiled only if it is not rejected with its code without that, for compiling takes longer than
    all the cases; stub, solution and right kernels get a full check. What could be mended is not looked for, so that
    what is said of a kernel is the same on every machine.

    Args:
        items: puzzles with their corpora; a puzzle may stand there with several.
        options: device ("cpu" or "cuda") and seed; nothing is timed.
        jobs: processes at once, each with a worker beside it; a single one is this process.
        say: takes short sentences about what is being done.
    """
    # Asked for once: a clone's stubs may be put aside meanwhile.
    shipped = {puzzle.stem: (stub_file(puzzle), solution_file(puzzle)) for puzzle, _ in items}
    every = [
        (puzzle.stem, path, code)
        for puzzle, corpus in items
        for path, code in [
            *((mutant.path, mutant.code) for mutant in corpus.wrong),
            *((path, None) for path in (*shipped[puzzle.stem], *corpus.right)),
        ]
    ]
    tasks = list(dict.fromkeys(every))  # stub and solution are the same in every corpus
    batches = [tasks[start : start + BATCH] for start in range(0, len(tasks), BATCH)]
    found: dict[tuple[str, Path], PuzzleResult] = {}
    with _checkers(jobs) as each:
        for batch, results in zip(batches, each(_check, batches, [options] * len(batches)), strict=True):
            found |= {(stem, path): result for (stem, path, _), result in zip(batch, results, strict=True)}
            say(f"{len(found)} of {len(tasks)} files checked")
    return [_proof(puzzle, corpus, options.device, shipped[puzzle.stem], found) for puzzle, corpus in items]


@contextmanager
def _checkers(jobs: int) -> Iterator[Callable[..., Iterator[list[PuzzleResult]]]]:
    """Yield what calls a function with each of its arguments: `map`, in so many processes."""
    if jobs == 1:
        yield map
        return
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=spawn, initializer=_one_core) as pool:
        yield pool.map


def _one_core() -> None:
    """Have torch, which this process has yet to import, leave the other cores to the other processes."""
    os.environ["OMP_NUM_THREADS"] = "1"


def _check(batch: list[Task], options: CheckOptions) -> list[PuzzleResult]:
    """Check files, perhaps in a process of its own; puzzles travel by name."""
    options = replace(options, mend=False)
    quick = replace(options, targets=())
    results = _run([task for task in batch if task[2] not in (None, ENDLESS)], quick)
    results |= _run([task for task in batch if task[2] == ENDLESS], replace(quick, timeout=PATIENCE))
    unnamed = [task for task in batch if task[1] not in results or task[2] not in codes(results[task[1]])]
    results |= _run([task for task in unnamed if task[2] is not None], options)
    results |= _run([task for task in unnamed if task[2] is None], replace(options, values=True))
    return [results[path] for _, path, _ in batch]


def _run(tasks: list[Task], options: CheckOptions) -> dict[Path, PuzzleResult]:
    from tritonpuzzles.judge.check import check

    if not tasks:
        return {}
    curriculum = load_curriculum()
    report = check([(curriculum.find(stem), path) for stem, path, _ in tasks], options)
    return {path: result for (_, path, _), result in zip(tasks, report.results, strict=True)}


def _proof(
    puzzle: Puzzle,
    corpus: Corpus,
    device: str,
    shipped: tuple[Path, Path],
    found: dict[tuple[str, Path], PuzzleResult],
) -> Proof:
    def of(path: Path) -> PuzzleResult:
        return found[puzzle.stem, path]

    return Proof(
        puzzle,
        device,
        of(shipped[0]),
        of(shipped[1]),
        tuple((mutant, of(mutant.path)) for mutant in corpus.wrong),
        tuple(of(path) for path in corpus.right),
    )
