"""The object `_tp` that a rewritten kernel calls: assignments, loops, branches, built-ins that must handle tensors."""

from __future__ import annotations

import builtins
import contextlib
import functools
import operator
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import triton.language as tl

from tritonpuzzles.compiler.answers import answer
from tritonpuzzles.engine.interpreter.asking import Asking
from tritonpuzzles.engine.interpreter.builder import Builder
from tritonpuzzles.engine.interpreter.divergence import Branch, Loop, Repeat
from tritonpuzzles.engine.interpreter.loops import PLAIN, stores
from tritonpuzzles.engine.interpreter.ranges import Indices, Turns, loop_dtype, masked_range, range_arguments
from tritonpuzzles.engine.interpreter.shapes import CONTAINERS
from tritonpuzzles.engine.interpreter.values import is_tuple, kernel_tuple, remade
from tritonpuzzles.insides import JITFunction
from tritonpuzzles.wire.observed import MAX_CALLS

_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "Is": operator.is_,
    "IsNot": operator.is_not,
    "In": lambda a, b: a in b,
    "NotIn": lambda a, b: a not in b,
}


class Control:
    """The engine as a rewritten kernel sees it."""

    def __init__(self, builder: Builder, semantic: Any, turns: int | None) -> None:
        self.builder, self.semantic, self.turns = builder, semantic, turns
        self.printer, self.states = builder.printer, builder.memory.books.states
        self.asking = Asking()
        self.stages = 1  # of pipelined loops without a number of their own: `num_stages`
        self.hints: dict[str, Any] | None = None  # of the last `range`, until its loop begins
        self.loop_ends: Turns | None = None  # iterations to run of loops that carry no address from one to the next

    def value(self, value: Any) -> Any:
        """Return what an assignment binds to a name: numbers become tensors, as in the compiler."""
        return self._bound(self.held(value))

    def taken_apart(self, value: Any) -> Any:
        """Return what an assignment unpacks into several names, and note each of its items' tiles."""
        for item in value if isinstance(value, CONTAINERS) else ():
            self.held(item)
        return self._bound(value)

    def _bound(self, value: Any) -> Any:
        if isinstance(value, tl.tuple):
            return remade(value, [self._bound(item) for item in value])
        return self.semantic.to_tensor(value, False)

    def held(self, value: Any) -> Any:
        """Note the tiles that one name holds together, and return the value."""
        if isinstance(value, CONTAINERS):
            self.builder.note_tiles(value)
        return value

    def annotated(self, annotation: Any, value: Any) -> Any:
        """Return what an assignment with an annotation binds."""
        return value if annotation is tl.constexpr else self.value(value)

    def chosen(self, test: Any, body: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
        """Evaluate `a if test else b`: where a tensor decides, numbers become tensors, as in the compiler."""
        return self.chosen_by(test, body() if test else otherwise())

    def chosen_by(self, test: Any, value: Any) -> Any:
        """Return the value of one of several branches; if a tensor decides, a number becomes a tensor."""
        return self._bound(value) if isinstance(test, tl.tensor) and value is not None else value

    @staticmethod
    def early(before: Any, test: Any) -> Any:
        """Return the last tensor that decides whether a function returns early, if one does."""
        return test if isinstance(test, tl.tensor) else before

    @staticmethod
    def constant(value: Any) -> Any:
        """Return a constant's `.value`."""
        return value.value if isinstance(value, tl.tensor) or hasattr(value, "value") else value

    @staticmethod
    def items(*values: Any) -> Any:
        """Return the tuple of a tuple or list display, or of a comprehension."""
        return kernel_tuple(values)

    def answered(self, asked: None, decides: bool, value: Any) -> Any:
        """Record the answer to the open question if the compiler may know it, and return the value.

        An argument of 1 is a constant to the compiler and a tensor here. So boolean scalars are recorded too, and
        integer scalars if they decide control flow.
        """
        known = value
        if isinstance(value, tl.tensor) and (value.type == tl.int1 or (decides and value.type.is_int())):
            known = value.handle.data[0] if value.handle.data.shape == (1,) else value
        self.asking.answered(answer(known))
        return value

    def compare(self, names: tuple[str, ...], *values: Any) -> Any:
        """Evaluate `a < b < c`; tensors are joined with a logical and."""
        result: Any = True
        for name, left, right in zip(names, values, values[1:], strict=False):
            step = _COMPARE[name](left, right)
            if isinstance(result, tl.tensor) and isinstance(step, tl.tensor):
                result = result.logical_and(step)
            elif isinstance(step, tl.tensor) or not step:
                result = step
            if not isinstance(result, tl.tensor) and not result:
                return result
        return result

    def boolean(self, name: str, *operands: Callable[[], Any]) -> Any:
        """Evaluate `a and b` or `a or b`: a compile-time value may short-circuit it, tensors are combined."""
        decides, method = (False, "logical_and") if name == "And" else (True, "logical_or")
        tensors: list[Any] = []
        value: Any = None
        for operand in operands:
            value = operand()
            if isinstance(value, tl.tensor):
                tensors.append(value)
            elif bool(value) is decides:
                return value
        return functools.reduce(lambda left, right: getattr(left, method)(right), tensors) if tensors else value

    def negated(self, value: Any) -> Any:
        """Evaluate `not a`."""
        return value.__not__() if isinstance(value, tl.tensor) else not value

    def loop(self, iterable: Any, names: tuple[str, ...], called: tuple[str, ...], carries: bool) -> Loop:
        """Begin a `for` that assigns `names` and calls `called`, and may carry an address to the next iteration."""
        turns, pipelined = self._turns(called, sys._getframe(1)), self._pipelined(called, sys._getframe(1))
        turns = self.loop_ends if turns is None and not carries else turns
        return Loop(self.builder.batch, self.builder.memory.books, iterable, names, turns, pipelined)

    def _pipelined(self, called: tuple[str, ...], kernel: FrameType) -> bool | None:
        """Return whether the compiler pipelines a loop because of a hint at the loop; `None` if it does not.

        Without a hint it pipelines only loops of `tl.dot`; one that has a barrier is left out in `Loop`.
        """
        hints, self.hints = self.hints, None
        if hints is None:
            return None
        stages = self.constant(hints.get("num_stages"))
        if stages is not None or any(self.constant(hints.get(name)) for name in ("flatten", "warp_specialize")):
            return True if stages is None or stages > 1 else None
        return False if self.stages > 1 and stores(called, kernel.f_globals, ("dot",)) else None

    def repeat(self, names: tuple[str, ...], called: tuple[str, ...], deciding: tuple[str, ...] | None) -> Repeat:
        """Begin a `while` that assigns `names` and calls `called`; `deciding` is `None` if memory may decide it."""
        kernel = sys._getframe(1)
        polls = deciding is None and not stores(called, kernel.f_globals, PLAIN)
        turns = self._turns(called, kernel)
        return Repeat(self.builder.batch, names, self.builder.atomics, turns, deciding, polls)

    def _turns(self, called: tuple[str, ...], kernel: FrameType) -> Turns | None:
        """Return which iterations of a loop to run if it calls nothing that stores; `None` for all of them."""
        return None if self.turns is None or stores(called, kernel.f_globals) else Turns(self.turns)

    def test(self, loop: Repeat, condition: Any) -> bool:
        """Evaluate the condition of a `while`."""
        return loop.test(condition, self.builder.atomics, sys._getframe(1).f_locals)

    def branch(self, condition: Any, names: tuple[str, ...]) -> Branch:
        """Begin an `if`."""
        return Branch(self.builder.batch, condition, names)

    def dropped(self, operation: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        """Run an atomic operation that is a statement: the kernel does not use the old value."""
        self.builder.memory.takes_old = isinstance(operation, JITFunction)  # a function of the file may use it
        try:
            return operation(*arguments, **named)
        finally:
            self.builder.memory.takes_old = True

    # Calls that `keeping.py` adds to a kernel whose states are kept

    def kept(self, line: int, name: str, value: Any) -> None:
        """Keep the value that an assignment has bound to a name."""
        assert self.states is not None
        self.states.value(self.builder.batch, *_place(sys._getframe(1)), line, name, value)

    def returned(self, line: int, value: Any) -> Any:
        """Keep what a function returns, and return it."""
        assert self.states is not None
        place = _place(sys._getframe(1))
        for number, item in enumerate(value if is_tuple(value) else (value,), 1):
            self.states.value(self.builder.batch, *place, line, f"return {number}", item)
        return value

    @contextlib.contextmanager
    def unwatched(self) -> Iterator[None]:
        """Keep no states while the block runs."""
        if self.states is None:
            yield
            return
        self.states.unwatched += 1
        try:
            yield
        finally:
            self.states.unwatched -= 1

    @staticmethod
    def snapshot(names: dict[str, Any]) -> dict[str, Any]:
        """Return a copy of the local variables."""
        return dict(names)

    def replacements(self) -> dict[str, Any]:
        """Return built-ins to define in a kernel's globals, unless the learner has defined these names."""
        named = {"range": self.range, "print": self.print, "min": _extremum("min"), "max": _extremum("max")}
        return named | {builtin.__name__: _unwrapping(builtin) for builtin in (isinstance, len)}

    def range(self, *arguments: Any, **hints: Any) -> Any:
        """Stand in for `range` and `tl.range`."""
        given = range_arguments(arguments, hints)
        found = masked_range(self.builder.batch, given)
        self.hints = {**dict(zip(("num_stages",), arguments[3:], strict=False)), **hints}
        return Indices(found, loop_dtype(given)) if isinstance(found, builtins.range) else found

    def static_range(self, *arguments: Any, **hints: Any) -> Any:
        """Stand in for `tl.static_range`, whose numbers are known to the compiler."""
        self.hints = None
        return masked_range(self.builder.batch, range_arguments(arguments, hints))

    def print(self, *values: Any, **options: Any) -> None:
        """Stand in for `print`."""
        self.printer.python_print(self.builder.batch, *values, **options)


def _extremum(name: str) -> Callable[..., Any]:
    """Return a stand-in for `min` or `max`, which the compiler turns into `tl.minimum` or `tl.maximum`."""

    def extremum(*values: Any, **options: Any) -> Any:
        if len(values) == 2 and any(isinstance(value, tl.tensor) for value in values):
            return getattr(tl, f"{name}imum")(*values)
        return getattr(builtins, name)(*values, **options)

    return extremum


def _unwrapping(builtin: Callable[..., Any]) -> Callable[..., Any]:
    """Return a builtin that unwraps constexpr arguments, as the compiler does."""
    return lambda *args: builtin(*map(tl.core._unwrap_if_constexpr, args))


def _place(frame: FrameType) -> tuple[str, tuple[int, ...]]:
    """Return the file of a frame, and the lines of that file from which it is called, innermost first."""
    file, lines = frame.f_code.co_filename, []
    outer = frame.f_back
    while outer is not None:
        if outer.f_code.co_filename == file:
            lines.append(outer.f_lineno)
        outer = outer.f_back
    return file, tuple(lines[:MAX_CALLS])
