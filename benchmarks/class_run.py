"""Grade the trial's class and hold every verdict against what is right; kill a run of 500 files and resume it.

    python -m benchmarks.class_run trial           # 118 files of 40 students, made anew
    python -m benchmarks.class_run kill            # 500 files: once undisturbed, once with SIGKILL in the middle
    python -m benchmarks.class_run single          # 12 of the 118, each by a command of its own, for comparison
    python -m benchmarks.class_run trial --keep DIR

The real program grades, in processes of its own. The exit code is 1 where a verdict or a table is not as it should be.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.classroom.trial_class import MISSING, UNTAKEN, File, Trial, trial_class, write_class

from tritonpuzzles.sandbox.supervisor import adopt_orphans

ROOT = Path(__file__).resolve().parents[1]
MANY = 500
QUICK = ("p00_", "p01_")  # puzzles of the many files: a minute's check each tells no more of a kill
QUICK_SECONDS = 5  # in place of 20, for those that never end
SINGLE = 12
PROGRAM = [sys.executable, "-m", "tritonpuzzles"]
Verdicts = dict[tuple[str, int], str]


def start(*words: str | Path) -> subprocess.Popen[str]:
    """Start the program of this clone."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "grader")}
    return subprocess.Popen(
        [*PROGRAM, *map(str, words)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )


@contextlib.contextmanager
def measured() -> Iterator[dict[str, float]]:
    """Give seconds by the clock, and those that all processes of a `with` block have computed."""
    found: dict[str, float] = {}
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    yield found
    found["wall"] = time.perf_counter() - began
    with contextlib.suppress(ChildProcessError):  # those that end after the command count as well
        while True:
            os.wait()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    found["cpu"] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def graded(folder: Path, out: Path, jobs: int) -> dict[str, Any]:
    """Grade a class and return what the program says of it, with the seconds that it took."""
    words = ("--config", folder.parent / "class.toml", "--out", out, "--jobs", str(jobs), "--device", "cpu", "--json")
    with measured() as seconds:
        printed, _ = start("class", "grade", folder, *words).communicate()
    return {**json.loads(printed), **seconds}


def verdicts(said: dict[str, Any]) -> Verdicts:
    """Return the verdict by student and puzzle, as `expected.csv` has it, of what was graded or not taken."""
    lines = (Path(said["out"]) / "results.jsonl").read_text(encoding="utf-8").splitlines()
    found = {(one["student"], one["puzzle"]): one["verdict"] for one in map(json.loads, lines)}
    untaken = ((one["student"], Path(one["file"]).name) for one in said["not_taken"])
    return {**found, **{(student, int(name[1:3])): UNTAKEN for student, name in untaken}}


def others(expected: Verdicts, found: Verdicts) -> list[str]:
    """Return in words each verdict that is not the right one."""
    places = sorted({*expected, *found})
    pairs = ((place, expected.get(place, MISSING), found.get(place, MISSING)) for place in places)
    return [
        f"{student}, puzzle {number}: {is_} is right, got {was}" for (student, number), is_, was in pairs if is_ != was
    ]


def run_trial(folder: Path, jobs: int) -> bool:
    """Grade the class of 40."""
    trial = trial_class()
    said = graded(write_class(trial, folder, "folders"), folder / "graded", jobs)
    return tell(said, len(trial.files), trial.expected, jobs)


def tell(said: dict[str, Any], files: int, expected: Verdicts, jobs: int) -> bool:
    """Print what a run gave; return whether every verdict is right."""
    wrong = others(expected, verdicts(said))
    cpu = said["cpu"] / files
    print(f"{files} files, {said['graded_now']} graded, {jobs} at once: {said['wall']:.0f} s")
    print(f"{said['wall'] / files:.2f} s a file, and {cpu:.2f} s of a processor")
    print(f"{len(expected)} places, {dict(Counter(expected.values()))}: {len(wrong)} other than expected")
    print(*(f"  {line}" for line in wrong), sep="\n", end="\n" if wrong else "")
    return not wrong


def many() -> Trial:
    """Return a class of 500 files for puzzles 0 and 1, of several trials.

    No two texts are the same, so that each is graded.
    """
    whole = Trial([])
    for seed in itertools.count(1):
        part = trial_class(seed)
        for student in part.students:
            files = [file for file in part.files if file.student is student and file.name.startswith(QUICK)]
            if len(whole.files) == MANY:
                return whole
            if len(whole.files) + len(files) > MANY:
                continue
            named = replace(student, last=f"{student.last}{seed}")
            whole.students.append(named)
            whole.files += [own(replace(file, student=named)) for file in files]
            numbers = {int(file.name[1:3]) for file in files}
            whole.expected |= {(named.id, number): part.expected[student.id, number] for number in numbers}
    raise AssertionError("it counts without end")


def own(file: File) -> File:
    """Return a file with a last line that no other has."""
    return replace(file, data=file.data + f"\n# {file.student.id}\n".encode()) if file.name.endswith(".py") else file


def run_killed(folder: Path, jobs: int) -> bool:
    """Grade 500 files undisturbed, and once more with a kill in the middle; both must give the same table."""
    trial = many()
    handed_in = write_class(trial, folder, "folders")
    settings = folder / "class.toml"
    settings.write_text(f"timeout = {QUICK_SECONDS}\n{settings.read_text(encoding='utf-8')}", encoding="utf-8")
    fine = tell(graded(handed_in, folder / "whole", jobs), len(trial.files), trial.expected, jobs)
    out = folder / "killed"
    words = ("--config", folder / "class.toml", "--out", out, "--jobs", str(jobs), "--device", "cpu")
    process = start("class", "grade", handed_in, *words)
    while process.poll() is None and lines(out) < len(trial.files) // 2:
        time.sleep(0.1)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = lines(out)
    said = graded(handed_in, out, jobs)
    print(f"Killed by signal {-process.returncode} after {before} files; resumed: {said['graded_now']} graded")
    tables = [(folder / name / "grades.csv").read_bytes() for name in ("whole", "killed")]
    same = tables[0] == tables[1]
    print(f"grades.csv, {len(tables[0]):,} bytes: {'equal' if same else 'NOT equal'} to that of the undisturbed run")
    return fine and same and process.returncode == -signal.SIGKILL and before + said["graded_now"] == said["files"]


def lines(out: Path) -> int:
    """Return how many files have a result."""
    path = out / "results.jsonl"
    return path.read_bytes().count(b"\n") if path.is_file() else 0


def run_single(folder: Path, jobs: int) -> bool:
    """Time `check N --file F` for some right and wrong files of the class, one after the other."""
    trial = trial_class()
    write_class(trial, folder, "folders")
    plain = [file for file in trial.files if (file.student.number < 26 and file.name.endswith(".py"))]
    found = []
    for file in plain[:: len(plain) // SINGLE][:SINGLE]:
        path, number = folder / "handed_in" / file.student.id / file.name, int(file.name[1:3])
        with measured() as seconds:
            start("check", str(number), "--file", path, "--seed", "1", "--device", "cpu").communicate()
        found.append(seconds)
        verdict = trial.expected[file.student.id, number]
        print(f"  p{number:02d} {verdict}: {seconds['wall']:.1f} s, {seconds['cpu']:.1f} s of a processor")
    wall, cpu = (statistics.mean(one[key] for one in found) for key in ("wall", "cpu"))
    print(f"{len(found)} commands, one after the other: {wall:.2f} s and {cpu:.2f} s of a processor each")
    return True


RUNS = {"trial": run_trial, "kill": run_killed, "single": run_single}


def main() -> int:
    """Do one of the runs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("run", choices=RUNS)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--keep", type=Path, metavar="DIR", help="Make the class and its results here.")
    asked = parser.parse_args()
    adopt_orphans()
    with tempfile.TemporaryDirectory(prefix="class-run-") as temporary:
        return 0 if RUNS[asked.run](asked.keep or Path(temporary), asked.jobs) else 1


if __name__ == "__main__":
    sys.exit(main())
