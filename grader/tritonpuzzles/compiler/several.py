"""Compile many launches for many targets without doing or saying anything twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tritonpuzzles.compiler.budget import Budget
from tritonpuzzles.compiler.compile import compile_launch
from tritonpuzzles.compiler.launch import Launch, LaunchError, Specialised, specialise
from tritonpuzzles.compiler.outcome import CompileOutcome
from tritonpuzzles.compiler.source import SourceError
from tritonpuzzles.hardware.targets import Target
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.codes import COMPILE_ERROR, NOT_COMPILED

Announce = Callable[[Launch], None]


@dataclass(frozen=True)
class Compiled:
    """One launch and its outcomes, in the order of the targets; findings that all targets share stand there once."""

    launch: Launch
    outcomes: tuple[CompileOutcome, ...]
    findings: tuple[Finding, ...]


def compile_launches(
    launches: Sequence[Launch],
    targets: Sequence[Target],
    cache: Path | None = None,
    *,
    resources: bool = False,
    budget: Budget | None = None,
    announce: Announce = lambda launch: None,
) -> Iterator[Compiled]:
    """Compile every distinct variant among some launches for every target, and yield each as soon as it is done.

    Each is announced before it is compiled: the process may not live to tell.
    """

    def compiled(launch: Launch, target: Target) -> CompileOutcome:
        return compile_launch(launch, target, cache, resources=resources, budget=budget)

    for launch in distinct(launches, targets[0]) if targets else ():
        announce(launch)
        yield compiled_for(launch, targets, compiled)


def compiled_for(
    launch: Launch, targets: Sequence[Target], compiled: Callable[[Launch, Target], CompileOutcome]
) -> Compiled:
    """Compile a launch for every target; for none after one that there was no time for."""
    outcomes: list[CompileOutcome] = []
    for target in targets:
        late = next((outcome for outcome in outcomes if outcome.skipped), None)
        outcomes.append(compiled(launch, target) if late is None else late.as_for(target.name))
    return Compiled(launch, tuple(outcomes), merged(outcomes))


def first_of_each_kind(launches: Sequence[Launch]) -> list[Launch]:
    """Return the launches that may become different programs, without asking Triton."""
    found: dict[object, Launch] = {}
    for launch in launches:
        found.setdefault(launch.kind, launch)
    return list(found.values())


def distinct(
    launches: Sequence[Launch], target: Target, read: Callable[[Specialised], Specialised] = lambda variant: variant
) -> list[Launch]:
    """Return the first launch of each variant: shapes that differ often compile to the same code.

    Args:
        launches: that are compiled.
        target: for one target they differ as for all.
        read: returns of a variant what they may differ in.
    """
    found: dict[str, Launch] = {}
    for launch in launches:
        found.setdefault(_variant(launch, target, read), launch)
    return list(found.values())


def _variant(launch: Launch, target: Target, read: Callable[[Specialised], Specialised]) -> str:
    try:
        return read(specialise(launch, target)).key
    except (LaunchError, SourceError) as error:
        return f"{launch.kernel.__name__}: {error}"


def merged(outcomes: Sequence[CompileOutcome]) -> tuple[Finding, ...]:
    """Return the findings of one launch; a compile error that some targets alone have names them."""
    groups: dict[tuple[str, str, int | None], list[Finding]] = {}
    for outcome in outcomes:
        for finding in outcome.findings:
            groups.setdefault((finding.code, finding.message, finding.line), []).append(finding)
    return tuple(_one(group, len(outcomes)) for group in groups.values())


def _one(group: Sequence[Finding], total: int) -> Finding:
    finding, names = group[0], [str(item.details["target"]) for item in group]
    details = {**finding.details, "targets": names}
    if finding.code == NOT_COMPILED:
        text = finding.message.replace("was not compiled", f"was not compiled for {' and '.join(names)}")
        return replace(finding, message=text, details=details)
    if finding.code not in (COMPILE_ERROR, "compiled-differently") or len(group) == total:
        return replace(finding, details=details)
    text = f"{finding.message.removesuffix('.')} (only for {', '.join(names)})."
    return replace(finding, message=text, details=details)
