"""Unpack an untrusted zip: a few kinds of files, under names of our own, within limits.

No name in an archive is ever a path: each file is written under a number, so nothing lands elsewhere.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import stat
import struct
import tempfile
import zipfile
import zlib
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from tritonpuzzles.front.classroom.intake.naming import (
    NOTEBOOK,
    PYTHON,
    Entry,
    Parts,
    Tree,
    ending,
    is_searched,
    is_wanted,
    moment,
)
from tritonpuzzles.front.text import first_line
from tritonpuzzles.results.submission import MAX_SOURCE_BYTES

MAX_NOTEBOOK_BYTES = 16 << 20  # read into memory at once, and parsing may take 20 bytes for each
MAX_OTHER_BYTES = 256 << 20  # of an archive, or a layout's own data
MOST_RATIO = 200  # of a file's size to what it takes in the archive; sources reach 10
RATIO_FROM = 1 << 20  # bytes; a small file does no harm
MOST_NAME = 255  # characters between two slashes, as on file systems
AT_ONCE = 1 << 16
_IS_ENCRYPTED, _IS_UTF8 = 1, 1 << 11  # of an entry's flags
_UNIX_TIME = 0x5455  # of its extra fields: seconds since 1970, where its own date has no time zone
_DRIVE = re.compile(r"[A-Za-z]:")
_BROKEN = (
    zipfile.BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError, EOFError, zlib.error, struct.error,
)  # fmt: skip


class ArchiveError(Exception):
    """An archive that is not unpacked; the message is a clause about it: "is no zip that can be read"."""


@dataclass
class Budget:
    """What may still be unpacked from an archive and the archives in it; the defaults are for one student's."""

    entries: int = 20_000  # files and folders, wanted or not
    listing: int = 4 << 20  # bytes of one archive's list of them, which is read at once
    total: int = 32 << 20  # bytes of the files that are unpacked


class _Bounded(io.FileIO):
    """A file with a limit on the bytes of one read: it bounds how zipfile reads an archive's central directory."""

    most: int

    def read(self, size: int | None = -1, /) -> bytes:
        if size is None or size < 0:
            size = os.fstat(self.fileno()).st_size - self.tell()
        if size > self.most:
            raise ArchiveError(f"has a list of files longer than {self.most:,} bytes")
        return super().read(size) or b""


def unpack(path: Path, into: Path, budget: Budget) -> Tree:
    """Unpack the files that a class needs into a folder, and take them off a budget; a file that cannot be is refused.

    Raises:
        ArchiveError: if it is not a zip, or contains more than the budget allows.
    """
    try:
        with _Bounded(path, "rb") as file:
            file.most = max(budget.listing, AT_ONCE)
            with zipfile.ZipFile(file) as archive:
                return _unpacked(archive, into, budget)
    except _BROKEN as error:
        raise ArchiveError(f"is no zip that can be read: {_why(error)}") from error


def _unpacked(archive: zipfile.ZipFile, into: Path, budget: Budget) -> Tree:
    found, taken, entries = Tree(), set[Parts](), archive.infolist()
    if len(entries) > budget.entries:
        raise ArchiveError(f"holds {len(entries):,} files; at most {budget.entries:,} are read")
    budget.entries -= len(entries)
    folder = Path(tempfile.mkdtemp(dir=into))
    for number, entry in enumerate(entries):
        parts = _parts(entry)
        if not _leads_out(entry) and not all(map(is_searched, parts)):
            found.clones.update(parts[:n] for n, name in enumerate(parts) if name == ".git")
            continue
        why = _refusal(entry, parts) or ("is in the archive twice; the first counts" if parts in taken else "")
        if why:
            found.refused.append((parts, why))
            continue
        found.folders.update(parts[:n] for n in range(1, len(parts) + entry.is_dir()))
        if entry.is_dir() or not is_wanted(parts[-1]):
            continue
        taken.add(parts)
        path, most = folder / f"{number:06d}{ending(parts[-1])}", _most(parts[-1])
        try:
            budget.total -= _write(archive, entry, path, min(budget.total, most))
        except _TooLargeError as error:
            if budget.total < most:
                raise ArchiveError(f"unpacks to more than {budget.total:,} bytes that are left for it") from error
            found.refused.append((parts, f"has more than {most:,} bytes, and says {entry.file_size:,}"))
        except _BROKEN as error:
            found.refused.append((parts, f"cannot be unpacked: {_why(error)}"))
        else:
            found.files.append(Entry(path, parts, _time(entry)))
    return found


class _TooLargeError(Exception):
    """More bytes came out than were allowed."""


def _write(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, path: Path, most: int) -> int:
    """Write one file and return its size, whatever the archive says that it is."""
    size = 0
    with archive.open(entry) as source, path.open("xb") as target:
        while piece := source.read(AT_ONCE):
            size += len(piece)
            if size > most:
                raise _TooLargeError
            target.write(piece)
    return size


def _most(name: str) -> int:
    """Return how many bytes a file may have."""
    return {PYTHON: MAX_SOURCE_BYTES, NOTEBOOK: MAX_NOTEBOOK_BYTES}.get(ending(name), MAX_OTHER_BYTES)


def _parts(entry: zipfile.ZipInfo) -> Parts:
    """Return the parts of an entry's name: Windows writes backslashes, macOS does not set the UTF-8 flag."""
    name = entry.orig_filename
    if not entry.flag_bits & _IS_UTF8:
        with contextlib.suppress(UnicodeError):
            name = name.encode("cp437").decode("utf-8")
    return tuple(part for part in re.split(r"[/\\]", name) if part not in ("", ".")) or (name,)


def _leads_out(entry: zipfile.ZipInfo) -> bool:
    name = entry.orig_filename
    return "\0" in name or ".." in _parts(entry) or name.startswith(("/", "\\")) or _DRIVE.match(name) is not None


def _refusal(entry: zipfile.ZipInfo, parts: Parts) -> str:
    """Return why an entry is refused, by the archive's own data about it; "" if it is not refused."""
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if _leads_out(entry):
        return "has a name that leads out of the archive"
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "is a link, a pipe or a device in the archive, and a file is expected"
    if entry.is_dir() or not is_wanted(parts[-1]):
        return ""
    if entry.flag_bits & _IS_ENCRYPTED:
        return "is encrypted: make the zip without a password"
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "is compressed by another method than Deflate: make an ordinary zip"  # zipfile cannot bound the others
    if max(map(len, parts)) > MOST_NAME:
        return f"has a name of more than {MOST_NAME:,} characters"
    if entry.file_size > _most(parts[-1]):
        return f"has {entry.file_size:,} bytes; a {ending(parts[-1])} file may have {_most(parts[-1]):,}"
    if entry.file_size > max(RATIO_FROM, MOST_RATIO * entry.compress_size):
        return f"says that it unpacks {entry.compress_size:,} bytes to {entry.file_size:,}"
    return ""


def _time(entry: zipfile.ZipInfo) -> datetime | None:
    """Return when a file was changed; in this machine's zone where the archive names none, as it seldom does."""
    extra = entry.extra
    while len(extra) >= 4:
        kind, size = struct.unpack_from("<HH", extra)
        if kind == _UNIX_TIME and size >= 5 and len(extra) >= 9 and extra[4] & 1:
            return moment(struct.unpack_from("<i", extra, 5)[0])
        extra = extra[4 + size :]
    with contextlib.suppress(OverflowError, OSError, ValueError):
        return datetime(*entry.date_time).astimezone()
    return None


def _why(error: Exception) -> str:
    """Return what an error says, without a full stop."""
    return first_line(error).rstrip(".")
