"""What is said of a trial while it runs, and of one that did not come to its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.judge.drawn import DrawnCase
from tritonpuzzles.judge.workers.endings import ended
from tritonpuzzles.judge.workers.process import WorkerEndedError
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.results.words import DEVICES


@dataclass(frozen=True)
class Said:
    """Sentences about one file on one device; each takes the stage, and the index of the case where there is one."""

    puzzle: Puzzle
    file: Submission
    device: str
    cases: Sequence[DrawnCase]

    def doing(self, stage: str, case: int | None) -> str:
        """Return the line of progress: "p03 online_softmax on the CPU: one row (2 of 25)"."""
        name = f"p{self.puzzle.number:02d} {self.puzzle.slug} on the {DEVICES[self.device]}"
        if case is None:
            return f"{name}: {stage}"
        return f"{name}: {self.cases[case].name} ({case + 1} of {len(self.cases)})"

    def timed_out(self, time: str, stage: str, case: int | None) -> Finding:
        """Return the finding for a file that took longer than `time`, in words."""
        return Finding(
            "timeout",
            f"{self.puzzle.call} did not finish within {time}, {self._during(stage, case)}.",
            file=str(self.file),
            case=self._name(case),
            next_step="Look for a loop that never ends, or for tiles so small that programs or iterations are far too "
            "many; a slow machine may need --timeout with more seconds.",
        )

    def ended(self, error: WorkerEndedError, stage: str, case: int | None) -> Finding:
        """Return the finding for a worker that ended; see `endings.ended`."""
        found = ended("The file ended its process", self._during(stage, case), error, "no result came back")
        step = "Return a tensor; never exit." if found.code == "exit" else None
        return replace(found, file=str(self.file), case=self._name(case), next_step=step)

    def _name(self, case: int | None) -> str | None:
        return None if case is None else self.cases[case].name

    def _during(self, stage: str, case: int | None) -> str:
        if case is None:
            return {"import": f"while {self.file.name} was imported"}.get(stage, f"during the {stage}")
        drawn = self.cases[case]
        return f'in case "{drawn.name}", shape {"x".join(str(n) for n in drawn.shape)}'
