"""Whether anything changed a result after the last launch: threads, NumPy and pointers pass PyTorch's hooks by.

The memory itself tells: it is compared with what it held when the last launch on it had ended.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from tritonpuzzles.engine.tensors import argument_tensor, plain_tensors, storage_key, whole_storage
from tritonpuzzles.results.check import Finding


class Aftermath:
    """Keeps a copy of the memory of every tensor that a kernel was launched on, as the launch left it.

    Args:
        inputs: storages that need no copy; another check sees whether they change.
    """

    def __init__(self, inputs: Iterable[int]) -> None:
        self._inputs = frozenset(inputs)
        self._left: dict[int, Tensor] = {}

    def note(self, arguments: Iterable[Any]) -> None:
        """Copy the memory of a launch's tensors, now that it has ended."""
        for value in arguments:
            tensor = argument_tensor(value)
            if tensor is not None and storage_key(tensor) not in self._inputs:
                self._left[storage_key(tensor)] = whole_storage(tensor).clone()

    def findings(self, outputs: Sequence[Any], path: Path, call: str) -> list[Finding]:
        """Return a finding for each output that is not what the last launch on it left."""
        found = []
        for output in plain_tensors(outputs):
            left = self._left.get(storage_key(output))
            if left is None:
                continue
            now = whole_storage(output)
            if now.shape != left.shape or not torch.equal(now, left):
                text = f"{call} changes its output after the last launch."
                step = "Let the kernel write the result, all of it."
                found.append(Finding("host-wrote-output", text, file=str(path), next_step=step))
        return found
