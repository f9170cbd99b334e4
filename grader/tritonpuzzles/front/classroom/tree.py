"""All that a class's folder or archive holds, walked without following a link, each file with its names and its time.

What lies where a file should is refused with a sentence: a link, a pipe, a folder that cannot be read.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TypeAlias

from tritonpuzzles.front.classroom.archives import CLASS, STUDENT, ArchiveError, Bounds, Unpacked, unpack
from tritonpuzzles.front.classroom.naming import (
    ARCHIVE,
    GRADED,
    OTHER_ARCHIVES,
    PYTHON,
    Parts,
    ending,
    is_searched,
    is_wanted,
    said,
)
from tritonpuzzles.front.classroom.times import moment
from tritonpuzzles.front.errors import FrontError

MOST_DEEP = 16  # folders within each other
MOST_FILES = 500_000  # in one of the class's folders: clones bring libraries and data along
LINK = "is a symbolic link, and no link is followed: hand in the file itself"


@dataclass(frozen=True)
class Entry:
    """One file.

    Attributes:
        path: where it lies.
        parts: its names from the folder of the class on; an archive's name stands for a folder.
        modified: when, as the file system or the archive says.
        received: the same of what came from the student: of an archive of theirs, in which any time may stand.
    """

    path: Path
    parts: Parts
    modified: datetime | None
    received: datetime | None


_NAMED = re.compile(r"p\d\d_[a-z]")  # as stubs are; whatever the ending, it was meant to be graded
Refusal: TypeAlias = tuple[Parts, str]


@dataclass(frozen=True)
class Tree:
    """What was found.

    Attributes:
        name: of the class's folder or archive, without its ending.
        files: what may be a submission or a layout's own data, in the order of their names.
        refused: what could not be taken, with a sentence each.
        folders: all that were searched, archives included.
        clones: those with a `.git`.
        top: names of the folders that lead to where a layout begins; no parts have them.
        without: paths of folders that are not searched.
    """

    name: str
    files: list[Entry] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    folders: set[Parts] = field(default_factory=set)
    clones: set[Parts] = field(default_factory=set)
    top: Parts = ()
    without: frozenset[str] = frozenset()

    def shown(self, parts: Parts) -> str:
        """Return a name from the class's folder on, as text that can be written."""
        return said("/".join((*self.top, *parts)))

    @property
    def first(self) -> set[str]:
        """The names of the folders and archives at the top."""
        return {parts[0] for parts in self.folders}

    def below(self, name: str) -> Tree:
        """Return the tree as one of its folders at the top sees it."""
        return replace(
            self,
            name=name,
            files=[replace(one, parts=one.parts[1:]) for one in self.files if one.parts[0] == name],
            refused=[(parts[1:], why) for parts, why in self.refused if parts[:1] == (name,)],
            folders={parts[1:] for parts in self.folders if parts[0] == name and parts[1:]},
            clones={parts[1:] for parts in self.clones if parts[0] == name and parts[1:]},
            top=(*self.top, name),
        )


def gathered(folder: Path, into: Path, without: Collection[Path] = ()) -> Tree:
    """Return all that a folder or a zip holds.

    Args:
        folder: or the zip.
        into: a folder of this process, with no link in its path; what archives hold is unpacked there.
        without: folders that belong to the class and not to a student; they are not searched.

    Raises:
        FrontError: if there is neither, or the class's folder or archive cannot be read at all.
    """
    real = Path(os.path.realpath(folder))
    if real.is_dir():
        if not os.access(real, os.R_OK | os.X_OK):
            raise FrontError(f"{folder} cannot be read.", "ask its owner for the right to read it")
        tree = Tree(real.name, without=frozenset(map(os.path.realpath, without)))
        for entry in _listed(tree, real, ()):
            if _visit(tree, entry, (entry.name,), into):
                _walk(tree, Path(entry.path), (entry.name,), into)
    elif real.is_file() and ending(real.name) == ARCHIVE:
        tree = Tree(real.stem)
        try:
            _add(tree, unpack(real, into, CLASS), (), CLASS, into)
        except ArchiveError as error:
            raise FrontError(f"{folder} {error}.", "download it again, or unpack it and name the folder") from error
    else:
        what = f"{folder} is neither a folder nor a zip with what a class has handed in."
        raise FrontError(what, "tritonpuzzles class grade FOLDER")
    tree.files.sort(key=lambda entry: entry.parts)
    tree.refused.sort()
    return tree


def _walk(tree: Tree, folder: Path, parts: Parts, into: Path) -> None:
    """Add what lies in a folder at the top, and in those in it."""
    waiting, left = [(folder, parts)], MOST_FILES
    while waiting:
        folder, parts = waiting.pop()
        entries = _listed(tree, folder, parts)
        left -= len(entries)
        if left < 0:
            tree.refused.append((parts[:1], f"holds more than {MOST_FILES:,} files; the rest is not searched"))
            return
        for entry in entries:
            if _visit(tree, entry, (*parts, entry.name), into):
                waiting.append((Path(entry.path), (*parts, entry.name)))


def _listed(tree: Tree, folder: Path, parts: Parts) -> list[os.DirEntry[str]]:
    """Return what is in a folder that is searched; one that cannot be read is refused, one that is too deep too."""
    if len(parts) > MOST_DEEP:
        tree.refused.append((parts, f"lies more than {MOST_DEEP} folders deep and is not searched"))
        return []
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        tree.refused.append((parts, f"cannot be read: {error.strerror}"))
        return []


def _visit(tree: Tree, entry: os.DirEntry[str], parts: Parts, into: Path) -> bool:
    """Add one entry of a folder; return whether it is a folder to search."""
    if entry.name == ".git":
        tree.clones.add(parts[:-1])
    if not is_searched(entry.name) or entry.path in tree.without:
        return False
    try:
        about = entry.stat(follow_symlinks=False)
    except OSError as error:
        tree.refused.append((parts, f"cannot be read: {error.strerror}"))
        return False
    if stat.S_ISDIR(about.st_mode):
        tree.folders.add(parts)
        if ending(entry.name) in GRADED:
            tree.refused.append((parts, "is a folder, and a file is expected"))
        return True
    if stat.S_ISLNK(about.st_mode):
        tree.refused.append((parts, LINK))
    elif is_wanted(entry.name) and not stat.S_ISREG(about.st_mode):
        tree.refused.append((parts, "is a pipe, a socket or a device, and a file is expected"))
    elif ending(entry.name) == ARCHIVE:
        _add_archive(tree, Path(entry.path), parts, STUDENT, into, moment(about.st_mtime))
    else:
        time = moment(about.st_mtime)
        _add_file(tree, Entry(Path(entry.path), parts, time, time))
    return False


def _add_file(tree: Tree, entry: Entry) -> None:
    name = entry.parts[-1]
    if is_wanted(name):
        tree.files.append(entry)
    elif name.casefold().endswith(OTHER_ARCHIVES):
        tree.refused.append((entry.parts, "is an archive of a kind that is not read: hand in a zip"))
    elif f"{PYTHON}." in name.casefold() or _NAMED.match(name):
        tree.refused.append((entry.parts, f"does not end in {PYTHON} or .ipynb"))


def _add_archive(tree: Tree, path: Path, parts: Parts, bounds: Bounds, into: Path, received: datetime | None) -> None:
    tree.folders.add(parts)
    try:
        _add(tree, unpack(path, into, bounds), parts, bounds, into, received)
    except ArchiveError as error:
        tree.refused.append((parts, str(error)))


def _add(
    tree: Tree, found: Unpacked, parts: Parts, bounds: Bounds, into: Path, received: datetime | None = None
) -> None:
    """Add what an archive held, and what archives in it hold; those in them stay as they are."""
    tree.folders.update((*parts, *folder) for folder in found.folders)
    tree.clones.update((*parts, *folder) for folder in found.clones)
    tree.refused.extend(((*parts, *names), why) for names, why in found.refused)
    for path, names, modified in found.files:
        inner = (*parts, *names)
        if ending(names[-1]) != ARCHIVE:
            _add_file(tree, Entry(path, inner, modified, received or modified))
        elif bounds.inner is None:
            tree.refused.append((inner, "is a zip in a zip of a student's: hand in one zip, or the files"))
        else:
            _add_archive(tree, path, inner, bounds.inner, into, received or modified)


def contents(tree: Tree, name: str) -> Iterator[Entry]:
    """Yield the files of a name, wherever they lie: a layout's own data."""
    return (entry for entry in tree.files if entry.parts[-1] == name)
