"""The state file of a workspace, `.tritonpuzzles/state.json`: what is solved, tried, hinted at.

Progress is worth keeping and never worth failing for: what cannot be read is set aside, what cannot be written is a
warning. Every change is read, made and written under one lock, so that two checks at once lose nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tritonpuzzles.front.workspace.contents import Contents, CorruptStateError, Entries, NewerStateError, dump, parse
from tritonpuzzles.front.workspace.files import locked, unused, write_atomically
from tritonpuzzles.front.workspace.folder import shown
from tritonpuzzles.sandbox import NotRegularError, TooLargeError, read_regular

__all__ = ["Entries", "State"]

MAX_BYTES = 4 << 20

Say = Callable[[str], None]


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
        """Return every entry, by slug; nothing where there is no file, or none that can be read."""
        try:
            return _load(self._path).entries
        except CorruptStateError:
            return self._update_or_warn(lambda entries: None)
        except (OSError, NewerStateError) as error:
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
                contents = self._load_or_set_aside()
                entries.update(contents.entries)
                change(entries)
                if entries != contents.entries:
                    write_atomically(self._path, dump(contents, entries))
        except (OSError, NewerStateError) as error:
            self._warn(f"Progress is not saved: {error}.")
        return entries

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
