"""The trial's class as each system hands it to an instructor."""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

from tests.classroom.trial_class import File, Student, Trial

FOLDER = "handed_in"
FIRST_USER, FIRST_SUBMISSION = 10_000, 500_000


def folders(trial: Trial, out: Path) -> Path:
    for file in trial.files:
        _write(out / FOLDER / file.student.id / file.name, file)
    return out / FOLDER


def zipped(trial: Trial, out: Path) -> Path:
    """Write a zip of folders, within another one as file managers make it."""
    path = out / f"{FOLDER}.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in trial.files:
            local = file.saved.astimezone()
            entry = zipfile.ZipInfo(f"{FOLDER}/{file.student.id}/{file.name}", local.timetuple()[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, file.data)
    return path


def canvas(trial: Trial, out: Path) -> Path:
    for number, file in enumerate(trial.files):
        late = "LATE_" if file.student.is_late else ""
        name = re.sub(r" \((\d+)\)(?=\.)", r"-\1", file.name)
        prefix = f"{file.student.id}_{late}{FIRST_USER + file.student.number}_{FIRST_SUBMISSION + number}_"
        _write(out / FOLDER / f"{prefix}{name}", file)
    return out / FOLDER


def moodle(trial: Trial, out: Path) -> Path:
    for file in trial.files:
        number = FIRST_SUBMISSION + file.student.number
        _write(out / FOLDER / f"{file.student.name.replace('/', '')}_{number}_assignsubmission_file_" / file.name, file)
    return out / FOLDER


def gradescope(trial: Trial, out: Path) -> Path:
    """Write the export with its metadata, as Ruby writes YAML."""
    lines = ["---"]
    for student in trial.students:
        mine = [file for file in trial.files if file.student == student]
        for file in mine:
            _write(out / FOLDER / _submission(student) / file.name, file)
        if mine:
            lines += _metadata(student, mine[-1].saved)
    (out / FOLDER / "submission_metadata.yml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return out / FOLDER


def _submission(student: Student) -> str:
    return f"submission_{FIRST_SUBMISSION + student.number}"


def _metadata(student: Student, created: datetime) -> list[str]:
    name = student.name.replace("'", "''")
    time = f"{created:%Y-%m-%d %H:%M:%S}.363370000 Z"
    return [
        f"{_submission(student)}:",
        "  :submitters:",
        f"  - :name: '{name}'",
        f"    :sid: {student.id}",
        f"    :email: {student.id}@example.edu",
        f"  :created_at: {time}",
        "  :score: 0.0",
        "  :status: processed",
        "  :results:",
        "    output: |-",
        "      :created_at: 2000-01-01 00:00:00.000000000 Z",
        "  :history:",
        "  - :id: 1",
        "    :created_at: 2001-01-01 00:00:00.000000000 Z",
    ]


def nbgrader(trial: Trial, out: Path) -> Path:
    for file in trial.files:
        folder = out / FOLDER / "submitted" / file.student.id / "hw1"
        _write(folder / file.name, file)
        (folder / "timestamp.txt").write_text(f"{file.saved:%Y-%m-%d %H:%M:%S}.000000 UTC\n", encoding="utf-8")
    return out / FOLDER


def github(trial: Trial, out: Path) -> Path:
    for file in trial.files:
        clone = out / FOLDER / f"online-softmax-{file.student.id}"
        _write(clone / "puzzles" / file.name, file)
        (clone / ".git").mkdir(exist_ok=True)
        (clone / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
        (clone / "README.md").write_text("# Homework\n", encoding="utf-8")
    return out / FOLDER


def _write(path: Path, file: File) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(file.data)
    seconds = file.saved.astimezone(timezone.utc).timestamp()
    os.utime(path, (seconds, seconds))


LAYOUTS: dict[str, Callable[[Trial, Path], Path]] = {
    "folders": folders,
    "zip": zipped,
    "canvas": canvas,
    "moodle": moodle,
    "gradescope": gradescope,
    "nbgrader": nbgrader,
    "github": github,
}
