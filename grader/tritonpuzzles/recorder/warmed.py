"""What `kernel.warmup(...)` answers with: a kernel as if compiled, with round figures, and launched like one.

Nothing is compiled in this process. The figures are those of a small kernel; a host function sizes its grid by them,
and a right one gives the right result for every size.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

REGISTERS = 32  # of each thread: a multiprocessor is full of such
SHARED_BYTES = 1 << 10  # of each program: tutorials divide by it
THREADS = 1024  # at most in one block
USUAL = {"num_warps": 4, "num_stages": 3, "num_ctas": 1}


class Warmed:
    """Stands in for Triton's `CompiledKernel`.

    Args:
        kernel: the `JITFunction`.
        constants: the constexpr parameters that it was compiled for, which no launch changes.
        options: launch options, fixed with them.
    """

    n_regs, n_spills, n_max_threads = REGISTERS, 0, THREADS

    def __init__(self, kernel: Any, constants: Mapping[str, Any], options: Mapping[str, Any]) -> None:
        self._kernel, self._constants, self._options = kernel, constants, options
        named = {name: constants[name] for name in USUAL if name in constants}
        self.name = kernel.__name__
        self.metadata = SimpleNamespace(**{**USUAL, **options, **named}, shared=SHARED_BYTES, name=self.name)

    def _init_handles(self) -> None:
        """Do nothing: there is nothing to load onto a GPU."""

    def result(self) -> Warmed:
        """Return itself: an asynchronous compile is done at once."""
        return self

    def __getitem__(self, grid: Any) -> Callable[..., None]:
        """Return what launches it over a grid: arguments by position, with or without the constexprs at their end."""

        def launch(*args: Any, stream: Any = None) -> None:
            names = list(self._kernel.signature.parameters)
            given = {name: value for name, value in zip(names, args, strict=False) if name not in self._constants}
            if len(args) > len(names):
                raise TypeError(f"{self.name} takes {len(names)} arguments, and {len(args)} are given")
            # By the launcher of this moment: hosts keep warmed kernels, and launch them in later calls.
            self._kernel.run(**given, **self._constants, **self._options, grid=grid)

        return launch
