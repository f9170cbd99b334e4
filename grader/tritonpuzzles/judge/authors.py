"""For pack authors: list every name that a record may use, and run every mistake's emulation before a learner does."""

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
    """One name that a record may use."""

    kind: str  # `family`, `reference`, `tolerance`, `walk`, `baseline` or `mistake`
    name: str  # as a record has it
    says: str  # what it is, in one line
    module: str = ""  # of a mistake: the record's `mistakes_module`
    own: bool = False  # whether the pack defines it


def names(puzzles: Iterable[Puzzle]) -> list[Name]:
    """Return the names that records may use, grouped by kind; within a kind, the packs' own names come first.

    Raises RecordError if a pack's name does not resolve.
    """
    every = [name for puzzle in puzzles for name in _brought(puzzle)]
    every += [Name(kind, name, _first(function)) for kind, own in LIBRARIES.items() for name, function in own.items()]
    for module in pkgutil.iter_modules(mistakes.__path__):
        if module.ispkg:
            held = importlib.import_module(f"{mistakes.__name__}.{module.name}").MISTAKES
            every += [_mistake(one, module.name) for one in held.by_code.values()]
    return sorted(dict.fromkeys(every), key=lambda one: [*LIBRARIES, "mistake"].index(one.kind))


def _brought(puzzle: Puzzle) -> Iterator[Name]:
    """Yield the functions that a record names as `module:function`, and the mistakes of the pack's own module."""
    finder = Finder(puzzle)
    for kind, name in puzzle.functions:
        if ":" in name:
            yield Name(kind, name, _first(finder.function(kind, name)), own=True)
    if own_module(puzzle.mistakes_module, puzzle.folder):
        yield from (_mistake(one, puzzle.mistakes_module, own=True) for one in finder.mistakes())


def _mistake(one: Mistake, module: str, own: bool = False) -> Name:
    return Name("mistake", one.code, first_sentence(in_words(one.says)), module, own)


def _first(function: Callable[..., Any]) -> str:
    """Return the first paragraph of a docstring as one line; an empty string if there is no docstring."""
    return " ".join((inspect.getdoc(function) or "").partition("\n\n")[0].split())


def rehearse(puzzle: Puzzle, seed: int) -> None:
    """Have each mistake that a record lists compute each CPU case once.

    Raises RecordError for the first emulation that raises, or whose results do not match the outputs of the case.
    """
    cases = [drawn for drawn in draw(puzzle, seed, "cpu") if not drawn.is_empty and shows_why(drawn)]
    for mistake in resolve(puzzle).mistakes:
        with authored(puzzle, f"mistake {mistake.code!r}"):
            for drawn in cases:
                for _ in emulations(mistake, drawn, [Tile(*TRIED, drawn.dtype)]):
                    pass
