"""Analyse a recorded program: the owners of its memory, whether a kernel can have made its result, its configurations.

Without a GPU's timing, every configuration of an autotuner that computes differently is run: a GPU chooses the fastest,
and which one that is depends on the GPU. So a kernel must be right in all of them. Configurations that differ only in
warps and stages compute the same here.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tritonpuzzles.wire.facts import CallFact
from tritonpuzzles.wire.job import COMPUTED, Device
from tritonpuzzles.wire.observed import HostCopy
from tritonpuzzles.wire.program import ITEM_SIZES, Add, Allocate, Choose, Copy, Fill, Launch, Program, View, views
from tritonpuzzles.wire.values import Constant, Constexpr

SCRATCH = "scratch"


@dataclass(frozen=True)
class Call:
    """A recorded call, ready to be run."""

    program: Program
    kernels: Sequence[Any]  # of its program's launches, which refer to them by index
    texts: Sequence[str]  # a digest of each kernel's source
    inputs: tuple[str, ...]  # names of the tensor arguments, in the order of their storages
    outputs: tuple[str, ...]  # names of the returned values, in order
    offsets: tuple[int, ...]  # of the inputs in their storages, in elements
    path: Path  # the submission, for findings
    mutates: tuple[str, ...] = ()  # names of the inputs that it changes, as it is meant to
    computes: bool = False  # whether PyTorch may do part of the work
    fills: bool = False  # whether memory that the host function fills itself counts as written
    gpu: Device | None = None  # the one whose multiprocessors its launches are compared with
    cached: bool = False  # whether that GPU's L2 cache is modelled for the launches

    @cached_property
    def configurations(self) -> list[int]:
        """The numbers of its autotuners' configurations that compute in different ways."""
        return different(self.program)

    @cached_property
    def launches(self) -> tuple[Launch, ...]:
        """Every launch; of an autotuned one, its first configuration's."""
        return tuple(step for step in chosen(self.program) if isinstance(step, Launch))

    @cached_property
    def origins(self) -> dict[int, str]:
        """The input that a storage is, or is a copy of."""
        found = dict(enumerate(self._given))
        for step in self.program.steps:
            if isinstance(step, Copy) and step.source.storage in found:
                found.setdefault(step.target.storage, found[step.source.storage])
        return found

    @property
    def _given(self) -> tuple[str, ...]:
        """The inputs that were passed to the call, without those that PyTorch computed."""
        return tuple(name for name in self.inputs if not name.startswith(COMPUTED))

    @property
    def copies(self) -> list[HostCopy]:
        """Each copy of an input that the host function made: the input, and the line."""
        made = [step for step in self.program.steps if isinstance(step, Copy) and step.source.storage in self.origins]
        return [HostCopy(self.origins[step.source.storage], step.line) for step in made]

    @cached_property
    def copied_bytes(self) -> Counter[str]:
        """Bytes of each input that the host function copied: they count as loaded."""
        found: Counter[str] = Counter()
        for step in self.program.steps:
            if isinstance(step, Copy) and step.source.storage in self.origins:
                found[self.origins[step.source.storage]] += nbytes(step.source)
        return found

    @cached_property
    def results(self) -> tuple[View, ...]:
        """The returned values that are tensors."""
        return tuple(item for item in self.program.results if isinstance(item, View))

    def name(self, storage: int) -> str:
        """Return the host function's name for a storage: an argument's, an output's or "scratch"."""
        if storage in self.origins:
            return self.origins[storage]
        named = zip(self.program.results, self.outputs, strict=False)
        returned = {item.storage: name for item, name in named if isinstance(item, View)}
        return returned.get(storage, SCRATCH)

    def scratch(self, written: Collection[int] = ()) -> list[Allocate]:
        """Return the allocations that are neither outputs nor copies of inputs; what kernels write to is no copy."""
        kept = {view.storage for view in self.results} | (self.origins.keys() - set(written))
        made = [step for step in self.program.steps if isinstance(step, Allocate)]
        return [step for number, step in enumerate(made, len(self.inputs)) if number not in kept]

    def faults(self) -> list[CallFact]:
        """Return the reasons why the result cannot be a kernel's own."""
        if self.computes:
            return [] if self.launches or not self._expected else [CallFact("no-launch")]
        return [*self._late_writes(), *self._not_launched(), *self._aliases()]

    def is_for_kernels(self, number: int, stored: Collection[int] | None = None) -> bool:
        """Return whether kernels must write all of a result: it is no input, and the host function writes none of it.

        False if no kernel is launched on it: `faults` reports that. `stored` are the storages that kernels write to, if
        known: such a storage may be filled by a copy before.
        """
        result = self.program.results[number]
        if not isinstance(result, View) or result.storage < len(self.inputs):
            return False
        return result.storage in self._of_kernels and result.storage not in self._written(stored)

    @cached_property
    def _of_kernels(self) -> set[int]:
        """Storages that are passed to kernels, and those of gradients that autograd sums up."""
        launched = {view.storage for launch in self.launches for view in views(launch.arguments.values())}
        return launched | {step.target.storage for step in self.program.steps if isinstance(step, Add)}

    def _written(self, stored: Collection[int] | None) -> set[int]:
        """Storages that the host function fills or PyTorch computes, if this counts as written.

        A copy alone is not an answer: kernels must have `stored` to it, too; `None` if that is unknown.
        """
        found: set[int] = set()
        for step in self.program.steps:
            if isinstance(step, Fill) and self.fills:
                found.add(step.target.storage)
            elif isinstance(step, Copy):
                is_computed = self.computes and step.source.storage >= len(self._given)
                if is_computed or (self.fills and (stored is None or step.target.storage in stored)):
                    found.add(step.target.storage)
        return found

    def _late_writes(self) -> Iterator[CallFact]:
        launched: set[int] = set()
        for step in chosen(self.program):
            if isinstance(step, Launch):
                launched |= {view.storage for view in views(step.arguments.values())}
            elif isinstance(step, (Fill, Copy, Add)) and step.target.storage in launched:
                line = None if isinstance(step, Add) else step.line
                name = step.name if isinstance(step, Fill) else type(step).__name__.lower()
                yield CallFact("host-wrote-output", name, line=line)

    @cached_property
    def _expected(self) -> list[View]:
        """The returned tensors that have elements."""
        return [view for view in self.results if math.prod(view.shape)]

    def _not_launched(self) -> Iterator[CallFact]:
        if not self._expected:
            return
        if not self.launches and len(self._expected) == len(self.results):
            returned = {view.storage for view in self._expected}
            fills = (step for step in self.program.steps if isinstance(step, Fill) and step.target.storage in returned)
            yield CallFact("no-launch", line=next((step.line for step in fills), None))  # where PyTorch fills it
            return
        others = {id(view) for view in self._expected if view.storage not in self._of_kernels}
        named = zip(self.program.results, self.outputs, strict=False)
        name = next((name for item, name in named if id(item) in others), None)
        if others:
            yield CallFact("wrong-memory", name or "")

    def _aliases(self) -> Iterator[CallFact]:
        for view in self.results:
            given = math.prod(view.shape) and view.storage < len(self.inputs)
            if given and self.inputs[view.storage] not in self.mutates:
                yield CallFact("aliases-input", self.inputs[view.storage])


def chosen(program: Program) -> Iterator[object]:
    """Yield the steps of a program, of an autotuner only those of its first configuration."""
    for step in program.steps:
        yield from step.choices[0] if isinstance(step, Choose) else (step,)


def elements(made: Allocate) -> int:
    """Return how many elements fresh memory has."""
    return made.nbytes // ITEM_SIZES[made.dtype]


def nbytes(view: View) -> int:
    """Return the bytes of a view's elements."""
    return math.prod(view.shape) * ITEM_SIZES[view.dtype]


def configurations(program: Program) -> int:
    """Return the largest number of configurations of any of its autotuners; 1 if it has none."""
    return max((len(step.choices) for step in tuners(program)), default=1)


def different(program: Program) -> list[int]:
    """Return the numbers of the configurations that differ in what they compute, the first of each kind, in order."""
    found: dict[str, int] = {}
    for number in range(configurations(program)):
        found.setdefault(repr([_computed(steps) for steps in _steps(program, number)]), number)
    return list(found.values())


def words(program: Program, numbers: list[int]) -> list[str]:
    """Return each configuration by the constants in which it differs from the others: "BLOCK_ROWS=4, BLOCK_COLS=64"."""
    constants = [_constants(program, number) for number in numbers]
    names = dict.fromkeys(name for found in constants for name in found)
    telling = [name for name in names if len({repr(found.get(name)) for found in constants}) > 1]
    return [", ".join(f"{name}={found[name]}" for name in telling if name in found) for found in constants]


def tuners(program: Program) -> list[Choose]:
    """Return the steps at which an autotuner chooses."""
    return [step for step in program.steps if isinstance(step, Choose)]


def _steps(program: Program, number: int) -> Iterator[tuple[Fill | Launch, ...]]:
    for step in tuners(program):
        yield step.choices[min(number, len(step.choices) - 1)]


def _computed(steps: tuple[Fill | Launch, ...]) -> list[object]:
    """Return the parts of steps that decide the results: a launch without its options, a fill's target and value."""
    return [(s.kernel, s.arguments, s.grid) if isinstance(s, Launch) else (s.target, s.value) for s in steps]


def _constants(program: Program, number: int) -> dict[str, object]:
    found: dict[str, object] = {}
    for steps in _steps(program, number):
        for step in steps:
            for name, value in step.arguments.items() if isinstance(step, Launch) else ():
                plain = value.value if isinstance(value, Constexpr) else value
                if isinstance(plain, Constant):
                    found[name] = plain.value
    return found
