"""Mistakes in a launch's grid, or in the sizes that it passes.

These are: more programs than fit on the GPU at once where they wait for each other, or too few to fill it; programs
without a tile; one size of the input passed as another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tritonpuzzles.curriculum.expressions import evaluate
from tritonpuzzles.curriculum.limits import AtOnce
from tritonpuzzles.judge.drawn import DrawnCase
from tritonpuzzles.judge.evidence.cases import CaseEvidence
from tritonpuzzles.judge.verdict.judged import JudgedCase, has_errors
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.codes import COMPILE_ERROR
from tritonpuzzles.results.cover import ADDRESSES, INT32_OVERFLOW, PASSED, PROGRAMS
from tritonpuzzles.results.speed import GridOccupancy, held_at_once, limited_by, occupancy_of, product
from tritonpuzzles.results.words import are, plural
from tritonpuzzles.wire.job import Device
from tritonpuzzles.wire.observed import LaunchSummary

MORE, IDLE, UNKNOWN = "more-programs-than-fit", "idle-multiprocessors", "occupancy-unknown"
ASK_THE_GPU = "torch.cuda.get_device_properties(...).multi_processor_count"
ONE_EACH = "Work out the grid by hand: one program for each tile, with the sizes of tile that the kernel gets."
COMPARE = "Compare the arguments of the launch with the kernel's parameters."


def at_once_findings(asked: AtOnce, drawn: DrawnCase, evidence: CaseEvidence) -> Iterator[Finding]:
    """Yield the first launch whose programs do not all fit on the case's GPU at once, or leave multiprocessors idle."""
    gpu, work = evidence.gpu, evaluate(asked.work, drawn.dims)
    if gpu is None:
        return
    rejected = any(finding.code == COMPILE_ERROR for finding in evidence.findings)
    for launch in evidence.launches:
        found = _too_few(launch, gpu, work, asked) or _too_many(launch, gpu, asked)
        if found is not None and not (rejected and found.code == UNKNOWN):  # a compile error is reported itself
            details = {"programs": launch.programs, "multiprocessors": gpu.multiprocessors, "gpu": gpu.name}
            yield replace(found, line=launch.line, case=drawn.name, details={**details, **found.details})
            return


def _busy(launch: LaunchSummary) -> int:
    """Return how many programs load or store anything; all if that is unknown, or if none does, as in a stub."""
    return launch.busy or launch.programs


def _too_few(launch: LaunchSummary, gpu: Device, work: int, asked: AtOnce) -> Finding | None:
    busy, each = _busy(launch), launch.fit.num_ctas if launch.fit else 1
    wanted = min(work, gpu.multiprocessors)
    if launch.programs * each >= wanted > busy * each:  # shares are rounded up: the last programs may get none
        wanted = -(-work // -(-work // wanted))
    idle = wanted - busy * each
    if launch.fit is not None and launch.fit.num_ctas > 1:  # no cluster fits on the remaining multiprocessors
        idle -= gpu.multiprocessors % launch.fit.num_ctas
    if idle <= 0:
        return None
    some = f" ({busy:,} of them with anything to load or store)" if busy < launch.programs else ""
    text = (
        f"{launch.kernel} is launched with {plural(launch.programs, 'program')}{some} for {work:,} {asked.called}; "
        f"{idle:,} of the {gpu.multiprocessors} multiprocessors of the {gpu.name} {are(idle)} idle."
    )
    step = f"Share the {asked.called} among all programs: each starts at its own id, in steps of tl.num_programs(0)."
    if launch.programs * each < wanted:
        step = (
            "Launch at least one program for each multiprocessor of the GPU, as long as there are "
            f"{asked.called}: {ASK_THE_GPU}."
        )
    return Finding(IDLE, text, next_step=step, details={"idle": idle})


def _too_many(launch: LaunchSummary, gpu: Device, asked: AtOnce) -> Finding | None:
    used = launch.fit
    if launch.programs <= gpu.multiprocessors and (used is None or used.num_ctas == 1):
        return None  # one fits on each, or nothing could be launched
    if used is None:
        reason = launch.unknown or "Triton does not report what a program needs."
        text = f"It is not known how many programs of {launch.kernel} fit on the {gpu.name} at once: {reason}"
        return Finding(UNKNOWN, text)
    most = held_at_once(gpu.multiprocessors, used)
    if launch.programs <= most:
        return None
    text = (
        f"{launch.kernel} is launched with {launch.programs:,} programs; the {gpu.name} holds "
        f"{product(gpu.multiprocessors, used)} = {most:,} at once: {limited_by(used)}."
    )
    step = (
        f"Launch at most as many programs as fit at once, multiprocessors ({ASK_THE_GPU}) times programs on each, "
        f"and let each take its share of the {asked.called} in a loop."
    )
    numbers = {"at_once": most, "per_multiprocessor": used.per_multiprocessor}
    return Finding(MORE, text, next_step=step, details=numbers)


def grid_occupancy(asked: AtOnce | None, judged: Sequence[JudgedCase]) -> GridOccupancy | None:
    """Return how the grid fills the GPU in the largest case; a case whose grid breaks the rules comes first."""
    if asked is None:
        return None
    found = [item for case in judged if not case.drawn.phantom and (item := _of_case(asked, case)) is not None]
    return max(found, key=lambda item: item[0], default=(0, None))[1]


def _of_case(asked: AtOnce, case: JudgedCase) -> tuple[tuple[bool, int], GridOccupancy] | None:
    """Return a sort key (grid breaks the rules, bytes of the case) and how the grid fills the GPU, if known."""
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
        least=work // launch.programs if _busy(launch) == launch.programs else 0,
        most=-(-work // _busy(launch)),
        occupancy=occupancy_of(launch.programs, gpu.multiprocessors, used),
        fit=used,
    )
    is_wrong = any(finding.code in (MORE, IDLE) for finding in case.findings)
    return (is_wrong, sum(case.drawn.sizes.values())), filled


def of_needless_programs(findings: Sequence[Finding], judged: Sequence[JudgedCase]) -> list[Finding]:
    """Return findings; those on addresses outside of a tensor by a program without a tile are moved to the launch.

    The sizes of a tile must be constants named BLOCK_M and BLOCK_N or the like, as in matrix products.
    """
    cases = {case.drawn.name: case for case in judged}
    return [_explained(finding, cases.get(finding.case or "")) for finding in findings]


def _explained(finding: Finding, case: JudgedCase | None) -> Finding:
    program = finding.details.get("program")
    if case is None or finding.code not in ADDRESSES - {INT32_OVERFLOW} or not isinstance(program, list):
        return finding
    for launch in case.evidence.launches:
        if (block := _block(launch)) is None or launch.kernel != finding.details.get("kernel"):
            continue
        output = case.drawn.outputs[0]
        if len(output.shape) != 2 or any(count != 1 for count in launch.grid[1:]):
            continue
        tiles = -(-output.shape[0] // block[0]) * -(-output.shape[1] // block[1])
        if launch.programs > tiles and program[0] >= tiles:
            many = f"{launch.programs:,} programs are launched, and {output.name} has {tiles:,} tiles"
            found = finding.adding(f"{many} of {block[0]} x {block[1]}.", launch.line, ONE_EACH)
            return found.noting({PROGRAMS: launch.programs})
    return finding


def _block(launch: LaunchSummary) -> tuple[int, int] | None:
    """Return the rows and columns of a tile, judged by the names of a launch's constants."""
    sizes = [(name, value) for name, value in launch.constants.items() if name.startswith("BLOCK") and value > 1]
    rows, columns = ([value for name, value in sizes if name.endswith(end)] for end in ("_M", "_N"))
    return (rows[0], columns[0]) if len(rows) == len(columns) == 1 else None


def exchanged_sizes(judged: Sequence[JudgedCase]) -> list[Finding]:
    """Return a finding if launches of failing cases pass one size under the name of another."""
    failing = [case for case in judged if has_errors(case.findings) or case.evidence.failure is not None]
    seen = [(case.drawn.name, found) for case in failing if (found := next(_exchanged(case), None)) is not None]
    if not seen:
        return []
    case, (launch, name, value, size) = seen[0]
    text = f'{name} is {value:,} in the launch of line {launch.line}, and {size:,} in "{case}".'
    details = {PASSED: name, "cases": [other for other, found in seen if found[1] == name]}
    return [Finding("sizes-exchanged", text, line=launch.line, case=case, next_step=COMPARE, details=details)]


def _exchanged(case: JudgedCase) -> Iterator[tuple[LaunchSummary, str, int, int]]:
    """Yield each argument of a launch with the name of one size of the case and the value of another.

    Cases with gradients are skipped: one kernel may run on matrices of several shapes, so M may be another size.
    """
    if case.drawn.able:
        return
    dims = {name.lower(): size for name, size in case.drawn.dims.items()}
    for launch in case.evidence.launches:
        for name, value in launch.numbers.items():
            size = dims.get(name.lower())
            if size is not None and value != size and value in dims.values():
                yield launch, name, value, size
