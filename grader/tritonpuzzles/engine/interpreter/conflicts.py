"""Conflicts between programs, double writes and reads of uninitialised memory.

Works on flat arrays: the active elements of one operation, and the program (from 1) of each.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tritonpuzzles.engine.interpreter.batch import Batch
from tritonpuzzles.engine.interpreter.errors import Restart
from tritonpuzzles.engine.interpreter.ledger import Event, Ledger, Place
from tritonpuzzles.engine.interpreter.phantom import Phantom
from tritonpuzzles.engine.interpreter.regions import Lanes, Region
from tritonpuzzles.engine.interpreter.storage import ATOMIC, MANY, unsigned
from tritonpuzzles.engine.interpreter.threads import loaded_ahead, owners, stored_apart
from tritonpuzzles.engine.interpreter.values import Array, lift


@dataclass(frozen=True)
class Touch:
    """One load, store or atomic operation of a batch in one tensor."""

    ledger: Ledger
    batch: Batch
    lanes: Lanes  # of the operation, inactive ones included
    place: Place
    elements: Array  # (n,) numbers of the active elements in their storage, of `width` bytes
    programs: Array  # (n,) from 1, of each
    width: int
    shared: bool = False  # all live programs make the same access, and `programs` is the first of them

    @classmethod
    def of(cls, ledger: Ledger, batch: Batch, lanes: Lanes, place: Place, elements: Array, width: int) -> Touch:
        """Return the touch of an operation, from its lanes and their elements."""
        if len(lanes.offsets) == 1 < batch.count:
            programs = np.full(len(elements), batch.linear[batch.first_live], dtype=np.int32)
            return cls(ledger, batch, lanes, place, elements, programs, width, shared=True)
        programs = lanes.pick(lift(batch.linear, lanes.offsets.ndim - 1))
        return cls(ledger, batch, lanes, place, elements, programs, width)

    def of_each(self) -> Touch:
        """Return the touch with separate elements for each program."""
        if not self.shared:
            return self
        live = self.batch.live_values(self.batch.linear)
        elements, programs = np.tile(self.elements, len(live)), np.repeat(live, len(self.elements))
        return replace(self, elements=elements, programs=programs, shared=False)

    @property
    def times(self) -> int:
        """Number of programs that make the same access; 1 if each has its own elements."""
        return self.batch.live_count if self.shared else 1

    @property
    def region(self) -> Region:
        """The tensor."""
        return self.lanes.region

    def report(self, code: str, bad: Array, others: Array | None = None, programs: Array | None = None) -> None:
        """Enter faulty elements in the ledger; bad: (n,) bool.

        others: (n,) the other programs of conflicts. programs: (n,) those at fault, if not those of the operation.
        """
        if not bad.any():
            return
        programs = self.programs if programs is None else programs
        count = len(np.unique(self.elements[bad])) * self.times  # several lanes may mean one element
        first = int(np.argmax(bad))
        element = int(self.elements[first]) - self.region.first_byte // self.region.width
        other = None if others is None or others[first] <= 0 else int(others[first]) - 1
        event = Event(count, int(programs[first]) - 1, element, other)
        self.ledger.event(code, self.region.name, self.place, event)

    def unordered(self, who: str, conflict: Array, firsts: Array) -> Array:
        """Return the conflicts, (n,) bool, that no atomic operations of the launch put in order.

        who: "writers" or "readers", the kind of the earlier access. firsts: (n,) the programs that made it.
        """
        if not self.ledger.ordering.time or not conflict.any():
            return conflict
        at = np.flatnonzero(conflict)
        since = self.region.storage.times[who][self.width][self.elements[at]]
        found: Array = conflict.copy()
        found[at] = ~self.ledger.ordering.before(firsts[at], since, self.programs[at])
        return found

    def note_time(self, who: str) -> None:
        """Note the time at which the elements were stored or read, if the launch has done an atomic operation yet."""
        if self.ledger.ordering.time:
            times = self.region.storage.times[who][self.width]
            self.batch.record(times, self.elements)
            times[self.elements] = self.ledger.ordering.time


def check_load(touch: Touch, acquires: bool) -> None:
    """Find reads of uninitialised elements and of elements that another program or thread stores in this launch."""
    storage, ledger, width = touch.region.storage, touch.ledger, touch.width
    if isinstance(storage, Phantom):
        storage.reach(touch.elements, width)
        return
    each_apart = touch.shared and bool(ledger.ordering.time)  # what each program has acquired may differ
    if each_apart:
        touch = touch.of_each()
    elements = touch.elements
    check_initialised(touch)
    if width in storage.writer:
        writer = storage.writer[width][elements]
        _note_seen(touch, writer == ATOMIC, acquires)
        conflict = (writer > 0) & (writer != touch.programs) if touch.times == 1 else writer > 0
        touch.report("race-read-write", touch.unordered("writers", conflict, writer), writer)
        if not each_apart:
            apart, ahead = stored_apart(touch, writer, True), loaded_ahead(touch, writer)
            touch.report("race-in-program", apart)
            touch.report("race-in-program", ahead & ~apart, touch.programs)  # its own other: loaded ahead of the store
    if storage.track_reads or storage.writer:
        _note_readers(touch)
        touch.batch.record(storage.reader_line[width], elements)
        storage.reader_line[width][elements] = ledger.number(touch.place)


def check_initialised(touch: Touch) -> None:
    """Find reads of elements that have no value yet; an atomic addition reads too."""
    empty = touch.region.storage.uninitialised(touch.elements, touch.width)
    if empty is not None:
        touch.report("uninitialised-read", empty)


def _note_seen(touch: Touch, atomic: Array, acquires: bool) -> None:
    """Note a load of elements that are updated atomically; a plain load acquires nothing, and may move out of a loop.

    So the compiler deletes `while tl.load(flag) == 0: pass`, and keeps it if the load is volatile.
    """
    if atomic.any():
        lanes = len(touch.elements) // touch.batch.live_count
        note_order(
            replace(touch, elements=touch.elements[atomic], programs=touch.programs[atomic]),
            lanes,
            False,
            True,
            acquires,
        )


def _note_readers(touch: Touch) -> None:
    """Note the reader of each element: only the newest program if all earlier reads are ordered before it, else `MANY`.

    As in Flanagan and Freund, "FastTrack: efficient and precise dynamic race detection", 2009.
    """
    programs = touch.programs if touch.times == 1 else np.full_like(touch.programs, MANY)
    reader, elements = touch.region.storage.reader[touch.width], touch.elements
    touch.batch.record(reader, elements)
    known = reader[elements]
    others = touch.unordered("readers", (known > 0) & (known != programs), known)
    merged = np.where(others | (known == MANY), MANY, programs)
    reader[elements] = merged
    lost = reader[elements] != merged  # several programs of this batch read one element
    reader[elements[lost]] = MANY
    touch.note_time("readers")


def check_store(touch: Touch, values: Array) -> None:
    """Find elements that several programs or threads store, that one store writes twice, or that another program reads.

    Raises Restart if the launch has read this tensor before the engine knew that it would be written.
    """
    storage, elements, programs = touch.region.storage, touch.elements, touch.programs
    if isinstance(storage, Phantom):
        storage.reach(elements, touch.width)
        _check_begun(touch, storage)
        return
    if storage.read_untracked and not storage.track_reads:
        raise Restart(storage.address)
    writers = storage.writer[touch.width]
    touch.batch.record(writers, elements)
    _check_readers(touch)
    known = writers[elements]
    if (known == ATOMIC).any():
        touch.ledger.ordering.note_seen(touch.place)
    bits = unsigned(touch.width)
    conflict = touch.unordered("writers", (known > 0) & (known != programs), known)
    apart = stored_apart(touch, known, False)
    if conflict.any() or apart.any():
        differ = values.view(bits) != storage.typed(bits)[elements]
        _report_several(touch, conflict, differ, known)
        touch.report("race-in-program", apart & differ)
    owner = storage.owner[touch.width]
    touch.batch.record(owner, elements)
    owner[elements] = owners(touch)
    if len(elements) > 1 and not (elements[1:] > elements[:-1]).all():
        _check_duplicates(touch, writers, values.view(bits))
    writers[elements] = programs
    touch.note_time("writers")


def _check_begun(touch: Touch, storage: Phantom) -> None:
    """Find programs whose store begins at the same element as another's; a phantom does not know each element's writer.

    Nor does it know the order that atomic operations impose: if there are any, nothing is reported.
    """
    if touch.ledger.ordering.seen is not None:
        return
    who, of = np.unique(touch.programs, return_inverse=True)
    first = np.full(len(who), np.iinfo(np.int64).max)
    np.minimum.at(first, of, touch.elements)
    others = np.array(
        [storage.begun.setdefault(at, int(program)) for at, program in zip(first.tolist(), who, strict=True)]
    )
    begun = replace(touch, elements=first, programs=who)
    _report_several(begun, others != who, np.zeros(len(who), np.bool_), others)


def _check_readers(touch: Touch) -> None:
    """Report earlier reads of the stored elements, at the line of the read: the store may have come first."""
    storage, width = touch.region.storage, touch.width
    if width not in storage.reader:
        return
    reader, programs = storage.reader[width], touch.programs
    known = reader[touch.elements]
    read = (known != 0) & (known != programs)
    conflict = touch.unordered("readers", read, known)
    readers = np.where(known > 0, known, programs)
    lines = storage.reader_line[width][touch.elements]
    for line in np.unique(lines[conflict]).tolist():
        here = replace(touch, place=touch.ledger.places[line])
        here.report("race-read-write", conflict & (lines == line), programs, readers)
    if (past := read & ~conflict).any():  # ordered before this store, and so before all that follows it
        touch.batch.record(reader, touch.elements[past])
        reader[touch.elements[past]] = 0


def _check_duplicates(touch: Touch, writers: Array, bits: Array) -> None:
    """Compare each lane with the last lane that stores to the same element."""
    position = np.arange(len(touch.elements), dtype=np.int32)
    writers[touch.elements] = position
    last = writers[touch.elements]
    twice = last != position
    if not twice.any():
        return
    other = touch.programs[last]
    apart, differ = other != touch.programs, bits != bits[last]
    _report_several(touch, twice & apart, differ, touch.programs, other)
    _report_several(touch, twice & ~apart, differ)


def _report_several(
    touch: Touch, conflict: Array, differ: Array, others: Array | None = None, programs: Array | None = None
) -> None:
    """Report elements stored by several programs or lanes: a race if the values differ, else double work."""
    touch.report("race-write-write", conflict & differ, others, programs)
    touch.report("written-twice", conflict & ~differ, others, programs)


def mark_atomic(touch: Touch) -> None:
    """Note elements that are updated atomically: atomics do not conflict, but their order may be observable.

    A plain store by another program before the launch's first atomic operation, such as the reset of a counter, is a
    race if nothing orders the two.
    """
    storage, elements, programs = touch.region.storage, touch.elements, touch.programs
    writers = storage.writer[touch.width]
    known = writers[elements]
    stored = (known > 0) & (known != programs)
    begun = stored & (storage.times["writers"][touch.width][elements] == 0) if stored.any() else stored
    touch.report("race-read-write", touch.unordered("writers", begun, known), known)
    reader = storage.reader[touch.width][elements] if touch.width in storage.reader else np.zeros_like(known)
    if storage.read_untracked or stored.any() or ((reader != 0) & (reader != programs)).any():
        touch.ledger.ordering.note_seen(touch.place)
    touch.batch.record(writers, elements)
    writers[elements] = ATOMIC


def note_order(touch: Touch, lanes: int, releases: Array | bool, takes: bool, acquires: bool = True) -> None:
    """Enter an operation on elements that are updated atomically; see `Ordering.note`.

    `takes`: the program uses the old value. Only if it also `acquires` does it see what others had stored before.
    """
    if takes:
        touch.ledger.ordering.note_seen(touch.place)
    addresses = touch.region.storage.address + touch.elements * touch.width
    touch.ledger.ordering.note(addresses, touch.programs, lanes, releases, takes and acquires)
