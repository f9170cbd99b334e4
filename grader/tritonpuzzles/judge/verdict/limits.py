"""Compare a case's traffic, tiles, programs, launches, copies and scratch memory with what the puzzle asks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tritonpuzzles.curriculum.expressions import evaluate
from tritonpuzzles.curriculum.limits import Bound, Limits
from tritonpuzzles.judge.drawn import DrawnCase
from tritonpuzzles.judge.evidence.cases import CaseEvidence
from tritonpuzzles.judge.verdict.grids import at_once_findings
from tritonpuzzles.judge.verdict.traffic import LARGEST, OF_ONE, is_over, missing, names_for, traffic_findings
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.traffic import SCRATCH, LineTraffic, Traffic
from tritonpuzzles.results.words import are, listed, plural
from tritonpuzzles.wire.observed import LaunchSummary

NEEDLESS, TOO_MANY, PROGRAMS_OVER = "needless-gradient", "too-many-launches", "too-many-programs"
ASK = "Ask ctx.needs_input_grad, one truth value for each argument of forward; return None for what is not needed."
ON_CHIP = "Keep intermediate results on chip."
FEWER_PROGRAMS = "Give each program more of the work: a loop in the kernel, a smaller grid."
TOGETHER = 8  # tiles of the largest size in one tuple, whatever the row: half of the registers, where they are float32


def without_needless(findings: Sequence[Finding]) -> list[Finding]:
    """Return findings with no word of needless gradients where too much is launched for those that are asked for.

    What is launched too often there may be what is launched too often elsewhere.
    """
    if not any(finding.code == TOO_MANY for finding in findings):
        return list(findings)
    return [finding for finding in findings if finding.code != NEEDLESS]


def limit_findings(limits: Limits, drawn: DrawnCase, evidence: CaseEvidence) -> Iterator[Finding]:
    """Yield what a case used beyond the puzzle's limits."""
    if not drawn.is_empty:
        yield from Held(limits, drawn, evidence, names_for(drawn, evidence)).findings()


@dataclass(frozen=True)
class Held:
    """One case held against its puzzle's limits."""

    limits: Limits
    drawn: DrawnCase
    evidence: CaseEvidence
    names: Mapping[str, int]

    def findings(self) -> Iterator[Finding]:
        """Yield what is over, or under, a limit; of a case without a constexpr that they rest on, that alone."""
        bounds = [bound.limit for bound in vars(self.limits).values() if isinstance(bound, Bound)]
        asked = [*bounds, *self.limits.loads.values(), *self.limits.stores.values()]
        unknown = sorted({name for expression in asked for name in missing(expression, self.names)})
        if unknown and self.evidence.launches:
            yield Finding(
                "constant-missing",
                f"The limits of this puzzle depend on {', '.join(unknown)}, which no launch has as a constexpr.",
                line=self.evidence.launches[0].line,
                case=self.drawn.name,
                next_step=f"Keep the stub's parameter: {unknown[0]}: tl.constexpr.",
            )
            return
        yield from traffic_findings(self.limits, self.drawn, self.evidence, self.names)
        yield from filter(None, (self._tile(), self._programs()))
        if self.limits.at_once is not None:
            yield from at_once_findings(self.limits.at_once, self.drawn, self.evidence)
        yield from filter(None, (self._launches(), self._bytes(), *self._scratch(), self._copy()))

    def _tile(self) -> Finding | None:
        """Return the first launch that holds too large a tile, or too many tiles together."""
        bound, allowed = self.limits.tile, self._allowed(self.limits.tile)
        step = _tile_step(allowed, self.drawn) if allowed is not None and self.evidence.launches else ""
        for launch in self.evidence.launches:
            held, largest = f"{launch.kernel} holds a", launch.largest_tile or 0
            what = f"{held} tile of {plural(largest, 'element')}"
            if found := self._over("tile-too-large", what, bound, step, {"elements": largest}, launch):
                name = max(launch.constants, key=lambda name: launch.constants[name], default="")
                return replace(found, details={**found.details, LARGEST: name})
            most = launch.most_together
            what = f"{held} tuple of tiles of {plural(most, 'element')} together"
            if found := self._over("tile-too-large", what, bound, step, {"elements": most}, launch, TOGETHER):
                return found
        return None

    def _programs(self) -> Finding | None:
        """Return that the launches which share a tensor's work have too many programs together, or too few."""
        bound, least = self.limits.programs_at_least, self._allowed(self.limits.programs_at_least)
        for launches in self._shares():
            count, launch = sum(launch.programs for launch in launches), launches[0]
            kernels = list(dict.fromkeys(launch.kernel for launch in launches))
            together = f" in {len(launches):,} launches" if len(launches) > 1 else ""
            what = f"{listed(kernels)} {are(len(kernels))} launched with {plural(count, 'program')}{together}"
            most, numbers = self.limits.programs_at_most, {"programs": count}
            if found := self._over(PROGRAMS_OVER, what, most, FEWER_PROGRAMS, numbers, launch):
                alone = [name for name, value in launch.constants.items() if value == 1]
                if len(alone) != 1:
                    return found
                text, details = f"{found.message} {alone[0]} is 1 here.", {**found.details, OF_ONE: alone[0]}
                return replace(found, message=text, details=details)
            if bound is not None and least is not None and count < least:
                return Finding(
                    "too-few-programs",
                    f"{what}; at least {least:,} {are(least)} asked for{_because(bound)}.",
                    line=launch.line,
                    case=self.drawn.name,
                    next_step=bound.next_step or "Share the work out among more programs: a larger grid.",
                    details={"programs": count, "limit": least},
                )
        return None

    def _shares(self) -> Iterable[list[LaunchSummary]]:
        """Return the launches that write to one tensor; where none is known to be written, those of one kernel."""
        found: dict[str, list[LaunchSummary]] = {}
        for launch in self.evidence.launches:
            for name in launch.written or (launch.kernel,):
                found.setdefault(name, []).append(launch)
        return found.values()

    def _launches(self) -> Finding | None:
        bound, count = self.limits.launches, len(self.evidence.launches)
        what = "1 kernel is launched" if count == 1 else f"{count:,} kernels are launched"
        found = self._over(TOO_MANY, what, bound, "Do it in fewer kernels.", {"launches": count})
        wanted, able = self.drawn.wanted, len(self.drawn.able)
        if found is None or bound is None or len(wanted) == able:
            return found
        if count > evaluate(bound.limit, {**self.names, "gradients": able}):
            return found
        asked = f"only the gradient of {' and '.join(wanted)} is asked for" if wanted else "no gradient is asked for"
        needs = f"{asked}, and {found.details['limit']:,} would do: another gradient is computed for nothing."
        text = f"{plural(count, 'kernel')} {are(count)} launched where {needs}"
        details = {**found.details, "wanted": list(wanted)}
        return Finding(NEEDLESS, text, case=self.drawn.name, next_step=ASK, details=details)

    def _bytes(self) -> Finding | None:
        moved, allowed = self.evidence.moved_bytes, self._allowed(self.limits.bytes)
        if allowed is None or not is_over(moved, allowed):
            return None
        step, what = "Read and write less: keep intermediate results on chip.", f"{moved:,} bytes are moved in all"
        return self._over("too-many-bytes", what, self.limits.bytes, step, {"bytes": moved})

    def _scratch(self) -> Iterator[Finding | None]:
        """Yield that there is too much scratch memory, or that what there is takes in too much: a copy in parts."""
        code, bound, in_bytes = "scratch-too-large", self.limits.scratch_bytes, self.evidence.scratch_bytes
        made = (("element", sum(self.evidence.scratch), self.limits.scratch), ("byte", in_bytes, bound))
        for unit, count, most in made:
            what = f"The host function allocates {plural(count, unit)} of scratch memory in all"
            yield self._over(code, what, most, ON_CHIP, {f"{unit}s": count})
        rows = [row for row in self.evidence.traffic if row.role == SCRATCH]
        stored, allowed = sum(row.stored_bytes + row.atomic_bytes for row in rows), self._allowed(bound)
        if allowed is not None and in_bytes <= allowed:
            what = f"Kernels write {plural(stored, 'byte')} to scratch memory in all"
            yield self._over(code, what, bound, ON_CHIP, {"bytes": stored}, self._busiest(rows))

    def _copy(self) -> Finding | None:
        """Return the first copy of a tensor that is one too many."""
        bound, made, allowed = self.limits.copies, self.evidence.copies, self._allowed(self.limits.copies)
        if bound is None or allowed is None or len(made) <= allowed:
            return None
        return Finding(
            "operand-copied",
            f"The host function copies {made[allowed].tensor}{_because(bound)}.",
            line=made[allowed].line,
            case=self.drawn.name,
            next_step=bound.next_step or "Pass the tensor itself, with its strides.",
            details={"copies": len(made), "limit": allowed},
        )

    def _busiest(self, rows: Sequence[Traffic]) -> LineTraffic | None:
        """Return the line that stores most to some tensors."""
        names = {row.tensor for row in rows}
        lines = [line for line in self.evidence.lines if line.tensor in names]
        return max(lines, key=lambda line: line.stored_bytes + line.atomic_bytes, default=None)

    def _allowed(self, bound: Bound | None) -> int | None:
        return None if bound is None else evaluate(bound.limit, self.names)

    def _over(
        self,
        code: str,
        what: str,
        bound: Bound | None,
        step: str,
        numbers: dict[str, int],
        place: LaunchSummary | LineTraffic | None = None,
        times: int = 1,
    ) -> Finding | None:
        """Return that the only one of some numbers is more than so many times a limit, if it is."""
        (count,) = numbers.values()
        if bound is None or count <= (allowed := times * evaluate(bound.limit, self.names)):
            return None
        return Finding(
            code,
            f"{what}; at most {allowed:,} {are(allowed)} allowed here{_because(bound)}.",
            line=place.line if place is not None else None,
            case=self.drawn.name,
            next_step=bound.next_step or step,
            details={**numbers, "limit": allowed},
        )


def _because(bound: Bound) -> str:
    return f": {bound.says}" if bound.says else ""


def _tile_step(allowed: int, drawn: DrawnCase) -> str:
    """Return what to do about a tile, by the longest row among the tensors and outputs with the most dimensions."""
    shapes = [made.shape for made in drawn.inputs] + [output.shape for output in drawn.outputs]
    most = max(map(len, shapes))
    longest = max(((1, *shape)[-1] for shape in shapes if len(shape) == most), default=1)
    if allowed < longest:
        return f"Loop over the row in tiles of at most {allowed:,}; a row of any length does not fit on chip."
    return f"Make the tile no larger: {plural(allowed, 'element')} will do for this case."
