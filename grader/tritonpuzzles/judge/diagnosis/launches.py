"""Small changes of a launch's arguments, each with a sentence on what is wrong: candidates that a replay must prove.

They change the recorded program, not the text of the host function. There the arguments are numbers already, so a
change computes for each case which size, stride or argument replaces one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tritonpuzzles.judge.diagnosis.arguments import Launch, LaunchEdit, is_number, launches_of, leads, view_of
from tritonpuzzles.judge.diagnosis.kerneltext import NameKind
from tritonpuzzles.judge.diagnosis.launchplace import MATRIX, NEAR, LaunchPlace
from tritonpuzzles.judge.workers.lanes import CaseProgram
from tritonpuzzles.source import Source
from tritonpuzzles.source.passing import argument_line
from tritonpuzzles.source.steps import stepped_by

MOST_PLACES = 6


def launch_edits(programs: Sequence[CaseProgram], source: Source) -> list[LaunchEdit]:
    """Return the edits of all launches in some cases' programs; launches made from the same place share an edit."""
    by_case = [list(launches_of(json.loads(one.payload))) for one in programs]
    found: list[LaunchEdit] = []
    for place in _places([launch for launches in by_case for launch in launches])[:MOST_PLACES]:
        of_cases = (next((one for one in launches if leads(place, one)), None) for launches in by_case)
        found += LaunchPlace(place, [launch for launch in of_cases if launch is not None], source).edits()
        found += _own_strides(place, [one for launches in by_case for one in launches if leads(place, one)], source)
    return found


def _own_strides(place: tuple[int, ...], launches: Sequence[Launch], source: Source) -> Iterator[LaunchEdit]:
    """Yield the change that passes a matrix's own strides, in all launches at once, wherever others are passed."""
    arguments = launches[0]["arguments"]
    tensors = [name for name, item in arguments.items() if "view" in item]
    stepped = stepped_by(source.kernels, tensors)
    constants = {name for kernel in source.kernels for name in kernel.constants}
    numbers = [name for name, item in arguments.items() if is_number(item) and name not in constants]
    by_tensor = {tensor: [name for name in numbers if stepped.get(name) == {tensor}] for tensor in tensors}

    def own(launch: Launch) -> dict[str, Any]:
        """Return the strides that a launch should pass instead of others."""
        instead: dict[str, Any] = {}
        for tensor, names in by_tensor.items():
            strides = list(view_of(launch, tensor)["stride"])
            given = [launch["arguments"][name].get("value") for name in names]
            if len(names) == len(strides) == MATRIX and given not in (strides, strides[::-1]):
                pairs = zip(names, given, strides, strict=True)
                instead |= {name: {"value": stride} for name, other, stride in pairs if other != stride}
        return instead

    wrong = [(name, launch) for launch in launches for name in own(launch)]
    if not wrong:
        return
    lines = [argument_line(source, tuple(one["calls"]) or place, name, everywhere=True) for name, one in wrong]
    first = argument_line(source, tuple(wrong[0][1]["calls"]) or place, wrong[0][0])
    line, name = lines[0] if len({*lines}) == 1 else first, wrong[0][0]
    says, step = f"{name} is not always a stride of its matrix", "Pass the strides that the matrix has."
    yield LaunchEdit(place, lambda one: {"arguments": {**one["arguments"], **own(one)}}, name, line, says, step, NEAR)


def _places(launches: Sequence[Launch]) -> list[tuple[int, ...]]:
    """Return the places of launches: each line that launches, and each call of a launcher called several times."""
    calls = dict.fromkeys(tuple(launch["calls"][:2]) or (launch["line"],) for launch in launches if launch["line"])
    lines = dict.fromkeys(place[:1] for place in calls)
    several = [place for place in calls if sum(other[0] == place[0] for other in calls) > 1]
    return [*lines, *several]


def parameters(programs: Sequence[CaseProgram]) -> dict[str, dict[str, NameKind]]:
    """Return the kinds of each kernel's parameters, as far as the launches show them."""
    found: dict[str, dict[str, NameKind]] = {}
    for program in programs:
        written = json.loads(program.payload)
        for launch in launches_of(written):
            kinds = ((name, _kind(item)) for name, item in launch["arguments"].items())
            kernel = written["kernels"][launch["kernel"]]
            found.setdefault(kernel["name"], {}).update((name, kind) for name, kind in kinds if kind is not None)
    return found


def _kind(item: Mapping[str, Any]) -> NameKind | None:
    if "view" in item:
        return NameKind.POINTER
    return (NameKind.WHOLE if isinstance(item["value"], int) else NameKind.NUMBER) if is_number(item) else None
