"""A pack: a folder with a curriculum, `curriculum.toml` and what it names. The shipped one is a pack like any other.

curriculum.toml      format, title, the puzzles in order; `repository`, for the badge that opens notebooks online
records/ hints/      requirements and hints of each puzzle
puzzles/ solutions/  stubs and complete modules (the shipped pack's are where learners edit them)
mutants/             wrong and right kernels, for `dev check`; `corpora` names other folders, or more
*.py                 the pack's own references, families, baselines, mistakes
"""

from __future__ import annotations

import importlib.util
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tritonpuzzles.curriculum.tables import RecordError, read_record
from tritonpuzzles.decoding.marks import Checked, UnknownWordError, nearest

PACK_FILE = "curriculum.toml"
PACK_VARIABLE = "TRITONPUZZLES_PACK"
ENTRY_POINTS = "tritonpuzzles.packs"
FORMAT = 1
CORPORA = ("mutants",)
STEM = re.compile(r"p[0-9]{2}_[a-z][a-z0-9_]*")
REPOSITORY = re.compile(r"[A-Za-z0-9-]+/[A-Za-z0-9._-]+")
_EDITION = Path(__file__).parents[1] / "_workspace"  # a pack only in a wheel that was built by `class release`
SHIPPED = _EDITION if (_EDITION / PACK_FILE).is_file() else Path(__file__).parent


def _known_format(written: int) -> int:
    if written != FORMAT:
        raise UnknownWordError(f"{written} is not known; this version reads format {FORMAT}")
    return written


@dataclass(frozen=True)
class Demands:
    """The fewest kernels of each kind that `dev check` requires, per puzzle."""

    wrong: int = 15
    right: int = 6


@dataclass(frozen=True)
class Pack:
    """Contents of `curriculum.toml`."""

    folder: Path  # the pack's folder
    format: Annotated[int, Checked(_known_format)]
    title: str  # for people
    puzzles: tuple[str, ...] = ()  # stems such as "p03_online_softmax", in order
    demands: Demands = Demands()
    # folders with wrong and right kernels; the first one is counted. The shipped pack's are in the clone in which `dev
    # check` runs
    corpora: tuple[str, ...] = CORPORA
    repository: str = ""  # `owner/name` on GitHub, whose `notebooks/` folder has its notebooks; empty if there is none
    solutions: bool = True  # whether it contains solutions: a student edition does not

    @property
    def is_shipped(self) -> bool:
        """Whether it is the one that comes with the grader."""
        return self.folder == SHIPPED


def read_pack(folder: Path) -> Pack:
    """Read a pack's `curriculum.toml`; raises RecordError if it is not there, not understood, or of another format."""
    if not (folder / PACK_FILE).is_file():
        raise RecordError(f"{folder} is no pack: there is no {PACK_FILE} in it")
    pack = read_record(Pack, folder / PACK_FILE, folder=folder)
    for stem in pack.puzzles:
        if not STEM.fullmatch(stem) or pack.puzzles.count(stem) > 1:
            what = f"{stem!r} is no name of the form p03_online_softmax, or stands there twice"
            raise RecordError(f"{PACK_FILE}: puzzles: {what}")
    if pack.repository and not REPOSITORY.fullmatch(pack.repository):
        raise RecordError(f"{PACK_FILE}: repository: {pack.repository!r} is not of the form owner/name")
    for key, named in (("puzzles", pack.puzzles), ("corpora", pack.corpora)):
        if not named:
            raise RecordError(f"{PACK_FILE}: {key} names none")
    return pack


def pack_folder() -> Path:
    """Return the folder of the open pack: the one that was opened, else the shipped one."""
    opened = os.environ.get(PACK_VARIABLE)
    return Path(opened) if opened else SHIPPED


def find_pack(name: str, start: Path | None = None) -> Path:
    """Return the folder of a pack, given as a folder or as an installed package's entry point.

    A relative path is relative to `start`, by default the current folder. Raises RecordError if there is none.
    """
    folder = (start or Path.cwd()) / Path(name).expanduser()
    if (folder / PACK_FILE).is_file():
        return folder.resolve()
    from importlib.metadata import entry_points  # takes long to import, and few packs are installed ones

    known = {point.name: point.value for point in entry_points(group=ENTRY_POINTS)}
    if name in known:
        spec = importlib.util.find_spec(known[name])
        if spec is not None and spec.origin is not None:
            return Path(spec.origin).parent
        raise RecordError(f"the installed pack {name!r} names the module {known[name]}, which is not there")
    raise RecordError(f"{name} is no folder with a {PACK_FILE}, and no installed pack.{nearest(name, known)}")


def open_pack(folder: Path | None) -> None:
    """Open a pack for this process and those that it starts; the shipped one for `None`."""
    if folder is None or folder == SHIPPED:
        os.environ.pop(PACK_VARIABLE, None)
    else:
        os.environ[PACK_VARIABLE] = str(folder)
