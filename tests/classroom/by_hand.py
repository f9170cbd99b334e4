"""Grades a class of folders `STUDENT/pNN_slug.py` by the real functions, in a process of its own, without the intake.

python -m tests.classroom.by_hand DIR OUT [--jobs N] [--deadline SECONDS] [--shard I/N] ...   prints one JSON object
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from unittest import mock

from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front.classroom.grading import running
from tritonpuzzles.front.classroom.grading.grade import as_data, grade_class
from tritonpuzzles.front.classroom.grading.planned import How, Shard
from tritonpuzzles.front.classroom.grading.records import out_folder
from tritonpuzzles.front.classroom.model import Assigned, ClassSettings, Intake, Submitted
from tritonpuzzles.front.cli import report_error


def settings(seed: int | None = 1, deadline: float = 20.0, solutions: Path | None = None) -> ClassSettings:
    """Return settings with every puzzle of the open pack."""
    assigned = tuple(Assigned(puzzle) for puzzle in load_curriculum().puzzles)
    return ClassSettings("by hand", assigned, seed=seed, deadline=deadline, solutions=solutions)


def intake(folder: Path) -> Intake:
    """Return what lies in a class's folder, each file by its name."""
    puzzles = {puzzle.stem: puzzle for puzzle in load_curriculum().puzzles}
    files = [path for path in sorted(folder.glob("*/*")) if path.stem in puzzles]
    found = [
        Submitted(path.parent.name, puzzles[path.stem], path, f"{path.parent.name}/{path.name}", "by its name")
        for path in files
    ]
    return Intake("A folder for each student.", tuple(found))


def main() -> int:
    """Grade, print what `class grade --json` prints and the outcomes, and return the exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--deadline", type=float, default=20.0)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--shard", type=Shard.named, default=Shard())
    parser.add_argument("--solutions", type=Path)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--unconfined", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--judges", type=int, default=1, help="as on a machine with so many GPUs")
    asked = parser.parse_args()
    how = How(asked.device, asked.jobs, asked.shard, asked.unconfined, asked.again)
    try:
        out, files = out_folder(asked.folder, asked.out), intake(asked.folder)
        class_settings = settings(asked.seed, asked.deadline, asked.solutions)
        with mock.patch.object(running, "judges_for", return_value=asked.judges):
            graded = grade_class(
                class_settings, files, out, (asked.folder, None), how, lambda text: print(text, file=sys.stderr)
            )
    except Exception as error:
        return report_error(error)
    verdicts = {f"{one.student}/{one.slug}": one.verdict for one in graded.outcomes}
    print(json.dumps({**as_data(graded, files, out, []), "outcomes": verdicts}))
    return 3 if graded.faults else 0


if __name__ == "__main__":
    sys.exit(main())
