"""What no case runs of a file: host code that launches nothing there is wrong, other code is not checked."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tritonpuzzles.judge.evidence.cases import Evidence
from tritonpuzzles.judge.verdict.kernels import nobody_calls
from tritonpuzzles.judge.workers.trial import Trial
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.words import listed
from tritonpuzzles.source.computing import called_by
from tritonpuzzles.source.functions import Function
from tritonpuzzles.source.paths import Ran, silent_paths

MOST_LINES = 5  # that a note names


def all_ran(trial: Trial, evidence: Evidence) -> bool:
    """Return whether all cases of a puzzle ran, and its host code was followed."""
    asked = {case.name for case in trial.task.cases if trial.device == "cpu" and "cpu" in case.devices}
    ran = {drawn.name for drawn in trial.cases}
    return bool(asked) and not trial.chosen and asked <= ran and bool(evidence.passed)


def unlaunched(trial: Trial, evidence: Evidence) -> Iterator[Finding]:
    """Yield an error for each path of the host code that no case takes and that launches nothing: its result is wrong.

    Nothing is said unless all of a puzzle's cases ran. The file's own process reports what ran; whoever forges that
    gets no more than without this check.
    """
    if trial.task.computes or not all_ran(trial, evidence):
        return
    for function, node in silent_paths(trial.file.source, _called(trial), Ran(evidence.passed)):
        line, name = node.lineno, function.name
        if isinstance(node, ast.Return):
            text = f"No case runs line {line}: there {name} returns and has launched nothing."
        elif isinstance(node, ast.If):
            text = f"The condition of line {line} is true in every case; where it is false, {name} launches nothing."
        else:
            text = f"No case runs line {line}: from there {name} returns and has launched nothing."
        step = "Launch the kernel on that path, too, raise an error there, or leave the path out."
        yield Finding("no-launch", text, file=str(trial.file), line=line, next_step=step)


def never_run(trial: Trial, evidence: Evidence) -> Iterator[Finding]:
    """Yield a note on the loads, stores and launches that no case runs: nobody knows whether they are right."""
    if not all_ran(trial, evidence):
        return
    source, cases = trial.file.source, [*evidence.cases.values(), *evidence.others.values()]
    used = source.lines_run({launch.kernel for case in cases for launch in case.launches})
    accesses = {call.lineno for kernel in source.kernels for call in kernel.accesses} & used
    lines = accesses - {line.line for case in cases for line in case.lines}
    ran = Ran(evidence.passed)
    lines |= {line for function in _called(trial) for line, grid in function.launches if not ran.has(grid)}
    if lines:
        names = [str(line) for line in sorted(lines)]
        if len(names) > MOST_LINES:
            names[MOST_LINES - 1 :] = [f"{len(names) - MOST_LINES + 1} more"]
        where = f"line{'s' * (len(names) > 1)} {listed(names)}"
        text = f"No case runs {where}: whether what is there is right is not known."
        yield Finding("not-run", text, file=str(trial.file), line=min(lines))


def _called(trial: Trial) -> list[Function]:
    skipped = nobody_calls(trial.task)
    return [one for one in called_by(trial.task.host, trial.file.source) if one.name not in skipped]
