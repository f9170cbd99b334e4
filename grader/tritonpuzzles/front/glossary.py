"""The glossary: what stories, hints and reports mean by their words.

`glossary.md` contains it, for every pack: groups under `## `; an entry begins with its name in bold, below a comment
with its other names. docs/words.md is the same page.
"""

from __future__ import annotations

import contextlib
import functools
import re
from dataclasses import dataclass
from pathlib import Path

from tritonpuzzles.decoding.marks import close_to
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.workspace.shipped import docs_pages

PAGE = Path(__file__).with_name("glossary.md")
LIKE = 0.6  # least similarity of a misspelled word to the right one
LINKED = 3  # words that a report names at most
COMMON = ("kernel", "launch", "dtype", "axis", "iteration")  # words of every report, which every story explains

_ENTRY = re.compile(r"^(?:<!-- also: (?P<also>[^>]*) -->\n)?\*\*(?P<name>[^*]+)\*\*:", re.MULTILINE)
_COMMENT = re.compile(r"^<!-- .* -->\n", re.MULTILINE)


@dataclass(frozen=True)
class Entry:
    """One entry."""

    name: str  # as it stands in bold
    also: tuple[str, ...]  # other names, without their plurals
    text: str  # its Markdown, the name included

    @property
    def names(self) -> tuple[str, ...]:
        """All names that it answers to."""
        return (self.name, *self.also)


def page() -> str:
    """Return the whole glossary in Markdown."""
    return _COMMENT.sub("", PAGE.read_text(encoding="utf-8"))


@functools.cache
def entries() -> tuple[Entry, ...]:
    """Return every entry, in order."""
    text = PAGE.read_text(encoding="utf-8")
    matches = list(_ENTRY.finditer(text))
    ends = [*(match.start() for match in matches[1:]), len(text)]
    found = []
    for match, end in zip(matches, ends, strict=True):
        body = re.split(r"^## ", text[match.start() : end], maxsplit=1, flags=re.MULTILINE)[0]
        also = tuple(name.strip() for name in (match["also"] or "").split(",") if name.strip())
        found.append(Entry(match["name"], also, _COMMENT.sub("", body).strip()))
    return tuple(found)


def find(words: str) -> tuple[Entry, ...]:
    """Return the entries of words as a person writes them: `lane`, `Shared memory`, `lane, masks` or `lane masks`.

    Raises:
        FrontError: for the first word that has no entry and is no code; it suggests the nearest.
    """
    found: dict[str, Entry] = {}
    for wanted in filter(None, (" ".join(part.split()) for part in words.split(","))):
        whole = _named(wanted)
        for entry in [whole] if whole else [_named(word) or _unknown(word, wanted) for word in wanted.split()]:
            found[entry.name] = entry
    return tuple(found.values())


def glossary_of(words: str) -> str:
    """Return the entries of some words in Markdown; the whole glossary without a word.

    Raises:
        FrontError: for a word without an entry.
    """
    return "\n\n".join(entry.text for entry in find(words)) or page()


def words_in(text: str) -> list[str]:
    """Return the words of a report's text that the glossary explains, in order, each entry once.

    Names of functions (with a dot) are skipped here: in a report they are code.
    """
    places: dict[str, tuple[int, str]] = {}
    for entry in entries():
        for name in entry.names if entry.name not in COMMON else ():
            if "." not in name and (at := _mention(name).search(text)):
                places[entry.name] = min(places.get(entry.name, (at.start(), name)), (at.start(), name))
    return [name for _, name in sorted(places.values())][:LINKED]


def _named(word: str) -> Entry | None:
    """Return the entry that a word names, in the singular or the plural, or else what a finding's code means."""
    word = word.lower()
    forms = (word, word.removesuffix("s"), word.removesuffix("es"), re.sub("ies$", "y", word))
    return next((_by_name()[form] for form in forms if form in _by_name()), None) or _code(word)


def _code(word: str) -> Entry | None:
    with contextlib.suppress(FrontError):  # an installation may have no pages
        for page in (path for path in docs_pages() if path.stem == "codes"):
            row = rf"^\| `{re.escape(word)}` \| [^|]* \| (.*) \|$"  # code, severity or puzzles, meaning
            if found := re.search(row, page.read_text(encoding="utf-8"), re.MULTILINE):
                return Entry(word, (), f"**{word}**, a finding's code: {found[1]}")
    return None


@functools.cache
def _by_name() -> dict[str, Entry]:
    return {name.lower(): entry for entry in entries() for name in entry.names}


def _unknown(word: str, wanted: str) -> Entry:
    near = close_to(wanted.lower(), _by_name(), LIKE) or close_to(word.lower(), _by_name(), LIKE)
    hint = f" Did you mean {_by_name()[near].name}?" if near else ""
    raise FrontError(f"The glossary has no word {word!r}.{hint}", "tritonpuzzles words (all of them)")


@functools.cache
def _mention(name: str) -> re.Pattern[str]:
    """Return a pattern that finds a name, or its plural, as a whole word in a sentence."""
    return re.compile(rf"(?<![\w.]){re.escape(name)}(?:e?s)?(?![\w(])", re.IGNORECASE)
