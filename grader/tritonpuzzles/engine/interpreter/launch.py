"""Run one launch: the grid in batches, split where programs diverge, one program at a time if nothing else works."""

from __future__ import annotations

import math
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tritonpuzzles.compiler.answers import function_key
from tritonpuzzles.engine.interpreter.arguments import Converter, refuse_idle, refuse_needless
from tritonpuzzles.engine.interpreter.batch import Batch, Journal, slices
from tritonpuzzles.engine.interpreter.builder import Builder
from tritonpuzzles.engine.interpreter.control import Control
from tritonpuzzles.engine.interpreter.errors import (
    Abort,
    Diverge,
    EndlessLoopError,
    KernelError,
    MisalignedError,
    PromiseError,
    Rebatch,
    Restart,
    StaticAssertError,
    UnsupportedOperation,
    Waiting,
    first_line,
)
from tritonpuzzles.engine.interpreter.language import bound_global, interpreting
from tritonpuzzles.engine.interpreter.ledger import Ledger, Place
from tritonpuzzles.engine.interpreter.memory import Memory
from tritonpuzzles.engine.interpreter.phantom import ENDS, PHANTOM_STEPS, telling_programs
from tritonpuzzles.engine.interpreter.printing import Printer
from tritonpuzzles.engine.interpreter.rewrite import compile_kernel
from tritonpuzzles.engine.interpreter.storage import Storage
from tritonpuzzles.engine.interpreter.syntax import ENGINE, LOCALS
from tritonpuzzles.engine.interpreter.values import Array, plain
from tritonpuzzles.insides import TritonSemantic

# Rewritten code by the function's id and by whether it keeps its states; the function is kept so its id stays unique.
_CODE: dict[tuple[int, bool], tuple[Any, Any]] = {}
_MAX_PROGRAMS = 16_384
CODES = {
    UnsupportedOperation: "unsupported-operation",
    PromiseError: "promise-broken",
    MisalignedError: "illegal-memory-access",
}
_MAX_SPLITS = 64  # of batches; from then on a group of one program (locks, chains) makes programs run one at a time


@dataclass
class Settings:
    """How to interpret."""

    tf32: bool = True  # float32 `tl.dot` rounds its operands to TF32, as on a GPU
    batch: int = 1 << 18  # most elements of one block value over all programs of a batch
    turns: int | None = None  # most iterations to run of a loop that stores nothing: values mean nothing then


class Launch:
    """One launch of one kernel."""

    def __init__(
        self,
        function: Any,
        bound: dict[str, Any],
        grid: tuple[int, int, int],
        place: Place,
        ledger: Ledger,
        settings: Settings,
        storage: Callable[[Any], Storage],
        parts: Sequence[Array] = (),
    ) -> None:
        self.function, self.bound, self.grid, self.place, self.ledger = function, bound, grid, place, ledger
        self.memory, self.printer = Memory(ledger), Printer()
        self.builder = Builder(self.memory, self.printer, grid, tf32=settings.tf32, budget=settings.batch)
        self.semantic = TritonSemantic(self.builder)
        self.control = Control(self.builder, self.semantic, settings.turns)
        self.storage, self.parts = storage, parts
        self.storages: dict[int, Storage] = {}
        self.functions: dict[int, Any] = {}
        self.arguments: dict[str, Any] = {}
        self.fallback: str | None = None
        self.may_wait = False
        self.batches = self.splits = self.ran = self.busy = 0

    def run(self) -> None:
        """Run the grid and enter everything in the ledger; raises KernelError if the kernel fails."""
        try:
            with np.errstate(all="ignore"), interpreting(self):
                self._convert()
                refuse_needless(self)
                while not self._completed():
                    pass
        finally:
            self.printer.flush()

    def finish(self) -> None:
        """Enter the stores of the launch into the storages."""
        for storage in self.storages.values():
            storage.finish_launch()

    def repeat(self) -> None:
        """Run the grid again on the original memory, without entries in the ledger."""
        before = self.batches, self.splits, self.ran, self.busy, self.fallback
        self.memory.ledger = None
        try:
            self.restore()
            with np.errstate(all="ignore"), interpreting(self):
                self._run_grid()
        finally:
            self.memory.ledger = self.ledger
            self.batches, self.splits, self.ran, self.busy, self.fallback = before
            self.printer.clear()

    def restore(self) -> None:
        """Put back memory as it was before the launch."""
        for storage in self.storages.values():
            storage.restore()

    def _completed(self) -> bool:
        try:
            self._run_grid()
        except Restart as restart:
            self.restore()
            tracked = {s.address for s in self.storages.values() if s.track_reads} | {restart.storage}
            for storage in self.storages.values():
                storage.begin_launch()
                storage.track_reads = storage.address in tracked
            self.ledger.reset()
            self.printer.clear()
            self.batches = self.splits = self.ran = self.busy = 0
            return False
        return True

    # Arguments and functions

    def _convert(self) -> None:
        converter = Converter(self.semantic, self._window)
        parameters = {parameter.name: parameter for parameter in self.function.params}
        for name, value in self.bound.items():
            held, parameter = plain(value), parameters[name]
            if not parameter.is_constexpr:
                held = converter.convert(name, held, parameter.annotation_type or "")
            self.arguments[name] = held

    def _window(self, name: str, tensor: Any) -> int:
        storage = self.storage(tensor)
        if storage.address not in self.storages:
            self.storages[storage.address] = storage
            storage.begin_launch()
        return self.memory.windows.add(name, tensor, storage)

    def call(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the kernel or a device function, rewritten."""
        rewritten = self.functions.get(id(function))
        if rewritten is None:
            rewritten = self.functions[id(function)] = self._define(function)
        for value in (*args, *kwargs.values()):
            self.control.held(value)
        with self.control.asking.within(function_key(function) if self._is_own(function) else None):
            return rewritten(*args, **kwargs)

    def _define(self, function: Any) -> Any:
        """Define the rewritten function in a copy of its globals, made anew for each launch."""
        own = self._is_own(function)
        tells = own and self.ledger.states is not None
        key = id(function), tells
        if key not in _CODE:
            _CODE[key] = function, compile_kernel(function, asks=own and not tells, tells=tells)
        names = {name: bound_global(value) for name, value in function.get_capture_scope().items()}
        for name, value in self.control.replacements().items():
            names.setdefault(name, value)
        names[ENGINE], names[LOCALS] = self.control, locals
        exec(_CODE[key][1], names)
        defined = names[function.fn.__name__]
        defined.__defaults__, defined.__kwdefaults__ = function.fn.__defaults__, function.fn.__kwdefaults__
        return defined

    def _is_own(self, function: Any) -> bool:
        """Return whether a function is not Triton's own, as `tl.max` is."""
        return bool(self.ledger.kind(function.fn.__code__.co_filename) != 0)

    # The grid

    def _slices(self) -> Iterator[Array]:
        """Return the programs to run, slice by slice: all of them unless a tensor is a phantom."""
        if self.is_phantom or self.control.turns is not None:
            self.builder.step_limit = self.builder.step_limit or PHANTOM_STEPS
        if self.parts:
            return self._in_parts()
        if not self.is_phantom or not math.prod(self.grid):
            return slices(self.grid, _MAX_PROGRAMS)
        self.control.loop_ends = ENDS
        return iter([telling_programs(self.grid, max(region.elements for region in self.memory.regions))])

    def _in_parts(self) -> Iterator[Array]:
        """Yield the parts, then in one batch, in launch order, the programs that have waited for others."""
        self.waiting: list[Array] = []
        self.may_wait = True
        for part in self.parts:
            self.builder.steps = 0  # the limit applies to each part
            yield part
        self.may_wait, self.builder.steps = False, 0
        if self.waiting:
            yield np.array(sorted(map(tuple, np.concatenate(self.waiting))), dtype=np.int32)

    @property
    def is_phantom(self) -> bool:
        """Whether any of its tensors is a phantom, whose values mean nothing."""
        return any(region.storage.partial for region in self.memory.regions)

    def _run_grid(self) -> None:
        left, limit = self._slices(), _MAX_PROGRAMS
        work: list[Array] = []
        while (programs := work.pop() if work else next(left, None)) is not None:
            if len(programs) > limit:
                work.append(programs[limit:])
                programs = programs[:limit]
            undo = len(programs) > 1 or self.may_wait
            batch = Batch(programs, self.grid, journal=Journal() if undo else None, may_wait=self.may_wait)
            try:
                self._run_batch(batch)
            except Abort:  # of a phantom, whose loops may be long: keep what was recorded so far
                if not self.is_phantom:
                    raise
                self.ledger.commit()
                for storage in self.storages.values():
                    storage.unfinished = True
            except Rebatch as rebatch:
                limit = rebatch.programs
                self._again(batch, work, [programs])
            except Waiting:
                self._again(batch, work, [])
                self.waiting.append(programs)
            except Diverge as diverge:
                self.splits += 1
                groups = batch.groups(diverge.values)
                self._again(batch, work, groups)
                if self.splits > _MAX_SPLITS and min(map(len, groups)) == 1 and self.fallback is None:
                    self.fallback, limit = "programs wait for one another", 1
            except Exception as error:
                self._failed(batch, error)
                limit = 1
                self._again(batch, work, [programs])
            if self.memory.ledger is not None and not self.parts:
                refuse_idle(self)

    def _run_batch(self, batch: Batch) -> None:
        self.batches += 1
        self.builder.batch, self.ledger.loops = batch, ()
        self.call(self.function, (), self.arguments)
        self.ledger.commit()
        self.printer.commit()
        self.ran += batch.count
        self.busy += int(np.count_nonzero(batch.busy))

    def _again(self, batch: Batch, work: list[Array], groups: list[Array]) -> None:
        batch.undo()
        self.ledger.drop()
        self.printer.drop()
        work.extend(reversed(groups))

    def _failed(self, batch: Batch, error: Exception) -> None:
        """Raise the error of a single program; after an error in a batch, its programs run one at a time."""
        if batch.count > 1:
            self.fallback = self.fallback or first_line(error)
            return
        self.ledger.commit()
        self.printer.commit()
        raise self.error_of(error, batch) from error

    def error_of(self, error: Exception, batch: Batch | None = None) -> KernelError:
        """Turn an exception of the kernel into a KernelError at the learner's line."""
        if isinstance(error, KernelError):
            return error
        entries = traceback.extract_tb(error.__traceback__)
        innermost = {self.ledger.kind(entry.filename): (entry.filename, entry.lineno) for entry in entries}
        file, line = innermost.get(2) or innermost.get(1) or (None, None)
        if isinstance(error, EndlessLoopError):
            return KernelError(error.message, file, line, code="endless-loop")
        program = None if batch is None else batch.program(0)
        code = next((code for kind, code in CODES.items() if isinstance(error, kind)), "kernel-error")
        in_words = code != "kernel-error" or isinstance(error, StaticAssertError)
        message = str(error) if in_words else first_line(error)
        return KernelError(message, file, line, program=program, code=code)
