"""Model the L2 cache of a GPU for the launches of a call: in a run for this purpose, or in the run that is judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np
from torch import Tensor

from tritonpuzzles.engine.cache.model import Round, moved
from tritonpuzzles.engine.cache.pieces import (
    ATOMIC,
    LOAD,
    SECTOR,
    STORE,
    Numbers,
    TooManyPiecesError,
    Touches,
    as_numbers,
    distinct,
    in_order_of_stores,
    joined,
)
from tritonpuzzles.engine.interpreted import Interpreted, on_cpu, replay
from tritonpuzzles.engine.interpreter import Footprint, LaunchTrace, Tracer
from tritonpuzzles.engine.interpreter.arguments import number_of
from tritonpuzzles.engine.memory import Memory
from tritonpuzzles.engine.observation import whole_constants
from tritonpuzzles.engine.program import Call, nbytes
from tritonpuzzles.hardware.l2 import L2, l2_told
from tritonpuzzles.results.inspect import variant_of
from tritonpuzzles.results.traffic import CachedLine, CacheTraffic, LaunchTraffic
from tritonpuzzles.wire.observed import LaunchSummary
from tritonpuzzles.wire.program import Fill

KINDS = {"load": LOAD, "store": STORE, "atomic": ATOMIC}
MOST_RUNS = 1 << 22  # of sectors, in a call that is modelled

Place = tuple[str, int, str, str]  # file, line, argument, tensor
Label = tuple[int, Place]  # number of the launch, and where in it


@dataclass(frozen=True)
class Setting:
    """The conditions under which a call's programs run."""

    l2: L2
    # programs of the call that this one stands for, as a multiple of its own; they share no memory with these
    times: float = 1.0
    per_multiprocessor: Mapping[str, int] | None = None  # programs that fit on one, by `variant_of` a kernel

    def at_once(self, launch: LaunchTrace) -> int:
        """Return how many programs of a launch run at once on the GPU, including those that the call stands for."""
        known = (self.per_multiprocessor or {}).get(_variant(launch))
        warps = number_of("num_warps", launch.options, launch.bound)
        return max(1, min(round(launch.programs * self.times), self.l2.at_once(warps, known)))


def _variant(launch: LaunchTrace) -> str:
    return variant_of(launch.kernel, whole_constants(launch.function, launch.bound))


def cached(call: Call, inputs: Mapping[str, Tensor], setting: Setting) -> CacheTraffic:
    """Run a call on the CPU, and return the bytes that DRAM moves for it, from an empty cache, launch after launch.

    A kernel's exceptions pass through.
    """
    tracer = Tracer(footprints=True, user_file=str(call.path), check_undefined=False)
    memory = on_cpu(call, inputs)
    replay(call, tracer).run(memory, Interpreted(tracer))
    found = behind(tracer.launches, setting, names_of(tracer.launches, call, memory))
    filled = sum(nbytes(step.target) for step in call.program.steps if isinstance(step, Fill))
    return replace(found, copied_bytes=sum(call.copied_bytes.values()), filled_bytes=filled)


def names_of(launches: Sequence[LaunchTrace], call: Call, memory: Memory) -> dict[int, str]:
    """Return the host function's names of the tensors of launches, by storage."""
    storages = {argument.storage for launch in launches for argument in launch.arguments}
    return {storage: call.name(memory.number(storage)) for storage in storages}


def behind(
    launches: Sequence[LaunchTrace], setting: Setting, names: Mapping[int, str], in_order: bool = False
) -> CacheTraffic:
    """Return the DRAM traffic of launches, traced with footprints, behind a cache; `names` are by storage.

    With `in_order` it also has the bytes that DRAM would read if programs ran in the order of their output addresses.
    """
    labels: dict[Label, int] = {}
    at_once = tuple(setting.at_once(launch) for launch in launches)
    found = CacheTraffic(setting.l2.gpu, setting.l2.nbytes, at_once)
    if sum(len(part.programs) for launch in launches for part in launch.footprints) > MOST_RUNS:
        return _without(found)
    floors = _floors(launches)
    rounds = []
    for number, (launch, programs) in enumerate(zip(launches, at_once, strict=True)):
        touches = touches_of(number, launch, labels, names, floors)
        here = max(1, min(programs, launch.programs))  # the other programs would use their share of the cache likewise
        kept = setting.l2.usable_bytes / setting.times  # the other programs' last bytes remain as well
        rounds.append(Round(touches, here, setting.l2.usable_bytes * here / programs, kept))
    try:
        dram = moved(rounds, len(labels))
    except TooManyPiecesError:
        return _without(found)
    ordered = [replace(item, touches=in_order_of_stores(item.touches)) for item in rounds] if in_order else ()
    by_launch = [[0, 0] for _ in launches]
    by_line: dict[Place, list[int]] = {}
    for (launch_number, place), number in labels.items():
        for sums in (by_launch[launch_number], by_line.setdefault(place, [0, 0])):
            sums[0] += dram.read[number]
            sums[1] += dram.written[number]
    asked = dict.fromkeys(by_line, 0.0)
    for launch in launches:
        for part in launch.footprints:
            asked[_place(part, names)] += part.lines
    return replace(
        found,
        lines=tuple(
            CachedLine(*line[:3], line[3] or None, sums[0], sums[1], round(asked[line]))
            for line, sums in sorted(by_line.items())
        ),
        in_order_bytes=sum(moved(ordered, len(labels)).read) if in_order else None,
        launches=tuple(map(_asked, launches, (item.touches for item in rounds), by_launch)),
    )


def _asked(launch: LaunchTrace, touches: Touches, dram: Sequence[int]) -> LaunchTraffic:
    """Return the bytes that a launch requests from the L2 cache and from DRAM; `dram` is bytes read and written."""
    sizes = (touches.lasts - touches.firsts + 1) * SECTOR
    loads = touches.kinds == LOAD
    span = int(touches.times.max(initial=0)) + 1
    operations = touches.programs * span + touches.times
    return LaunchTraffic(
        _variant(launch),
        launch.programs,
        number_of("num_warps", launch.options, launch.bound),
        len(distinct(operations[loads])),
        len(distinct(operations[~loads])),
        sum(nbytes for (_, _, _, operation), nbytes in launch.lines.items() if operation == "load"),
        int(sizes[loads].sum()),
        int(sizes[~loads].sum()),
        _own(touches.programs[loads], touches.firsts[loads], touches.lasts[loads]) * SECTOR,
        round(sum(part.lines for part in launch.footprints)),
        *dram,
    )


def _own(programs: Numbers, firsts: Numbers, lasts: Numbers) -> int:
    """Return the sum over programs of the distinct sectors that each touches."""
    if not len(programs):
        return 0
    order = np.lexsort((firsts, programs))
    apart = programs[order] * (int(lasts.max()) + 1)  # so that no run of one program reaches into the next one's
    begins, ends = firsts[order] + apart, lasts[order] + apart + 1
    reached = np.concatenate([[0], np.maximum.accumulate(ends)[:-1]])
    return int(np.maximum(0, ends - np.maximum(begins, reached)).sum())


def _without(found: CacheTraffic) -> CacheTraffic:
    why = "The call touches memory in too many separate places for the model of the L2 cache."
    return replace(found, problem=why)


def _floors(launches: Sequence[LaunchTrace]) -> dict[int, int]:
    """Return the number of each storage's first sector, in one numbering of all memory."""
    ends: dict[int, int] = {}
    for part in (part for launch in launches for part in launch.footprints if len(part.lasts)):
        ends[part.storage] = max(ends.get(part.storage, 0), int(part.lasts.max()) + 1)
    return dict(zip(ends, accumulate(ends.values(), initial=0), strict=False))


def touches_of(
    launch_number: int,
    launch: LaunchTrace,
    labels: dict[Label, int],
    names: Mapping[int, str],
    floors: Mapping[int, int],
) -> Touches:
    """Return the touches of a launch's programs; `floors` has the first sector of each storage.

    `labels` maps each launch, line, argument and tensor to its label's number; new ones are added.
    """
    parts = launch.footprints
    numbers = [labels.setdefault((launch_number, _place(part, names)), len(labels)) for part in parts]
    counts = [len(part.programs) for part in parts]
    bases = as_numbers(np.repeat([floors.get(part.storage, 0) for part in parts], counts))
    return Touches(
        programs=in_launch_order(joined([part.programs for part in parts]), launch.grid),
        times=as_numbers(np.repeat([part.time for part in parts], counts)),
        firsts=joined([part.firsts for part in parts]) + bases,
        lasts=joined([part.lasts for part in parts]) + bases,
        kinds=as_numbers(np.repeat([KINDS[part.operation] for part in parts], counts)),
        labels=as_numbers(np.repeat(numbers, counts)),
    )


def _place(part: Footprint, names: Mapping[int, str]) -> Place:
    return part.file, part.line, part.argument, names.get(part.storage, "")


def in_launch_order(programs: Numbers, grid: tuple[int, int, int]) -> Numbers:
    """Convert the interpreter's program numbers, axis 0 slowest, to a GPU's launch order, axis 0 fastest."""
    x, rest = np.divmod(as_numbers(programs), grid[1] * grid[2])
    y, z = np.divmod(rest, grid[2])
    return as_numbers(x + grid[0] * (y + grid[1] * z))


def behind_l2(
    call: Call, memory: Memory, traced: Sequence[LaunchTrace], launches: Sequence[LaunchSummary]
) -> CacheTraffic:
    """Return the DRAM traffic of a call behind the L2 cache of its GPU.

    `launches` are the traced launches, with a program's use of a multiprocessor where the compiler reported it.
    """
    assert call.gpu is not None
    gpu, names = call.gpu, names_of(traced, call, memory)
    l2 = l2_told(gpu.name, gpu.capability, gpu.l2_bytes, gpu.multiprocessors, gpu.threads_per_multiprocessor)
    fits = {variant_of(launch.kernel, launch.constants): launch.fit for launch in launches}
    room = {variant: fit.per_multiprocessor for variant, fit in fits.items() if fit is not None}
    return behind(traced, Setting(l2, per_multiprocessor=room), names, in_order=True)
