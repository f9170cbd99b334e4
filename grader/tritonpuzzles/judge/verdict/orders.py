"""Outputs that are right only in the order in which the engine runs programs first, in lockstep."""

from __future__ import annotations

from collections.abc import Sequence

from tritonpuzzles.judge.drawn import DrawnCase
from tritonpuzzles.judge.evidence.cases import OtherOrder
from tritonpuzzles.judge.tolerances import Tolerance
from tritonpuzzles.judge.verdict.compare import compare
from tritonpuzzles.judge.workers.trial import Trial
from tritonpuzzles.results.check import Finding

STEP = (
    "Programs run in any order, and not in step: let a second launch do what needs other programs' results, "
    "or wait for them."
)


def order_finding(
    trial: Trial, drawn: DrawnCase, orders: Sequence[OtherOrder], tolerances: tuple[Tolerance, ...]
) -> Finding | None:
    """Return the finding for the first order in which a case's outputs are wrong; `None` where all are right.

    Each is compared with the truth, within the tolerance of the case: sums of floats may differ in their last bits.

    Args:
        trial: of the case.
        drawn: the case, whose outputs are right in lockstep.
        orders: what others give.
        tolerances: one per output.

    Raises:
        ProtocolError: if the bytes do not fit what was said of them.
    """
    for order in orders:
        found = compare(drawn, order.outputs, tolerances, trial.device, trial.puzzle.call).result.mismatch
        if found is None:
            continue
        which = "the last first" if order.way == "last first" else "each to its end"
        text = (
            f"{found.wrong:,} of {found.total:,} elements of {found.output} are wrong when the programs run one after "
            f"the other, {which}: the first is [{', '.join(map(str, found.first))}], expected {found.expected:.6g}, "
            f"got {found.got:.6g}. What a program sees in line {order.line} depends on which programs have run."
        )
        return Finding("order-dependent", text, order.file, order.line, drawn.name, STEP)
    return None
