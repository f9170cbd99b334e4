"""The state file of a workspace, `.tritonpuzzles/state.json`: what is solved, tried, hinted at.

Progress is worth keeping and never worth failing for: what cannot be read is set aside, what cannot be written is a
warning. Every change is read, made and written under one lock, so that two checks at once lose nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from tritonpuzzles.front.workspace.files import locked, unused, write_atomically
from tritonpuzzles.front.workspace.folder import shown
from tritonpuzzles.front.workspace.progress import Progress, from_dict
from tritonpuzzles.sandbox import NotRegularError, TooLargeError, read_regular

VERSION = 1
MAX_BYTES = 4 << 20

Entries = dict[int, Progress]
Say = Callable[[str], None]


class CorruptStateError(ValueError):
    """The state file does not hold what this program writes."""


class State:
    """The progress of one workspace.

    Args:
        folder: the workspace's `.tritonpuzzles/`.
        warn: is told, in a sentence, what could not be read or written.
    """

    def __init__(self, folder: Path, warn: Say) -> None:
        self._folder = folder
        self._path = folder / "state.json"
        self._warn = warn

    def read(self) -> Entries:
        """Return every entry; nothing where there is no file, or none that can be read."""
        try:
            return _load(self._path)
        except CorruptStateError:
            return self._update_or_warn(lambda entries: None)
        except OSError as error:
            self._warn(f"Progress cannot be read: {error}.")
            return {}

    def update(self, change: Callable[[Entries], None]) -> Entries:
        """Apply a change to the entries, and return them as they are now.

        Args:
            change: edits the dictionary in place; runs under the lock.
        """
        return self._update_or_warn(change)

    def _update_or_warn(self, change: Callable[[Entries], None]) -> Entries:
        entries: Entries = {}
        try:
            with locked(self._folder):
                entries.update(self._load_or_set_aside())
                before = _dump(entries)
                change(entries)
                if _dump(entries) != before:
                    write_atomically(self._path, _dump(entries))
        except OSError as error:
            self._warn(f"Progress is not saved: {error}.")
        return entries

    def _load_or_set_aside(self) -> Entries:
        try:
            return _load(self._path)
        except CorruptStateError as error:
            aside = unused(self._folder, "state.corrupt.json")
            self._path.rename(aside)
            self._warn(f"The progress file was not readable ({error}). It is now {shown(aside)}; progress starts anew.")
            return {}


def _load(path: Path) -> Entries:
    try:
        data = read_regular(path, MAX_BYTES)
    except FileNotFoundError:
        return {}
    except (NotRegularError, TooLargeError) as error:
        raise CorruptStateError(f"it is no file of at most {MAX_BYTES:,} bytes") from error
    try:
        return _parse(json.loads(data, parse_constant=_refuse))
    except (ValueError, RecursionError) as error:
        raise CorruptStateError(_short(error)) from error


def _parse(data: Any) -> Entries:
    puzzles = data.get("puzzles") if isinstance(data, dict) else None
    if not isinstance(puzzles, dict):
        raise ValueError("it has no puzzles")
    return {int(number): from_dict(entry) for number, entry in puzzles.items()}


def _dump(entries: Entries) -> bytes:
    puzzles = {str(number): entries[number].to_dict() for number in sorted(entries)}
    return json.dumps({"version": VERSION, "puzzles": puzzles}, indent=2).encode() + b"\n"


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number")


def _short(error: BaseException) -> str:
    return str(error).splitlines()[0][:120] if str(error) else type(error).__name__
