"""Which puzzle a file is for: by its name, else by what its text has in common with the puzzles' stubs.

The text is searched and never parsed or run: one with a syntax error finds its puzzle as well, and none can overwhelm
a parser.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front.classroom.naming import PYTHON, without_copy
from tritonpuzzles.front.classroom.settings import ClassSettings
from tritonpuzzles.front.story import read_source, split
from tritonpuzzles.front.workspace.shipped import stub_file
from tritonpuzzles.results.words import listed, plural

Key: TypeAlias = tuple[str, ...]  # words by which a puzzle is named

MOST_SHOWN = 3  # names in a sentence
_NUMBER = re.compile(r"(?<![a-z])(?:p|q|ex|puzzle|problem|exercise|question|task)[\s_-]*0*(\d{1,2})(?!\d)")
_EXACT = re.compile(r"p?0*(\d{1,2})")
_DEFINED = re.compile(r"^(?:def|class)[ \t]+(\w+)|^(\w+)[ \t]*=(?!=)", re.MULTILINE)
_COMMENT = re.compile(r"#.*")
_WORD = re.compile(r"[A-Za-z_]\w*")


class NotTaken(Exception):
    """A file is not graded; the message is a clause about it: "is a symbolic link".

    Attributes:
        puzzle: that it is for, where that is known.
    """

    def __init__(self, clause: str, puzzle: Puzzle | None = None) -> None:
        super().__init__(clause)
        self.puzzle = puzzle


@dataclass(frozen=True)
class Match:
    """The puzzle of a file, and how it was found."""

    puzzle: Puzzle
    how: str


@dataclass(frozen=True)
class Text:
    """What the text of a file, or of a stub, is known by."""

    text: str

    @cached_property
    def defined(self) -> frozenset[str]:
        """The functions, classes and names that it defines at its top."""
        return frozenset(name for pair in _DEFINED.findall(self.text) for name in pair if name)

    @cached_property
    def lines(self) -> frozenset[str]:
        """Its lines, without spaces at their ends."""
        return frozenset(filter(None, map(str.strip, self.text.split("\n"))))

    @cached_property
    def words(self) -> frozenset[str]:
        """The names in it, comments left out."""
        return frozenset(_WORD.findall(_COMMENT.sub("", self.text)))


def text_of(data: bytes) -> str:
    """Return the text of a file; what is not UTF-8 in it is replaced."""
    return data.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")


class Finder:
    """Finds the puzzle of each file of a class.

    Raises:
        FrontError: if the installation has no stub of a puzzle.
        RecordError: if the open pack is not well formed.
    """

    def __init__(self, settings: ClassSettings) -> None:
        self._all = load_curriculum().puzzles
        self._assigned = tuple(one.puzzle for one in settings.assigned)
        self._sources = {puzzle.number: read_source(stub_file(puzzle)) for puzzle in self._all}
        self._stubs = {number: Text(source.text) for number, source in self._sources.items()}
        self._kernels = {number: _kernels(stub.text) for number, stub in self._stubs.items()}
        self._keys = {puzzle.number: _keys(puzzle) for puzzle in self._all}

    def is_stub(self, puzzle: Puzzle, text: str) -> bool:
        """Return whether a text, of a file or a cell, is the stub as it was shipped."""
        return split(text).same_code(self._sources[puzzle.number])

    def find(self, name: str, text: str) -> Match:
        """Return the puzzle of a file.

        Args:
            name: of the file.
            text: of it; "" where it is not to be looked at.

        Raises:
            NotTaken: if it is for no puzzle, or several come into question.
        """
        word = without_copy(name)[0].casefold()
        named, others = self._named(word)
        if len(named) == 1 and not others:
            return self.assigned(Match(named[0], self._by_name(named[0], word)), text)
        found, how = self._by_text([*named, *others] or self._assigned, Text(text))
        if len(found) == 1:
            return self.assigned(Match(found[0], how), text)
        if len(named) == 1:
            return self.assigned(Match(named[0], self._by_name(named[0], word)), text)
        if not named and not found:
            hosts = sorted({puzzle.host for puzzle in self._assigned})
            raise NotTaken(f"names no puzzle and defines no host function, which here are {listed(hosts)}: {_RENAME}")
        numbers = listed([str(puzzle.number) for puzzle in sorted(found or named, key=lambda one: one.number)])
        raise NotTaken(f"is for one of the puzzles {numbers}, and neither name nor text says which: {_RENAME}")

    def meant(self, name: str) -> Puzzle | None:
        """Return the puzzle of the class that a file's name says; `None` where it says none, or several."""
        try:
            return self.find(name, "").puzzle
        except NotTaken:
            return None

    def assigned(self, match: Match, text: str) -> Match:
        """Return what was found, if the class has this puzzle.

        Raises:
            NotTaken: else; with an empty message for a stub as it was shipped, of which there is nothing to say.
        """
        if match.puzzle in self._assigned:
            return match
        if self.is_stub(match.puzzle, text):
            raise NotTaken("")
        numbers = listed([str(puzzle.number) for puzzle in self._assigned])
        raise NotTaken(f"is for puzzle {match.puzzle.number}, {match.how}; this class has {numbers}")

    def _by_name(self, puzzle: Puzzle, word: str) -> str:
        """Return how a name says a puzzle: it is the puzzle's, or has its words or its number in it."""
        if word in (puzzle.stem, puzzle.slug) or _EXACT.fullmatch(word):
            return "by its name"
        matches = (_pattern(key).search(word) for key in self._keys[puzzle.number])
        found = next(filter(None, matches), None) or next(one for one in _NUMBER.finditer(word))
        return f"by {found[0]!r} in its name"

    def _named(self, word: str) -> tuple[list[Puzzle], list[Puzzle]]:
        """Return the puzzles that a name says, and others that it may mean: "softmax" is in many names."""
        exact = _EXACT.fullmatch(word)
        numbers = {int(exact[1])} if exact else set(map(int, _NUMBER.findall(word)))
        keys = [key for puzzle in self._all for key in self._keys[puzzle.number] if _pattern(key).search(word)]
        numbered = [key for number in numbers for key in self._keys.get(number, ())]
        longest = [key for key in keys if not any(_holds(other, key) for other in (*keys, *numbered))]
        named = [one for one in self._all if one.number in numbers or {*longest} & {*self._keys[one.number]}]
        vague = [] if numbers else longest
        return named, [one for one in self._all if one not in named and self._has_a_part(one, vague)]

    def _has_a_part(self, puzzle: Puzzle, parts: Sequence[Key]) -> bool:
        return any(_holds(key, part) for key in self._keys[puzzle.number] for part in parts)

    def _by_text(self, puzzles: Sequence[Puzzle], text: Text) -> tuple[list[Puzzle], str]:
        """Return the puzzles whose stubs a text may come from, and what says so: first what all must have."""
        found = [puzzle for puzzle in puzzles if puzzle.host in text.defined]
        how = f"by its host function {found[0].host}" if found else ""
        kernels = [puzzle for puzzle in found if self._kernels[puzzle.number] & text.defined]
        if len(found) > 1 and 0 < len(kernels) < len(found):
            found = kernels
            how += f" and its kernel {listed(sorted(self._kernels[found[0].number] & text.defined)[:MOST_SHOWN])}"
        for of, said in _LIKENESS:
            if len(found) > 1:
                shared = self._shared(found, of, of(text))
                most = max(map(len, shared.values()))
                best = [puzzle for puzzle in found if len(shared[puzzle.number]) == most]
                if most and len(best) == 1:
                    return best, f"{how} and {said(shared[best[0].number])}"
        return found, how

    def _shared(
        self, puzzles: Sequence[Puzzle], of: Callable[[Text], frozenset[str]], mine: frozenset[str]
    ) -> dict[int, frozenset[str]]:
        """Return what a text has in common with each puzzle's stub and with no other's."""
        stubs = {puzzle.number: of(self._stubs[puzzle.number]) for puzzle in puzzles}
        return {
            number: mine & there - frozenset().union(*(stubs[other] for other in stubs if other != number))
            for number, there in stubs.items()
        }


_RENAME = f"name it as its stub is named, as in p03_online_softmax{PYTHON}"
_LIKENESS: tuple[tuple[Callable[[Text], frozenset[str]], Callable[[frozenset[str]], str]], ...] = (
    (lambda text: text.lines, lambda shared: f"{plural(len(shared), 'line')} of its stub"),
    (lambda text: text.words, lambda shared: f"the names {listed(sorted(shared)[:MOST_SHOWN])}"),
)


def _kernels(stub: str) -> frozenset[str]:
    """Return the functions of a stub that Triton compiles; a stub is ours, and parsed."""
    functions = (node for node in ast.parse(stub).body if isinstance(node, ast.FunctionDef))
    return frozenset(one.name for one in functions if any("jit" in ast.unparse(mark) for mark in one.decorator_list))


def _keys(puzzle: Puzzle) -> tuple[Key, ...]:
    """Return the words by which a puzzle is named: of its slug, and of its title."""
    titled = tuple(re.findall(r"[a-z0-9]+", puzzle.title.casefold()))
    return tuple(dict.fromkeys((tuple(puzzle.slug.split("_")), titled)))


def _pattern(key: Key) -> re.Pattern[str]:
    words = r"[\W_]*".join(map(re.escape, key))
    return re.compile(rf"(?<![a-z]){words}(?![a-z])")


def _holds(key: Key, part: Key) -> bool:
    """Return whether words hold others, which are fewer, in a row."""
    return len(part) < len(key) and any(key[n : n + len(part)] == part for n in range(len(key)))
