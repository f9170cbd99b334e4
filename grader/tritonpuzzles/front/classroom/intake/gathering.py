"""Walk a class's folder or archive, without following links; links and other non-files are refused."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Collection
from datetime import datetime
from pathlib import Path

from tritonpuzzles.front.classroom.intake.archives import ArchiveError, Budget, unpack
from tritonpuzzles.front.classroom.intake.naming import (
    ARCHIVE,
    GRADED,
    NOTEBOOK,
    OTHER_ARCHIVES,
    PYTHON,
    Entry,
    Parts,
    Tree,
    ending,
    is_searched,
    is_wanted,
    moment,
)
from tritonpuzzles.front.errors import FrontError

MOST_DEEP = 16  # folders within each other
MOST_FILES = 500_000  # in one of the class's folders: clones bring libraries and data along
LINK = "is a symbolic link, and no link is followed: hand in the file itself"
NO_FILE = "is a pipe, a socket or a device, and a file is expected"
NESTED = "is a zip in a zip of a student's: hand in one zip, or the files"
_NAMED = re.compile(r"p\d\d_[a-z]")  # as stubs are; whatever the ending, it was meant to be graded


def gathered(folder: Path, into: Path, without: Collection[Path] = ()) -> Tree:
    """Return all that a folder or a zip contains, without the folders in `without`, which are not a student's.

    What archives hold is unpacked `into` a folder of this process, with no link in its path.

    Raises:
        FrontError: if there is neither, or the class's folder or archive cannot be read at all.
    """
    real = Path(os.path.realpath(folder))
    gathering = _Gathering(real, into, without)
    if real.is_dir():
        gathering.folder(folder)
    elif real.is_file() and ending(real.name) == ARCHIVE:
        gathering.archive_of_the_class(folder)
    else:
        what = f"{folder} is neither a folder nor a zip with what a class has handed in."
        raise FrontError(what, "tritonpuzzles class grade FOLDER")
    tree = gathering.tree
    tree.files.sort(key=lambda entry: entry.parts)
    tree.refused.sort()
    return tree


class _Gathering:
    """The tree as it grows, of the class's `real` folder or archive, with no link in its path."""

    def __init__(self, real: Path, into: Path, without: Collection[Path]) -> None:
        self.real, self.into = real, into
        self.tree = Tree(real.name if real.is_dir() else real.stem)
        self._without = frozenset(map(os.path.realpath, without))

    def folder(self, shown: Path) -> None:
        """Add the contents of the class's folder.

        Raises:
            FrontError: if it cannot be read.
        """
        entries = self._listed(self.real, ())
        if self.tree.refused:
            raise FrontError(f"{shown} {self.tree.refused[0][1]}.", "ask its owner for the right to read it")
        for entry in entries:
            if self._visit(entry, (entry.name,)):
                self._walk(Path(entry.path), (entry.name,))

    def archive_of_the_class(self, shown: Path) -> None:
        """Add the contents of the class's archive; each student's archive in it has its own budget.

        Raises:
            FrontError: if it cannot be unpacked.
        """
        try:
            found = unpack(self.real, self.into, Budget(entries=1_000_000, listing=256 << 20, total=4 << 30))
        except ArchiveError as error:
            raise FrontError(f"{shown} {error}.", "download it again, or unpack it and name the folder") from error
        for inner in self._add(found, (), None):
            self._archive(inner, nests=False)

    def _walk(self, folder: Path, parts: Parts) -> None:
        """Add the contents of a folder at the top, and of all folders below it."""
        waiting, left = [(folder, parts)], MOST_FILES
        while waiting:
            folder, parts = waiting.pop()
            entries = self._listed(folder, parts)
            left -= len(entries)
            if left < 0:
                self._refuse(parts[:1], f"holds more than {MOST_FILES:,} files; the rest is not searched")
                return
            for entry in entries:
                if self._visit(entry, (*parts, entry.name)):
                    waiting.append((Path(entry.path), (*parts, entry.name)))

    def _listed(self, folder: Path, parts: Parts) -> list[os.DirEntry[str]]:
        """Return the entries of a folder; refuse one that cannot be read or is nested too deep."""
        if len(parts) > MOST_DEEP:
            self._refuse(parts, f"lies more than {MOST_DEEP} folders deep and is not searched")
            return []
        try:
            with os.scandir(folder) as entries:
                return sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            self._refuse(parts, f"cannot be read: {error.strerror}")
            return []

    def _visit(self, entry: os.DirEntry[str], parts: Parts) -> bool:
        """Add one entry of a folder; return whether it is a folder to search."""
        if entry.name == ".git":
            self.tree.clones.add(parts[:-1])
        if not is_searched(entry.name) or entry.path in self._without:
            return False
        try:
            about = entry.stat(follow_symlinks=False)
        except OSError as error:
            self._refuse(parts, f"cannot be read: {error.strerror}")
            return False
        if stat.S_ISDIR(about.st_mode):
            self.tree.folders.add(parts)
            if ending(entry.name) in GRADED:
                self._refuse(parts, "is a folder, and a file is expected")
            return True
        self._visit_file(Path(entry.path), parts, about)
        return False

    def _visit_file(self, path: Path, parts: Parts, about: os.stat_result) -> None:
        """Add one entry that is not a folder."""
        entry = Entry(path, parts, moment(about.st_mtime))
        if stat.S_ISLNK(about.st_mode):
            self._refuse(parts, LINK)
        elif is_wanted(path.name) and not stat.S_ISREG(about.st_mode):
            self._refuse(parts, NO_FILE)
        elif ending(path.name) == ARCHIVE:
            self._archive(entry, nests=True)
        else:
            self._file(entry)

    def _file(self, entry: Entry) -> None:
        name = entry.parts[-1]
        if is_wanted(name):
            self.tree.files.append(entry)
        elif name.casefold().endswith(OTHER_ARCHIVES):
            self._refuse(entry.parts, "is an archive of a kind that is not read: hand in a zip")
        elif f"{PYTHON}." in name.casefold() or _NAMED.match(name):
            self._refuse(entry.parts, f"does not end in {PYTHON} or {NOTEBOOK}")

    def _archive(self, entry: Entry, nests: bool) -> None:
        """Add the contents of a student's archive, within one budget; if it `nests`, those of archives in it, too."""
        budget = Budget()
        for inner in self._unpacked(entry, entry.modified, budget):
            for nested in self._unpacked(inner, entry.modified, budget) if nests else [inner]:
                self._refuse(nested.parts, NESTED)

    def _unpacked(self, entry: Entry, received: datetime | None, budget: Budget) -> list[Entry]:
        """Add what an archive of a student's holds, and return the archives in it."""
        self.tree.folders.add(entry.parts)
        try:
            return self._add(unpack(entry.path, self.into, budget), entry.parts, received)
        except ArchiveError as error:
            self._refuse(entry.parts, str(error))
            return []

    def _add(self, found: Tree, parts: Parts, received: datetime | None) -> list[Entry]:
        """Add what an archive held, and return the archives in it."""
        self.tree.folders.update((*parts, *names) for names in found.folders)
        self.tree.clones.update((*parts, *names) for names in found.clones)
        self.tree.refused.extend(((*parts, *names), why) for names, why in found.refused)
        archives = []
        for one in found.files:
            entry = Entry(one.path, (*parts, *one.parts), one.modified, received)
            if ending(entry.parts[-1]) == ARCHIVE:
                archives.append(entry)
            else:
                self._file(entry)
        return archives

    def _refuse(self, parts: Parts, why: str) -> None:
        self.tree.refused.append((parts, why))
