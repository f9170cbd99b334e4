"""Run a named mistake's emulation on a case, and its recogniser on the case's own values.

Errors in the code of a mistake's author are reported as the author's.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Emulation, Mistake, Recognised, Tile
from tritonpuzzles.curriculum.mistakes.machines import Deviation
from tritonpuzzles.judge.drawn import DrawnCase, Expected, widened
from tritonpuzzles.judge.truth import tensors_of
from tritonpuzzles.judge.verdict.advice import suggest_line
from tritonpuzzles.judge.verdict.judged import JudgedCase
from tritonpuzzles.source import Source
from tritonpuzzles.wire.authored import AuthorError, called, kind
from tritonpuzzles.wire.drawing import dtype_of
from tritonpuzzles.wire.observed import LaunchSummary

MAX_ELEMENTS = 1 << 17  # of an output that every mistake is tried on: for millions that takes minutes


def shows_why(drawn: DrawnCase) -> bool:
    """Return whether mistakes are tried on a case: it is not large, not mixed, and not drawn by an engine."""
    small = max(golden.numel() for golden in drawn.golden) <= MAX_ELEMENTS
    return small and not drawn.case.mixed and drawn.drawing is None


def emulations(mistake: Mistake, drawn: DrawnCase, tiles: Sequence[Tile]) -> Iterator[tuple[Tensor, ...]]:
    """Yield what a mistake computes for each tile, rounded to the outputs' dtypes and widened.

    Raises AuthorError if an emulation raises, or does not return the outputs of the case.
    """
    inputs = widened_inputs(drawn)
    different: dict[Hashable, Tile] = {}  # one tile of each group that looks alike to the emulations
    for tile in tiles:
        different.setdefault(tile if mistake.seen is None else mistake.seen(tile), tile)
    for tile in different.values():
        for emulate in mistake.emulations:
            yield _outputs(emulate, inputs, replace(tile, values=drawn.values, gradients=drawn.wanted), drawn)


def widened_inputs(drawn: DrawnCase) -> tuple[Tensor, ...]:
    """Return a case's tensors; those of floating point as float32."""
    tensors = (layout.tensor() for layout in drawn.inputs)
    return tuple(tensor.float() if tensor.is_floating_point() else tensor for tensor in tensors)


def _outputs(emulate: Emulation, inputs: tuple[Tensor, ...], tile: Tile, drawn: DrawnCase) -> tuple[Tensor, ...]:
    """Return an emulation's results: all compared outputs, or for a backward call perhaps only the gradients."""
    name, folder = _name(emulate)
    who = f"its emulation {name}, in case {drawn.name!r},"
    given = called(who, folder, emulate, inputs, tile)
    gradients = [output for output in drawn.outputs if output.of]
    count = len(given) if isinstance(given, tuple) else 1
    expected = gradients if gradients and count == len(gradients) else drawn.outputs
    found = tensors_of(who, given, [output.name for output in expected], "[[outputs]]")
    return tuple(_rounded(who, tensor, output) for tensor, output in zip(found, expected, strict=True))


def _name(emulate: Emulation) -> tuple[str, Path | None]:
    """Return an emulation's name and place, and the folder of its source."""
    code = getattr(emulate.machine if isinstance(emulate, Deviation) else emulate, "__code__", None)
    if code is None:  # any other callable
        return repr(emulate), None
    own = Path(code.co_filename)
    name = repr(emulate) if isinstance(emulate, Deviation) else code.co_name
    return f"{name} ({own.name}, line {code.co_firstlineno})", own.parent


def _rounded(who: str, given: Tensor, output: Expected) -> Tensor:
    if tuple(given.shape) != output.shape:
        raise AuthorError(f"{who} gives {output.name} the shape {tuple(given.shape)}, not {output.shape}")
    dtype = dtype_of(output.dtype)
    if given.is_floating_point() != dtype.is_floating_point:
        wanted = "float32" if dtype.is_floating_point else output.dtype
        raise AuthorError(f"{who} gives {output.name} in {str(given.dtype).removeprefix('torch.')}, not {wanted}")
    return widened(given.to(dtype))


@dataclass(frozen=True)
class Sign:
    """What a mistake's recogniser found in one case."""

    case: JudgedCase
    says: str
    next_step: str
    line: int | None  # of the mistake, or of the call that writes the wrong output, if known


def shown(mistake: Mistake, wrong: Sequence[JudgedCase], source: Source) -> Sign | None:
    """Return what the recogniser of a mistake finds in the first case that it recognises.

    Raises AuthorError if the recogniser raises, or returns anything but a `Recognised` or `None`.
    """
    if mistake.recognise is None:
        return None
    for case in wrong:
        if not shows_why(case.drawn):
            continue
        who = f"what recognises the mistake {mistake.code}, in case {case.drawn.name!r},"
        values = {number: case.values[number] for number in case.wrong}
        tile = Tile(1, 1, case.drawn.dtype, values=case.drawn.values, gradients=case.drawn.wanted)
        found = called(who, None, mistake.recognise, widened_inputs(case.drawn), tile, values)
        if isinstance(found, Recognised):
            written = case.drawn.outputs[found.output].name
            text = f'In "{case.drawn.name}", {found.says}'
            line = suggest_line(source, found.lines, host=True)
            return Sign(case, text, found.next_step, line or line_writing(written, case.evidence.launches))
        if found is not None:
            raise AuthorError(f"{who} returns {kind(found)}; a curriculum.mistakes.Recognised or None is expected")
    return None


def line_writing(output: str, launches: Sequence[LaunchSummary]) -> int | None:
    """Return the line of the innermost call that leads to the launch writing an output, and to no other launch.

    A file may have one function that launches, and call it for each output.
    """
    writing = [launch for launch in launches if output in launch.written]
    others = {line for launch in launches if launch not in writing for line in launch.calls}
    return next((line for launch in writing for line in launch.calls if line not in others), None)
