"""A size of the input that a launch passes under the name of another: `n_rows` that is the number of columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tritonpuzzles.judge.verdict.judged import JudgedCase, has_errors
from tritonpuzzles.results.check import Finding
from tritonpuzzles.wire.observed import LaunchSummary

STEP = "Compare the arguments of the launch with the kernel's parameters."


def exchanged_sizes(judged: Sequence[JudgedCase]) -> list[Finding]:
    """Return a finding where failing cases' launches pass a size under another's name, as their first do."""
    failing = [case for case in judged if has_errors(case.findings) or case.evidence.failure is not None]
    seen = [(case, found) for case in failing if (found := next(_exchanged(case), None)) is not None]
    if not seen:
        return []
    case, (launch, name, value, size) = seen[0]
    text = f'{name} is {value:,} in the launch of line {launch.line}, and {size:,} in "{case.drawn.name}".'
    names = [other.drawn.name for other, found in seen if found[1] == name]
    return [Finding("sizes-exchanged", text, line=launch.line, case=names[0], next_step=STEP, details={"cases": names})]


def _exchanged(case: JudgedCase) -> Iterator[tuple[LaunchSummary, str, int, int]]:
    """Yield each number of a launch that has the name of one size of the case and the value of another.

    Where gradients are asked for, one kernel may run on matrices of several shapes: M of a gradient is another size.
    """
    if case.drawn.able:
        return
    dims = {name.lower(): size for name, size in case.drawn.dims.items()}
    for launch in case.evidence.launches:
        for name, value in launch.numbers.items():
            size = dims.get(name.lower())
            if size is not None and value != size and value in dims.values():
                yield launch, name, value, size
