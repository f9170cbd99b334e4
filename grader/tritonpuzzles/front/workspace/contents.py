"""What the state file holds, and how it is read and written. Entries go by slug: a puzzle may get another number.

Whatever a newer version wrote is kept as it is: puzzles that this one does not know, keys of the file, of an entry, of
a record in an entry. Of version 1, which counted by number, what has a number of this curriculum gets its slug.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, NoReturn

from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front.workspace.progress import Progress, from_dict

VERSION = 2

Entries = dict[str, Progress]  # by slug


class CorruptStateError(ValueError):
    """The state file does not hold what this program writes."""


class NewerStateError(Exception):
    """The state file holds what only a newer version can read."""


@dataclass(frozen=True)
class Contents:
    """A state file.

    Attributes:
        entries: of puzzles, by slug.
        raw: the whole file as it was read, with its puzzles by slug.
    """

    entries: Entries = field(default_factory=dict)
    raw: dict[str, Any] = field(default_factory=dict)


def parse(data: bytes) -> Contents:
    """Read a state file.

    Raises:
        CorruptStateError: if no version writes this.
        NewerStateError: if a newer version says that it wrote it, and this one cannot read it.
    """
    try:
        raw = _object(json.loads(data, parse_constant=_refuse))
        version = raw.get("version", 1)
        if isinstance(version, bool) or not isinstance(version, int):
            raise ValueError(f"version {version!r} is none")
    except (ValueError, RecursionError) as error:
        raise CorruptStateError(_short(error)) from error
    try:
        puzzles = _by_slug(_object(raw.get("puzzles"), "it has no puzzles"))
        return Contents({slug: from_dict(entry) for slug, entry in puzzles.items()}, {**raw, "puzzles": puzzles})
    except (ValueError, RecursionError) as error:
        if version > VERSION:
            raise NewerStateError("a newer version of tritonpuzzles wrote it") from error
        raise CorruptStateError(_short(error)) from error


def dump(contents: Contents, entries: Entries) -> bytes:
    """Return a state file with other entries than it had; all else in it stays."""
    before = contents.raw.get("puzzles", {})
    puzzles = {slug: _written(entries[slug], before.get(slug)) for slug in sorted(entries)}
    version = max(VERSION, contents.raw.get("version", VERSION))
    return json.dumps({**contents.raw, "version": version, "puzzles": puzzles}, indent=2).encode() + b"\n"


def _written(entry: Progress, before: dict[str, Any] | None) -> dict[str, Any]:
    """Return an entry's data; where nothing has changed, as it was read, with what only a newer version knows."""
    data = entry.to_dict()
    if before is None:
        return data
    known = from_dict(before).to_dict()
    return {key: before.get(key, value) if value == known.get(key) else value for key, value in data.items()}


def _by_slug(puzzles: dict[str, Any]) -> dict[str, Any]:
    slugs = {str(puzzle.number): puzzle.slug for puzzle in load_curriculum().puzzles}
    return {key if slugs.get(key, key) in puzzles else slugs[key]: entry for key, entry in puzzles.items()}


def _object(value: Any, otherwise: str = "it is no object") -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(otherwise)
    return value


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number")


def _short(error: BaseException) -> str:
    return str(error).splitlines()[0][:120] if str(error) else type(error).__name__
