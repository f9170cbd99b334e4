"""Have Triton compile what a GPU will run, several kernels at once: most of a first check is its compiler."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Hashable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cached_property
from typing import Any

from torch import Tensor

from tritonpuzzles.engine.replay import Action, Launching
from tritonpuzzles.engine.text.kernels import Refused
from tritonpuzzles.wire.program import Launch

MOST_AT_ONCE = 8  # each holds its module in memory, some tens of MB
ALIGNMENT = 16  # bytes of a pointer, or a factor of a whole number: what Triton's compiler makes use of


class Ahead:
    """Compiles what launches need, once for each variant; what the compiler rejects, the launch itself will say."""

    def __init__(self) -> None:
        self._begun: dict[Hashable, Future[None]] = {}

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(min(MOST_AT_ONCE, os.cpu_count() or 1))

    def begin(self, actions: Iterable[Action]) -> list[Future[None]]:
        """Begin to compile the launches among some actions, and return what tells that each is done."""
        found = []
        for action in actions:
            if isinstance(action, Launching):
                variant = _variant(*action.args)
                if variant not in self._begun:
                    self._begun[variant] = self._pool.submit(_compile, *action.args)
                found.append(self._begun[variant])
        return found

    def compile(self, actions: Iterable[Action]) -> None:
        """Compile the launches among some actions, and wait for them."""
        wait(self.begin(actions))

    def finish(self) -> None:
        """Wait for all that is begun: beside a compiler no clock is right."""
        wait(self._begun.values())


def _compile(kernel: Any, arguments: dict[str, Any], options: dict[str, Any], step: Launch) -> None:
    with contextlib.suppress(Exception):
        kernel.run(grid=step.grid, warmup=True, **arguments, **options)


def _variant(kernel: Any, arguments: dict[str, Any], options: dict[str, Any], step: Launch) -> Hashable:
    """Return what Triton compiles a launch for: a kernel, its options and constants, and the kinds of its arguments.

    Two launches that differ only in what is no tensor and no number may share one; the second is compiled when it runs.
    """
    if isinstance(kernel, Refused):
        return id(kernel)
    constants = {parameter.name for parameter in kernel.params if parameter.is_constexpr}
    kinds = (repr(value) if name in constants else _kind(value) for name, value in arguments.items())
    return id(kernel), repr(sorted(options.items())), tuple(kinds)


def _kind(value: Any) -> Hashable:
    match value:
        case Tensor():
            return value.dtype, value.data_ptr() % ALIGNMENT == 0
        case int():
            return type(value).__name__, value == 1, value % ALIGNMENT == 0, value.bit_length() > 31
    return type(value).__name__
