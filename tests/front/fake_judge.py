"""Stands in for `tritonpuzzles.judge.check` in a real process: a file's `# verdict: WORD` is what it gets.

python fake_judge.py ARGUMENTS... runs the real command line with it, and the judge's process with it and no PyTorch.
"""

from __future__ import annotations

import os
import re
import runpy
import signal
import sys
import time
import types
from collections.abc import Callable, Sequence
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tests.front import samples
from tritonpuzzles import judgeserver
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front import judge_process
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.judge.workers.parent import Stop
from tritonpuzzles.results.check import Finding, PuzzleResult, Report, Verdict
from tritonpuzzles.results.submission import Submission

SERVE = "--serve"
HOSTILE = "[bold red]x[mask][/]\x1b[2J\x1b]0;owned\x07 \u202egnp \x00 [/nothing]\r\n" + "y" * 300 + "\n" + "z\n" * 50


def judge(path: Path, gpu: str | None = None) -> PuzzleResult:
    if not path.exists():
        return samples.result(Verdict.ERROR, findings=(Finding("missing-file", f"{path} cannot be read."),))
    text = path.read_text(errors="replace")
    word = found[1] if (found := re.search(r"# verdict: (\w+)", text)) else "unsolved"
    if word == "crash":
        raise RuntimeError("the worker does not start")
    if word.startswith("interrupt"):
        os.kill(os.getppid(), int(word.removeprefix("interrupt")))  # the command line
        time.sleep(60)
    if word == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if word == "hostile":
        finding = Finding("kernel-error", f"The kernel stops: {HOSTILE}", file=str(path), line=1, case=HOSTILE)
        return replace(samples.passing(), verdict=Verdict.FAIL, findings=(finding,), output=HOSTILE)
    if word == "infra":
        return samples.result(Verdict.INFRA_ERROR, findings=(Finding("grader-fault", "The worker left cases out."),))
    if word == "unreadable":
        return samples.syntax_error()
    if word == "predicted":
        return samples.passing(predicted=samples.predicted(gpu=gpu) if gpu else None)
    made: PuzzleResult = {"pass": samples.passing, "timed": samples.timed, "fail": samples.not_rescaled}.get(
        word, samples.unsolved
    )()
    return made


def check(
    items: Sequence[tuple[Puzzle, Path | Submission]],
    options: CheckOptions,
    progress: Callable[[str], None] = lambda _: None,
    cache: Path | None = None,
    asked: float | None = None,
    alone: bool = True,
) -> Report:
    results = []
    for puzzle, given in items:
        file = Submission.of(given)
        progress(f"p{puzzle.number:02d} {puzzle.slug}: ordinary numbers (1 of 1)")
        made = judge(file.opened, options.gpu)
        about: dict[str, Any] = {"puzzle": puzzle.number, "slug": puzzle.slug, "file": file}
        results.append(replace(made, **about, seed=options.seed or 123))
    return samples.report(*results)


def module() -> types.ModuleType:
    """Return what stands in for the module of the judge."""
    fake = types.ModuleType("tritonpuzzles.judge.check")
    check.__module__ = fake.__name__  # by this name the judge's process is asked for it
    fake.check, fake.warm = check, lambda: None  # type: ignore[attr-defined]
    return fake


def install() -> None:
    """Put the fake in place before anything imports the judge."""
    fake = module()
    sys.modules[fake.__name__] = fake


def serve(asker: int, asked: int, ask: int) -> None:
    """Be the judge's process."""
    judgeserver.end_with_asker()
    judgeserver.serve(Connection(asker), Stop((asked, ask)))


def serve_instead() -> None:
    """Have this file be the judge's process."""
    judge_process.COMMAND = (sys.executable, __file__, SERVE)


def run() -> None:
    """Be the command line."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a test run in the background ignores it
    serve_instead()
    sys.argv[0] = "tritonpuzzles"
    runpy.run_module("tritonpuzzles", run_name="__main__")


if __name__ == "__main__":
    install()
    if sys.argv[1:2] == [SERVE]:
        serve(*map(int, sys.argv[2:]))
    else:
        run()
