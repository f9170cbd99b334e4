"""Grids of far more programs than have anything to do: counted before they are run, or stopped when it shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tritonpuzzles.engine.interpreter.arguments import programs_of
from tritonpuzzles.engine.interpreter.errors import NeedlessProgramsError

if TYPE_CHECKING:
    from tritonpuzzles.engine.interpreter.launch import Launch

MOST_PROGRAMS = 1 << 17  # of a launch whose tensors have fewer elements
# A launch that takes so many batches is stopped where not one in sixteen of its programs loads or stores. There are
# more of them than any GPU runs at once: a fixed grid of a persistent kernel is none. Fewer batches take no time.
MANY_BATCHES, MANY_PROGRAMS, BUSY_ONE_IN = 16, 5_000, 16


def refuse_more_than_elements(launch: Launch) -> None:
    """Refuse a grid that has more programs than all tensors of the launch together have elements.

    Raises:
        NeedlessProgramsError: it has, and more than `MOST_PROGRAMS`.
    """
    elements, programs = sum(region.elements for region in launch.memory.regions), programs_of(launch.grid)
    if programs > max(elements, MOST_PROGRAMS):
        why = f"its tensors have {elements:,} elements in all"
        raise NeedlessProgramsError(launch.function.__name__, programs, why)


def refuse_idle(launch: Launch) -> None:
    """Stop a launch that takes long, of whose programs hardly any has loaded or stored; one where none has is a stub's.

    Raises:
        NeedlessProgramsError: it is one.
    """
    busy, ran = launch.busy, launch.ran
    if launch.batches >= MANY_BATCHES and ran >= MANY_PROGRAMS and 0 < busy * BUSY_ONE_IN < ran:
        why = f"of the first {ran:,} only {busy:,} load or store anything"
        raise NeedlessProgramsError(launch.function.__name__, programs_of(launch.grid), why)
