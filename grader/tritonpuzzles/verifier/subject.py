"""The function under test: where it stands, what it is called with, and who calls it."""

from __future__ import annotations

import contextlib
import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tritonpuzzles.curriculum.record import Task
from tritonpuzzles.judge.drawn import DrawnCase
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.judge.workers.crew import Start
from tritonpuzzles.judge.workers.job import seen_device
from tritonpuzzles.judge.workers.process import Worker
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.verifier.calls import Callee, Parameters, VerifyError
from tritonpuzzles.verifier.eager import Eager, EagerRecorder
from tritonpuzzles.verifier.local import LocalRecorder, written
from tritonpuzzles.verifier.written import parameters, split


@dataclass(frozen=True)
class Subject:
    """A function under test.

    Attributes:
        name: for messages.
        file: that it stands in.
        callee: what is called.
        start: starts a worker: part, device.
        recorded: takes each case before any is run; see `Verification`.
        objects: arguments that stay in this process.
    """

    name: str
    file: Submission
    callee: Callee
    start: Start
    recorded: Callable[[Task, DrawnCase], DrawnCase]
    objects: Sequence[Any] = ()


def subject_of(function: Callable[..., Any] | str, options: CheckOptions, eager: bool) -> Subject:
    """Return a function as the subject of a verification.

    Args:
        function: it; or "file.py:name", which a process of its own imports, confined, and this one never does.
        options: as of a check.
        eager: whether PyTorch may compute in it.

    Raises:
        VerifyError: if there is no such function, it stands in no file, or PyTorch would compute in one that this
            process does not import.
    """
    if isinstance(function, str):
        path, name = split(function)
        if eager:
            raise VerifyError(
                f'With host="eager", {name} runs in this process: import it, and pass the function itself.'
            )
        return Subject(name, Submission.of(path), Callee(name, parameters(path, name)), Worker, _as_drawn)
    objects: list[Any] = []
    name = re.sub(r"\W+", "_", getattr(function, "__name__", type(function).__name__).strip("<>")) or "function"
    file, callee = _file_of(function), Callee(name, Parameters.of(function), objects)
    if not eager:
        recorder: Callable[..., Any] = partial(LocalRecorder, function, objects)
        return Subject(name, Submission.of(file), callee, _here(recorder), _as_drawn, objects)
    gpu = seen_device("cpu", options.targets)
    calls = Eager(function, Submission.of(file).opened, gpu, objects)
    return Subject(name, Submission.of(file), callee, _here(partial(EagerRecorder, calls)), calls.recorded, objects)


def _here(recorder: Callable[..., Any]) -> Start:
    """Return what starts workers, the recorder in this process."""

    def start(part: str, device: str, **how: Any) -> Any:
        return recorder(stop=how.get("stop")) if part == "recorder" else Worker(part, device, **how)

    return start


def _as_drawn(task: Task, drawn: DrawnCase) -> DrawnCase:
    return drawn


def _file_of(function: Callable[..., Any]) -> Path:
    """Return the file that a function stands in; that of what it wraps, if it wraps something."""
    inner = inspect.unwrap(function)
    while isinstance(inner, partial):
        inner = inner.func
    held = inner if inspect.isroutine(inner) else type(inner)
    with contextlib.suppress(TypeError, OSError):  # it is not Python's, or typed somewhere
        file = written(Path(inspect.getsourcefile(held) or inspect.getfile(held)))
        if file.is_file():
            return file
    raise VerifyError(f"{held.__name__} stands in no Python file: save it as a module, or use a notebook.")
