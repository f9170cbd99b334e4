"""The state file of a workspace, `.tritonpuzzles/state.json`: what is solved, tried, hinted at, and the chosen GPU.

A problem with progress never stops a command: an unreadable file is set aside, a failed write is a warning. Every
change is read, made and written under one lock. Entries are keyed by slug, because a puzzle's number may change, and
whatever a newer version wrote is kept unchanged. Version 1 was keyed by number.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn

from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front.text import first_line
from tritonpuzzles.front.workspace.files import locked, unused, write_atomically
from tritonpuzzles.front.workspace.folder import shown, why
from tritonpuzzles.front.workspace.progress import Progress, from_dict
from tritonpuzzles.hardware.l2 import L2S, USUAL
from tritonpuzzles.sandbox import NotRegularError, TooLargeError, read_regular

MAX_BYTES, VERSION = 4 << 20, 2
NO_GPU = "none"  # the stored value if no speed is to be predicted

Say = Callable[[str], None]
Entries = dict[str, Progress]  # by slug


class CorruptStateError(ValueError):
    """The state file does not hold what this program writes."""


class NewerStateError(Exception):
    """The state file holds what only a newer version can read."""


@dataclass(frozen=True)
class Contents:
    """A state file."""

    entries: Entries = field(default_factory=dict)
    raw: dict[str, Any] = field(default_factory=dict)  # the whole file as it was read, with its puzzles by slug

    @property
    def gpu(self) -> str | None:
        """The GPU whose speed is predicted, `None` for none; the default if no known GPU was chosen."""
        chosen = self.raw.get("gpu")
        return None if chosen == NO_GPU else chosen if chosen in list(L2S) else USUAL.gpu


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
        raise CorruptStateError(first_line(error)) from error
    try:
        found = _object(raw.get("puzzles"), "it has no puzzles")
        slugs = {str(puzzle.number): puzzle.slug for puzzle in load_curriculum().puzzles}
        puzzles = {key if slugs.get(key, key) in found else slugs[key]: entry for key, entry in found.items()}
        return Contents({slug: from_dict(entry) for slug, entry in puzzles.items()}, {**raw, "puzzles": puzzles})
    except (ValueError, RecursionError) as error:
        if version > VERSION:
            raise NewerStateError("a newer version of tritonpuzzles wrote it") from error
        raise CorruptStateError(first_line(error)) from error


def dump(contents: Contents, entries: Entries) -> bytes:
    """Return a state file with other entries than it had; all else in it stays."""
    before = contents.raw.get("puzzles", {})
    puzzles = {slug: _written(entries[slug], before.get(slug)) for slug in sorted(entries)}
    version = max(VERSION, contents.raw.get("version", VERSION))
    return json.dumps({**contents.raw, "version": version, "puzzles": puzzles}, indent=2).encode() + b"\n"


def _written(entry: Progress, before: dict[str, Any] | None) -> dict[str, Any]:
    """Return an entry's data; unchanged fields are written as they were read, with what only a newer version knows."""
    data = entry.to_dict()
    if before is None:
        return data
    known = from_dict(before).to_dict()
    return {key: before.get(key, value) if value == known.get(key) else value for key, value in data.items()}


def _object(value: Any, otherwise: str = "it is no object") -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(otherwise)
    return value


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number")


class State:
    """The progress of one workspace."""

    def __init__(self, folder: Path, warn: Say) -> None:
        self._folder = folder
        self._path = folder / "state.json"
        self._warn = warn

    def read(self) -> Entries:
        """Return every entry, by slug; empty if there is no readable file."""
        try:
            return _load(self._path).entries
        except CorruptStateError:
            return self.update(lambda entries: None)
        except (OSError, NewerStateError) as error:
            self._warn(f"Progress cannot be read: {why(error)}.")
        return {}

    def update(self, change: Callable[[Entries], None]) -> Entries:
        """Apply a change to the entries, and return them as they are now."""
        entries: Entries = {}

        def changed(contents: Contents) -> Contents:
            entries.update(contents.entries)
            change(entries)
            return replace(contents, entries=entries)

        self._update_or_warn(changed)
        return entries

    def gpu(self) -> str | None:
        """Return the GPU whose speed is predicted, `None` for none; read errors are reported by `read`."""
        try:
            return _load(self._path).gpu
        except (OSError, CorruptStateError, NewerStateError):
            return Contents().gpu

    def keep_gpu(self, chosen: str | None) -> None:
        """Keep the GPU whose speed later checks predict; `None` for none."""
        self._update_or_warn(lambda contents: replace(contents, raw={**contents.raw, "gpu": chosen or NO_GPU}))

    def _update_or_warn(self, change: Callable[[Contents], Contents]) -> None:
        try:
            with locked(self._folder):
                contents = self._load_or_set_aside()
                changed = change(contents)
                if changed != contents:
                    write_atomically(self._path, dump(changed, changed.entries))
        except (OSError, NewerStateError) as error:
            self._warn(f"Progress is not saved: {why(error)}.")

    def _load_or_set_aside(self) -> Contents:
        try:
            return _load(self._path)
        except CorruptStateError as error:
            aside = unused(self._folder, "state.corrupt.json")
            self._path.rename(aside)
            self._warn(f"The progress file was not readable ({error}). It is now {shown(aside)}; progress starts anew.")
            return Contents()


def _load(path: Path) -> Contents:
    try:
        data = read_regular(path, MAX_BYTES)
    except FileNotFoundError:
        return Contents()
    except (NotRegularError, TooLargeError) as error:
        raise CorruptStateError(f"it is no file of at most {MAX_BYTES:,} bytes") from error
    return parse(data)
