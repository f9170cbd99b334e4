"""What torch does around the judge: how it is imported, and on how many threads it computes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tritonpuzzles.interrupts import uninterrupted
from tritonpuzzles.memory import without_collector


def import_torch() -> None:
    """Import torch where nobody has yet, without the collector; a stop waits, for half of torch works no more."""
    if "torch" not in sys.modules:
        with without_collector(), uninterrupted():
            import torch  # noqa: F401


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute on one thread for the length of a `with` block.

    The CPU's cases take a fraction of a millisecond per operation; several threads spend more than that waiting for
    each other, above all while a worker needs the other cores.
    """
    import_torch()
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
