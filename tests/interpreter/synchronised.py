"""Kernels whose programs meet by atomic operations: those that these put in order, and those that they do not."""

from __future__ import annotations

import triton
import triton.language as tl

# Right


@triton.jit
def acquire(lock_ptr):
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass


@triton.jit
def release(lock_ptr):
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)


@triton.jit
def locked_sum(x_ptr, y_ptr, flags_ptr, data_ptr, P: tl.constexpr, B: tl.constexpr):
    """Add rows up under a lock; who comes first stores and does not add, as in the tutorial on layer norm."""
    cols = tl.arange(0, B)
    row = tl.load(x_ptr + tl.program_id(0) * B + cols)
    acquire(flags_ptr)
    if tl.load(flags_ptr + 1) == 0:
        tl.atomic_xchg(flags_ptr + 1, 1)
    else:
        row += tl.load(data_ptr + cols)
    tl.store(data_ptr + cols, row)
    tl.store(y_ptr + cols, row)
    release(flags_ptr)


@triton.jit
def semaphore(x_ptr, y_ptr, flags_ptr, data_ptr, P: tl.constexpr, B: tl.constexpr):
    """Add rows up one after the other, each program when the one before it has."""
    pid, cols = tl.program_id(0), tl.arange(0, B)
    row = tl.load(x_ptr + pid * B + cols)
    while tl.atomic_cas(flags_ptr, pid, pid) != pid:
        pass
    if pid > 0:
        row += tl.load(y_ptr + cols)
    tl.store(y_ptr + cols, row)
    tl.atomic_xchg(flags_ptr, pid + 1)


@triton.jit
def last_arriver(x_ptr, y_ptr, flags_ptr, data_ptr, P: tl.constexpr, B: tl.constexpr):
    """Let the last program that counts itself add all rows up."""
    pid, cols = tl.program_id(0), tl.arange(0, B)
    tl.store(data_ptr + pid * B + cols, tl.load(x_ptr + pid * B + cols))
    if tl.atomic_add(flags_ptr, 1) == P - 1:
        rows = tl.arange(0, P)[:, None] * B
        tl.store(y_ptr + cols, tl.sum(tl.load(data_ptr + rows + cols[None, :]), axis=0))


@triton.jit
def last_by_mask(x_ptr, y_ptr, flags_ptr, data_ptr, P: tl.constexpr, B: tl.constexpr):
    """Do the same without a branch: all programs but one load and store nothing in the end."""
    pid, cols = tl.program_id(0), tl.arange(0, B)
    tl.store(data_ptr + pid * B + cols, tl.load(x_ptr + pid * B + cols))
    last = tl.atomic_add(flags_ptr, 1, sem="acq_rel") == P - 1
    rows = tl.arange(0, P)[:, None] * B
    every = tl.load(data_ptr + rows + cols[None, :], mask=last & (rows >= 0), other=0.0)
    tl.store(y_ptr + cols, tl.sum(every, axis=0), mask=last & (cols < B))


@triton.jit
def two_levels(x_ptr, y_ptr, flags_ptr, data_ptr, P: tl.constexpr, B: tl.constexpr):
    """Add rows up in pairs, and the pairs by the last of those that did so."""
    pid, cols = tl.program_id(0), tl.arange(0, B)
    pair = pid // 2
    tl.store(data_ptr + pid * B + cols, tl.load(x_ptr + pid * B + cols))
    if tl.atomic_add(flags_ptr + 1 + pair, 1) == 1:
        both = data_ptr + 2 * pair * B + cols
        tl.store(both, tl.load(both) + tl.load(both + B))
        if tl.atomic_add(flags_ptr, 1) == P // 2 - 1:
            rows = tl.arange(0, P // 2)[:, None] * (2 * B)
            tl.store(y_ptr + cols, tl.sum(tl.load(data_ptr + rows + cols[None, :]), axis=0))


@triton.jit
def look_back(x_ptr, y_ptr, flags_ptr, data_ptr, P: tl.constexpr, B: tl.constexpr):
    """Pass the sum of all rows before on from program to program; a plain load polls the flag."""
    pid, cols = tl.program_id(0), tl.arange(0, B)
    row = tl.load(x_ptr + pid * B + cols)
    if pid > 0:
        while tl.load(flags_ptr + pid - 1, volatile=True) == 0:
            pass
        row += tl.load(data_ptr + (pid - 1) * B + cols)
    tl.store(data_ptr + pid * B + cols, row)
    tl.atomic_xchg(flags_ptr + pid, 1, sem="release")
    if pid == P - 1:
        tl.store(y_ptr + cols, row)


@triton.jit
def barrier(x_ptr, y_ptr, flags_ptr, data_ptr, P: tl.constexpr, B: tl.constexpr):
    """Wait until all programs have stored a row; then each adds one column up, and stores it where it was read."""
    pid, cols = tl.program_id(0), tl.arange(0, B)
    tl.store(data_ptr + pid * B + cols, tl.load(x_ptr + pid * B + cols))
    tl.atomic_add(flags_ptr, 1)
    while tl.atomic_add(flags_ptr, 0) < P:
        pass
    for col in range(pid, B, P):
        tl.store(y_ptr + col, tl.sum(tl.load(data_ptr + tl.arange(0, P) * B + col), axis=0))
    tl.atomic_add(flags_ptr + 1, 1)
    while tl.atomic_add(flags_ptr + 1, 0) < P:
        pass
    tl.store(data_ptr + pid * B + cols, cols * 0.0)


RIGHT = (locked_sum, semaphore, last_arriver, last_by_mask, two_levels, look_back, barrier)

# Wrong: races that no atomic operation orders, though there are some. Each has a mark at the line of the race.


@triton.jit
def swap_of_nothing(x_ptr, y_ptr, flags_ptr, data_ptr, P: tl.constexpr, B: tl.constexpr):
    """Read a neighbour's row after a compare-and-swap that nobody waits for."""
    pid, cols = tl.program_id(0), tl.arange(0, B)
    tl.store(data_ptr + pid * B + cols, tl.load(x_ptr + pid * B + cols))
    tl.atomic_cas(flags_ptr, 0, 1)
    row = tl.load(data_ptr + ((pid + P - 1) % P) * B + cols)  # here
    tl.atomic_add(y_ptr + cols, row)


@triton.jit
def exchange_after(x_ptr, y_ptr, flags_ptr, data_ptr, P: tl.constexpr, B: tl.constexpr):
    """Read a neighbour's row, and exchange a number afterwards."""
    pid, cols = tl.program_id(0), tl.arange(0, B)
    tl.store(data_ptr + pid * B + cols, tl.load(x_ptr + pid * B + cols))
    row = tl.load(data_ptr + ((pid + 1) % P) * B + cols)  # here
    tl.atomic_add(y_ptr + cols, row)
    if tl.atomic_xchg(flags_ptr, 1) == 5:
        tl.atomic_add(flags_ptr + 1, 1)


@triton.jit
def lock_each(x_ptr, y_ptr, flags_ptr, data_ptr, P: tl.constexpr, B: tl.constexpr):
    """Add to shared sums under a lock of one's own."""
    pid, cols = tl.program_id(0), tl.arange(0, B)
    row = tl.load(x_ptr + pid * B + cols)
    acquire(flags_ptr + pid)
    tl.store(y_ptr + cols, tl.load(y_ptr + cols) + row)  # here
    release(flags_ptr + pid)


@triton.jit
def released_too_early(x_ptr, y_ptr, flags_ptr, data_ptr, P: tl.constexpr, B: tl.constexpr):
    """Add to shared sums when the lock is released already."""
    pid, cols = tl.program_id(0), tl.arange(0, B)
    row = tl.load(x_ptr + pid * B + cols)
    acquire(flags_ptr)
    release(flags_ptr)
    tl.store(y_ptr + cols, tl.load(y_ptr + cols) + row)  # here


@triton.jit
def loaded_too_early(x_ptr, y_ptr, flags_ptr, data_ptr, P: tl.constexpr, B: tl.constexpr):
    """Load the shared sums before the lock is taken."""
    pid, cols = tl.program_id(0), tl.arange(0, B)
    row = tl.load(x_ptr + pid * B + cols) + tl.load(y_ptr + cols)  # here
    acquire(flags_ptr)
    tl.store(y_ptr + cols, row)
    release(flags_ptr)


@triton.jit
def two_locks(x_ptr, y_ptr, flags_ptr, data_ptr, P: tl.constexpr, B: tl.constexpr):
    """Guard the same sums by one lock in even programs and by another in odd ones."""
    pid, cols = tl.program_id(0), tl.arange(0, B)
    row = tl.load(x_ptr + pid * B + cols)
    acquire(flags_ptr + pid % 2)
    tl.store(y_ptr + cols, tl.load(y_ptr + cols) + row)  # here
    release(flags_ptr + pid % 2)


@triton.jit
def plainly_polled(x_ptr, y_ptr, flags_ptr, data_ptr, P: tl.constexpr, B: tl.constexpr):
    """Wait for all programs by a plain load: the compiler deletes the loop."""
    pid, cols = tl.program_id(0), tl.arange(0, B)
    tl.store(data_ptr + pid * B + cols, tl.load(x_ptr + pid * B + cols))
    tl.atomic_add(flags_ptr, 1)
    while tl.load(flags_ptr) < P:
        pass
    row = tl.load(data_ptr + ((pid + 1) % P) * B + cols)  # here
    tl.atomic_add(y_ptr + cols, row)


RACES = (swap_of_nothing, exchange_after, lock_each, released_too_early, loaded_too_early, two_locks, plainly_polled)

# Wrong: right in lockstep, and in no other order.


@triton.jit
def no_barrier(x_ptr, y_ptr, flags_ptr, data_ptr, P: tl.constexpr, B: tl.constexpr):
    """Add up atomically, and load the sum as if all programs had added by then."""
    pid, cols = tl.program_id(0), tl.arange(0, B)
    tl.atomic_add(data_ptr + cols, tl.load(x_ptr + pid * B + cols))
    total = tl.load(data_ptr + cols)  # here
    tl.store(y_ptr + cols, total, mask=(cols % P) == pid)


@triton.jit
def first_arriver(x_ptr, y_ptr, flags_ptr, data_ptr, P: tl.constexpr, B: tl.constexpr):
    """Let the first program that counts itself add up what the others store: for it, they are ready in lockstep."""
    pid, cols = tl.program_id(0), tl.arange(0, B)
    tl.atomic_add(data_ptr + pid * B + cols, tl.load(x_ptr + pid * B + cols))
    if tl.atomic_add(flags_ptr, 1) == 0:  # here
        rows = tl.arange(0, P)[:, None] * B
        tl.store(y_ptr + cols, tl.sum(tl.load(data_ptr + rows + cols[None, :]), axis=0))


@triton.jit
def cleared_by_the_first(x_ptr, y_ptr, flags_ptr, data_ptr, P: tl.constexpr, B: tl.constexpr):
    """Let program 0 clear the sums to which all programs add."""
    pid, cols = tl.program_id(0), tl.arange(0, B)
    if pid == 0:
        tl.store(y_ptr + cols, cols * 0.0)
    tl.atomic_add(y_ptr + cols, tl.load(x_ptr + pid * B + cols))  # here


@triton.jit
def looks_before(x_ptr, y_ptr, flags_ptr, data_ptr, P: tl.constexpr, B: tl.constexpr):
    """Add only where the flag is not up yet, which nobody has put up in lockstep."""
    pid, cols = tl.program_id(0), tl.arange(0, B)
    flag = tl.load(flags_ptr)
    tl.atomic_max(flags_ptr, 1)  # here
    tl.atomic_add(y_ptr + cols, tl.load(x_ptr + pid * B + cols), mask=(flag == 0) & (cols < B))


ORDERS = (no_barrier, first_arriver, cleared_by_the_first, looks_before)
