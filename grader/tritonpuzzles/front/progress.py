"""What a learner has done so far: the entry of one puzzle in the state file, and how it is read and written."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from typing import Any

from tritonpuzzles.results import Benchmark, PuzzleResult, Severity, Verdict

_NO_ATTEMPT = (Verdict.SKIP, Verdict.INFRA_ERROR, Verdict.UNSOLVED)


@dataclass(frozen=True)
class Best:
    """The best rate that was measured, and on which device."""

    rate: float
    unit: str
    device: str


@dataclass(frozen=True)
class Progress:
    """One puzzle's entry.

    Attributes:
        attempts: checks of the learner's own file that reached a verdict on it; a stub is none.
        solved_at: when it first passed, ISO 8601 in UTC; `None` again after `reset`.
        solved_hash: of the file that passed last.
        hints: how many have been shown.
        verdict, codes: of the last check.
        others: what a newer version wrote; kept as it is.
    """

    attempts: int = 0
    solved_at: str | None = None
    solved_hash: str | None = None
    best: Best | None = None
    hints: int = 0
    verdict: str | None = None
    codes: tuple[str, ...] = ()
    others: dict[str, Any] = field(default_factory=dict)

    @property
    def solved(self) -> bool:
        return self.solved_at is not None

    @property
    def word(self) -> str:
        """Return `solved`, `tried` or `open`."""
        return "solved" if self.solved else "tried" if self.attempts else "open"

    def after(self, result: PuzzleResult, file_hash: str | None) -> Progress:
        """Return the entry after a check of the learner's own file."""
        if result.verdict in (Verdict.SKIP, Verdict.INFRA_ERROR):
            return self
        codes = dict.fromkeys(f.code for f in result.findings if f.severity is Severity.ERROR)
        entry = replace(self, verdict=result.verdict.value, codes=tuple(codes))
        if result.verdict not in _NO_ATTEMPT:
            entry = replace(entry, attempts=self.attempts + 1)
        if not result.passed:
            return entry
        best = better(self.best, result.benchmark)
        return replace(entry, solved_at=self.solved_at or now(), solved_hash=file_hash, best=best)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        best = self.best and {"rate": self.best.rate, "unit": self.best.unit, "device": self.best.device}
        return {
            **self.others,
            "attempts": self.attempts,
            "solved_at": self.solved_at,
            "solved_hash": self.solved_hash,
            "best": best,
            "hints": self.hints,
            "verdict": self.verdict,
            "codes": list(self.codes),
        }


def from_dict(data: Any) -> Progress:
    """Read one entry.

    Raises:
        ValueError: if it is not what `to_dict` writes.
    """
    entries = dict(_of(data, dict))
    best = entries.pop("best", None)
    return Progress(
        attempts=_count(entries.pop("attempts", 0)),
        solved_at=_text(entries.pop("solved_at", None)),
        solved_hash=_text(entries.pop("solved_hash", None)),
        best=None if best is None else _best(_of(best, dict)),
        hints=_count(entries.pop("hints", 0)),
        verdict=_text(entries.pop("verdict", None)),
        codes=tuple(str(_of(code, str)) for code in _of(entries.pop("codes", []), list)),
        others=entries,
    )


def better(best: Best | None, benchmark: Benchmark | None) -> Best | None:
    """Return the better of what was and what has just been measured; rates that cannot be true do not count."""
    if benchmark is None or not math.isfinite(benchmark.rate) or "suspicious" in benchmark.labels:
        return best
    if best is not None and best.unit == benchmark.unit and best.rate >= benchmark.rate:
        return best
    return Best(benchmark.rate, benchmark.unit, benchmark.device)


def hash_of(data: bytes) -> str:
    """Return a file's fingerprint, as the state keeps it."""
    return hashlib.sha256(data).hexdigest()


def now() -> str:
    """Return the time in UTC, to the second."""
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


def _best(data: dict[str, Any]) -> Best:
    rate = data.get("rate")
    if isinstance(rate, bool) or not isinstance(rate, (int, float)):
        raise ValueError(f"{rate!r} is not a rate")
    return Best(float(rate), str(_of(data.get("unit"), str)), str(_of(data.get("device"), str)))


def _of(value: Any, kind: type) -> Any:
    if not isinstance(value, kind):
        raise ValueError(f"{value!r} is not a {kind.__name__}")
    return value


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{value!r} is not a count")
    return value


def _text(value: Any) -> str | None:
    return None if value is None else str(_of(value, str))
