"""Keep the judge from what the process around it has set: in a notebook, the learner's own cells."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def cpu_by_default() -> Iterator[None]:
    """Let tensors be made on the CPU for the length of a `with` block, whatever `torch.set_default_device` was told.

    Does not import torch: where it has not been imported, nothing was set.
    """
    torch = sys.modules.get("torch")
    if torch is None or torch.get_default_device().type == "cpu":
        yield
        return
    with torch.device("cpu"):
        yield
