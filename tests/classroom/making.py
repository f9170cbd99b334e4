"""What the tests of the intake share: settings of every puzzle, folders and archives made of names and texts."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.classroom.trial_texts import STEMS, solution
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front.classroom.intake.take_in import take_in
from tritonpuzzles.front.classroom.model import Assigned, ClassSettings, Intake, Student, Submitted

P0, P1, P3 = (f"{STEMS[number]}.py" for number in (0, 1, 3))
RIGHT = {number: solution(number) for number in range(6)}


def settings(*numbers: int, roster: Iterable[tuple[str, str]] = ()) -> ClassSettings:
    """Return a class's settings; without numbers it has every puzzle."""
    puzzles = [one for one in load_curriculum().puzzles if not numbers or one.number in numbers]
    return ClassSettings("A class", tuple(map(Assigned, puzzles)), tuple(Student(*one) for one in roster))


def folder(path: Path, files: Mapping[str, str | bytes], begin: int = 1_790_000_000) -> Path:
    """Write files, each an hour newer than the one before."""
    for number, (name, data) in enumerate(files.items()):
        file = path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data if isinstance(data, bytes) else data.encode())
        os.utime(file, (begin + 3600 * number, begin + 3600 * number))
    return path


def archive(path: Path, files: Mapping[str, str | bytes], kind: int = zipfile.ZIP_DEFLATED) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", kind) as made:
        for name, data in files.items():
            made.writestr(name, data)
    return path


def zipped(files: Mapping[str, str | bytes], at: Path) -> bytes:
    return archive(at / "made.zip", files).read_bytes()


def taken(path: Path, *numbers: int, roster: Iterable[tuple[str, str]] = ()) -> Intake:
    return take_in(path, settings(*numbers, roster=roster))


def found(intake: Intake) -> dict[tuple[str, int], Submitted]:
    return {(one.student, one.puzzle.number): one for one in intake.files}


def reasons(intake: Intake) -> dict[str, str]:
    return {one.shown: one.reason for one in intake.untaken}
