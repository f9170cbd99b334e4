"""Small changes of a launch's arguments, each with a sentence on what is wrong: candidates that a replay must prove.

They change the recorded program, not the text of the host function. There the arguments are numbers already, so a
change computes for each case which size, stride or argument replaces one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tritonpuzzles.judge.diagnosis.arguments import Launch, LaunchEdit, is_number, launches_of, leads
from tritonpuzzles.judge.diagnosis.kerneltext import NameKind
from tritonpuzzles.judge.diagnosis.launchplace import LaunchPlace
from tritonpuzzles.judge.workers.lanes import CaseProgram
from tritonpuzzles.source import Source

MOST_PLACES = 6


def launch_edits(programs: Sequence[CaseProgram], source: Source) -> list[LaunchEdit]:
    """Return the edits of all launches in some cases' programs; launches made from the same place share an edit."""
    by_case = [list(launches_of(json.loads(one.payload))) for one in programs]
    found: list[LaunchEdit] = []
    for place in _places([launch for launches in by_case for launch in launches])[:MOST_PLACES]:
        of_cases = (next((one for one in launches if leads(place, one)), None) for launches in by_case)
        found += LaunchPlace(place, [launch for launch in of_cases if launch is not None], source).edits()
    return found


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
