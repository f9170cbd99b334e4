"""Compare a case's reads and writes with the puzzle's limits: for each tensor, and for DRAM by a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tritonpuzzles.curriculum.expressions import Multiple, evaluate, fraction, names_in
from tritonpuzzles.curriculum.limits import Bound, Limits
from tritonpuzzles.judge.drawn import DrawnCase
from tritonpuzzles.judge.evidence.cases import CaseEvidence
from tritonpuzzles.judge.verdict.judged import JudgedCase
from tritonpuzzles.results.check import FREE_SHARE, Finding
from tritonpuzzles.results.cover import ROUNDED, SIZES
from tritonpuzzles.results.traffic import INPUT, DramReads, LineTraffic, TensorReads, Traffic
from tritonpuzzles.results.words import distinct, listed
from tritonpuzzles.wire.observed import LaunchSummary

TOO_MANY = {
    "loads": (
        "too-many-loads",
        "Keep the results of a pass, so that a later pass need not read it again, and mask what is past the end.",
    ),
    "stores": ("too-many-stores", "Store every element once, in one program, with a mask."),
}
READ_BACK = "Compute it again from the inputs: it was rounded when it was stored, and reading it back costs a pass."
INSTEAD_OF_A_COPY = "Pass the input itself to the kernel, with its strides, and write to torch.empty_like(...)."
OVERLAP = "Compare the step of its loop with the width of a tile: where it is smaller, the iterations overlap."
SLACK = 1e-9  # multiples are ratios of whole numbers
TOO_MANY_READS, READS_UNKNOWN = "too-many-dram-reads", "dram-reads-unknown"
LARGER_TILES = "Use larger tiles with contiguous rows: they touch fewer places in memory."
SHARE = "Let programs that run at once share what they read: number the tiles in groups, and row by row in a group."


def with_limits(limits: Limits, drawn: DrawnCase, evidence: CaseEvidence) -> list[Traffic]:
    """Return the traffic with each tensor's limit filled in: of loads for an input, of stores for an output."""
    names = names_for(drawn, evidence)
    found: list[Traffic] = []
    for row in evidence.traffic:
        tensor = drawn.in_record(row.tensor or "")
        asked = [table[tensor] for table in (limits.loads, limits.stores) if tensor in table]
        known = [fraction(expression, names) for expression in asked if not missing(expression, names)]
        found.append(replace(row, limit=float(max(known)) if known else None))
    return found


def names_for(drawn: DrawnCase, evidence: CaseEvidence) -> dict[str, int]:
    """Return the values of names in limits: dimensions, constexprs of the launches, the largest tile."""
    tiles = [launch.largest_tile or 0 for launch in evidence.launches]
    constants: dict[str, int] = {}
    for launch in evidence.launches:
        for name, value in launch.constants.items():
            constants[name] = min(value, constants.get(name, value))  # the smallest tile reads most often
    asked = {"gradients": len(drawn.wanted), "passes": drawn.case.passes}
    sizes = {"itemsize": drawn.dtype.itemsize, "largest_tile": max(tiles, default=0)}
    return {**constants, **drawn.dims, **asked, **sizes}


def missing(expression: Multiple, names: Mapping[str, int]) -> list[str]:
    """Return the names without a value: constexprs that no launch has."""
    return sorted(names_in(expression) - names.keys())


def is_over(moved: float, allowed: float, least: float = 0.0) -> bool:
    """Return whether bytes, or multiples of a size, exceed a limit.

    A limit of 0 is exact, any other may be exceeded by 1 %, or by `least` if that is more.
    """
    return moved > allowed + (max(FREE_SHARE * allowed, least) if allowed else 0.0) + SLACK


def traffic_findings(
    limits: Limits, drawn: DrawnCase, evidence: CaseEvidence, names: Mapping[str, int]
) -> Iterator[Finding]:
    """Yield the tensors that are read or written more often than allowed.

    One extra element per row is free: its sector is read anyway.
    """
    shapes = {name: made.shape for name, made in drawn.tensors.items()} | {o.name: o.shape for o in drawn.outputs}
    for row in evidence.traffic:
        tensor, shape = drawn.in_record(row.tensor or ""), shapes.get(row.tensor or "", ())
        element_a_row = 1 / shape[-1] if shape and shape[-1] else 0.0
        for what, table, times, step in (
            ("loads", limits.loads, row.loaded_times, limits.loads_next_step),
            ("stores", limits.stores, row.stored_times, ""),
        ):
            if tensor in table and is_over(times, allowed := fraction(table[tensor], names), element_a_row):
                sizes = [drawn.dims[name] for name in names_in(table[tensor]) & drawn.dims.keys()]
                yield _too_many(what, drawn, evidence, row, times, allowed, sizes, step)


def _too_many(
    what: str,
    drawn: DrawnCase,
    evidence: CaseEvidence,
    row: Traffic,
    times: float,
    allowed: float,
    sizes: Sequence[int],
    asked: str,
) -> Finding:
    moving = (line for line in evidence.lines if line.tensor == row.tensor and _moved(line, row, what))
    lines = sorted(moving, key=lambda line: line.line)
    numbers = list(dict.fromkeys(line.line for line in lines))
    places = [f"line{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"] if lines else []
    # The host function's first copy of an input, if the copy is read or written besides the input.
    by_copy = what == "stores" or sum(line.loaded_bytes for line in lines) < row.loaded_bytes
    copy = next((copy for copy in evidence.copies if by_copy and copy.tensor == row.tensor), None)
    copied = f"copy in {'the host function' if copy is None or copy.line is None else f'line {copy.line}'}"
    if what == "loads" and copy is not None:
        places.append(f"PyTorch's {copied}")
    at = f" ({', and '.join(places)})" if places else ""
    who = f"A copy of {row.tensor}" if what == "stores" and copy is not None else row.tensor
    verb, (code, next_step) = "read" if what == "loads" else "written", TOO_MANY[what]
    is_back = what == "loads" and not allowed and row.role != INPUT
    next_step = READ_BACK if is_back else next_step
    text = f"{who} is {verb} {distinct(times, allowed)} times{at}; {passes(allowed)}."
    file, line = (lines[0].file, lines[0].line) if lines else (None, None)
    over = [line for line in lines if _times(line, row, what, drawn) > 1 + SLACK]
    if len(over) == 1 < len(lines) <= allowed:  # each of the others makes one pass
        (alone,) = over
        line, asked = alone.line, OVERLAP
        text = f"{text} Line {line} alone has {distinct(_times(alone, row, what, drawn), 1)}."
    elif copy is not None and (
        what == "stores" or not is_over(sum(_times(it, row, what, drawn) for it in lines), allowed)
    ):
        line, asked = copy.line, f"{INSTEAD_OF_A_COPY} The {copied} reads all of {row.tensor} once."
    about: dict[str, Any] = {
        "argument": row.argument,
        "tensor": row.tensor,
        "times": times,
        "limit": allowed,
        "lines": numbers,
    }
    about |= {ROUNDED: True} if is_back else {}
    if what == "loads" and len(narrow := _narrow_sides(row, times, evidence, sizes)) == 1:
        side = evidence.launches[0].constants[narrow[0]]
        text = f"{text} {narrow[0]} is {side:,} here, so {times:.0f} tiles need all of {row.tensor}."
        asked = asked or f"Make {narrow[0]} larger, so that fewer tiles need it."
        about |= {SIZES: {narrow[0]: side}}
    return Finding(code, text, file, line, drawn.name, asked or next_step, about)


def _narrow_sides(row: Traffic, times: float, evidence: CaseEvidence, sizes: Sequence[int]) -> list[str]:
    """Return the constants of the only launch that give a tensor as many tiles as it is read times, of some sizes."""
    constants = evidence.launches[0].constants if len(evidence.launches) == 1 else {}
    return [
        name
        for name, side in constants.items()
        if side > 1
        and abs(times - round(times)) < SLACK
        and any(-(-size // side) == round(times) > 1 for size in sizes)
    ]


def passes(allowed: float) -> str:
    """Return a limit in words: "two passes suffice"; of a fraction "1.5 times suffice"."""
    words = {0: "it need not be at all", 1: "one pass suffices", 2: "two passes suffice", 3: "three passes suffice"}
    whole = allowed == int(allowed)
    return words.get(int(allowed), f"{int(allowed)} passes suffice") if whole else f"{allowed:.4g} times suffice"


def _moved(line: LineTraffic, row: Traffic, what: str) -> int:
    """Return the bytes that a line reads, or writes; atomic operations count as in `row`."""
    atomics = what == "stores" or row.role == INPUT
    return (line.loaded_bytes if what == "loads" else line.stored_bytes) + atomics * line.atomic_bytes


def _times(line: LineTraffic, row: Traffic, what: str, drawn: DrawnCase) -> float:
    """Return how often a line moves a tensor."""
    return _moved(line, row, what) / max(1, drawn.sizes.get(row.tensor or "", 0))


def better_than_asked(drawn: DrawnCase, traffic: list[Traffic]) -> Iterator[Finding]:
    """Yield a note for each input that was read less often than the puzzle allows."""
    for row in traffic:
        allowed = row.limit if row.tensor in drawn.tensors and row.limit is not None else 0
        if 1 < allowed < 4 and row.loaded_times <= allowed - 1 + SLACK:
            text = f"{row.tensor} is read {row.loaded_times:.2f} times, less than the {allowed:.4g} that are allowed."
            yield Finding("better-than-asked", text, case=drawn.name)


def dram_findings(limits: Limits, drawn: DrawnCase, evidence: CaseEvidence) -> Iterator[Finding]:
    """Yield a finding if DRAM reads more for a case than the puzzle allows, or if the amount is unknown."""
    bound = limits.dram_reads
    if bound is None or not drawn.case.cached or not evidence.launches:
        return
    reads = dram_reads(bound, drawn, evidence)
    if reads is None:
        problem = evidence.cache.problem if evidence.cache is not None else None
        why = problem or "The call could not be run with a model of an L2 cache."
        text, line = f"It is not known how much is read from DRAM: {why}", _largest(evidence.launches).line
        yield Finding(READS_UNKNOWN, text, line=line, case=drawn.name, next_step=LARGER_TILES)
    elif is_over(reads.read_bytes, reads.limit_bytes):
        yield _too_many_reads(bound, drawn, evidence, reads)


def dram_reads(bound: Bound, drawn: DrawnCase, evidence: CaseEvidence) -> DramReads | None:
    """Return the DRAM reads of a case with the limit; `None` if the cache could not be modelled."""
    cache, names = evidence.cache, names_for(drawn, evidence)
    if cache is None or cache.dram_bytes is None or cache.in_order_bytes is None or missing(bound.limit, names):
        return None
    return DramReads(
        case=drawn.name,
        gpu=cache.gpu,
        l2_bytes=cache.l2_bytes,
        programs=max(launch.programs for launch in evidence.launches),
        at_once=max(cache.at_once, default=0),
        tensors=tuple(TensorReads(name, drawn.sizes[name], cache.read_bytes(name, name)) for name in drawn.tensors),
        read_bytes=cache.all_read_bytes,
        in_order_bytes=cache.in_order_bytes,
        limit_bytes=evaluate(bound.limit, names),
    )


def _too_many_reads(bound: Bound, drawn: DrawnCase, evidence: CaseEvidence, reads: DramReads) -> Finding:
    inputs = listed([item.tensor for item in reads.tensors])
    times, most, ordered = map(reads.times, (reads.read_bytes, reads.limit_bytes, reads.in_order_bytes))
    because = f": {bound.says}" if bound.says else ""
    text = (
        f"DRAM reads {inputs} {times:.2f} times, by a model of the L2 cache of {reads.l2_bytes >> 20} MiB of the "
        f"{reads.gpu.removeprefix('NVIDIA ')}; at most {most:.4g} are allowed{because}. In row-major order of the "
        f"programs it would read them {ordered:.2f} times."
    )
    details: dict[str, Any] = {"read_bytes": reads.read_bytes, "limit": reads.limit_bytes}
    details["in_order_bytes"] = reads.in_order_bytes
    launch = _largest(evidence.launches)
    alone = [name for name, value in launch.constants.items() if "GROUP" in name.upper() and value == 1]
    if len(alone) == 1:
        text, details[SIZES] = f"{text} {alone[0]} is 1 here, which gives this order.", {alone[0]: 1}
    return Finding(
        TOO_MANY_READS, text, line=launch.line, case=drawn.name, next_step=bound.next_step or SHARE, details=details
    )


def _largest(launches: Sequence[LaunchSummary]) -> LaunchSummary:
    return max(launches, key=lambda launch: launch.programs)


def most_dram_reads(bound: Bound | None, judged: Sequence[JudgedCase]) -> DramReads | None:
    """Return the DRAM reads of the case that is closest to the limit, or exceeds it most."""
    cached = [case for case in judged if case.drawn.case.cached and case.evidence.launches]
    found = [] if bound is None else [dram_reads(bound, case.drawn, case.evidence) for case in cached]
    known = [reads for reads in found if reads is not None and reads.read_bytes]
    return max(known, key=lambda reads: reads.read_bytes / max(1, reads.limit_bytes), default=None)
