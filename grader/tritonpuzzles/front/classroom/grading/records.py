"""The folder of a class's results: a line for each graded file, and the class and seed that they belong to.

A line is written as soon as its file is graded, and the next run reads it again: a killed run loses at most one line.
Several processes may write to one folder, each to its own file; all of these files are read.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from tritonpuzzles.decoding.decoder import Decoder
from tritonpuzzles.decoding.marks import DecodeError
from tritonpuzzles.front.classroom.grading.boiled import line_of, read_line
from tritonpuzzles.front.classroom.intake.naming import ARCHIVE
from tritonpuzzles.front.classroom.model import Outcome
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.text import first_line
from tritonpuzzles.front.workspace.files import locked, read_small
from tritonpuzzles.judge.options import seed_of
from tritonpuzzles.results.check import Verdict
from tritonpuzzles.sandbox import read_regular

RESULTS = "results.jsonl"
ALL_RESULTS = "results*.jsonl"
MAX_BYTES = 1 << 30
Append = Callable[[Outcome], None]
RUN_FILE, RUN_VERSION = "run.json", 1


@contextlib.contextmanager
def appending(path: Path) -> Iterator[Append]:
    """Yield a function that adds a line to a file, which no other process writes to meanwhile.

    An incomplete last line, left by a killed process, is removed first.

    Raises:
        FrontError: if another process writes to it.
        OSError: if it cannot be written to.
    """
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(locked(path.parent, f".{path.name}.lock", seconds=0.0))
        except BlockingIOError as error:
            told = f"Another process is grading into {path.parent}."
            raise FrontError(told, "wait for it, or name another folder with --out") from error
        file = stack.enter_context(path.open("ab"))
        file.truncate(read_regular(path, MAX_BYTES).rfind(b"\n") + 1)  # removes an incomplete last line

        def append(outcome: Outcome) -> None:
            file.write(line_of(outcome))
            file.flush()
            os.fsync(file.fileno())

        yield append


def lines_of(path: Path, warn: Callable[[str], None]) -> list[Outcome]:
    """Return the outcomes of a file's complete lines; warn about unreadable ones, but not about an incomplete last one.

    Raises:
        OSError: if it cannot be read.
    """
    found = []
    for number, line in enumerate(read_regular(path, MAX_BYTES).split(b"\n")[:-1], 1):
        try:
            found.append(read_line(line))
        except (DecodeError, ValueError, RecursionError) as error:
            warn(f"{path}, line {number} is no result that this version can read, and is left out: {first_line(error)}")
    return found


def all_lines(folder: Path, warn: Callable[[str], None]) -> list[Outcome]:
    """Return what all files of results in a folder say, in the order of their names."""
    return [outcome for path in sorted(folder.glob(ALL_RESULTS)) for outcome in lines_of(path, warn)]


def merged(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Return one outcome per student, puzzle and key: the last, except that an infra error never replaces a grade."""
    found: dict[tuple[str, str, str], Outcome] = {}
    for outcome in outcomes:
        place = outcome.student, outcome.slug, outcome.key
        if is_graded(outcome) or place not in found or not is_graded(found[place]):
            found.pop(place, None)  # the later one comes later
            found[place] = outcome
    return list(found.values())


def is_graded(outcome: Outcome) -> bool:
    """Return whether a file was judged, and no fault of the system stood in its way."""
    return outcome.verdict != Verdict.INFRA_ERROR.value


@dataclass(frozen=True)
class Run:
    """What the first run into a folder wrote down for all later ones."""

    seed: int  # of shapes and numbers, if `class.toml` names none
    folder: str  # the folder or archive with the class's submissions
    config: str | None = None  # its `class.toml`, if one was named
    version: int = RUN_VERSION


def out_folder(folder: Path, named: Path | None) -> Path:
    """Return where results are written: the folder that is named, or one beside the class's.

    Raises:
        FrontError: if that is inside the class's folder, where the next run would read it as a student's, or is a file.
    """
    whole = folder.expanduser().absolute()
    stem = whole.stem if whole.suffix.lower() == ARCHIVE else whole.name
    out = (named or whole.with_name(f"{stem}-graded")).expanduser().absolute()
    real, of_class = Path(os.path.realpath(out)), Path(os.path.realpath(whole))
    if real == of_class or of_class in real.parents:
        told = f"The results would lie in the folder of the class, {whole}."
        raise FrontError(told, f"--out {stem}-graded beside it")
    if out.exists() and not out.is_dir():
        raise FrontError(f"{out} is a file.", "name a folder with --out")
    return out


def begun(out: Path, folder: Path, config: Path | None) -> Run:
    """Return the run of a folder of results; if there is none yet, write it. Of several processes only one writes it.

    Raises:
        FrontError: if it cannot be read.
        OSError: if the folder cannot be written to.
    """
    out.mkdir(parents=True, exist_ok=True)
    run = Run(seed_of(None), str(folder.absolute()), None if config is None else str(config.absolute()))
    fresh = out / f".{RUN_FILE}.{os.uname().nodename}.{os.getpid()}"
    fresh.write_text(json.dumps(asdict(run), indent=2) + "\n", encoding="utf-8")
    try:
        with contextlib.suppress(FileExistsError):
            os.link(fresh, out / RUN_FILE)  # atomic: the file appears complete, and only one process creates it
    finally:
        fresh.unlink()
    return read_run(out)


def read_run(out: Path) -> Run:
    """Return what the first run has written down.

    Raises:
        FrontError: if there is nothing, or it cannot be read.
    """
    path = out / RUN_FILE
    try:
        run = Decoder(encodable=False).read(Run, json.loads(read_small(path)))
    except FileNotFoundError as error:
        told = f"{out} holds no results of a class: there is no {RUN_FILE}."
        raise FrontError(told, "tritonpuzzles class grade DIR") from error
    except (OSError, ValueError, DecodeError) as error:
        told = f"{path} cannot be read: {first_line(error)}."
        raise FrontError(told, "remove it: files are graded anew then") from error
    if run.version != RUN_VERSION:
        told = f"{path} is of version {run.version}; this one reads {RUN_VERSION}."
        raise FrontError(told, "grade with that version")
    return run
