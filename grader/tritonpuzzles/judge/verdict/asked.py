"""What a host function does for nothing: gradients that nobody asks for, copies of what a kernel could read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tritonpuzzles.curriculum.expressions import evaluate
from tritonpuzzles.curriculum.limits import Bound
from tritonpuzzles.judge.drawn import DrawnCase
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.words import are, plural
from tritonpuzzles.wire.observed import HostCopy

NEEDLESS, TOO_MANY = "needless-gradient", "too-many-launches"
ASK = "Ask ctx.needs_input_grad, one truth value for each argument of forward; return None for what is not needed."


def needless_gradient(launches: Bound, drawn: DrawnCase, names: Mapping[str, int], count: int) -> Finding | None:
    """Return what too many launches are for, where they would be allowed if every gradient were asked for.

    Args:
        launches: the limit.
        drawn: the case.
        names: what the names in limits stand for.
        count: of its launches.
    """
    wanted, able = drawn.wanted, len(drawn.able)
    if len(wanted) == able or count > evaluate(launches.limit, {**names, "gradients": able}):
        return None
    asked = f"only the gradient of {' and '.join(wanted)} is asked for" if wanted else "no gradient is asked for"
    allowed = evaluate(launches.limit, names)
    return Finding(
        NEEDLESS,
        f"{plural(count, 'kernel')} {are(count)} launched where {asked}, and {allowed:,} would do: another gradient is "
        "computed for nothing.",
        case=drawn.name,
        next_step=ASK,
        details={"launches": count, "limit": allowed},
    )


def without_needless(findings: Sequence[Finding]) -> list[Finding]:
    """Return findings with no word of needless gradients where too much is launched for those that are asked for.

    What is launched too often there may be what is launched too often elsewhere.
    """
    if not any(finding.code == TOO_MANY for finding in findings):
        return list(findings)
    return [finding for finding in findings if finding.code != NEEDLESS]


def operands_copied(
    copies: Bound | None, drawn: DrawnCase, names: Mapping[str, int], made: Sequence[HostCopy]
) -> Iterator[Finding]:
    """Yield the first copy of a tensor that is one too many.

    Args:
        copies: the limit, if there is one.
        drawn: the case.
        names: what the names in limits stand for.
        made: the copies, in order.
    """
    if copies is None or len(made) <= (allowed := evaluate(copies.limit, names)):
        return
    because = f": {copies.says}" if copies.says else ""
    yield Finding(
        "operand-copied",
        f"The host function copies {made[allowed].tensor}{because}.",
        line=made[allowed].line,
        case=drawn.name,
        next_step=copies.next_step or "Pass the tensor itself, with its strides.",
        details={"copies": len(made), "limit": allowed},
    )
