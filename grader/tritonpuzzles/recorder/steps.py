"""The steps of one call, each validated as by the engine: a step that it would refuse is refused here, at its line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

from tritonpuzzles.decoding.marks import DecodeError
from tritonpuzzles.wire.kernels import MAX_KERNELS
from tritonpuzzles.wire.program import MAX_ALLOCATED, MAX_PROGRAM_BYTES, MAX_STEPS, Allocate, Launch, Step, step_to_json
from tritonpuzzles.wire.reading import ProgramReader

MAX_TOLD = MAX_PROGRAM_BYTES // 2  # bytes of all steps: the rest is for the kernels
ONE_LAUNCH = "Launch once, over a grid with a program for each piece of the work."


class StepError(Exception):
    """A step that cannot be recorded: too many, too much memory, or not accepted by the engine.

    Attributes:
        code: of the finding.
        next_step: what to do, if there is one remedy.
    """

    def __init__(self, code: str, words: str, next_step: str | None = None) -> None:
        super().__init__(words)
        self.code, self.next_step = code, next_step


class Steps:
    """Collects steps in `taken`; those of an autotuner's configuration are collected separately.

    `backward` says whether the call's results are differentiated.
    """

    def __init__(self, backward: bool) -> None:
        self.taken: list[Step] = []
        self._reader = ProgramReader((), MAX_KERNELS, backward)
        self._told = self._allocated = 0

    def input(self, nbytes: int) -> None:
        """Register an input's storage; all inputs come before the first step."""
        self._reader.input(nbytes)

    def add(self, step: Step) -> None:
        """Add a step; raises StepError if it cannot be recorded, with a message that follows the name of the call."""
        if isinstance(step, Allocate):
            self._allocated += step.nbytes
            if self._allocated > MAX_ALLOCATED:
                words = f"allocates {self._allocated:,} bytes in one call, which may have {MAX_ALLOCATED:,}"
                raise StepError("out-of-memory", words)
        if len(self.taken) == MAX_STEPS and isinstance(step, Launch):
            raise StepError("too-many-launches", f"launches kernels more than {MAX_STEPS:,} times", ONE_LAUNCH)
        told = json.dumps(step_to_json(step))
        self._told += len(told)
        try:
            if len(self.taken) == MAX_STEPS or self._told > MAX_TOLD:
                raise DecodeError(f"there is more of it than {len(self.taken):,} launches and other steps")
            self._reader.step(json.loads(told))
        except DecodeError as error:
            raise StepError("not-recordable", f"does what cannot be written down: {error.said}") from error
        self.taken.append(step)

    @contextmanager
    def collecting(self) -> Iterator[list[Step]]:
        """Collect the steps inside a `with` block in a separate list."""
        outside, self.taken = self.taken, []
        try:
            yield self.taken
        finally:
            self.taken = outside
