"""Divisions and shifts of integers: undefined by zero or by too many bits; poison.py finds out if it matters."""

from __future__ import annotations

import numpy as np

from tritonpuzzles.engine.interpreter.arithmetic import Arithmetic
from tritonpuzzles.engine.interpreter.batch import Batch
from tritonpuzzles.engine.interpreter.values import Array, Handle, aligned, poison


class Division(Arithmetic):
    """Quotients and remainders, both rounded towards zero, and shifts; needs `batch`, which builder.py sets."""

    batch: Batch

    def create_idiv(self, lhs: Handle, rhs: Handle) -> Handle:
        """Divide integers towards zero; the quotient of what has wrapped around is wrong, too."""
        left, right = aligned(lhs.data, rhs.data)
        wrapped = None if lhs.wrapped is None else aligned(lhs.wrapped, rhs.data)[0]
        quotient = Handle((left - np.fmod(left, right)) // right, lhs.dtype.scalar, wrapped)
        return self._undefined_where(right == 0, quotient, "division-by-zero")

    def create_srem(self, lhs: Handle, rhs: Handle) -> Handle:
        """Return the remainder of a division towards zero."""
        by_zero = aligned(lhs.data, rhs.data)[1] == 0
        return self._undefined_where(by_zero, self.binary_op(lhs, rhs, np.fmod), "division-by-zero")

    create_urem = create_srem

    def create_shl(self, lhs: Handle, rhs: Handle) -> Handle:
        """Shift left."""
        return self._shifted(lhs, rhs, self.binary_op(lhs, rhs, np.left_shift))

    def create_lshr(self, lhs: Handle, rhs: Handle) -> Handle:
        """Shift right, filling with 0."""
        return self._shifted(lhs, rhs, self.binary_op(lhs, rhs, np.right_shift))

    def create_ashr(self, lhs: Handle, rhs: Handle) -> Handle:
        """Shift right, keeping the sign."""
        return self._shifted(lhs, rhs, super().create_ashr(lhs, rhs))

    def _shifted(self, lhs: Handle, rhs: Handle, result: Handle) -> Handle:
        by = aligned(lhs.data, rhs.data)[1]
        return self._undefined_where((by < 0) | (by >= lhs.dtype.primitive_bitwidth), result, "undefined-shift")

    def _undefined_where(self, lanes: Array, result: Handle, code: str) -> Handle:
        """Note this line if lanes of a live program are undefined; they hold 0, or poison in a repeated launch."""
        if not lanes.any():
            return result
        place, memory = self.memory.books.place(), self.memory
        if memory.ledger is not None and self.batch.live_values(lanes).any():
            memory.ledger.undefined("", place, code)
        filled = memory.poison_bytes if place in memory.poisoned else (0,)
        lanes = np.broadcast_to(lanes, result.data.shape)
        result.data[lanes] = poison(result.data.dtype, filled, int(np.count_nonzero(lanes)))
        return result
