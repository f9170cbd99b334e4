"""What a batch has overwritten is put back, however often it was overwritten and whatever views were stored through."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tritonpuzzles.engine.interpreter.batch import Journal

BYTES = 23  # the widest views leave a few at the end
Store = tuple[str, list[int], int]
STORES = st.lists(st.tuples(st.sampled_from(["u1", "<u2", "<u8"]), st.lists(st.integers(0, 22)), st.integers(0, 255)))


@given(STORES, STORES)
def test_undone(first: list[Store], then: list[Store]) -> None:
    memory = np.arange(BYTES, dtype=np.uint8)
    journal = Journal()
    for stores in (first, then):
        before = memory.copy()
        for kind, places, value in stores:
            view = memory[: BYTES // np.dtype(kind).itemsize * np.dtype(kind).itemsize].view(kind)
            index = np.array([place for place in places if place < len(view)], dtype=np.int64)
            journal.note(view, index)
            view[index] = value
        journal.undo()
        assert (memory == before).all()
        assert journal.journal_bytes == 0


def test_what_is_overwritten_in_every_turn_is_kept_once() -> None:
    memory, index = np.zeros(1000, dtype=np.float32), np.arange(1000)
    journal = Journal()
    for turn in range(100):
        journal.note(memory, index)
        memory[index] = turn + 1
    assert journal.journal_bytes <= 4 * memory.nbytes
    journal.undo()
    assert not memory.any()
