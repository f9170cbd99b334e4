"""A size of the input that a launch passes under the name of another: `n_rows` that is the number of columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tritonpuzzles.judge.evidence.cases import Launch
from tritonpuzzles.judge.verdict.judged import JudgedCase, has_errors
from tritonpuzzles.results.check import Finding

STRIDES = "strides-exchanged"
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


def exchanged_strides(finding: Finding, judged: Sequence[JudgedCase]) -> Finding:
    """Return a finding on exchanged strides at the launch that passes them so, where its parameters' names tell.

    `stride_bk` and `stride_bn` of a matrix b of shape (k, n) are its first and its second stride.
    """
    for case in judged:
        for launch in case.evidence.launches if finding.code == STRIDES and not case.drawn.able else ():
            for name, made in case.drawn.tensors.items():
                passed = _strides_passed(case, launch, name)
                if len(passed) == 2 and passed == list(reversed(made.stride)) != list(made.stride):
                    lies = f'{name}.stride() is {made.stride} in "{case.drawn.name}"'
                    text = f"{finding.message} So they are passed in line {launch.line}: {lies}."
                    step = f"Pass {name}.stride(0) and {name}.stride(1) in the order of the kernel's parameters."
                    return replace(finding, message=text, line=launch.line, next_step=step)
    return finding


def _strides_passed(case: JudgedCase, launch: Launch, name: str) -> list[int]:
    """Return what a launch passes as the first and the second stride of a matrix, by their parameters' names."""
    dims = {size: dim.lower() for dim, size in case.drawn.dims.items()}
    shape = case.drawn.tensors[name].shape
    names = [f"stride_{name}{dims.get(size, '?')}" for size in shape] if len(set(shape)) == len(shape) else []
    return [launch.numbers[one] for one in names if one in launch.numbers]


def _exchanged(case: JudgedCase) -> Iterator[tuple[Launch, str, int, int]]:
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
