"""Compile launches for targets, without doing or saying anything twice: the front door of this package."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tritonpuzzles.compiler.build import Budget, Build, BuildError, CompileTimeoutError, build, translate
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


def compile_launch(
    launch: Launch, target: Target, cache: Path | None = None, *, resources: bool = False, budget: Budget | None = None
) -> CompileOutcome:
    """Compile one launch for one target; needs no GPU, driver or CUDA toolkit, and runs nothing.

    Takes 0.05 to 0.5 s, or a millisecond when the outcome is in the cache. A crash of LLVM ends the process.
    `resources` also disassembles, which takes another 0.2 s. Processes may share the cache.

    Raises:
        TypeError: the launch's function is no `JITFunction`.
        OSError: this machine cannot compile.
    """

    def made(variant: Specialised) -> CompileOutcome:
        return _compile(variant, resources, None if budget is None else budget.left)

    def is_enough(outcome: CompileOutcome) -> bool:
        return not resources or not outcome.result.ok or outcome.resources is not None

    try:
        return kept(launch, target, cache, "whole", made, is_enough)
    except CompileTimeoutError:
        return skipped(launch, target, budget)


def translate_launch(
    launch: Launch, target: Target, cache: Path | None = None, budget: Budget | None = None
) -> CompileOutcome:
    """Take a launch through the front half for one target; see `compile_launch`."""

    def made(variant: Specialised) -> CompileOutcome:
        try:
            text, answers = translate(variant, None if budget is None else budget.left)
        except BuildError as error:
            return rejected(variant, error)
        launched = {name: int(variant.options[name]) for name in ("num_warps", "num_stages")}
        result = CompileResult(variant.kernel.__name__, variant.target.name, True, assembled=False, **launched)
        return CompileOutcome(result, translation=translation_of(text), answers=answers)

    try:
        return kept(launch, target, cache, "ttir", made, read=_undivided)
    except CompileTimeoutError:
        return skipped(launch, target, budget)


def _undivided(variant: Specialised) -> Specialised:
    return replace(variant, attributes={})


def kept(
    launch: Launch,
    target: Target,
    cache: Path | None,
    stage: str,
    make: Callable[[Specialised], CompileOutcome],
    is_enough: Callable[[CompileOutcome], bool] = lambda outcome: True,
    read: Callable[[Specialised], Specialised] = lambda variant: variant,
) -> CompileOutcome:
    """Return what a stage of the compiler makes of a launch, from the cache where it is there.

    What there was no time for is not kept: the next check may have more.

    Args:
        launch: the kernel, its arguments and options.
        target: see `TARGETS`.
        cache: folder where outcomes are kept.
        stage: a word, for each stage keeps outcomes of its own.
        make: does the work.
        is_enough: whether an outcome that was kept has all that is asked for.
        read: returns of a variant what the stage looks at.
    """
    wrong = num_warps_finding(launch, target)
    if wrong is not None:
        return _failed(launch, target, wrong)
    try:
        variant = read(specialise(launch, target))
        key = f"{variant.key}-{stage}"
    except SpecialiseError as error:
        return _failed(launch, target, _refused(launch, target, str(error)))
    except SourceError as error:
        cause = error.__cause__ or error
        return _failed(launch, target, compile_finding(fault(cause, "", launch.kernel), target.name))
    outcomes, files = OutcomeCache(cache), [file_of(function) for function in in_order(variant.kernel)]
    outcome = outcomes.get(key)
    if outcome is not None and is_enough(outcome):
        return outcome.with_files({_number(n): file for n, file in enumerate(files)})
    outcome = make(variant)
    outcomes.put(key, outcome.with_files({file: _number(n) for n, file in enumerate(files)}))
    return outcome


def _number(place: int) -> str:
    """Return what stands in the cache for a file: a copy elsewhere has the same outcome, under its own name."""
    return f"<file {place}>"


def _compile(variant: Specialised, resources: bool, seconds: float | None) -> CompileOutcome:
    """Compile a variant and look whether it fits the target."""
    target = variant.target
    try:
        built = build(variant, seconds)
    except BuildError as error:
        return rejected(variant, error)
    use = register_use(built, target)
    misfits = [shared_memory_finding(variant, built.metadata), tensor_memory_finding(variant, built.metadata)]
    findings = [*misfits, spill_finding(variant, use.registers, use.spill_bytes)]
    return CompileOutcome(
        _result(variant, built, not any(misfits), use.registers, use.spill_bytes),
        tuple(finding for finding in findings if finding is not None),
        read_resources(built, target, use) if resources else None,
        answers=built.answers,
    )


def _result(
    variant: Specialised, built: Build, fits: bool, registers: int | None, spill_bytes: int | None
) -> CompileResult:
    metadata = built.metadata
    return CompileResult(
        variant.kernel.__name__, variant.target.name, fits, registers, spill_bytes,
        int(metadata.shared), int(metadata.num_warps), int(metadata.num_stages),
    )  # fmt: skip


def rejected(variant: Specialised, error: BuildError) -> CompileOutcome:
    """Return the outcome of a variant that the compiler rejects."""
    kernel, target = variant.kernel, variant.target.name
    finding = compile_finding(fault(error.__cause__ or error, error.diagnostics, kernel, variant.constexprs), target)
    return CompileOutcome(CompileResult(kernel.__name__, target, False), (finding,))


def skipped(launch: Launch, target: Target, budget: Budget | None) -> CompileOutcome:
    """Say that there was no time to compile a launch: no fault of the kernel's, and no proof for it."""
    why = "there was no time" if budget is None else budget.over
    text = f"{described(launch)} was not compiled: {why}."
    outcome = _failed(launch, target, about(NOT_COMPILED, text, launch.kernel, target, COMPILES_FASTER))
    return replace(outcome, skipped=True)


def _failed(launch: Launch, target: Target, finding: Finding) -> CompileOutcome:
    return CompileOutcome(CompileResult(launch.kernel.__name__, target.name, False), (finding,))


def _refused(launch: Launch, target: Target, reason: str) -> Finding:
    text = f"{launch.kernel.__name__} cannot be launched: {reason}."
    return about(COMPILE_ERROR, text, launch.kernel, target, launch="refused")


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


def translate_launches(
    launches: Sequence[Launch],
    targets: Sequence[Target],
    cache: Path | None,
    budget: Budget,
    announce: Announce = lambda launch: None,
) -> Iterator[Compiled]:
    """Take every distinct program among some launches through the front half for every target; yield each when done.

    How far numbers can be divided makes no other program.
    """
    for launch in distinct(launches, targets[0], _undivided) if targets else ():
        announce(launch)
        yield compiled_for(launch, targets, lambda launch, target: translate_launch(launch, target, cache, budget))


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

    `read` returns of a variant what they may differ in; for one target they differ as for all.
    """
    found: dict[str, Launch] = {}
    for launch in launches:
        found.setdefault(code_of(launch, target, read), launch)
    return list(found.values())


def code_of(
    launch: Launch, target: Target, read: Callable[[Specialised], Specialised] = lambda variant: variant
) -> str:
    """Return what the code is known by that a launch compiles to for a target; see `distinct`."""
    try:
        return read(specialise(launch, target)).key
    except (SpecialiseError, SourceError) as error:
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
