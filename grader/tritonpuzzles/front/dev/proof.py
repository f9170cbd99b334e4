"""A puzzle's corpora, and the grader's results for them, stub and solution, each file in the grader's own isolation.

tests/mutants/<stem>/wrong/*.py    the docstring holds a line `Code: sum-not-rescaled`
tests/mutants/<stem>/right/*.py
tests/real_style/<stem>/...        the same, as practitioners write and mistake them

A line `Code on cuda: ...` is added if the GPU reports the mistake differently; `Device: cpu` or `Device: cuda` is added
if only that device can show it: a GPU counts no bytes, the interpreter has no memory for 2^31 elements.
"""

from __future__ import annotations

import ast
import io
import multiprocessing
import os
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import repeat
from pathlib import Path
from typing import Any

from tritonpuzzles.curriculum.pack import Pack
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front import console
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.report import render
from tritonpuzzles.front.workspace.shipped import solution_file, stub_file
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.results.check import PuzzleResult, Report, Verdict
from tritonpuzzles.results.cover import PROOF, account_of
from tritonpuzzles.results.words import plural

BATCH = 8  # files that one process checks in a row
ENDLESS = "timeout"  # the code of a kernel that never ends,
PATIENCE = 10.0  # and the seconds after which it is taken as endless

Say = Callable[[str], None]
Task = tuple[str, Path, "str | None"]  # puzzle, file, and the code of a wrong kernel
WIDTH = 80


@dataclass(frozen=True)
class Mutant:
    """A wrong kernel."""

    path: Path
    code: str  # of the finding that must name it, on the device that was asked for

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return self.path.stem


@dataclass(frozen=True)
class Corpus:
    """The kernels of one puzzle."""

    wrong: tuple[Mutant, ...]
    right: tuple[Path, ...]


def corpora_of(pack: Pack, named: tuple[Path, ...]) -> tuple[Path, ...]:
    """Return the folders with a pack's kernels: `named` if given, else the pack's own.

    Raises:
        FrontError: if one is not there; an author's own pack may have no kernels yet.
    """
    home = Path() if pack.is_shipped else pack.folder
    corpora = named or tuple(home / name for name in pack.corpora)
    for corpus in corpora if named or pack.is_shipped else ():
        if not corpus.is_dir():
            raise FrontError(f"There is no folder {corpus}.", "Run this in a clone, or give --corpus DIR.")
    return corpora


def read_corpus(folder: Path, puzzle: Puzzle, device: str) -> Corpus:
    """Return what there is for a puzzle on a device, in the order of the names.

    Raises:
        FrontError: if a wrong kernel does not say its code.
    """
    home = folder / puzzle.stem
    wrong = [_mutant(path, device) for path in sorted((home / "wrong").glob("*.py"))]
    return Corpus(tuple(filter(None, wrong)), tuple(sorted((home / "right").glob("*.py"))))


def _mutant(path: Path, device: str) -> Mutant | None:
    """Return a wrong kernel as its docstring describes it; nothing where this device cannot show the mistake."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    said: dict[str, str] = dict(re.findall(r"^(Code|Code on cuda|Device): ([\w-]+)$", text, re.MULTILINE))
    if "Code" not in said:
        raise FrontError(f"{path} names no code.", "Write a line `Code: ...` into its docstring.")
    if said.get("Device", device) != device:
        return None
    return Mutant(path, said.get(f"Code on {device}", said["Code"]))


@dataclass(frozen=True)
class Proof:
    """The grader's results for one puzzle's files."""

    puzzle: Puzzle
    device: str
    stub: PuzzleResult
    solution: PuzzleResult
    wrong: tuple[tuple[Mutant, PuzzleResult], ...]
    right: tuple[PuzzleResult, ...]

    @property
    def survivors(self) -> list[str]:
        """Wrong kernels that pass, or that the grader's own fault kept from being judged."""
        return [mutant.name for mutant, result in self.wrong if result.passed or result.verdict is Verdict.INFRA_ERROR]

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


def kills(result: PuzzleResult) -> set[str]:
    """Return the names of the cases that a result fails in."""
    return {case.name for case in result.cases if case.verdict is not Verdict.PASS}


def prove(items: Sequence[tuple[Puzzle, Corpus]], options: CheckOptions, jobs: int, say: Say) -> list[Proof]:
    """Check every file of some puzzles.

    A wrong kernel is compiled only if it is not rejected with its code otherwise, because compiling takes longer than
    all the cases; stub, solution and right kernels get a full check. No fixes are searched for, so that the report on a
    kernel is the same on every machine. A puzzle may occur with several corpora. `jobs` is the number of processes,
    each with a worker; 1 means this process.
    """
    # Looked up once: a clone's stubs may be moved away meanwhile.
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
    proofs = []
    for puzzle, corpus in items:
        stub, solution = (found[puzzle.stem, path] for path in shipped[puzzle.stem])
        wrong = tuple((mutant, found[puzzle.stem, mutant.path]) for mutant in corpus.wrong)
        right = tuple(found[puzzle.stem, path] for path in corpus.right)
        proofs.append(Proof(puzzle, options.device, stub, solution, wrong, right))
    return proofs


@contextmanager
def _checkers(jobs: int) -> Iterator[Callable[..., Iterator[Any]]]:
    """Yield a function like `map` that calls a function in `jobs` processes."""
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
    """Check files, perhaps in another process, to which puzzles are passed by name."""
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
    report = check([(curriculum.find(stem), path) for stem, path, _ in tasks], options, alone=False)
    return {path: result for (_, path, _), result in zip(tasks, report.results, strict=True)}


@dataclass(frozen=True)
class Told:
    """The first finding of a report; if there is none, the verdict in place of its code."""

    puzzle: int
    file: Path
    code: str
    line: int | None = None
    at: str = ""  # the text of that line
    says: str = ""  # its message
    proof: str = ""  # the kind of its proof, if it has one: "mended", a change makes every case right


def first_told(puzzle: Puzzle, file: Path, options: CheckOptions, alone: bool = True) -> Told:
    """Check a file, and return what the report says first; `alone` as for `check`."""
    from tritonpuzzles.judge.check import check

    (result,) = check([(puzzle, file)], options, alone=alone).results
    opened = account_of(result.findings).open
    if not opened:
        return Told(puzzle.number, file, result.verdict.value)
    first, lines = opened[0].first, file.read_text(encoding="utf-8").splitlines()
    at = lines[first.line - 1].strip() if first.line else ""
    return Told(puzzle.number, file, first.code, first.line, at, first.message, proof_of(result))


def all_told(items: Sequence[tuple[Puzzle, Path]], options: CheckOptions, jobs: int, say: Say) -> Iterator[Told]:
    """Yield what the report on each file says first; `jobs` as for `prove`."""
    with _checkers(jobs) as each:
        puzzles, files = [puzzle for puzzle, _ in items], [file for _, file in items]
        say(f"what reports say first of {plural(len(items), 'file')}")
        for done, told in enumerate(each(first_told, puzzles, files, repeat(options), repeat(jobs == 1)), 1):
            yield told
            say(f"{done} of {plural(len(items), 'file')} checked")


def proof_of(result: PuzzleResult) -> str:
    """Return how a report's first finding is proven: "mended", "predicted"; empty if it is not."""
    opened = account_of(result.findings).open
    return str(opened[0].first.details.get(PROOF, "")) if opened else ""


def as_data(proof: Proof, corpus: str, demands: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return JSON-ready data: each kernel with its verdict and codes, a wrong one with the cases that reject it."""
    return {
        "puzzle": proof.puzzle.number,
        "slug": proof.puzzle.slug,
        "device": proof.device,
        "corpus": corpus,
        "demands": demands,
        "stub": proof.stub.verdict.value,
        "solution": proof.solution.verdict.value,
        "wrong": [_rejected(mutant, result) for mutant, result in proof.wrong],
        "right": [
            {"name": result.file.shown.stem, "verdict": result.verdict.value, "codes": codes(result)}
            for result in proof.right
        ],
    }


def _rejected(mutant: Mutant, result: PuzzleResult) -> dict[str, Any]:
    page = io.StringIO()
    render(Report("", {}, (result,)), console.console_on(page, WIDTH))
    return {
        "name": mutant.name,
        "code": mutant.code,
        "verdict": result.verdict.value,
        "codes": codes(result),
        "open": [group.first.code for group in account_of(result.findings).open],  # the cause first
        "proof": proof_of(result),
        "lines": page.getvalue().count("\n"),  # of its report
        "cases": sorted(kills(result)),
    }
