"""How soon the programs of a product read again what others have read, seen in a few of a large launch.

Programs that share a tile walk along it in the same order. So one iteration of a program's loop shows which programs
share what, and no tensor needs memory: the programs run on phantoms, for two iterations.
"""

from __future__ import annotations

import contextlib
import io
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from tritonpuzzles.engine.cache.pieces import scattered
from tritonpuzzles.engine.cached import in_launch_order
from tritonpuzzles.engine.interpreter import KernelError, LaunchTrace, Tracer
from tritonpuzzles.engine.interpreter.batch import Window
from tritonpuzzles.engine.interpreter.errors import Abort
from tritonpuzzles.engine.interpreter.loops import stores
from tritonpuzzles.engine.text.kernels import Refused

LANES = 1 << 20  # of the largest block values of all programs that run, in all launches of a call: a quarter second
FEWEST, MOST = 16, 128  # programs of a launch; with fewer, they show nothing
TURNS = 2  # of a loop: what is loaded in the second is loaded in every one
LOOK_BACK = 6  # the last sixth of the programs is compared with those before


def multiplies(kernel: Any) -> bool:
    """Return whether a kernel multiplies matrices."""
    return not isinstance(kernel, Refused) and stores(["kernel"], {"kernel": kernel}, ("dot",))


def reuse_of(
    kernel: Any, arguments: dict[str, Any], options: dict[str, Any], grid: tuple[int, int, int], lanes: int
) -> tuple[tuple[int, float], ...]:
    """Return by distance in programs the share of loaded bytes that the program so far before has loaded.

    The last distance is the farthest that was looked at. Empty if nothing is known; `lanes` limits their number.
    """
    with contextlib.suppress(KernelError, Abort), contextlib.redirect_stdout(io.StringIO()):
        one = _traced(kernel, arguments, options, grid, 1)
        programs = min(MOST, lanes // max(1, one.largest_tile))
        if programs >= FEWEST and any(_loads(one)):
            return distances(_traced(kernel, arguments, options, grid, programs), programs)
    return ()


def _traced(
    kernel: Any, arguments: dict[str, Any], options: dict[str, Any], grid: tuple[int, int, int], programs: int
) -> LaunchTrace:
    tracer = Tracer(footprints=True, check_undefined=False, turns=TURNS, order=Window(programs))
    tracer.launch(kernel, arguments, options, grid, ("", 0))
    return tracer.launches[0]


def distances(launch: LaunchTrace, programs: int) -> tuple[tuple[int, float], ...]:
    """Return what `reuse_of` does, for so many programs that have run."""
    before = programs - programs // LOOK_BACK
    last_use: dict[tuple[int, int], int] = {}
    found: Counter[int] = Counter()
    loads = sorted(_loads(launch))
    first = loads[0][0] if loads else 0
    for program, storage, signature, sectors in loads:
        distance = program - last_use.get((storage, signature), -before)
        if program - first >= before:
            found[min(distance, before)] += sectors
        last_use[storage, signature] = program
    total = max(1, found.total())
    return (*((one, found[one] / total) for one in sorted(found) if one < before), (before, 0.0))


def _loads(launch: LaunchTrace) -> Iterator[tuple[int, int, int, int]]:
    """Yield each load that a loop repeats: the program, the storage, and the sectors: their signature, and how many."""
    seen: set[tuple[str, int, str, int]] = set()
    for part in launch.footprints:
        if part.operation != "load":
            continue
        order = np.argsort(part.programs, kind="stable")
        numbers, begins = np.unique(part.programs[order], return_index=True)
        sets = np.add.reduceat(scattered(part.firsts, part.lasts)[order], begins)
        sizes = np.add.reduceat((part.lasts - part.firsts + 1)[order], begins)
        for program, touched, sectors in zip(in_launch_order(numbers, launch.grid), sets, sizes, strict=True):
            place = part.file, part.line, part.argument, int(program)
            if place in seen:
                yield int(program), part.storage, int(touched), int(sectors)
            seen.add(place)
