"""Keep torch to one thread where cases are small."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute on one thread for the length of a `with` block.

    The CPU's cases take a fraction of a millisecond per operation; several threads spend more than that waiting for
    each other, above all while a worker needs the other cores.
    """
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
