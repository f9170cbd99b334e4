"""Division of integers: division by zero is undefined on a GPU, and poison.py finds out whether that matters."""

from __future__ import annotations

import numpy as np

from tritonpuzzles.engine.interpreter.arithmetic import Arithmetic
from tritonpuzzles.engine.interpreter.batch import Batch
from tritonpuzzles.engine.interpreter.values import Array, Handle, aligned, poison


class Division(Arithmetic):
    """Quotients and remainders, both rounded towards zero; needs `batch`, which builder.py sets."""

    batch: Batch

    def create_idiv(self, lhs: Handle, rhs: Handle) -> Handle:
        """Divide integers towards zero; the quotient of what has wrapped around is wrong, too."""
        left, right = aligned(lhs.data, rhs.data)
        wrapped = None if lhs.wrapped is None else aligned(lhs.wrapped, rhs.data)[0]
        quotient = Handle((left - np.fmod(left, right)) // right, lhs.dtype.scalar, wrapped)
        return self._undefined_by_zero(quotient, right)

    def create_srem(self, lhs: Handle, rhs: Handle) -> Handle:
        """Return the remainder of a division towards zero."""
        return self._undefined_by_zero(self.binary_op(lhs, rhs, np.fmod), aligned(lhs.data, rhs.data)[1])

    create_urem = create_srem

    def _undefined_by_zero(self, result: Handle, divisor: Array) -> Handle:
        """Note this line where a live program divides by zero; such lanes hold 0, or poison in a repeated launch."""
        by_zero = divisor == 0
        if not by_zero.any():
            return result
        place, memory = self.memory.books.place(), self.memory
        if memory.ledger is not None and self.batch.live_values(by_zero).any():
            memory.ledger.undefined("", place, "division-by-zero")
        filled = memory.poison_bytes if place in memory.poisoned else (0,)
        by_zero = np.broadcast_to(by_zero, result.data.shape)
        result.data[by_zero] = poison(result.data.dtype, filled, int(np.count_nonzero(by_zero)))
        return result
