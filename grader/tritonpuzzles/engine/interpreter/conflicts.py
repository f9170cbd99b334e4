"""Conflicts between programs, double writes and reads of uninitialised memory.

Works on flat arrays: the elements of one operation that are active, and the program (from 1) of each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tritonpuzzles.engine.interpreter.batch import Batch
from tritonpuzzles.engine.interpreter.errors import Restart
from tritonpuzzles.engine.interpreter.ledger import Ledger, Place
from tritonpuzzles.engine.interpreter.phantom import Phantom
from tritonpuzzles.engine.interpreter.storage import ATOMIC, MANY, unsigned
from tritonpuzzles.engine.interpreter.values import Array

if TYPE_CHECKING:
    from tritonpuzzles.engine.interpreter.regions import Region


def _report(
    ledger: Ledger,
    code: str,
    region: Region,
    place: Place,
    bad: Array,
    programs: Array,
    elements: Array,
    others: Array | None = None,
    times: int = 1,
) -> None:
    if not bad.any():
        return
    count = len(np.unique(elements[bad])) * times  # several lanes may mean one element
    first = int(np.argmax(bad))
    element = int(elements[first]) - region.first_byte // region.width
    other = None if others is None or others[first] <= 0 else int(others[first]) - 1
    ledger.event(code, region.name, place, count, int(programs[first]) - 1, element, other)


def check_load(
    ledger: Ledger, batch: Batch, region: Region, place: Place, elements: Array, programs: Array | None, width: int
) -> None:
    """Find reads of uninitialised elements and of elements that another program stores in this launch.

    `programs` is None where all live programs make the same access.
    """
    if isinstance(region.storage, Phantom):
        region.storage.reach(elements, width)
        return
    storage, times = region.storage, batch.live_count if programs is None else 1
    if programs is None:
        programs = np.full(len(elements), batch.linear[batch.first_live], dtype=np.int32)
    check_initialised(ledger, region, place, elements, programs, width, times)
    if width in storage.writer:
        writer = storage.writer[width][elements]
        conflict = (writer > 0) & (writer != programs) if times == 1 else writer > 0
        _report(ledger, "race-read-write", region, place, conflict, programs, elements, writer, times)
    if storage.track_reads or storage.writer:
        who = programs if times == 1 else np.full_like(programs, MANY)
        _note_readers(batch, storage.readers(width), elements, who)
        batch.record(storage.reader_line[width], elements)
        storage.reader_line[width][elements] = ledger.number(place)


def check_initialised(
    ledger: Ledger, region: Region, place: Place, elements: Array, programs: Array, width: int, times: int = 1
) -> None:
    """Find reads of elements that nobody has given a value; an atomic addition reads too."""
    empty = region.storage.uninitialised(elements, width)
    if empty is not None:
        _report(ledger, "uninitialised-read", region, place, empty, programs, elements, times=times)


def _note_readers(batch: Batch, reader: Array, elements: Array, programs: Array) -> None:
    batch.record(reader, elements)
    known = reader[elements]
    merged = np.where((known == 0) | (known == programs), programs, MANY)
    reader[elements] = merged
    lost = reader[elements] != merged  # several programs of this batch read one element
    reader[elements[lost]] = MANY


def check_store(
    ledger: Ledger, batch: Batch, region: Region, place: Place, elements: Array, programs: Array, values: Array
) -> None:
    """Find elements that several programs store, or that one store writes twice, or that another program reads.

    Raises:
        Restart: the launch has read this tensor before the engine knew that it would be written.
    """
    if isinstance(region.storage, Phantom):
        region.storage.reach(elements, values.dtype.itemsize)
        _check_begun(ledger, region, region.storage, place, elements, programs)
        return
    storage, width = region.storage, values.dtype.itemsize
    if storage.read_untracked and not storage.track_reads:
        raise Restart(storage.address)
    writers = storage.writers(width)
    batch.record(writers, elements)
    _check_readers(ledger, region, elements, programs, width)
    known = writers[elements]
    bits = unsigned(width)
    conflict = (known > 0) & (known != programs)
    if conflict.any():
        new, old = values.view(bits), storage.typed(bits)[elements]
        _report_several(ledger, region, place, conflict, new != old, programs, elements, known)
    if len(elements) > 1 and not (elements[1:] > elements[:-1]).all():
        _check_duplicates(ledger, region, place, writers, elements, programs, values.view(bits))
    writers[elements] = programs


def _check_begun(
    ledger: Ledger, region: Region, storage: Phantom, place: Place, elements: Array, programs: Array
) -> None:
    """Find programs that begin to store where another has begun to; who has stored each element is not known here."""
    who, of = np.unique(programs, return_inverse=True)
    first = np.full(len(who), np.iinfo(np.int64).max)
    np.minimum.at(first, of, elements)
    others = np.array(
        [storage.begun.setdefault(at, int(program)) for at, program in zip(first.tolist(), who, strict=True)]
    )
    _report_several(ledger, region, place, others != who, np.zeros(len(who), np.bool_), who, first, others)


def _check_readers(ledger: Ledger, region: Region, elements: Array, programs: Array, width: int) -> None:
    """Report reads of what is now stored, at the line of the read, as if the store had come first."""
    reader = region.storage.reader.get(width)
    if reader is None:
        return
    known = reader[elements]
    conflict = (known != 0) & (known != programs)
    if not conflict.any():
        return
    lines = region.storage.reader_line[width][elements]
    readers = np.where(known > 0, known, programs)
    for line in np.unique(lines[conflict]).tolist():
        here = conflict & (lines == line)
        _report(ledger, "race-read-write", region, ledger.places[line], here, readers, elements, programs)


def _check_duplicates(
    ledger: Ledger, region: Region, place: Place, writers: Array, elements: Array, programs: Array, bits: Array
) -> None:
    """Compare each lane with the last lane that stores to the same element."""
    position = np.arange(len(elements), dtype=np.int32)
    writers[elements] = position
    last = writers[elements]
    twice = last != position
    if not twice.any():
        return
    other = programs[last]
    apart = twice & (other != programs)
    _report_several(ledger, region, place, apart, bits != bits[last], other, elements, programs)
    _report(ledger, "written-twice", region, place, twice & ~apart, programs, elements)


def _report_several(
    ledger: Ledger,
    region: Region,
    place: Place,
    conflict: Array,
    differ: Array,
    programs: Array,
    elements: Array,
    others: Array,
) -> None:
    """Several programs store one element: a race if the values differ, double work if they do not."""
    _report(ledger, "race-write-write", region, place, conflict & differ, programs, elements, others)
    _report(ledger, "written-twice", region, place, conflict & ~differ, programs, elements, others)


def mark_atomic(batch: Batch, region: Region, elements: Array, width: int) -> None:
    """Note elements that were updated atomically: no conflict among atomics."""
    writers = region.storage.writers(width)
    batch.record(writers, elements)
    writers[elements] = ATOMIC
