"""The order that a launch's atomics impose on accesses: two conflicting accesses are no race only if they are ordered.

An access happens before another program's access if, between the two, the first program updates an element atomically
(releases it), and later the second sees that element (acquires it): Lamport, "Time, clocks, and the ordering of events
in a distributed system", 1978. The order is not transitive here: a release by a third program does not count.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from tritonpuzzles.engine.interpreter.storage import MANY
from tritonpuzzles.engine.interpreter.values import Array

Place = tuple[str, int]  # file, line
MOST_LANES = 64  # of a program's operation: wider ones accumulate tiles, and impose no order


@dataclass(frozen=True)
class _Event:
    """Elements that one operation released or acquired, and the program, from 1, of each; lane i at `time` + i."""

    time: int
    elements: Array
    programs: Array
    releases: Array
    acquires: bool


class Ordering:
    """The releases and acquires of a launch's programs, in the order in which they ran."""

    def __init__(self) -> None:
        self.time = 0  # lanes of atomic operations so far; the time of an access
        self.seen: Place | None = None  # where a program first depended on others' atomics
        self._events: list[_Event] = []
        self._committed: tuple[int, Place | None, int] = (0, None, 0)
        self._indexed = 0
        self._released: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        self._acquired: dict[int, dict[int, int]] = defaultdict(dict)

    def commit(self) -> None:
        """Keep the operations of the batch."""
        self._committed = self.time, self.seen, len(self._events)

    def drop(self) -> None:
        """Discard the operations of the batch."""
        self.time, self.seen, events = self._committed
        del self._events[events:]
        if self._indexed > events:
            self._indexed = 0
            self._released.clear()
            self._acquired.clear()

    def note_seen(self, place: Place) -> None:
        """Note that the order of programs may matter at a line."""
        self.seen = self.seen or place

    def note(self, elements: Array, programs: Array, lanes: int, releases: Array | bool, acquires: bool) -> None:
        """Enter an operation, with so many lanes per program, on (n,) addresses by (n,) programs, from 1.

        `releases` says which elements it releases; `acquires` says whether its programs acquire all of them.
        """
        if lanes <= MOST_LANES:
            releases = np.broadcast_to(releases, elements.shape)
            self._events.append(_Event(self.time, elements, programs, releases, acquires))
        self.time += len(elements)

    def before(self, firsts: Array, since: Array, seconds: Array) -> Array:
        """Return which accesses happen before accesses that are made now.

        `firsts`: (n,) programs, from 1, of the earlier accesses; `MANY` for any program that has released since.
        `since`: (n,) their times. `seconds`: (n,) programs that access the same now.
        """
        self._index()
        pairs, of = np.unique(np.stack([firsts, since, seconds]), axis=1, return_inverse=True)
        ordered = [self._is_before(*pair) for pair in pairs.T.tolist()]
        found: Array = np.array(ordered, dtype=np.bool_)[of.reshape(-1)]
        return found

    def _is_before(self, first: int, since: int, second: int) -> bool:
        for element, acquired in self._acquired[second].items():
            released = self._released[element].get(first, [])
            at = bisect_left(released, since)
            if at < len(released) and released[at] < acquired:
                return True
        return False

    def _index(self) -> None:
        """Index the events since the last call by element and program; called only for conflicts."""
        for event in self._events[self._indexed :]:
            lanes = zip(event.elements.tolist(), event.programs.tolist(), event.releases.tolist(), strict=True)
            for time, (element, program, releases) in enumerate(lanes, event.time):
                if releases:
                    self._released[element][program].append(time)
                    self._released[element][MANY].append(time)
                if event.acquires:
                    self._acquired[program][element] = time
        self._indexed = len(self._events)
