"""Hold a case's traffic, tiles, programs, launches and scratch memory against what the puzzle asks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from tritonpuzzles.curriculum.expressions import Multiple, evaluate, fraction, names_in
from tritonpuzzles.curriculum.record import Bound, Limits
from tritonpuzzles.judge.drawn import DrawnCase
from tritonpuzzles.judge.evidence.cases import CaseEvidence, Launch
from tritonpuzzles.judge.verdict.asked import needless_gradient, operands_copied
from tritonpuzzles.judge.verdict.at_once import at_once_findings
from tritonpuzzles.judge.verdict.sizes import LARGEST
from tritonpuzzles.results.check import INPUT, Finding, LineTraffic, Traffic
from tritonpuzzles.results.words import are, plural

TOO_MANY = {
    "loads": (
        "too-many-loads",
        "Keep what a pass has computed, so that a later pass need not read it again; and mask what lies outside.",
    ),
    "stores": ("too-many-stores", "Store every element once, in one program, with a mask."),
}
OVERLAP = "Compare the step of its loop with the width of a tile: where it is smaller, the turns overlap."
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


def limit_findings(limits: Limits, drawn: DrawnCase, evidence: CaseEvidence) -> Iterator[Finding]:
    """Yield what a case used beyond the puzzle's limits."""
    if drawn.is_empty:
        return
    yield from Held(limits, drawn, evidence, names_for(drawn, evidence)).findings()


@dataclass(frozen=True)
class Held:
    """One case held against its puzzle's limits."""

    limits: Limits
    drawn: DrawnCase
    evidence: CaseEvidence
    names: Mapping[str, int]

    def findings(self) -> Iterator[Finding]:
        """Yield what is over, or under, a limit."""
        unknown = self._missing()
        if unknown:
            yield self._without(unknown)
            return
        yield from self._traffic()
        yield from self._tile()
        yield from self._programs()
        if self.limits.at_once is not None:
            yield from at_once_findings(self.limits.at_once, self.drawn, self.evidence)
        yield from self._launches()
        yield from self._bytes()
        yield from self._scratch()
        yield from operands_copied(self.limits.copies, self.drawn, self.names, self.evidence.copies)

    def _missing(self) -> list[str]:
        """Return the constexprs that limits rest on and no launch has; nothing where nothing was launched."""
        if not self.evidence.launches:
            return []
        bounds = [bound.limit for bound in vars(self.limits).values() if isinstance(bound, Bound)]
        asked = [*bounds, *self.limits.loads.values(), *self.limits.stores.values()]
        return sorted({name for expression in asked for name in missing(expression, self.names)})

    def _without(self, names: list[str]) -> Finding:
        return Finding(
            "constant-missing",
            f"The limits of this puzzle depend on {', '.join(names)}, which no launch has as a constexpr.",
            line=self.evidence.launches[0].line,
            case=self.drawn.name,
            next_step=f"Keep the stub's parameter: {names[0]}: tl.constexpr.",
        )

    def _traffic(self) -> Iterator[Finding]:
        for row in self.evidence.traffic:
            for what, table, times, step in (
                ("loads", self.limits.loads, row.loaded_times, self.limits.loads_next_step),
                ("stores", self.limits.stores, row.stored_times, ""),
            ):
                if row.tensor is not None and (tensor := self.drawn.in_record(row.tensor)) in table:
                    allowed = fraction(table[tensor], self.names)
                    if times > allowed + SLACK:
                        yield _too_many(what, self.drawn, self.evidence, row, times, allowed, step)

    def _tile(self) -> Iterator[Finding]:
        allowed = self._allowed(self.limits.tile)
        if allowed is None or self.limits.tile is None:
            return
        for launch in self.evidence.launches:
            if launch.largest_tile is not None and launch.largest_tile > allowed:
                held = f"{launch.kernel} holds a tile of {plural(launch.largest_tile, 'element')}"
                numbers = {"elements": launch.largest_tile, "limit": allowed}
                step = _tile_step(allowed, self.drawn)
                found = self._over("tile-too-large", held, allowed, self.limits.tile, step, numbers, launch)
                name = max(launch.constants, key=lambda name: launch.constants[name], default="")
                yield replace(found, details={**found.details, LARGEST: name})
                return

    def _programs(self) -> Iterator[Finding]:
        most, least = self._allowed(self.limits.programs_at_most), self._allowed(self.limits.programs_at_least)
        for launch in self.evidence.launches:
            numbers = {"programs": launch.programs}
            what = f"{launch.kernel} is launched with {plural(launch.programs, 'program')}"
            if most is not None and self.limits.programs_at_most is not None and launch.programs > most:
                step = "Give each program more of the work: a loop in the kernel, a smaller grid."
                bound = self.limits.programs_at_most
                yield self._over("too-many-programs", what, most, bound, step, {**numbers, "limit": most}, launch)
                return
            if least is not None and self.limits.programs_at_least is not None and launch.programs < least:
                bound = self.limits.programs_at_least
                yield Finding(
                    "too-few-programs",
                    f"{what}; at least {least:,} {are(least)} asked for{_because(bound)}.",
                    line=launch.line,
                    case=self.drawn.name,
                    next_step=bound.next_step or "Share the work out among more programs: a larger grid.",
                    details={**numbers, "limit": least},
                )
                return

    def _launches(self) -> Iterator[Finding]:
        allowed, count = self._allowed(self.limits.launches), len(self.evidence.launches)
        if allowed is not None and self.limits.launches is not None and count > allowed:
            step, numbers = "Do it in fewer kernels.", {"launches": count, "limit": allowed}
            what = "1 kernel is launched" if count == 1 else f"{count:,} kernels are launched"
            needless = needless_gradient(self.limits.launches, self.drawn, self.names, count)
            yield needless or self._over("too-many-launches", what, allowed, self.limits.launches, step, numbers)

    def _bytes(self) -> Iterator[Finding]:
        moved = self.evidence.moved_bytes
        allowed = self._allowed(self.limits.bytes)
        if allowed is not None and self.limits.bytes is not None and moved > allowed:
            step, numbers = (
                "Read and write less: keep intermediate results on chip.",
                {"bytes": moved, "limit": allowed},
            )
            what = f"{moved:,} bytes are moved in all"
            yield self._over("too-many-bytes", what, allowed, self.limits.bytes, step, numbers)

    def _scratch(self) -> Iterator[Finding]:
        step = "Keep intermediate results on chip."
        largest, allowed = max(self.evidence.scratch, default=0), self._allowed(self.limits.scratch)
        if allowed is not None and self.limits.scratch is not None and largest > allowed:
            what = f"The host function allocates a scratch tensor of {plural(largest, 'element')}"
            numbers = {"elements": largest, "limit": allowed}
            yield self._over("scratch-too-large", what, allowed, self.limits.scratch, step, numbers)
        held, allowed = self.evidence.scratch_bytes, self._allowed(self.limits.scratch_bytes)
        if allowed is not None and self.limits.scratch_bytes is not None and held > allowed:
            what = f"The host function allocates {plural(held, 'byte')} of scratch memory"
            numbers = {"bytes": held, "limit": allowed}
            yield self._over("scratch-too-large", what, allowed, self.limits.scratch_bytes, step, numbers)

    def _allowed(self, bound: Bound | None) -> int | None:
        return None if bound is None else evaluate(bound.limit, self.names)

    def _over(
        self,
        code: str,
        what: str,
        allowed: int,
        bound: Bound,
        step: str,
        numbers: dict[str, int],
        launch: Launch | None = None,
    ) -> Finding:
        return Finding(
            code,
            f"{what}; at most {allowed:,} {are(allowed)} allowed here{_because(bound)}.",
            line=launch.line if launch is not None else None,
            case=self.drawn.name,
            next_step=bound.next_step or step,
            details=numbers,
        )


def _because(bound: Bound) -> str:
    return f": {bound.says}" if bound.says else ""


def _too_many(
    what: str, drawn: DrawnCase, evidence: CaseEvidence, row: Traffic, times: float, allowed: float, asked: str
) -> Finding:
    verb = "read" if what == "loads" else "written"
    lines = _busiest(evidence.lines, row, what)
    numbers = list(dict.fromkeys(line.line for line in lines))
    places = [f"line{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"] if lines else []
    if what == "loads" and lines and sum(line.loaded_bytes for line in lines) < row.loaded_bytes:
        places.append("PyTorch's copy in the host function")
    code, next_step = TOO_MANY[what]
    at = f" ({', and '.join(places)})" if places else ""
    text, line = f"{row.tensor} is {verb} {times:.2f} times{at}; {passes(allowed)}.", lines[0] if lines else None
    alone = _overlapping(lines, row, what, drawn) if len(lines) <= allowed else None
    if alone is not None:
        line, asked = alone, OVERLAP
        text = f"{text} Line {line.line} alone has {_times(line, row, what, drawn):.2f}."
    return Finding(
        code,
        text,
        file=line.file if line else None,
        line=line.line if line else None,
        case=drawn.name,
        next_step=asked or next_step,
        details={"argument": row.argument, "tensor": row.tensor, "times": times, "limit": allowed, "lines": numbers},
    )


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


def _tile_step(allowed: int, drawn: DrawnCase) -> str:
    if allowed < _longest_row(drawn):
        return f"Loop over the row in tiles of at most {allowed:,}; a row of any length does not fit on chip."
    return f"Make the tile no larger: {plural(allowed, 'element')} will do for this case."


def _longest_row(drawn: DrawnCase) -> int:
    """Return the length of the longest row among the tensors and outputs with the most dimensions."""
    shapes = [made.shape for made in drawn.inputs] + [output.shape for output in drawn.outputs]
    most = max(map(len, shapes))
    return max((shape[-1] for shape in shapes if len(shape) == most), default=1) if most else 1


def better_than_asked(drawn: DrawnCase, traffic: list[Traffic]) -> Iterator[Finding]:
    """Yield a note for each input that was read less often than the puzzle allows."""
    for row in traffic:
        allowed = row.limit if row.tensor in drawn.tensors and row.limit is not None else 0
        if 1 < allowed < 4 and row.loaded_times <= allowed - 1 + SLACK:
            text = f"{row.tensor} is read {row.loaded_times:.2f} times, less than the {allowed:.4g} that are allowed."
            yield Finding("better-than-asked", text, case=drawn.name)
