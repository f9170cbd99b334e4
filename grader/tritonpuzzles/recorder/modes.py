"""Lets a recording see what PyTorch is asked for, with or without a tensor, on a GPU that need not be there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from tritonpuzzles.recorder.recording import Recording


class _Operations(TorchDispatchMode):
    """Hands every operation to the recording: also `torch.empty` and its like, which take no tensor."""

    def __init__(self, recording: Recording) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._recording = recording

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Keep PyTorch from importing its compiler, a second or more, only to keep that away from this class."""
        return False

    def __torch_dispatch__(
        self, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        return self._recording.operation(function, args, kwargs or {})


class _Devices(TorchFunctionMode):
    """Notes the device that an operation names, and names another that every PyTorch has."""

    def __init__(self, recording: Recording) -> None:
        super().__init__()
        self._recording = recording

    def __torch_function__(
        self, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        named = dict(kwargs or {})
        if function is torch.device or named.get("device") is None:
            return function(*args, **named)
        before, self._recording.asked = self._recording.asked, torch.device(named["device"])
        try:
            return function(*args, **{**named, "device": "cpu"})
        finally:
            self._recording.asked = before


@contextmanager
def recorded(recording: Recording) -> Iterator[None]:
    """Hand everything that PyTorch is asked for inside a `with` block to a recording."""
    with _Devices(recording), _Operations(recording):
        yield
