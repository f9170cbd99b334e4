"""Hold what DRAM reads behind an L2 cache, by a model, against what the puzzle allows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from tritonpuzzles.curriculum.expressions import evaluate
from tritonpuzzles.curriculum.limits import Bound, Limits
from tritonpuzzles.judge.drawn import DrawnCase
from tritonpuzzles.judge.evidence.cases import CaseEvidence
from tritonpuzzles.judge.verdict.judged import JudgedCase
from tritonpuzzles.judge.verdict.traffic import is_over, missing, names_for
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.traffic import DramReads, TensorReads
from tritonpuzzles.results.words import listed
from tritonpuzzles.source import Source
from tritonpuzzles.wire.observed import LaunchSummary

OF_ONE = "of_one"  # in the details: the constant that makes groups of one row of tiles
TOO_MANY, UNKNOWN = "too-many-dram-reads", "dram-reads-unknown"
STEP = "Let programs that run at once share what they read: a group of tiles near each other, row by row of the group."


def dram_findings(limits: Limits, drawn: DrawnCase, evidence: CaseEvidence) -> Iterator[Finding]:
    """Yield that DRAM reads more for a case than the puzzle allows, or that nobody knows how much."""
    bound = limits.dram_reads
    if bound is None or not drawn.case.cached or not evidence.launches:
        return
    reads = dram_reads(bound, drawn, evidence)
    if reads is None:
        yield _unknown(drawn, evidence)
    elif is_over(reads.read_bytes, reads.limit_bytes):
        yield _too_many(bound, drawn, evidence, reads)


def dram_reads(bound: Bound, drawn: DrawnCase, evidence: CaseEvidence) -> DramReads | None:
    """Return what DRAM reads for a case beside the limit; `None` where the cache could not be modelled."""
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


def _too_many(bound: Bound, drawn: DrawnCase, evidence: CaseEvidence, reads: DramReads) -> Finding:
    inputs = listed([item.tensor for item in reads.tensors])
    times, most, ordered = map(reads.times, (reads.read_bytes, reads.limit_bytes, reads.in_order_bytes))
    because = f": {bound.says}" if bound.says else ""
    text = (
        f"DRAM reads {inputs} {times:.2f} times behind the L2 cache of the {reads.gpu.removeprefix('NVIDIA ')}, of "
        f"{reads.l2_bytes >> 20} MiB, by a model of it; at most {most:.4g} are allowed{because}. With programs in the "
        f"order of the tiles that they store, row by row, it is {ordered:.2f}."
    )
    details: dict[str, Any] = {"read_bytes": reads.read_bytes, "limit": reads.limit_bytes}
    details["in_order_bytes"] = reads.in_order_bytes
    launch = _largest(evidence.launches)
    alone = [name for name, value in launch.constants.items() if "GROUP" in name.upper() and value == 1]
    if len(alone) == 1:
        text, details[OF_ONE] = f"{text} {alone[0]} is 1 here: that is this order.", alone[0]
    return Finding(
        TOO_MANY, text, line=launch.line, case=drawn.name, next_step=bound.next_step or STEP, details=details
    )


def at_the_numbering(finding: Finding, source: Source) -> Finding:
    """Return a finding on what DRAM reads where a file makes groups of one, or numbers its tiles."""
    if finding.code != TOO_MANY:
        return finding
    given = source.host.settings(finding.details[OF_ONE]) if OF_ONE in finding.details else []
    of_one = next((line for line, text in given if text == "1"), None)
    return replace(finding, line=of_one or source.numbering_line or finding.line)


def _unknown(drawn: DrawnCase, evidence: CaseEvidence) -> Finding:
    problem = evidence.cache.problem if evidence.cache is not None else None
    why = problem or "The call could not be run with a model of an L2 cache."
    step = "Larger tiles, whose rows lie in one piece in memory, touch it in fewer places."
    text = f"It is not known how much DRAM reads behind an L2 cache: {why}"
    return Finding(UNKNOWN, text, line=_largest(evidence.launches).line, case=drawn.name, next_step=step)


def _largest(launches: Sequence[LaunchSummary]) -> LaunchSummary:
    return max(launches, key=lambda launch: launch.programs)


def most_dram_reads(bound: Bound | None, judged: Sequence[JudgedCase]) -> DramReads | None:
    """Return what DRAM reads in the case that comes nearest to the limit, or passes it most."""
    cached = [case for case in judged if case.drawn.case.cached and case.evidence.launches]
    found = [] if bound is None else [dram_reads(bound, case.drawn, case.evidence) for case in cached]
    known = [reads for reads in found if reads is not None and reads.read_bytes]
    return max(known, key=lambda reads: reads.read_bytes / max(1, reads.limit_bytes), default=None)
