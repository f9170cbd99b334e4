"""Hold a grid against the GPU that its host function found: no program waits for a place, no place for a program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tritonpuzzles.curriculum.expressions import evaluate
from tritonpuzzles.curriculum.limits import AtOnce
from tritonpuzzles.judge.drawn import DrawnCase
from tritonpuzzles.judge.evidence.cases import CaseEvidence
from tritonpuzzles.judge.verdict.judged import JudgedCase
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.codes import COMPILE_ERROR
from tritonpuzzles.results.occupancy import GridOccupancy, held_at_once, limited_by, occupancy_of, product
from tritonpuzzles.results.words import are, plural
from tritonpuzzles.wire.job import Device
from tritonpuzzles.wire.observed import LaunchSummary

MORE, IDLE, UNKNOWN = "more-programs-than-fit", "idle-multiprocessors", "occupancy-unknown"
ASK = "torch.cuda.get_device_properties(...).multi_processor_count"


def at_once_findings(asked: AtOnce, drawn: DrawnCase, evidence: CaseEvidence) -> Iterator[Finding]:
    """Yield the first launch that the case's GPU does not hold as a whole, or that leaves multiprocessors idle."""
    gpu, work = evidence.gpu, evaluate(asked.work, drawn.dims)
    if gpu is None:
        return
    rejected = any(finding.code == COMPILE_ERROR for finding in evidence.findings)
    for launch in evidence.launches:
        found = _too_few(launch, gpu, work, asked) or _too_many(launch, gpu, asked)
        if found is not None and not (rejected and found[0] == UNKNOWN):  # what does not compile says so itself
            code, text, step, numbers = found
            details = {"programs": launch.programs, "multiprocessors": gpu.multiprocessors, "gpu": gpu.name, **numbers}
            yield Finding(code, text, line=launch.line, case=drawn.name, next_step=step, details=details)
            return


Found = tuple[str, str, str | None, dict[str, int]]


def _too_few(launch: LaunchSummary, gpu: Device, work: int, asked: AtOnce) -> Found | None:
    blocks = launch.programs * (launch.fit.num_ctas if launch.fit else 1)
    idle = min(work, gpu.multiprocessors) - blocks
    if launch.fit is not None and launch.fit.num_ctas > 1:  # no cluster lies on what is left over
        idle -= gpu.multiprocessors % launch.fit.num_ctas
    if idle <= 0:
        return None
    text = (
        f"{launch.kernel} is launched with {plural(launch.programs, 'program')} for {work:,} {asked.called}; "
        f"{idle:,} of the {gpu.multiprocessors} multiprocessors of the {gpu.name} {are(idle)} idle."
    )
    step = "LaunchSummary one program at least for each multiprocessor of the GPU that is there, as long as there are "
    return IDLE, text, f"{step}{asked.called}: {ASK}.", {"idle": idle}


def _too_many(launch: LaunchSummary, gpu: Device, asked: AtOnce) -> Found | None:
    used = launch.fit
    if launch.programs <= gpu.multiprocessors and (used is None or used.num_ctas == 1):
        return None  # one fits on each: else it could not be launched at all
    if used is None:
        reason = launch.unknown or "Triton does not tell what it takes."
        return (
            UNKNOWN,
            f"How many programs of {launch.kernel} the {gpu.name} holds at once is not known: {reason}",
            None,
            {},
        )
    most = held_at_once(gpu.multiprocessors, used)
    if launch.programs <= most:
        return None
    text = (
        f"{launch.kernel} is launched with {launch.programs:,} programs; the {gpu.name} holds "
        f"{product(gpu.multiprocessors, used)} = {most:,} at once: {limited_by(used)}."
    )
    step = (
        f"LaunchSummary at most as many programs as fit at once, multiprocessors ({ASK}) times programs on each, "
        f"and let each take its share of the {asked.called} in a loop."
    )
    return MORE, text, step, {"at_once": most, "per_multiprocessor": used.per_multiprocessor}


def grid_occupancy(asked: AtOnce | None, judged: Sequence[JudgedCase]) -> GridOccupancy | None:
    """Return how the grid fills the GPU in the largest case, one whose grid is not as asked first."""
    if asked is None:
        return None
    found = [_of_case(asked, case) for case in judged if not case.drawn.phantom]
    known = [item for item in found if item is not None]
    return max(known, key=lambda item: item[0], default=(0, None))[1]


def _of_case(asked: AtOnce, case: JudgedCase) -> tuple[tuple[bool, int], GridOccupancy] | None:
    """Return whether a case's grid is not as asked with the bytes of the case, and how it fills the GPU, if known."""
    gpu = case.evidence.gpu
    launch = max(case.evidence.launches, key=lambda launch: launch.programs, default=None)
    if gpu is None or launch is None or launch.fit is None:
        return None
    used, work = launch.fit, evaluate(asked.work, case.drawn.dims)
    filled = GridOccupancy(
        case=case.drawn.name,
        kernel=launch.kernel,
        gpu=gpu.name,
        multiprocessors=gpu.multiprocessors,
        at_once=held_at_once(gpu.multiprocessors, used),
        programs=launch.programs,
        work=work,
        work_word=asked.called,
        least=work // launch.programs,
        most=-(-work // launch.programs),
        occupancy=occupancy_of(launch.programs, gpu.multiprocessors, used),
        fit=used,
    )
    is_wrong = any(finding.code in (MORE, IDLE) for finding in case.findings)
    return (is_wrong, sum(case.drawn.sizes.values())), filled
