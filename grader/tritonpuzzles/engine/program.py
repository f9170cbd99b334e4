"""What a recorded program alone shows: whose memory is whose, and whether its result can come from a kernel."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tritonpuzzles.results.check import Finding
from tritonpuzzles.wire.program import (
    ITEM_SIZES,
    Add,
    Allocate,
    Argument,
    Choose,
    Copy,
    Descriptor,
    Fill,
    Launch,
    Program,
    Reinterpreted,
    Several,
    View,
)

SCRATCH = "scratch"


@dataclass(frozen=True)
class Facts:
    """A program with the names of its tensors.

    Attributes:
        inputs: names of the tensor arguments, in the order of their storages.
        outputs: names of what comes back, in order.
        offsets: of the inputs in their storages, in elements.
        path: the submission, for findings.
        call: the host function, for findings.
    """

    program: Program
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    offsets: tuple[int, ...]
    path: Path
    call: str

    @cached_property
    def allocations(self) -> dict[int, Allocate]:
        """What is allocated, by the number of its storage."""
        made = [step for step in self.program.steps if isinstance(step, Allocate)]
        return dict(enumerate(made, len(self.inputs)))

    @cached_property
    def launches(self) -> tuple[Launch, ...]:
        """Every launch; of an autotuned one, its first configuration's."""
        return tuple(step for step in chosen(self.program) if isinstance(step, Launch))

    @cached_property
    def origins(self) -> dict[int, str]:
        """The input that a storage is, or is a copy of."""
        found = dict(enumerate(self.inputs))
        for step in self.program.steps:
            if isinstance(step, Copy) and step.source.storage in found:
                found.setdefault(step.target.storage, found[step.source.storage])
        return found

    @property
    def copies(self) -> list[dict[str, str | int | None]]:
        """Each copy of an input that the host function made: whose, and in which line."""
        made = [step for step in self.program.steps if isinstance(step, Copy) and step.source.storage in self.origins]
        return [{"tensor": self.origins[step.source.storage], "line": step.line} for step in made]

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
        """What comes back, as far as it is tensors."""
        return tuple(item for item in self.program.results if isinstance(item, View))

    def name(self, storage: int) -> str:
        """Return the host function's name for a storage: an argument's, an output's or "scratch"."""
        if storage in self.origins:
            return self.origins[storage]
        named = zip(self.program.results, self.outputs, strict=False)
        returned = {item.storage: name for item, name in named if isinstance(item, View)}
        return returned.get(storage, SCRATCH)

    @property
    def scratch(self) -> list[int]:
        """The storages that were allocated beside the outputs and beside copies of inputs."""
        kept = {view.storage for view in self.results}
        return [number for number in self.allocations if number not in kept and number not in self.origins]

    @property
    def scratch_bytes(self) -> int:
        """Bytes of all of these."""
        return sum(self.allocations[number].nbytes for number in self.scratch)

    def elements(self, storage: int) -> int:
        """Return how many elements an allocated storage has."""
        made = self.allocations[storage]
        return made.nbytes // ITEM_SIZES[made.dtype]

    def findings(self) -> list[Finding]:
        """Return what keeps the result from being a kernel's own."""
        return [*self._late_writes(), *self._not_launched(), *self._aliases()]

    def _late_writes(self) -> Iterator[Finding]:
        launched: set[int] = set()
        for step in chosen(self.program):
            if isinstance(step, Launch):
                launched |= {view.storage for view in views(step.arguments.values())}
            elif isinstance(step, (Fill, Copy, Add)) and step.target.storage in launched:
                line = None if isinstance(step, Add) else step.line
                name = step.name if isinstance(step, Fill) else type(step).__name__.lower()
                text = f"{self.call} writes with torch's {name} to memory that a kernel was launched on before."
                step_next = "Let the kernel write the result, all of it."
                yield Finding("host-wrote-output", text, file=str(self.path), line=line, next_step=step_next)

    def _not_launched(self) -> Iterator[Finding]:
        expected = [view for view in self.results if math.prod(view.shape)]
        if not expected:
            return
        if not self.launches:
            text = f"{self.call} launches no Triton kernel."
            yield Finding("no-launch", text, file=str(self.path), next_step="Launch the kernel: kernel[grid](...).")
            return
        launched = {view.storage for launch in self.launches for view in views(launch.arguments.values())}
        others = {id(view) for view in expected if view.storage not in launched | self._sums}
        named = zip(self.program.results, self.outputs, strict=False)
        name = next((name for item, name in named if id(item) in others), None)
        if others:
            text = f"{self.call} returns memory that no kernel was launched on."
            step, details = "Return the tensor that you pass to the kernel.", {"output": name} if name else {}
            yield Finding("wrong-memory", text, file=str(self.path), next_step=step, details=details)

    @cached_property
    def _sums(self) -> set[int]:
        """Storages of sums that autograd makes of what kernels wrote."""
        return {step.target.storage for step in self.program.steps if isinstance(step, Add)}

    def _aliases(self) -> Iterator[Finding]:
        for view in self.results:
            if math.prod(view.shape) and view.storage < len(self.inputs):
                text = f"{self.call} returns memory of its input {self.inputs[view.storage]}."
                step = "Return the tensor that the kernel writes to; allocate it with torch.empty_like."
                yield Finding("aliases-input", text, file=str(self.path), next_step=step)


def chosen(program: Program) -> Iterator[object]:
    """Yield the steps of a program, with an autotuner's first configuration for all of them."""
    for step in program.steps:
        yield from step.choices[0] if isinstance(step, Choose) else (step,)


def views(arguments: Iterable[Argument]) -> Iterator[View]:
    """Yield the tensors among arguments, those in tuples and descriptors too."""
    for argument in arguments:
        match argument:
            case View():
                yield argument
            case Descriptor(base) | Reinterpreted(base):
                yield base
            case Several(items):
                yield from views(items)


def nbytes(view: View) -> int:
    """Return the bytes of a view's elements."""
    return math.prod(view.shape) * ITEM_SIZES[view.dtype]
