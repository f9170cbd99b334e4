"""The notes of several launches, collected and worded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from tritonpuzzles.engine.interpreter.findings import word
from tritonpuzzles.engine.interpreter.ledger import Place
from tritonpuzzles.engine.interpreter.note import STORED_TWICE, Note
from tritonpuzzles.engine.interpreter.storage import identity
from tritonpuzzles.engine.interpreter.unwritten import unwritten_finding
from tritonpuzzles.engine.interpreter.values import Array
from tritonpuzzles.results.check import Finding

if TYPE_CHECKING:
    from tritonpuzzles.engine.interpreter.launch import Launch
    from tritonpuzzles.engine.interpreter.poison import Undefined
    from tritonpuzzles.engine.interpreter.records import LaunchTrace
    from tritonpuzzles.engine.interpreter.regions import Region


class Notes:
    """Collects events of several launches and words them."""

    def __init__(self) -> None:
        self._notes: dict[tuple[str, str, str, int], Note] = {}
        self._unwritten: dict[str, Finding] = {}
        self._stores: dict[int | None, set[Place]] = defaultdict(set)  # by the memory that is stored to

    def findings(self) -> list[Finding]:
        """Return every finding, in the order in which the problems appeared."""
        return [word(note) for note in self._notes.values()] + list(self._unwritten.values())

    def add_launch(self, launch: Launch) -> None:
        """Take over the events of a launch."""
        for (code, argument, file, line), event in launch.ledger.total.events.items():
            self._add(Note.of(launch, code, argument, (file, line), event))
        memory = {region.name: _memory_of(region) for region in launch.memory.regions}
        for file, line, argument, operation in launch.ledger.total.bytes:
            if operation != "load" and argument in memory:
                self._stores[memory[argument]].add((file, line))

    def add_events(self, launch: Launch, undefined: Sequence[Undefined]) -> None:
        """Take over loads whose undefined lanes reach a result."""
        for item in undefined:
            self._add(Note.of(launch, "undefined-lane", item.argument, item.place, item.event, item.stored))

    def _add(self, note: Note) -> None:
        known = self._notes.setdefault((note.code, note.argument, note.file, note.line), note)
        if known is not note:
            known.event.count += note.event.count

    def add_unwritten(
        self, name: str, tensor: torch.Tensor, missing: Array, launches: Sequence[LaunchTrace]
    ) -> Finding:
        """Word which elements of a tensor no launch has stored; `missing` is true there, in its shape."""
        memory = identity(tensor.untyped_storage())
        address = tensor.untyped_storage().data_ptr()
        writers = [
            launch
            for launch in launches
            if any(argument.storage == address and argument.is_written for argument in launch.arguments)
        ]
        twice = self._stored_twice(memory)
        finding = unwritten_finding(name, missing, writers or launches, self._stores[memory], twice)
        self._unwritten[name] = finding
        return finding

    def _stored_twice(self, memory: int) -> Place | None:
        """Return where several programs were noted to store to the same elements of a tensor with this memory."""
        for note in self._notes.values():
            twice = note.code in STORED_TWICE and note.event.other is not None
            if twice and _memory_of(note.region) == memory:
                return note.file, note.line
        return None


def _memory_of(region: Region | None) -> int | None:
    return None if region is None else identity(region.tensor.untyped_storage())
