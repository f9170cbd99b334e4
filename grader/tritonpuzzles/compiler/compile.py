"""Compile launches for targets, each distinct variant once, with merged findings: the entry point of this package."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from tritonpuzzles.compiler.build import Budget, BuildError, CompileTimeoutError, build, translate
from tritonpuzzles.compiler.explain import compile_finding
from tritonpuzzles.compiler.faults import fault
from tritonpuzzles.compiler.launch import Launch, Specialised, SpecialiseError, described, specialise
from tritonpuzzles.compiler.outcome import CompileOutcome, OutcomeCache, translation_of
from tritonpuzzles.compiler.resources import (
    about,
    num_warps_finding,
    read_resources,
    register_use,
    shared_memory_finding,
    spill_finding,
    tensor_memory_finding,
)
from tritonpuzzles.compiler.source import SourceError, file_of, in_order
from tritonpuzzles.hardware.gpus import Target
from tritonpuzzles.results.check import CompileResult, Finding
from tritonpuzzles.results.codes import COMPILE_ERROR, NOT_COMPILED
from tritonpuzzles.results.words import COMPILES_FASTER

Announce = Callable[[Launch], None]
_LACKING = re.compile(r"not supported in this architecture|requires NVIDIA SM\d")  # a type, an option


def compile_launch(
    launch: Launch, target: Target, cache: Path | None = None, *, resources: bool = False, budget: Budget | None = None
) -> CompileOutcome:
    """Compile one launch for one target; needs no GPU, driver or CUDA toolkit, and runs nothing.

    Takes 0.05 to 0.5 s, or a millisecond when the outcome is in the cache. A crash of LLVM ends the process.
    `resources` also disassembles, which takes another 0.2 s. Processes may share the cache. Raises TypeError if the
    launch's function is no `JITFunction`, OSError if this machine cannot compile.
    """
    return _kept(launch, target, cache, budget, partial(_compile, resources=resources), resources=resources)


def translate_launch(
    launch: Launch, target: Target, cache: Path | None = None, budget: Budget | None = None
) -> CompileOutcome:
    """Run only the compiler's front end on a launch for one target; see `compile_launch`."""
    return _kept(launch, target, cache, budget, _translate, divided=False)


def _variant(launch: Launch, target: Target, divided: bool) -> Specialised:
    """Return a launch's variant; raises SpecialiseError. Divisibility, which the front end ignores, needs `divided`."""
    variant = specialise(launch, target)
    return variant if divided else replace(variant, attributes={})


def _kept(
    launch: Launch,
    target: Target,
    cache: Path | None,
    budget: Budget | None,
    make: Callable[[Specialised, float | None], CompileOutcome],
    divided: bool = True,
    resources: bool = False,
) -> CompileOutcome:
    """Return a launch's outcome from the cache, or else from `make`: the whole compiler or its front end.

    An outcome that timed out is not cached: the next check may have more time.
    """
    kernel = launch.kernel
    wrong = num_warps_finding(launch, target)
    if wrong is not None:
        return _failed(kernel, target, wrong)
    try:
        variant = _variant(launch, target, divided)
        key = f"{variant.key}-{'whole' if divided else 'ttir'}"
    except SpecialiseError as error:
        text = f"{kernel.__name__} cannot be launched: {error}."
        return _failed(kernel, target, about(COMPILE_ERROR, text, kernel, target, launch="refused"))
    except SourceError as error:
        return _failed(kernel, target, compile_finding(fault(error.__cause__ or error, "", kernel), target.name))
    outcomes, files = OutcomeCache(cache), [file_of(function) for function in in_order(kernel)]
    names = {file: f"<file {place}>" for place, file in enumerate(files)}  # a copy elsewhere has the same outcome
    outcome = outcomes.get(key)
    if outcome is not None and not (resources and outcome.result.ok and outcome.resources is None):
        return outcome.with_files({name: file for file, name in names.items()})
    try:
        outcome = make(variant, None if budget is None else budget.left)
    except CompileTimeoutError:  # says nothing about the kernel, for or against it
        why = "there was no time" if budget is None else budget.over
        text = f"{described(launch)} was not compiled: {why}."
        return replace(
            _failed(kernel, target, about(NOT_COMPILED, text, kernel, target, COMPILES_FASTER)), skipped=True
        )
    outcomes.put(key, outcome.with_files(names))
    return outcome


def _compile(variant: Specialised, seconds: float | None, resources: bool) -> CompileOutcome:
    """Compile a variant and check whether it fits the target."""
    target = variant.target
    try:
        built = build(variant, seconds)
    except BuildError as error:
        return _rejected(variant, error)
    use, metadata = register_use(built, target), built.metadata
    misfits = [shared_memory_finding(variant, metadata), tensor_memory_finding(variant, metadata)]
    findings = [*misfits, spill_finding(variant, use.registers, use.spill_bytes)]
    result = CompileResult(
        variant.kernel.__name__, target.name, not any(misfits), use.registers, use.spill_bytes,
        int(metadata.shared), int(metadata.num_warps), int(metadata.num_stages),
    )  # fmt: skip
    told = tuple(finding for finding in findings if finding is not None)
    return CompileOutcome(
        result, told, read_resources(built, target, use) if resources else None, answers=built.answers
    )


def _translate(variant: Specialised, seconds: float | None) -> CompileOutcome:
    try:
        text, answers = translate(variant, seconds)
    except BuildError as error:
        return _rejected(variant, error)
    launched = {name: int(variant.options[name]) for name in ("num_warps", "num_stages")}
    result = CompileResult(variant.kernel.__name__, variant.target.name, True, assembled=False, **launched)
    return CompileOutcome(result, translation=translation_of(text), answers=answers)


def _rejected(variant: Specialised, error: BuildError) -> CompileOutcome:
    found = fault(error.__cause__ or error, error.diagnostics, variant.kernel, variant.constexprs)
    return _failed(variant.kernel, variant.target, compile_finding(found, variant.target.name))


def _failed(kernel: Any, target: Target, finding: Finding) -> CompileOutcome:
    return CompileOutcome(CompileResult(kernel.__name__, target.name, False), (finding,))


@dataclass(frozen=True)
class Compiled:
    """One launch and its outcomes, in the order of the targets."""

    launch: Launch
    outcomes: tuple[CompileOutcome, ...]

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """The findings of all targets, one that several share once; a compile error on only some names these.

        It becomes `target-lacks` where these targets lack a feature that the kernel uses.
        """
        groups: dict[tuple[str, str, int | None], list[Finding]] = {}
        for finding in (finding for outcome in self.outcomes for finding in outcome.findings):
            groups.setdefault((finding.code, finding.message, finding.line), []).append(finding)
        return tuple(_one(group, len(self.outcomes)) for group in groups.values())


def compile_launches(
    launches: Sequence[Launch],
    targets: Sequence[Target],
    cache: Path | None = None,
    *,
    whole: bool = True,
    resources: bool = False,
    budget: Budget | None = None,
    announce: Announce = lambda launch: None,
) -> Iterator[Compiled]:
    """Compile every distinct variant among some launches for every target, and yield each as soon as it is done.

    If not `whole`, only the front end runs. `announce` is called before each is compiled: the compiler may crash the
    process. After a target that timed out, a launch's other targets are skipped.
    """
    one = partial(compile_launch, resources=resources) if whole else translate_launch
    for launch in distinct(launches, targets[0], divided=whole) if targets else []:
        announce(launch)
        outcomes: list[CompileOutcome] = []
        for target in targets:
            late = next((outcome for outcome in outcomes if outcome.skipped), None)
            outcomes.append(one(launch, target, cache, budget=budget) if late is None else late.as_for(target.name))
        yield Compiled(launch, tuple(outcomes))


def first_of_each_kind(launches: Sequence[Launch]) -> list[Launch]:
    """Return the launches that may become different programs, without asking Triton."""
    found: dict[object, Launch] = {}
    for launch in launches:
        found.setdefault(launch.kind, launch)
    return list(found.values())


def distinct(launches: Sequence[Launch], target: Target, divided: bool = True) -> list[Launch]:
    """Return the first launch of each variant: shapes that differ often compile to the same code.

    `divided` says whether divisibility distinguishes variants. One target suffices: variants differ on all or on none.
    """
    found: dict[str, Launch] = {}
    for launch in launches:
        found.setdefault(code_of(launch, target, divided), launch)
    return list(found.values())


def code_of(launch: Launch, target: Target, divided: bool = True) -> str:
    """Return a key of the code that a launch compiles to for a target; see `distinct`."""
    try:
        return _variant(launch, target, divided).key
    except (SpecialiseError, SourceError) as error:
        return f"{launch.kernel.__name__}: {error}"


def _one(group: Sequence[Finding], total: int) -> Finding:
    names = [str(item.details["target"]) for item in group]
    finding = group[0].noting({"targets": names})
    if finding.code == NOT_COMPILED:
        text = finding.message.replace("was not compiled", f"was not compiled for {' and '.join(names)}")
        return replace(finding, message=text)
    if finding.code not in (COMPILE_ERROR, "compiled-differently") or len(group) == total:
        return finding
    if _LACKING.search(finding.details.get("triton", finding.message)):
        cause = finding.message.partition(": ")[2].partition(". ")[0].removesuffix(".")
        text = f"{finding.details['kernel']} was not compiled for {' and '.join(names)}: {cause}."
        return Finding("target-lacks", text, finding.file, finding.line, details=finding.details)
    text = f"{finding.message.removesuffix('.')} (only for {', '.join(names)})."
    return replace(finding, message=text)
