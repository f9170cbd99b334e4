"""The same cache, sector by sector, in plain Python: slow, and simple enough to be believed."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from dataclasses import dataclass

import numpy as np

from tritonpuzzles.engine.cache.pieces import ATOMIC, LOAD, SECTOR, STORE, Touches


@dataclass(frozen=True)
class Operation:
    """A load, store or atomic operation of one program; sectors in any order, some perhaps twice."""

    kind: int
    label: int
    sectors: tuple[int, ...]


Launch = list[list[Operation]]  # operations of each program


def touches(launch: Launch) -> Touches:
    """Return a launch as the model takes it, a run for each sector."""
    runs = [
        (program, time, sector, sector, operation.kind, operation.label)
        for program, operations in enumerate(launch)
        for time, operation in enumerate(operations)
        for sector in operation.sectors
    ]
    return Touches(*np.array(runs, dtype=np.int64).reshape(-1, 6).T)


def in_turns(launch: Launch, at_once: int) -> list[tuple[int, int]]:
    """Return (program, operation) in the order in which they reach memory."""
    waiting = [(program, 0) for program, operations in enumerate(launch) if any(o.sectors for o in operations)]
    launch = [[o for o in operations if o.sectors] for operations in launch]
    running, order = waiting[:at_once], []
    waiting = waiting[at_once:]
    while running:
        running.sort()
        order += running
        going = [(program, number + 1) for program, number in running if number + 1 < len(launch[program])]
        started = waiting[: at_once - len(going)]
        waiting = waiting[len(started) :]
        running = going + started
    return order


def dram_bytes(launch: Launch, at_once: int, capacity: float, labels: int) -> tuple[list[int], list[int]]:
    """Return the bytes read from and written to DRAM, by label."""
    launch = [[o for o in operations if o.sectors] for operations in launch]
    history: dict[int, set[tuple[int, int]]] = defaultdict(set)
    for program, operations in enumerate(launch):
        for number, operation in enumerate(operations):
            for sector in operation.sectors:
                history[sector].add((program, number))
    lead: dict[frozenset[tuple[int, int]], int] = {}  # the first of the sectors that are always touched together
    for sector in sorted(history):
        lead.setdefault(frozenset(history[sector]), sector)
    read, written = [0] * labels, [0] * labels
    held: OrderedDict[int, bool] = OrderedDict()
    for program, number in in_turns(launch, at_once):
        operation = launch[program][number]
        for sector in sorted(set(operation.sectors), key=lambda s: (lead[frozenset(history[s])], s)):
            if sector not in held and operation.kind in (LOAD, ATOMIC):
                read[operation.label] += SECTOR
            if operation.kind in (STORE, ATOMIC) and not held.get(sector, False):
                written[operation.label] += SECTOR
            held[sector] = held.get(sector, False) or operation.kind in (STORE, ATOMIC)
            held.move_to_end(sector)
            while len(held) * SECTOR > capacity:
                held.popitem(last=False)
    return read, written
