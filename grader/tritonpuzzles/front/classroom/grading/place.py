"""The folder that a class's results lie in: where it is, which class it is of, and the seed that was drawn for it."""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from tritonpuzzles.decoding.decoder import Decoder
from tritonpuzzles.decoding.marks import DecodeError
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.text import first_line
from tritonpuzzles.front.workspace.files import read_small
from tritonpuzzles.judge.options import seed_of

NAME, VERSION = "run.json", 1
ARCHIVES = (".zip",)


@dataclass(frozen=True)
class Run:
    """What the first run into a folder wrote down for all later ones.

    Attributes:
        seed: of shapes and numbers, where `class.toml` names none.
        folder: that the class was handed in as.
        config: its `class.toml`, where one was named.
    """

    seed: int
    folder: str
    config: str | None = None
    version: int = VERSION


def out_folder(folder: Path, named: Path | None) -> Path:
    """Return where results are written: the folder that is named, or one beside the class's.

    Raises:
        FrontError: if that lies within the class's folder, where the next run would take it for a student's.
    """
    whole = folder.expanduser().absolute()
    stem = whole.stem if whole.suffix.lower() in ARCHIVES else whole.name
    out = (named or whole.with_name(f"{stem}-graded")).expanduser().absolute()
    real, of_class = Path(os.path.realpath(out)), Path(os.path.realpath(whole))
    if real == of_class or of_class in real.parents:
        raise FrontError(
            f"The results would lie in the folder of the class, {whole}.", f"--out {stem}-graded beside it"
        )
    if out.exists() and not out.is_dir():
        raise FrontError(f"{out} is a file.", "name a folder with --out")
    return out


def begun(out: Path, folder: Path, config: Path | None) -> Run:
    """Return what stands in a folder of results; write it if nobody has. Of several processes one writes it.

    Raises:
        FrontError: if it cannot be read.
        OSError: if the folder cannot be written to.
    """
    out.mkdir(parents=True, exist_ok=True)
    run = Run(seed_of(None), str(folder.absolute()), None if config is None else str(config.absolute()))
    fresh = out / f".{NAME}.{os.uname().nodename}.{os.getpid()}"
    fresh.write_text(json.dumps(asdict(run), indent=2) + "\n", encoding="utf-8")
    try:
        with contextlib.suppress(FileExistsError):
            os.link(fresh, out / NAME)  # whole, and by one process alone
    finally:
        fresh.unlink()
    return read_run(out)


def read_run(out: Path) -> Run:
    """Return what the first run has written down.

    Raises:
        FrontError: if there is nothing, or it cannot be read.
    """
    path = out / NAME
    try:
        run = Decoder(encodable=False).read(Run, json.loads(read_small(path)))
    except FileNotFoundError as error:
        raise FrontError(
            f"{out} holds no results of a class: there is no {NAME}.", "tritonpuzzles class grade DIR"
        ) from error
    except (OSError, ValueError, DecodeError) as error:
        raise FrontError(
            f"{path} cannot be read: {first_line(error)}.", "remove it: files are graded anew then"
        ) from error
    if run.version != VERSION:
        raise FrontError(f"{path} is of version {run.version}; this one reads {VERSION}.", "grade with that version")
    return run
