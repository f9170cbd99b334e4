"""Time `tritonpuzzles watch` from a save to what it shows of it; `latency.py --watch` runs this.

The real program has a terminal of its own. Each round saves a wrong kernel, then the solution, each with a comment that
is new: the first answer is "fail", or that the values are right; the last is the verdict with the compiler's word.
"""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WANTED_MEDIAN, WANTED_P95 = 0.7, 1.0  # seconds to the first answer
PUZZLES = (1, 2, 3, 4, 5)
MISTAKES = {  # in the solutions: no maximum subtracted, or nothing rescaled
    1: ("x - tl.max(x, axis=0)", "x"),
    2: ("tl.exp(x - m)", "tl.exp(x)"),
    3: ("l * alpha", "l"),
    4: ("l * alpha", "l"),
    5: ("l * alpha", "l"),
}
LAST = "; waiting for a save"
FIRST = {"wrong": ("fail  p0",), "right": ("values right so far", "pass  p0")}
REST_SECONDS = 2.0  # of a learner, at least: the next check is begun meanwhile
PATIENCE = 200.0
ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")


@dataclass(frozen=True)
class Answer:
    """Seconds from a save to the first answer, and to the last."""

    first: float
    last: float


@dataclass(frozen=True)
class WatchRow:
    """One puzzle with one kind of file."""

    puzzle: int
    kind: str
    median: float
    p95: float
    last_median: float
    rounds: int

    @property
    def verdict(self) -> str:
        """Whether it is as fast as wanted, in a word."""
        return "ok" if self.median <= WANTED_MEDIAN and self.p95 <= WANTED_P95 else "slow"


def watch_rows(workspace: Path, rounds: int, device: str = "cpu") -> list[WatchRow]:
    """Time every puzzle in a workspace, after one round that is not counted."""
    found = []
    for number in PUZZLES:
        (file,) = (workspace / "puzzles").glob(f"p0{number}_*.py")
        right = (ROOT / "solutions" / file.name).read_text(encoding="utf-8")
        old, new = MISTAKES[number]
        if old not in right:
            raise SystemExit(f"{file.name} has no {old!r}")
        texts = {"wrong": right.replace(old, new), "right": right}
        answers: dict[str, list[Answer]] = {kind: [] for kind in texts}
        with Watching(workspace, number, device) as program:
            for turn in range(rounds + 1):
                for kind, text in texts.items():
                    answer = program.save(file, f"{text}\n# {kind} {turn}\n", FIRST[kind])
                    if turn:
                        answers[kind].append(answer)
        found += [row(number, kind, answers[kind]) for kind in texts]
    return found


def row(puzzle: int, kind: str, answers: list[Answer]) -> WatchRow:
    """Return the figures of some answers."""
    first = [answer.first for answer in answers]
    last = statistics.median(answer.last for answer in answers)
    return WatchRow(puzzle, kind, statistics.median(first), percentile95(first), last, len(first))


def percentile95(seconds: list[float]) -> float:
    """Return the 95th percentile; of fewer than twenty the largest."""
    if len(seconds) < 20:
        return max(seconds)
    return statistics.quantiles(seconds, n=20)[-1]


class Watching:
    """The program in a terminal, for the length of a `with` block."""

    def __init__(self, workspace: Path, number: int, device: str) -> None:
        self._master, terminal = pty.openpty()
        self._text = ""
        command = [sys.executable, "-m", "tritonpuzzles", "watch", str(number), "--device", device]
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "grader"), "NO_COLOR": "1", "TERM": "xterm"}
        self._process = subprocess.Popen(
            command, cwd=workspace, env=environment, stdin=terminal, stdout=terminal, stderr=terminal
        )
        os.close(terminal)

    def __enter__(self) -> Watching:
        self._await((LAST,))
        return self

    def __exit__(self, *raised: object) -> None:
        os.write(self._master, b"q")
        self._process.wait()
        os.close(self._master)

    def save(self, file: Path, text: str, first: tuple[str, ...]) -> Answer:
        """Save a file as an editor does, and return how long the answers took."""
        deadline = time.monotonic() + REST_SECONDS
        while (left := deadline - time.monotonic()) > 0:  # what it still says is of no interest
            if select.select([self._master], [], [], left)[0]:
                os.read(self._master, 1 << 16)
        self._text = ""
        new = file.with_name(f".{file.name}.new")
        new.write_text(text, encoding="utf-8")
        started = time.perf_counter()
        new.replace(file)
        answered = self._await(first)
        return Answer(answered - started, self._await((LAST,)) - started)

    def _await(self, texts: tuple[str, ...]) -> float:
        """Read until one of some texts is shown; return when it was."""
        deadline = time.monotonic() + PATIENCE
        while not any(text in self._text for text in texts):
            if time.monotonic() > deadline or self._process.poll() is not None:
                raise SystemExit(f"watch does not say {' or '.join(texts)}:\n{self._text[-2000:]}")
            if select.select([self._master], [], [], 0.5)[0]:
                self._text += os.read(self._master, 1 << 16).decode("utf-8", "replace")
                self._text = ESCAPES.sub("", self._text)
        return time.perf_counter()


def make_workspace(folder: Path) -> None:
    """Put the puzzles into a folder."""
    shutil.copytree(ROOT / "puzzles", folder / "puzzles")
