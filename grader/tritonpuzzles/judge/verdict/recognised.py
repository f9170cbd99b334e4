"""Say of a mistake what a case's own values show, and at which launch: its record's recogniser reads it off them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tritonpuzzles.curriculum.mistakes import Mistake, Recognised, Tile
from tritonpuzzles.judge.verdict.emulate import is_small, widened_inputs
from tritonpuzzles.judge.verdict.judged import JudgedCase
from tritonpuzzles.wire.authored import AuthorError, called, kind
from tritonpuzzles.wire.observed import LaunchSummary


@dataclass(frozen=True)
class Shown:
    """What one case shows.

    Attributes:
        line: of the call that writes the output which is spoken of, where that is known.
    """

    case: JudgedCase
    says: str
    next_step: str
    line: int | None


def shown(mistake: Mistake, wrong: Sequence[JudgedCase]) -> Shown | None:
    """Return what the first case shows in which a mistake is recognised.

    Raises:
        AuthorError: if the recogniser raises, or returns what is none of its answers.
    """
    return next((found for case in wrong if is_small(case.drawn) for found in _shown(mistake, case)), None)


def _shown(mistake: Mistake, case: JudgedCase) -> Iterator[Shown]:
    if mistake.recognise is None:
        return
    assert case.comparison is not None
    who = f"what recognises the mistake {mistake.code}, in case {case.drawn.name!r},"
    values = {number: case.comparison.values[number] for number in case.comparison.wrong}
    tile = replace(Tile(1, 1, case.drawn.dtype), values=case.drawn.values, gradients=case.drawn.wanted)
    found = called(who, None, mistake.recognise, widened_inputs(case.drawn), tile, values)
    if isinstance(found, Recognised):
        written = case.drawn.outputs[found.output].name
        text = f'In "{case.drawn.name}", {found.says}'
        yield Shown(case, text, found.next_step, line_writing(written, case.evidence.launches))
    elif found is not None:
        raise AuthorError(f"{who} returns {kind(found)}; a curriculum.mistakes.Recognised or None is expected")


def line_writing(output: str, launches: Sequence[LaunchSummary]) -> int | None:
    """Return the line that has an output written: of the calls down to its launch, the innermost of no other launch.

    A file may have one function that launches, and call it for each output.

    Args:
        output: its name.
        launches: of one case.
    """
    writing = [launch for launch in launches if output in launch.written]
    others = {line for launch in launches if launch not in writing for line in launch.calls}
    return next((line for launch in writing for line in launch.calls if line not in others), None)
