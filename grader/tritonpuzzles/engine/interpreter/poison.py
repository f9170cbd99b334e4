"""Find out whether a masked-off lane without `other=`, a division by zero or a shift by too many bits reaches a result.

Such a lane is undefined on a GPU; the first run of a launch gives it 0. The launch is repeated on the same memory with
other values in those lanes; if a stored byte differs, the kernel depends on them. The comparison is exact for the
values tried: 0x7B and 0xFB repeated are large and finite, of either sign, in every format; 0x41 repeated is a small
float, for lanes that decide how often a loop runs; 0xFF repeated is NaN, which a weight of 0 does not hide. NaN alone
is not enough, as `tl.max` ignores it. In the last round two values alternate, for computations in which equal values
cancel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tritonpuzzles.engine.interpreter.errors import Abort
from tritonpuzzles.engine.interpreter.ledger import Event, Place
from tritonpuzzles.engine.interpreter.storage import unsigned
from tritonpuzzles.engine.interpreter.values import Array

if TYPE_CHECKING:
    from tritonpuzzles.engine.interpreter.launch import Launch

_BYTES = ((0x7B,), (0xFB,), (0x41,), (0xFF,), (0x41, 0x42))  # repeated in a lane; of two, in alternate lanes


def find_undefined(launch: Launch) -> list[tuple[str, str, Place, Event, str]]:
    """Repeat a launch with poison; afterwards memory is as the first run left it.

    Return each load, division or shift whose undefined lanes matter: its code, its argument ("" if it is no load) and
    its place; how many stored elements depend on it, with the first of them; and the argument of these elements, "" if
    the repeated launch fails or takes too long.
    """
    lines = dict(launch.ledger.total.undefined)
    storages = [storage for storage in launch.storages.values() if storage.original is not None]
    final = {storage.address: storage.raw.copy() for storage in storages}
    launch.builder.step_limit = 4 * launch.builder.steps + 1000
    try:
        together = _difference(launch, set(lines), final)
        if together is None:
            return []
        found = [(place, together if len(lines) == 1 else _difference(launch, {place}, final)) for place in lines]
    finally:
        launch.builder.step_limit = None
        for storage in storages:
            storage.raw[:] = final[storage.address]
    return [(*lines[place], place, *difference) for place, difference in found if difference is not None]


def _difference(launch: Launch, places: set[Place], final: dict[int, Array]) -> tuple[Event, str] | None:
    for filled in _BYTES:
        launch.memory.poisoned, launch.memory.poison_bytes = places, filled
        launch.builder.steps = 0
        try:
            launch.repeat()
        except (Exception, Abort):
            return Event(0, 0, None), ""  # control flow depends on the lanes: it fails or runs far longer
        finally:
            launch.memory.poisoned = set()
        for region in launch.memory.regions:
            expected = final.get(region.storage.address)
            if expected is not None and (differs := _differing(region.storage.raw, expected, region.width)).any():
                first = int(np.argmax(differs))
                writer = region.storage.writer.get(region.width)
                program = 0 if writer is None else max(0, int(writer[first]) - 1)
                element = first - region.first_byte // region.width
                return Event(int(np.count_nonzero(differs)), program, element), region.name
    return None


def _differing(raw: Array, expected: Array, width: int) -> Array:
    size = len(raw) // width * width
    result: Array = raw[:size].view(unsigned(width)) != expected[:size].view(unsigned(width))
    return result
