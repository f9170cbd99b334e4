"""What a learner has done so far: the entry of one puzzle in the state file, and how it is read and written."""

from __future__ import annotations

import hashlib
import math
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime, timezone
from typing import Any

from tritonpuzzles.decoding.decoder import Decoder
from tritonpuzzles.decoding.marks import Between
from tritonpuzzles.results.check import PuzzleResult, Verdict
from tritonpuzzles.results.cover import account_of
from tritonpuzzles.results.speed import Benchmark

MAX_TEXT = 2000  # characters of a message that are kept
ENTRIES = Decoder(count=Between(0, math.inf), closed=False, encodable=False)  # a newer version may write more keys
_NOT_JUDGED = (Verdict.SKIP, Verdict.INFRA_ERROR)


@dataclass(frozen=True)
class Best:
    """The best rate that was measured, and on which device."""

    rate: float
    unit: str
    device: str
    at: str | None = None  # when, ISO 8601 in UTC; `None` where that is not known


@dataclass(frozen=True)
class BestSpeed:
    """The best rate at one shape of a bench."""

    device: str
    dtype: str
    shape: tuple[int, ...]
    rate: float

    @property
    def key(self) -> tuple[str, str, tuple[int, ...]]:
        """What two rates must agree in to be compared."""
        return self.device, self.dtype, self.shape


@dataclass(frozen=True)
class Seen:
    """The first finding of the last check that did not pass; hints begin with it."""

    code: str
    message: str
    line: int | None = None
    next_step: str | None = None
    in_cell: bool = False  # whether the line is one of the notebook's cell that was checked, and not of the file

    @property
    def place(self) -> str:
        """`line 24`, `line 24 of the notebook's cell`, or nothing where no line is known."""
        if self.line is None:
            return ""
        return f"line {self.line} of the notebook's cell" if self.in_cell else f"line {self.line}"


@dataclass(frozen=True)
class Progress:
    """One puzzle's entry."""

    attempts: int = 0  # checks of the learner's own file that reached a verdict on it; a stub does not count
    solved_at: str | None = None  # when it first passed, ISO 8601 in UTC; `None` again after `reset`
    solved_hash: str | None = None  # of the file that passed last
    best: Best | None = None
    hints: int = 0  # how many have been shown
    verdict: str | None = None  # of the last check
    codes: tuple[str, ...] = ()  # of the last check
    seen: Seen | None = None  # the last check's first error; after a pass `None`
    stars: int = 0  # the most that a check has given
    predicted_stars: int = 0  # the most by a prediction since speed was last measured, earned ones included
    speeds: tuple[BestSpeed, ...] = ()  # the best rates that `bench` has measured, one per GPU, dtype and shape
    others: dict[str, Any] = field(default_factory=dict)  # keys that a newer version wrote; kept unchanged

    @property
    def solved(self) -> bool:
        return self.solved_at is not None

    @property
    def stars_now(self) -> int:
        """The stars of a solved puzzle, at least one; a puzzle that is put back has none to show."""
        return max(1, self.stars) if self.solved else 0

    @property
    def predicted_now(self) -> int:
        """The stars of a solved puzzle by prediction."""
        return self.predicted_stars if self.solved else 0

    @property
    def word(self) -> str:
        """Return `solved`, `tried` or `open`."""
        return "solved" if self.solved else "tried" if self.attempts else "open"

    def after(self, result: PuzzleResult, file_hash: str | None) -> Progress:
        """Return the entry after a check of the learner's own file."""
        if result.verdict in _NOT_JUDGED:
            return self
        entry = replace(
            self,
            attempts=self.attempts + (result.verdict is not Verdict.UNSOLVED),
            verdict=result.verdict.value,
            codes=tuple(dict.fromkeys(found.code for found in result.errors)),
            seen=_seen_first(result),
        )
        if not result.passed:
            return entry
        guess = result.predicted
        stars = guess.stars if guess is not None and guess.rate is not None else 0
        return replace(
            entry,
            solved_at=self.solved_at or now(),
            solved_hash=file_hash,
            best=better(self.best, result.benchmark),
            stars=max(self.stars, result.stars),
            predicted_stars=0 if result.benchmark is not None else max(self.predicted_stars, stars),  # a clock decides
        )

    def after_one_case(self, result: PuzzleResult) -> Progress:
        """Return the entry after a check of one case: only `seen` changes, which hints begin with."""
        return self if result.verdict in _NOT_JUDGED else replace(self, seen=_seen_first(result) or self.seen)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        data = asdict(self)
        return {**data.pop("others"), **data}


def from_dict(data: Any) -> Progress:
    """Read one entry.

    Raises:
        ValueError: if it is not what `to_dict` writes.
    """
    known = {one.name for one in fields(Progress)} - {"others"}
    others = {key: data[key] for key in data if key not in known} if isinstance(data, dict) else {}
    return ENTRIES.read(Progress, data, others=others)


def better(best: Best | None, benchmark: Benchmark | None) -> Best | None:
    """Return the better of the old rate and the new measurement; a suspicious rate does not count."""
    if benchmark is None or not math.isfinite(benchmark.rate) or "suspicious" in benchmark.labels:
        return best
    if best is not None and best.unit == benchmark.unit and best.rate >= benchmark.rate:
        return best
    return Best(benchmark.rate, benchmark.unit, benchmark.device, now())


def _seen_first(result: PuzzleResult) -> Seen | None:
    """Return the error that a report shows first; a stub has made none."""
    if result.verdict is Verdict.UNSOLVED or not result.errors:
        return None
    first = account_of(result.findings).open[0].first
    return Seen(first.code, first.message[:MAX_TEXT], first.line, first.next_step, result.file.in_cell)


def hash_of(data: bytes) -> str:
    """Return a file's fingerprint, as the state keeps it."""
    return hashlib.sha256(data).hexdigest()


def now() -> str:
    """Return the time in UTC, to the second."""
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


def day(moment: str | None) -> str | None:
    """Return the local date of a time in the state; `None` if it is missing or unreadable."""
    try:
        return None if moment is None else f"{datetime.fromisoformat(moment).astimezone():%Y-%m-%d}"
    except (ValueError, OverflowError, OSError):
        return None
