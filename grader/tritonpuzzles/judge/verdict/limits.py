"""Compare a case's traffic, tiles, programs, launches, copies and scratch memory with the puzzle's limits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tritonpuzzles.curriculum.expressions import evaluate
from tritonpuzzles.curriculum.limits import Bound, Limits
from tritonpuzzles.judge.drawn import DrawnCase
from tritonpuzzles.judge.evidence.cases import CaseEvidence
from tritonpuzzles.judge.verdict.grids import at_once_findings
from tritonpuzzles.judge.verdict.traffic import is_over, missing, names_for, traffic_findings
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.cover import SIZES
from tritonpuzzles.results.traffic import SCRATCH, LineTraffic, Traffic
from tritonpuzzles.results.words import are, listed, plural
from tritonpuzzles.wire.observed import LaunchSummary

NEEDLESS, TOO_MANY, PROGRAMS_OVER = "needless-gradient", "too-many-launches", "too-many-programs"
ASK = "Ask ctx.needs_input_grad, one truth value for each argument of forward; return None for what is not needed."
ON_CHIP = "Keep intermediate results on chip."
FEWER_PROGRAMS = "Give each program more of the work: a loop in the kernel, a smaller grid."
TOGETHER = 8  # times the tile limit, for tiles in one tuple, of any row length: half of the registers in float32


def without_needless(findings: Sequence[Finding]) -> list[Finding]:
    """Drop findings on needless gradients if too many kernels are launched for the requested ones.

    The same superfluous launch may cause both.
    """
    if not any(finding.code == TOO_MANY for finding in findings):
        return list(findings)
    return [finding for finding in findings if finding.code != NEEDLESS]


def limit_findings(limits: Limits, drawn: DrawnCase, evidence: CaseEvidence) -> Iterator[Finding]:
    """Yield a finding for each limit that a case exceeds."""
    if not drawn.is_empty:
        yield from Held(limits, drawn, evidence, names_for(drawn, evidence)).findings()


@dataclass(frozen=True)
class Held:
    """One case compared with its puzzle's limits."""

    limits: Limits
    drawn: DrawnCase
    evidence: CaseEvidence
    names: Mapping[str, int]

    def findings(self) -> Iterator[Finding]:
        """Yield what is over, or under, a limit; if a constexpr that the limits need is missing, only that."""
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
        """Return a finding on the first launch with too large a tile, or too large a tuple of tiles."""
        bound, allowed = self.limits.tile, self._allowed(self.limits.tile)
        step = _tile_step(allowed, self.drawn) if allowed is not None and self.evidence.launches else ""
        for launch in self.evidence.launches:
            held, largest = f"{launch.kernel} holds a", launch.largest_tile or 0
            what = f"{held} tile of {plural(largest, 'element')}"
            if found := self._over("tile-too-large", what, bound, step, {"elements": largest}, launch):
                name = max(launch.constants, key=lambda name: launch.constants[name], default="")
                return found.noting({SIZES: {name: launch.constants.get(name, 0)}})
            most = launch.most_together
            what = f"{held} tuple of tiles of {plural(most, 'element')} together"
            if found := self._over("tile-too-large", what, bound, step, {"elements": most}, launch, TOGETHER):
                return found
        return None

    def _programs(self) -> Finding | None:
        """Return a finding if the launches that write one tensor have too many or too few programs together."""
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
                return found.adding(f"{alone[0]} is 1 here.").noting({SIZES: {alone[0]: 1}})
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
        """Return the launches grouped by the tensor that they write; if that is unknown, by kernel."""
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
        needs = f"{asked}, and {found.details['limit']:,} would be enough: a gradient is computed that is not needed."
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
        """Yield findings on scratch memory that is too large, or into which too much is written: a copy in parts."""
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
        """Return a finding on the first copy of a tensor beyond the limit."""
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
        """Return a finding if the only entry of `numbers` exceeds `times` the limit."""
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
    """Return the next step for a tile, from the longest row of the tensors and outputs with the most dimensions."""
    shapes = [made.shape for made in drawn.inputs] + [output.shape for output in drawn.outputs]
    most = max(map(len, shapes))
    longest = max(((1, *shape)[-1] for shape in shapes if len(shape) == most), default=1)
    if allowed < longest:
        return f"Loop over the row in tiles of at most {allowed:,}; a row of any length does not fit on chip."
    return f"Make the tile smaller: {plural(allowed, 'element')} will do for this case."
