"""What the system kept the checked files from, in the words of somebody who wonders what a stranger's file could do."""

from __future__ import annotations

from tritonpuzzles.front.text import harmless
from tritonpuzzles.results.check import Confinement, Report

KEPT_FROM = {  # by how the name of what holds begins
    "Landlock": "write in no folder but its own",
    "a filter": "reach no network",
    "a PID": "leave no process behind",
    "a supervisor": "leave no process behind",
}


def confinement(report: Report) -> str | None:
    """Return the report's sentence on it, one for all files, which were run on one machine; `None` if none was run."""
    told = next((result.confinement for result in report.results if result.confinement is not None), None)
    return None if told is None else harmless(sentence(told))


def lacks(report: Report) -> bool:
    """Return whether there is something that the system could not keep a file from."""
    return any(result.confinement is not None and result.confinement.missing for result in report.results)


def sentence(told: Confinement) -> str:
    """Say what the system saw to, and what it did not."""
    kept = dict.fromkeys(KEPT_FROM[start] for name in told.holds for start in KEPT_FROM if name.startswith(start))
    if not kept:
        return f"Nothing kept the file from the rest of this machine: {'; '.join(told.missing)}."
    held = f"The system held the file: it could {', '.join(kept)}."
    return f"{held} Not held by {'; '.join(told.missing)}." if told.missing else held
