"""Compare how often a case reads and writes each tensor with what the puzzle allows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from tritonpuzzles.curriculum.expressions import Multiple, fraction, names_in
from tritonpuzzles.curriculum.limits import Limits
from tritonpuzzles.judge.drawn import DrawnCase
from tritonpuzzles.judge.evidence.cases import CaseEvidence
from tritonpuzzles.results.check import FREE_SHARE, Finding
from tritonpuzzles.results.traffic import INPUT, LineTraffic, Traffic
from tritonpuzzles.results.words import distinct
from tritonpuzzles.wire.observed import HostCopy

TOO_MANY = {
    "loads": (
        "too-many-loads",
        "Keep what a pass has computed, so that a later pass need not read it again; and mask what lies outside.",
    ),
    "stores": ("too-many-stores", "Store every element once, in one program, with a mask."),
}
INSTEAD_OF_A_COPY = "Pass the input itself to the kernel, with its strides, and write to what torch.empty_like gives."
OVERLAP = "Compare the step of its loop with the width of a tile: where it is smaller, the iterations overlap."
SLACK = 1e-9  # multiples are ratios of whole numbers


def with_limits(limits: Limits, drawn: DrawnCase, evidence: CaseEvidence) -> list[Traffic]:
    """Return the traffic with each tensor's limit filled in: of loads for an input, of stores for an output."""
    names = names_for(drawn, evidence)
    return [replace(row, limit=_limit(limits, drawn, names, row)) for row in evidence.traffic]


def _limit(limits: Limits, drawn: DrawnCase, names: Mapping[str, int], row: Traffic) -> float | None:
    if row.tensor is None:
        return None
    tensor = drawn.in_record(row.tensor)
    found = [table[tensor] for table in (limits.loads, limits.stores) if tensor in table]
    asked = [fraction(expression, names) for expression in found if not missing(expression, names)]
    return float(max(asked)) if asked else None


def names_for(drawn: DrawnCase, evidence: CaseEvidence) -> dict[str, int]:
    """Return what the names in limits stand for: dimensions, constexprs of the launches, the largest tile."""
    tiles = [launch.largest_tile for launch in evidence.launches if launch.largest_tile is not None]
    constants: dict[str, int] = {}
    for launch in evidence.launches:
        for name, value in launch.constants.items():
            constants[name] = min(value, constants.get(name, value))  # the smallest tile reads most often
    asked = {"gradients": len(drawn.wanted), "passes": drawn.case.passes}
    sizes = {"itemsize": drawn.dtype.itemsize, "largest_tile": max(tiles, default=0)}
    return {**constants, **drawn.dims, **asked, **sizes}


def missing(expression: Multiple, names: Mapping[str, int]) -> list[str]:
    """Return the names that nothing stands for: constexprs that no launch has."""
    return sorted(names_in(expression) - names.keys())


def is_over(moved: float, allowed: float, least: float = 0.0) -> bool:
    """Return whether bytes, or multiples of a size, are more than a limit.

    Args:
        moved: what was moved.
        allowed: the limit; one of 0 is exact, and beyond any other 1 % is free.
        least: what is free beyond it in any case.
    """
    return moved > allowed + (max(FREE_SHARE * allowed, least) if allowed else 0.0) + SLACK


def traffic_findings(
    limits: Limits, drawn: DrawnCase, evidence: CaseEvidence, names: Mapping[str, int]
) -> Iterator[Finding]:
    """Yield the tensors that are read or written more often than they may be.

    An element of each row more than once is free: the sector that holds it is read anyway.
    """
    for row in evidence.traffic:
        for what, table, times, step in (
            ("loads", limits.loads, row.loaded_times, limits.loads_next_step),
            ("stores", limits.stores, row.stored_times, ""),
        ):
            if row.tensor is not None and (tensor := drawn.in_record(row.tensor)) in table:
                allowed = fraction(table[tensor], names)
                if is_over(times, allowed, _element_a_row(drawn, row.tensor)):
                    yield _too_many(what, drawn, evidence, row, times, allowed, step)


def _element_a_row(drawn: DrawnCase, tensor: str) -> float:
    """Return one element of each row as a multiple of a tensor's size."""
    shapes = {name: made.shape for name, made in drawn.tensors.items()} | {o.name: o.shape for o in drawn.outputs}
    shape = shapes.get(tensor, ())
    return 1 / shape[-1] if shape and shape[-1] else 0.0


def _too_many(
    what: str, drawn: DrawnCase, evidence: CaseEvidence, row: Traffic, times: float, allowed: float, asked: str
) -> Finding:
    lines = _busiest(evidence.lines, row, what)
    numbers = list(dict.fromkeys(line.line for line in lines))
    places = [f"line{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"] if lines else []
    copy = _copy(evidence, row, lines, what)
    if what == "loads" and copy is not None:
        places.append(f"PyTorch's {_copied(copy)}")
    at = f" ({', and '.join(places)})" if places else ""
    who = f"A copy of {row.tensor}" if what == "stores" and copy is not None else row.tensor
    verb, (code, next_step) = "read" if what == "loads" else "written", TOO_MANY[what]
    text = f"{who} is {verb} {distinct(times, allowed)} times{at}; {passes(allowed)}."
    file, line = (lines[0].file, lines[0].line) if lines else (None, None)
    alone = _overlapping(lines, row, what, drawn) if len(lines) <= allowed else None
    if alone is not None:
        line, asked = alone.line, OVERLAP
        text = f"{text} Line {line} alone has {distinct(_times(alone, row, what, drawn), 1)}."
    elif copy is not None and (
        what == "stores" or not is_over(sum(_times(it, row, what, drawn) for it in lines), allowed)
    ):
        line, asked = copy.line, f"{INSTEAD_OF_A_COPY} The {_copied(copy)} reads all of {row.tensor} once."
    return Finding(
        code,
        text,
        file=file,
        line=line,
        case=drawn.name,
        next_step=asked or next_step,
        details={"argument": row.argument, "tensor": row.tensor, "times": times, "limit": allowed, "lines": numbers},
    )


def _copy(evidence: CaseEvidence, row: Traffic, lines: list[LineTraffic], what: str) -> HostCopy | None:
    """Return the host function's first copy of an input, where that is read or written beside the input itself."""
    if what == "loads" and sum(line.loaded_bytes for line in lines) >= row.loaded_bytes:
        return None
    return next((copy for copy in evidence.copies if copy.tensor == row.tensor), None)


def _copied(copy: HostCopy) -> str:
    return "copy in the host function" if copy.line is None else f"copy in line {copy.line}"


def passes(allowed: float) -> str:
    """Return a limit in words: "two passes suffice"; of a fraction "1.5 times suffice"."""
    words = {0: "it need not be at all", 1: "one pass suffices", 2: "two passes suffice", 3: "three passes suffice"}
    whole = allowed == int(allowed)
    return words.get(int(allowed), f"{int(allowed)} passes suffice") if whole else f"{allowed:.4g} times suffice"


def _busiest(lines: list[LineTraffic], row: Traffic, what: str) -> list[LineTraffic]:
    """Return the lines that read a tensor, or write it, under whichever name."""
    found = (line for line in lines if line.tensor == row.tensor and _moved(line, row, what))
    return sorted(found, key=lambda line: line.line)


def _moved(line: LineTraffic, row: Traffic, what: str) -> int:
    """Return the bytes that a line reads, or writes; atomic operations count as in `row`."""
    atomics = (what == "loads") == (row.role == INPUT)
    return (line.loaded_bytes if what == "loads" else line.stored_bytes) + atomics * line.atomic_bytes


def _times(line: LineTraffic, row: Traffic, what: str, drawn: DrawnCase) -> float:
    """Return how often a line moves a tensor."""
    return _moved(line, row, what) / max(1, drawn.sizes.get(row.tensor or "", 0))


def _overlapping(lines: list[LineTraffic], row: Traffic, what: str, drawn: DrawnCase) -> LineTraffic | None:
    """Return the one of several lines that moves a tensor more often than once, where each other makes one pass."""
    over = [line for line in lines if _times(line, row, what, drawn) > 1 + SLACK]
    return over[0] if len(over) == 1 < len(lines) else None


def better_than_asked(drawn: DrawnCase, traffic: list[Traffic]) -> Iterator[Finding]:
    """Yield a note for each input that was read less often than the puzzle allows."""
    for row in traffic:
        allowed = row.limit if row.tensor in drawn.tensors and row.limit is not None else 0
        if 1 < allowed < 4 and row.loaded_times <= allowed - 1 + SLACK:
            text = f"{row.tensor} is read {row.loaded_times:.2f} times, less than the {allowed:.4g} that are allowed."
            yield Finding("better-than-asked", text, case=drawn.name)
