"""Loops and branches that differ between the programs of a batch.

`rewrite.py` turns a kernel's `for`, `while` and `if` into calls of these classes. Where programs disagree, the body
runs for all of them, but only live programs load, store, count and decide, and the others keep their old values of
every name that the body assigns. Code that cannot be masked this way raises `Diverge`: the batch is undone and split.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import triton.language as tl

from tritonpuzzles.compiler.phrases import TILE_ASKED
from tritonpuzzles.engine.interpreter.batch import Batch
from tritonpuzzles.engine.interpreter.errors import Diverge, Waiting
from tritonpuzzles.engine.interpreter.ledger import Ledger
from tritonpuzzles.engine.interpreter.loops import raise_if_endless
from tritonpuzzles.engine.interpreter.ranges import MaskedRange, Turns, is_scalar_tensor, scalar_data
from tritonpuzzles.engine.interpreter.values import INT32, Array, Handle, is_bf16, is_tuple, lift, remade, tensor_of

# Iterations without any program leaving, while others are masked out: of loops that others' stores may end.
_SPIN_LIMIT = 64
_STALL_LIMIT = 10_000  # the same for any other loop


def _truth(condition: Any) -> bool:
    """Return the truth of a condition that is not a scalar tensor; raises ValueError for a tile."""
    if isinstance(condition, tl.tensor):
        raise ValueError(TILE_ASKED)
    return bool(condition)


class _Region:
    """A piece of code that only some programs run; `masked` says whether some are masked out at present."""

    def __init__(self, batch: Batch, names: tuple[str, ...]) -> None:
        self.batch, self.names = batch, names
        self.outer = batch.live
        self.masked = False

    def enter(self, live: Array | None) -> None:
        self.batch.live = live
        self.masked = live is not None and live is not self.outer

    def leave(self) -> None:
        self.batch.live, self.masked = self.outer, False

    def merge(self, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        """Return the changed names, with the old values restored for programs that are not live."""
        live = self.batch.live
        assert live is not None
        changed = [name for name in self.names if name in old and name in new and old[name] is not new[name]]
        return {name: _select(live, new[name], old[name]) for name in changed}

    def everyone(self) -> Array:
        return np.ones(self.batch.count, dtype=np.bool_) if self.outer is None else self.outer


def _select(live: Array, new: Any, old: Any) -> Any:
    """Choose per program between two values of one name; raises Diverge if they have no common type."""
    if new is old:
        return new
    if is_tuple(new) and is_tuple(old) and len(new) == len(old):
        return remade(new, [_select(live, a, b) for a, b in zip(new, old, strict=True)])
    if not isinstance(new, tl.tensor) and not isinstance(old, tl.tensor) and _same(new, old):
        return new
    new, old = _number(new), _number(old)
    if isinstance(new, tl.tensor) and isinstance(old, tl.tensor) and new.type == old.type:
        return tl.tensor(_select_handle(live, new.handle, old.handle), new.type)
    raise Diverge(live)


def _number(value: Any) -> Any:
    """Make a Python number a tensor, as the compiler does with a value that a loop or a branch changes."""
    if isinstance(value, bool):
        return tensor_of(np.array([value]), tl.int1)
    if isinstance(value, int) and INT32[0] <= value <= INT32[1]:
        return tensor_of(np.array([value]), tl.int32)
    return tensor_of(np.array([value]), tl.float32) if isinstance(value, float) else value


def _same(new: Any, old: Any) -> bool:
    try:
        return bool(new == old)
    except Exception:
        return False


def _select_handle(live: Array, new: Handle, old: Handle) -> Handle:
    data = np.where(lift(live, new.rank), new.data, old.data)
    wrapped = None
    if new.wrapped is not None or old.wrapped is not None:
        parts = [np.zeros(1, np.int32) if h.wrapped is None else h.wrapped for h in (new, old)]
        wrapped = np.where(lift(live, new.rank), lift(parts[0], new.rank), lift(parts[1], new.rank))
    if data.dtype != new.data.dtype and not is_bf16(new.dtype):
        data = data.astype(new.data.dtype)
    return Handle(data, new.dtype, wrapped)


class Loop(_Region):
    """`for target in iterable:` of a rewritten kernel, or only the iterations that `turns` selects.

    `pipelined`: as `Control._pipelined` returns it.
    """

    def __init__(
        self,
        batch: Batch,
        ledger: Ledger,
        iterable: Any,
        names: tuple[str, ...],
        turns: Turns | None = None,
        pipelined: bool | None = None,
    ) -> None:
        super().__init__(batch, names)
        self.ledger, self.pipelined = ledger, pipelined
        self.iterable, self.turns = iterable, turns
        self.diverged = isinstance(iterable, MaskedRange)

    def __iter__(self) -> Iterator[Any]:
        ledger, before, barriers = self.ledger, self.ledger.loops, self.ledger.barriers
        ledger.loops = tuple(loop for loop in before if loop[1])  # without a hint only the innermost loop is pipelined
        ledger.moment += 1
        begun = ledger.moment
        for turn, value in enumerate(self._each()):
            if turn == 1 and self.pipelined is not None and ledger.barriers == barriers:  # one with a barrier is not
                ledger.loops += ((begun, self.pipelined),)
            yield value
        ledger.loops = before  # a batch that ends within a loop leaves them, and the next one forgets them

    def _each(self) -> Iterator[Any]:
        if not self.diverged:
            yield from self._agreed()
            return
        everyone, trips = self.everyone(), self.iterable.trips
        for iteration in self._numbers(int(trips[everyone].max(initial=0))):
            live = everyone & (iteration < trips)
            self.enter(self.outer if (live == everyone).all() else live)
            yield self.iterable.index(iteration)
        self.leave()

    def _agreed(self) -> Iterable[Any]:
        """Return the values to iterate over if all programs agree; a `tl.tuple` is never shortened."""
        numbers: Iterable[Any] = self.iterable
        if self.turns is None or not isinstance(numbers, Sequence):
            return numbers
        return map(numbers.__getitem__, self._numbers(len(numbers)))

    def _numbers(self, count: int) -> Sequence[int]:
        return range(count) if self.turns is None else self.turns.of(count)

    def last(self) -> Any:
        """Return the loop variable after the loop, as each program has left it."""
        return self.iterable.index(np.maximum(self.iterable.trips - 1, 0))


class Repeat(_Region):
    """`while condition:` of a rewritten kernel, or its first `turns` iterations; if it `polls`, others may end it."""

    def __init__(
        self,
        batch: Batch,
        names: tuple[str, ...],
        atomics: int,
        turns: Turns | None = None,
        deciding: tuple[str, ...] | None = None,
        polls: bool = False,
    ) -> None:
        super().__init__(batch, names)
        self.deciding, self.polls = deciding, polls
        self.decided_by: Mapping[str, Any] | None = None
        self.atomics, self.stalled, self.left = atomics, 0, None if turns is None else turns.turns_first

    def test(self, condition: Any, atomics: int, variables: Mapping[str, Any]) -> bool:
        """Return whether any program continues, and mask out those that do not.

        Raises EndlessLoopError if the loop cannot end.
        """
        goes_on = self._test(condition, atomics)
        if not goes_on:
            self.leave()
        elif self.deciding is not None:
            self.decided_by = raise_if_endless(self.deciding, self.decided_by, variables)
        return goes_on

    def _test(self, condition: Any, atomics: int) -> bool:
        if self.left is not None:
            if not self.left:
                return False
            self.left -= 1
        condition = getattr(condition, "condition", condition)  # tl.condition carries only hints
        if not is_scalar_tensor(condition):
            return _truth(condition)
        goes_on = self.batch.live_values(scalar_data(condition)).astype(np.bool_)
        if goes_on.all() or not goes_on.any():
            self._guard(atomics)
            return bool(goes_on.any())
        self.enter(
            (self.everyone() if self.batch.live is None else self.batch.live) & scalar_data(condition).astype(bool)
        )
        self.stalled = 0
        return True

    def _guard(self, atomics: int) -> None:
        """Raise Diverge if programs loop too long while others are masked out: they may wait for one of those.

        Raises Waiting if none is masked out: they may wait for programs that have not begun.
        """
        if self.batch.live is None and not (self.polls and self.batch.may_wait):
            return
        self.stalled += 1
        if self.stalled > (_SPIN_LIMIT if self.polls or atomics > self.atomics else _STALL_LIMIT):
            raise Waiting if self.batch.live is None else Diverge(self.batch.live)


class Branch(_Region):
    """`if condition: ... else: ...` of a rewritten kernel."""

    def __init__(self, batch: Batch, condition: Any, names: tuple[str, ...]) -> None:
        super().__init__(batch, names)
        self.taken: Array | None = None  # per program, if they disagree
        if not is_scalar_tensor(condition):
            self.value = _truth(condition)
            return
        values = scalar_data(condition).astype(np.bool_)
        live = batch.live_values(values)
        self.value = bool(live[0]) if len(live) else False
        if len(live) > 1 and not (live == live[0]).all():
            self.taken = values

    def then(self) -> bool:
        """Enter the body of the `if`."""
        if self.taken is None:
            return self.value
        self.enter(self.everyone() & self.taken)
        return True

    def otherwise(self) -> bool:
        """Enter the body of the `else`."""
        if self.taken is None:
            return not self.value
        self.enter(self.everyone() & ~self.taken)
        return True

    def end(self) -> None:
        """Leave both."""
        if self.taken is not None:
            self.leave()
