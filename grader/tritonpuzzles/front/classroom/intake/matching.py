"""Which puzzle a file is for: by its name, else by what its text has in common with the puzzles' stubs.

The text is searched and never parsed or run: one with a syntax error finds its puzzle as well, and none can overwhelm
a parser.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front.classroom.intake.naming import PYTHON, without_copy
from tritonpuzzles.front.classroom.model import ClassSettings
from tritonpuzzles.front.story import Source, read_source, split
from tritonpuzzles.front.workspace.shipped import stub_file
from tritonpuzzles.results.words import listed

Key: TypeAlias = tuple[str, ...]  # words by which a puzzle is named

_NUMBER = re.compile(r"(?<![a-z])(?:p|q|ex|puzzle|problem|exercise|question|task)[\s_-]*0*(\d{1,2})(?!\d)")
_EXACT = re.compile(r"p?0*(\d{1,2})")
_DEFINED = re.compile(r"^(?:def|class)[ \t]+(\w+)|^(\w+)[ \t]*=(?!=)", re.MULTILINE)
_COMMENT = re.compile(r"#.*")
_HEADING = re.compile(r"^# # .+$", re.MULTILINE)
_WORD = re.compile(r"[A-Za-z_]\w*")


class NotTaken(Exception):
    """A file is not graded; the message is a clause about it: "is a symbolic link"."""

    def __init__(self, clause: str, puzzle: Puzzle | None = None) -> None:
        super().__init__(clause)
        self.puzzle = puzzle  # that it is for, where that is known


@dataclass(frozen=True)
class Match:
    """The puzzle of a file, and how it was found."""

    puzzle: Puzzle
    how: str


@dataclass(frozen=True)
class Stub:
    """The parts of a stub that a submission usually still contains."""

    source: Source  # its story and its code
    kernels: frozenset[str]  # names of those that it defines
    said: frozenset[str]  # the heading of its story, and the first lines of its kernels' docstrings
    parameters: frozenset[str]  # their names, of all its kernels

    @classmethod
    def of(cls, source: Source) -> Stub:
        """Return the recognisable parts of a stub; it is our own file, so it is parsed."""
        functions = (node for node in ast.parse(source.code).body if isinstance(node, ast.FunctionDef))
        kernels = [one for one in functions if any("jit" in ast.unparse(mark) for mark in one.decorator_list)]
        docstrings = (ast.get_docstring(one, clean=False) for one in kernels)
        said = {f'"""{text}"""' if "\n" not in text else f'"""{text.splitlines()[0]}' for text in docstrings if text}
        said |= set(_HEADING.findall(source.story)[:1])
        names = (argument.arg for one in kernels for argument in (*one.args.args, *one.args.kwonlyargs))
        return cls(source, frozenset(one.name for one in kernels), frozenset(said), frozenset(names))


class Finder:
    """Finds the puzzle of each file of a class.

    Raises:
        FrontError: if the installation has no stub of a puzzle.
        RecordError: if the open pack is not well formed.
    """

    def __init__(self, settings: ClassSettings) -> None:
        self._all = load_curriculum().puzzles
        self._assigned = tuple(one.puzzle for one in settings.assigned)
        self._stubs = {puzzle.number: Stub.of(read_source(stub_file(puzzle))) for puzzle in self._all}
        self._keys = {puzzle.number: _keys(puzzle) for puzzle in self._all}

    def is_stub(self, puzzle: Puzzle, text: str) -> bool:
        """Return whether a text, of a file or a cell, is the stub as it was shipped."""
        return split(text).same_code(self._stubs[puzzle.number].source)

    def find(self, name: str, text: str) -> Match:
        """Return the puzzle of a file by its name and its text; an empty text means that only the name counts.

        Raises:
            NotTaken: if it is for no puzzle, or several come into question.
        """
        word = without_copy(name)[0].casefold()
        named, others = self._named(word)
        is_plain = len(named) == 1 and not others
        found, how = ([], "") if is_plain else self._by_text([*named, *others] or self._assigned, text)
        if len(named) == 1 and len(found) != 1:
            found, how = named, self._by_name(named[0], word)
        if len(found) == 1:
            return self.assigned(Match(found[0], how), text)
        if not named and not found:
            hosts = sorted({puzzle.host for puzzle in self._assigned})
            raise NotTaken(f"names no puzzle, and defines no function of the name {' or '.join(hosts)}: {_RENAME}")
        numbers = " or ".join(map(str, sorted(puzzle.number for puzzle in found or named)))
        raise NotTaken(f"is for puzzle {numbers}, and neither its name nor its text says which: {_RENAME}")

    def meant(self, name: str) -> Puzzle | None:
        """Return the class's puzzle that a file's name means; `None` if it means none, or several."""
        try:
            return self.find(name, "").puzzle
        except NotTaken:
            return None

    def assigned(self, match: Match, text: str) -> Match:
        """Return the match with the class's own puzzle, if the class has this puzzle.

        Raises:
            NotTaken: otherwise; with an empty message for an unchanged stub, which needs no report.
        """
        for puzzle in self._assigned:
            if puzzle.number == match.puzzle.number:
                return replace(match, puzzle=puzzle)  # the class's own, perhaps with hidden cases
        if self.is_stub(match.puzzle, text):
            raise NotTaken("")
        numbers = listed([str(puzzle.number) for puzzle in self._assigned])
        raise NotTaken(f"is for puzzle {match.puzzle.number}, {match.how}; this class has {numbers}")

    def _by_name(self, puzzle: Puzzle, word: str) -> str:
        """Return how a name means a puzzle: it is the puzzle's name, or contains its words or its number."""
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
        others = [
            one for one in self._all if any(_holds(key, part) for key in self._keys[one.number] for part in vague)
        ]
        return named, [one for one in others if one not in named]

    def _by_text(self, puzzles: Sequence[Puzzle], text: str) -> tuple[list[Puzzle], str]:
        """Return the puzzles whose stubs a text may come from, and the reason in words.

        All of them have its host function. If only one of these has its kernel's name, it is that one. Otherwise a line
        of a stub's own heading or docstrings decides, or all parameters that only one stub has. Weaker evidence does
        not count: right and wrong kernels alike use the words of other puzzles.
        """
        defined = {name for pair in _DEFINED.findall(text) for name in pair}
        found = [puzzle for puzzle in puzzles if puzzle.host in defined]
        how = f"by its host function {found[0].host}" if found else ""
        if len(found) < 2:
            return found, how
        kernels = [puzzle for puzzle in found if self._stubs[puzzle.number].kernels & defined]
        if len(kernels) == 1:
            names = self._stubs[kernels[0].number].kernels & defined
            return kernels, f"{how} and its kernel {listed(sorted(names))}"
        lines = set(map(str.strip, text.split("\n")))
        said = [one for one in found if self._alone(one, found, lambda stub: stub.said) & lines]
        if len(said) == 1:
            return said, f"{how} and its stub's own words"
        words = set(_WORD.findall(_COMMENT.sub("", text)))
        own = {one.number: self._alone(one, found, lambda stub: stub.parameters) for one in found}
        named = [one for one in found if own[one.number] and own[one.number] <= words]
        if not said and len(named) == 1:
            return named, f"{how} and its parameters {listed(sorted(own[named[0].number]))}"
        return found, how

    def _alone(self, puzzle: Puzzle, among: Sequence[Puzzle], of: Callable[[Stub], frozenset[str]]) -> frozenset[str]:
        """Return the features of one puzzle's stub that no other of several stubs has."""
        others = (of(self._stubs[other.number]) for other in among if other != puzzle)
        return of(self._stubs[puzzle.number]).difference(*others)


_RENAME = f"name it as its stub is named, as in p03_online_softmax{PYTHON}"


def _keys(puzzle: Puzzle) -> tuple[Key, ...]:
    """Return the words by which a puzzle is named: of its slug, and of its title."""
    titled = tuple(re.findall(r"[a-z0-9]+", puzzle.title.casefold()))
    return tuple(dict.fromkeys((tuple(puzzle.slug.split("_")), titled)))


def _pattern(key: Key) -> re.Pattern[str]:
    words = r"[\W_]*".join(map(re.escape, key))
    return re.compile(rf"(?<![a-z]){words}(?![a-z])")


def _holds(key: Key, part: Key) -> bool:
    """Return whether a key contains a shorter one as consecutive words."""
    return len(part) < len(key) and any(key[n : n + len(part)] == part for n in range(len(key)))
