"""For authors: every name that a record may give, and every emulation tried before a learner's kernel needs it."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from tritonpuzzles.curriculum import mistakes
from tritonpuzzles.curriculum.mistakes import Mistake, Tile, in_words
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.judge.inputs import draw
from tritonpuzzles.judge.resolve import LIBRARIES, Finder, authored, resolve
from tritonpuzzles.judge.verdict.emulate import emulations, shows_why
from tritonpuzzles.results.words import first_sentence
from tritonpuzzles.wire.authored import own_module

TRIED = 16, 64  # rows and columns of a tile: smaller than some matrices and larger than others


@dataclass(frozen=True)
class Name:
    """One of them."""

    kind: str  # `family`, `reference`, `tolerance`, `walk`, `baseline` or `mistake`
    name: str  # as a record has it
    says: str  # what it is, a line
    module: str = ""  # of a mistake, what the record's `mistakes_module` says
    own: bool = False  # whether the pack brings it


def names(puzzles: Iterable[Puzzle]) -> list[Name]:
    """Return the grader's names kind by kind, those that the records of some puzzles bring before each kind's others.

    Raises RecordError if one of these stands for nothing.
    """
    every = [name for puzzle in puzzles for name in _brought(puzzle)]
    every += [Name(kind, name, _first(function)) for kind, own in LIBRARIES.items() for name, function in own.items()]
    for module in pkgutil.iter_modules(mistakes.__path__):
        if module.ispkg:
            held = importlib.import_module(f"{mistakes.__name__}.{module.name}").MISTAKES
            every += [_mistake(one, module.name) for one in held.by_code.values()]
    return sorted(dict.fromkeys(every), key=lambda one: [*LIBRARIES, "mistake"].index(one.kind))


def _brought(puzzle: Puzzle) -> Iterator[Name]:
    """Yield what a record names as `module:function`, and its mistakes from a module of the pack."""
    finder, timed = Finder(puzzle), puzzle.benchmark.baselines if puzzle.benchmark is not None else ()
    named = [
        *(("family", case.family) for case in puzzle.cases),
        *(("family", tensor.family) for tensor in puzzle.tensors),
        ("reference", puzzle.reference),
        *(("tolerance", output.tolerance) for output in puzzle.compared),
        ("walk", puzzle.walk),
        *(("baseline", base.function) for base in timed),
    ]
    for kind, name in named:
        if name and ":" in name:
            yield Name(kind, name, _first(finder.function(kind, name)), own=True)
    if own_module(puzzle.mistakes_module, puzzle.folder):
        yield from (_mistake(one, puzzle.mistakes_module, own=True) for one in finder.mistakes())


def _mistake(one: Mistake, module: str, own: bool = False) -> Name:
    return Name("mistake", one.code, first_sentence(in_words(one.says)), module, own)


def _first(function: Callable[..., Any]) -> str:
    """Return the first paragraph of a docstring in one line; nothing where there is none."""
    return " ".join((inspect.getdoc(function) or "").partition("\n\n")[0].split())


def rehearse(puzzle: Puzzle, seed: int) -> None:
    """Have each mistake that a record lists compute each case of the CPU once.

    Raises RecordError for the first emulation that raises, or gives something else than the outputs of a case.
    """
    cases = [drawn for drawn in draw(puzzle, seed, "cpu") if not drawn.is_empty and shows_why(drawn)]
    for mistake in resolve(puzzle).mistakes:
        with authored(puzzle, f"mistake {mistake.code!r}"):
            for drawn in cases:
                for _ in emulations(mistake, drawn, [Tile(*TRIED, drawn.dtype)]):
                    pass
