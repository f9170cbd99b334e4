"""Grade a class on a Ray cluster: each task grades one shard with `grade_class`, and all write into one folder.

The class's folder and the results' folder must be on a file system that all machines share. If a task's worker or
machine dies, the task is started again and continues after the lines that it has written.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tritonpuzzles.front.classroom.grading.grade import Graded, Warn, grade_class, outcomes_of
from tritonpuzzles.front.classroom.grading.planned import How, Shard
from tritonpuzzles.front.classroom.grading.records import all_lines, begun, merged
from tritonpuzzles.front.classroom.intake.config import class_settings
from tritonpuzzles.front.classroom.intake.take_in import take_in
from tritonpuzzles.front.classroom.model import ClassSettings, Intake
from tritonpuzzles.front.errors import ExitCode, FrontError
from tritonpuzzles.front.text import first_line
from tritonpuzzles.sandbox import not_dumpable

RETRIES = 3  # of a task whose worker has ended
Part = tuple[Graded, list[str]]  # outcomes left out, they are in the results' folder; and warnings


def grade_on_ray(
    settings: ClassSettings, intake: Intake, out: Path, of_class: tuple[Path, Path | None], how: How, warn: Warn
) -> Graded:
    """Grade what is new of a class on the cluster of `RAY_ADDRESS`, else on this machine; as `grade_class` does.

    `how.jobs` files are graded at once in each task, which requests as many CPUs, and one GPU if the cluster has any.
    0 means the number of CPUs per GPU, or without GPUs the number of CPUs of the smallest machine.

    Raises:
        FrontError: if Ray is not installed, a task fails, or what it has written is not to be seen here.
    """
    try:
        import ray
    except ImportError as error:
        raise FrontError("Ray is not installed.", "pip install 'tritonpuzzles[class]'", ExitCode.FAULT) from error
    begun(out, *of_class)
    with contextlib.redirect_stdout(sys.stderr):  # where Ray reports a worker's end; what is printed may be JSON
        ray.init(log_to_driver=False, logging_level="warning", include_dashboard=False)
        try:
            parts = _parts(ray, (*of_class, settings.cases), out, how)
        finally:
            ray.shutdown()
    for sentence in {sentence for _, said in parts for sentence in said}:
        warn(sentence)
    outcomes = tuple(outcomes_of(intake.files, merged(all_lines(out, warn))))
    if len(outcomes) < len(intake.files):
        told = f"{len(intake.files) - len(outcomes)} of {len(intake.files)} results are not in {out}."
        raise FrontError(told, "name a folder with --out that every machine sees under this path", ExitCode.FAULT)
    broken = dict.fromkeys(why for graded, _ in parts for why in graded.broken)
    return Graded(outcomes, sum(graded.new for graded, _ in parts), parts[0][0].seed, tuple(broken))


def _parts(ray: Any, of_class: tuple[Path | None, ...], out: Path, how: How) -> list[Part]:
    """Have each shard graded by a task.

    Raises:
        FrontError: if a task fails, or its worker has ended too often.
    """
    count, jobs, gpus = _shares(ray.nodes(), how)
    task = ray.remote(num_cpus=jobs, num_gpus=gpus, max_retries=RETRIES)(grade_part)
    folder, *others = (None if path is None else path.absolute() for path in of_class)
    how = replace(how, jobs=jobs)
    asked = [task.remote(folder, *others, out, replace(how, shard=Shard(n, count))) for n in range(1, count + 1)]
    try:
        parts: list[Part] = ray.get(asked)
    except ray.exceptions.RayTaskError as error:
        raise error.cause if isinstance(error.cause, FrontError) else _failed(error) from error
    except ray.exceptions.RayError as error:
        raise _failed(error) from error
    return parts


def _failed(error: Exception) -> FrontError:
    told = f"A task on Ray has failed: {first_line(error)}."
    return FrontError(told, "the same command goes on from there", ExitCode.FAULT)


def _shares(nodes: Sequence[dict[str, Any]], how: How) -> tuple[int, int, int]:
    """Return how many tasks there are, the CPUs of each, and its GPUs."""
    machines = [node["Resources"] for node in nodes if node["Alive"] and node["Resources"].get("CPU")]
    gpus = 0 if how.device == "cpu" else int(sum(one.get("GPU", 0) for one in machines))
    if gpus:
        return gpus, how.jobs or max(1, min(int(one["CPU"] // one["GPU"]) for one in machines if one.get("GPU"))), 1
    jobs = how.jobs or int(min(one["CPU"] for one in machines))
    return max(1, sum(int(one["CPU"] // jobs) for one in machines)), jobs, 0


def grade_part(folder: Path, config: Path | None, cases: Path | None, out: Path, how: How) -> Part:
    """Grade one shard, in a worker of Ray's."""
    said: list[str] = []
    with contextlib.suppress(OSError):
        not_dumpable()
    settings = class_settings(config, folder, cases)
    graded = grade_class(settings, take_in(folder, settings), out, (folder, config), how, said.append)
    return replace(graded, outcomes=()), said
