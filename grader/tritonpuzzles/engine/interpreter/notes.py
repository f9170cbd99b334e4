"""What several launches did wrong, collected: one fact per code, argument and line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, get_args

import torch

from tritonpuzzles.engine.interpreter.ledger import Event, Place
from tritonpuzzles.engine.interpreter.seen import bad_access, gap
from tritonpuzzles.engine.interpreter.storage import identity
from tritonpuzzles.engine.interpreter.values import Array
from tritonpuzzles.wire.facts import BadAccess, Gap, StoredTwice

if TYPE_CHECKING:
    from tritonpuzzles.engine.interpreter.launch import Launch
    from tritonpuzzles.engine.interpreter.poison import Undefined
    from tritonpuzzles.engine.interpreter.records import LaunchTrace


class Notes:
    """Collects events of several launches as facts."""

    def __init__(self) -> None:
        self._accesses: dict[tuple[str, str, str, int], BadAccess] = {}
        self._gaps: dict[str, Gap] = {}
        self._stores: dict[int, set[Place]] = defaultdict(set)  # by the memory that is stored to
        self._twice: dict[int, Place] = {}  # the same, where several programs store to its elements

    def facts(self) -> list[BadAccess | Gap]:
        """Return every fact, in the order in which the problems appeared."""
        return [*self._accesses.values(), *self._gaps.values()]

    def add_launch(self, launch: Launch) -> None:
        """Take over the events of a launch."""
        memory = {region.name: identity(region.tensor.untyped_storage()) for region in launch.memory.regions}
        for (code, argument, file, line), event in launch.ledger.total.events.items():
            is_new = (code, argument, file, line) not in self._accesses
            self._add(launch, code, argument, (file, line), event)
            if is_new and code in get_args(StoredTwice) and event.other is not None and argument in memory:
                self._twice.setdefault(memory[argument], (file, line))
        for file, line, argument, operation in launch.ledger.total.bytes:
            if operation != "load" and argument in memory:
                self._stores[memory[argument]].add((file, line))

    def add_events(self, launch: Launch, undefined: Sequence[Undefined]) -> None:
        """Take over loads whose undefined lanes reach a result."""
        for item in undefined:
            self._add(launch, "undefined-lane", item.argument, item.place, item.event, item.stored)

    def _add(self, launch: Launch, code: str, argument: str, place: Place, event: Event, stored: str = "") -> None:
        key = code, argument, *place
        known = self._accesses.get(key)
        fact = bad_access(launch, code, argument, place, event, stored) if known is None else known
        self._accesses[key] = fact if known is None else replace(fact, count=fact.count + event.count)

    def add_gap(self, name: str, tensor: torch.Tensor, missing: Array, launches: Sequence[LaunchTrace]) -> Gap:
        """Note which elements of a tensor no launch has stored; `missing` is true there, in its shape."""
        memory = identity(tensor.untyped_storage())
        address = tensor.untyped_storage().data_ptr()
        writers = [
            launch
            for launch in launches
            if any(argument.storage == address and argument.is_written for argument in launch.arguments)
        ]
        found = gap(name, missing, writers or launches, self._stores[memory], self._twice.get(memory))
        self._gaps[name] = found
        return found
