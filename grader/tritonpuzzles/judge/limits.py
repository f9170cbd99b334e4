"""Hold a case's traffic, tiles, grid and scratch memory against what the puzzle asks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tritonpuzzles.curriculum.expressions import Expression, cdiv, evaluate
from tritonpuzzles.curriculum.record import Limits
from tritonpuzzles.judge.evidence import CaseEvidence
from tritonpuzzles.judge.inputs import DrawnCase
from tritonpuzzles.results import Finding, LineTraffic, Severity, Traffic

STEPS = {
    "loads": "Keep what a pass has computed, so that a later pass need not read it again; and mask what lies outside.",
    "stores": "Store every element once, in one program, with a mask.",
}
SLACK = 1e-9  # multiples are ratios of whole numbers


def with_limits(limits: Limits, drawn: DrawnCase, traffic: list[Traffic]) -> list[Traffic]:
    """Return the traffic with each tensor's limit filled in: of loads for an input, of stores for an output."""
    return [replace(row, limit=_limit(limits, drawn, row)) for row in traffic]


def _limit(limits: Limits, drawn: DrawnCase, row: Traffic) -> float | None:
    asked = [_evaluate(table[row.tensor], drawn) for table in (limits.loads, limits.stores) if row.tensor in table]
    return float(max(asked)) if asked else None


def _evaluate(expression: Expression, drawn: DrawnCase) -> int:
    return evaluate(expression, drawn.dims)


def limit_findings(limits: Limits, drawn: DrawnCase, evidence: CaseEvidence) -> Iterator[Finding]:
    """Yield what a case used beyond the puzzle's limits."""
    if not all(drawn.shape):
        return
    yield from _traffic_findings(limits, drawn, evidence)
    if limits.tile is not None:
        yield from _tile_findings(_evaluate(limits.tile, drawn), drawn, evidence)
    if limits.rows_per_program is not None:
        yield from _grid_findings(limits.rows_per_program, drawn, evidence)
    if limits.scratch is not None:
        yield from _scratch_findings(_evaluate(limits.scratch, drawn), drawn, evidence)


def _traffic_findings(limits: Limits, drawn: DrawnCase, evidence: CaseEvidence) -> Iterator[Finding]:
    for row in evidence.traffic:
        if row.tensor is None:
            continue
        if row.tensor in limits.loads:
            allowed = _evaluate(limits.loads[row.tensor], drawn)
            if row.loaded_times > allowed + SLACK:
                yield _too_many("loads", drawn, evidence, row, row.loaded_times, allowed)
        if row.tensor in limits.stores:
            allowed = _evaluate(limits.stores[row.tensor], drawn)
            if row.stored_times > allowed + SLACK:
                yield _too_many("stores", drawn, evidence, row, row.stored_times, allowed)


def _too_many(what: str, drawn: DrawnCase, evidence: CaseEvidence, row: Traffic, times: float, allowed: int) -> Finding:
    verb, field = ("read", "loaded_bytes") if what == "loads" else ("written", "stored_bytes")
    lines = _busiest(evidence.lines, row.argument, field)
    places = [f"line{'s' * (len(lines) > 1)} {', '.join(str(line.line) for line in lines)}"] if lines else []
    if what == "loads" and lines and sum(line.loaded_bytes for line in lines) < row.loaded_bytes:
        places.append("PyTorch's copy in the host function")
    at = f" ({', and '.join(places)})" if places else ""
    return Finding(
        f"too-many-{what}",
        f"{row.tensor} is {verb} {times:.2f} times{at}; {passes(allowed)}.",
        file=lines[0].file if lines else None,
        line=lines[0].line if lines else None,
        case=drawn.name,
        next_step=STEPS[what],
        details={"argument": row.argument, "times": times, "limit": allowed, "lines": [line.line for line in lines]},
    )


def passes(allowed: int) -> str:
    """Return a limit in words: "two passes suffice"."""
    words = {0: "it need not be at all", 1: "one pass suffices", 2: "two passes suffice", 3: "three passes suffice"}
    return words.get(allowed, f"{allowed} passes suffice")


def _busiest(lines: list[LineTraffic], argument: str, field: str) -> list[LineTraffic]:
    moved = [line for line in lines if line.argument == argument and getattr(line, field)]
    return sorted(moved, key=lambda line: line.line)


def _tile_findings(allowed: int, drawn: DrawnCase, evidence: CaseEvidence) -> Iterator[Finding]:
    for launch in evidence.launches:
        if launch.largest_tile is not None and launch.largest_tile > allowed:
            yield Finding(
                "tile-too-large",
                f"{launch.kernel} holds a block of {launch.largest_tile:,} elements; "
                f"at most {allowed:,} are allowed here.",
                line=launch.line,
                case=drawn.name,
                next_step=_tile_step(allowed, drawn),
                details={"elements": launch.largest_tile, "limit": allowed},
            )
            return


def _tile_step(allowed: int, drawn: DrawnCase) -> str:
    if allowed < drawn.shape[-1]:
        return "Loop over the row in tiles; a whole row does not fit on chip for ever."
    return f"Make the tile no larger: {allowed:,} elements are enough for this case."


def _grid_findings(rows: int, drawn: DrawnCase, evidence: CaseEvidence) -> Iterator[Finding]:
    n_rows = drawn.shape[0]
    allowed = cdiv(n_rows, rows)
    for launch in evidence.launches:
        if launch.programs > allowed:
            yield Finding(
                "too-few-rows-per-program",
                f"{launch.kernel} is launched with {launch.programs:,} programs for {n_rows:,} rows; with at least "
                f"{rows} rows in each, {allowed:,} programs suffice.",
                line=launch.line,
                case=drawn.name,
                next_step="Give each program a block of rows: grid = (triton.cdiv(n_rows, BLOCK_ROWS),).",
                details={"programs": launch.programs, "limit": allowed},
            )
            return


def _scratch_findings(allowed: int, drawn: DrawnCase, evidence: CaseEvidence) -> Iterator[Finding]:
    largest = max(evidence.scratch, default=0)
    if largest > allowed:
        yield Finding(
            "scratch-too-large",
            f"The host function allocates a scratch tensor of {largest:,} elements; at most {allowed:,} are allowed.",
            case=drawn.name,
            next_step="Keep intermediate results on chip; never write the scores to memory.",
            details={"elements": largest, "limit": allowed},
        )


def better_than_asked(limits: Limits, drawn: DrawnCase, traffic: list[Traffic]) -> Iterator[Finding]:
    """Yield a note for each input that was read less often than the puzzle allows."""
    for row in traffic:
        allowed = _evaluate(limits.loads[row.tensor], drawn) if row.tensor in limits.loads else 0
        if 1 < allowed < 4 and row.loaded_times <= allowed - 1 + SLACK:
            text = f"{row.tensor} is read {row.loaded_times:.2f} times, less than the {allowed} that are allowed."
            yield Finding("better-than-asked", text, Severity.NOTE, case=drawn.name)
