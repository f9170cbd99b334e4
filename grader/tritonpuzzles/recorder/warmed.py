"""The result of `kernel.warmup(...)`: a kernel compiled for the reported GPU, and launched like any other.

Host functions size their grids by a kernel's registers and shared memory, so it is compiled when one reads them. That
may happen in this process, as nothing relies on the result: the engine compiles the launches again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tritonpuzzles.compiler import Budget, Launch, compile_launch
from tritonpuzzles.compiler.launch import target_of
from tritonpuzzles.recorder.call import outside
from tritonpuzzles.recorder.submission import SubmissionError
from tritonpuzzles.results.check import CompileResult, Finding
from tritonpuzzles.wire.job import Device

SECONDS = 30.0  # for one compile
THREADS = 1024  # at most in one block
DIVISOR = 16  # of sizes and addresses, by which Triton chooses how wide loads are
COMPILE_AGAIN = "Compile the kernel for the arguments that it is launched with, or launch it as kernel[grid](...)."
USUAL = {"num_warps": 4, "num_stages": 3, "num_ctas": 1}


def _relied_on(compiled: Any, launched: Any) -> str | None:
    """Return what a compiled kernel takes for granted of a whole number, and another one does not satisfy.

    Triton compiles 1 as a constant, and remembers whether 16 divides a number and whether 32 bits hold it.
    """
    if type(compiled) is not int or type(launched) is not int or compiled == launched:
        return None
    if compiled == 1:
        return "a constant"
    if compiled % DIVISOR == 0 and launched % DIVISOR:
        return f"a multiple of {DIVISOR}"
    if -(1 << 31) <= compiled < 1 << 31 <= abs(launched):
        return "a number of 32 bits"
    return None


class Warmed:
    """Stands in for Triton's `CompiledKernel`.

    `bound` has all parameters, defaults included; the constexprs among them are fixed. `cache` is a folder for compile
    results; the recorder's process has its own.
    """

    n_max_threads = THREADS

    def __init__(
        self,
        kernel: Any,
        bound: Mapping[str, Any],
        options: Mapping[str, Any],
        gpu: Device,
        cache: Path | None = Path("warmed"),
    ) -> None:
        self._kernel, self._options, self._gpu = kernel, dict(options), gpu
        self._launch = Launch(kernel, dict(bound), options).without_data()  # to keep no tensor alive
        self._constants = {item.name: bound[item.name] for item in kernel.params if item.is_constexpr}
        specialized = [item.name for item in kernel.params if not item.is_constexpr and not item.do_not_specialize]
        self._numbers = {name: bound[name] for name in specialized if type(bound[name]) is int}
        self._cache = cache and cache.absolute()
        self.name = kernel.__name__

    @cached_property
    def _compiled(self) -> CompileResult:
        """The compile result, even if it exceeds the GPU's limits; raises SubmissionError if it does not compile."""
        outcome = compile_launch(self._launch, target_of(self._gpu), self._cache, budget=Budget(SECONDS))
        if outcome.result.registers is None:
            unread = Finding("compile-error", f"The registers of {self.name} cannot be read for {self._gpu.name}.")
            raise SubmissionError(next(iter(outcome.findings), unread))
        return outcome.result

    @property
    def n_regs(self) -> int:
        """Registers per thread."""
        assert self._compiled.registers is not None
        return self._compiled.registers

    @property
    def n_spills(self) -> int:
        """Spilled bytes per thread, stored and loaded, in units of a register (4 bytes)."""
        return (self._compiled.spills or 0) // 4

    @cached_property
    def metadata(self) -> SimpleNamespace:
        """The part of Triton's metadata of a compiled kernel that host functions use."""
        named = {name: self._constants[name] for name in USUAL if name in self._constants}
        told = {**USUAL, **self._options, **named}
        return SimpleNamespace(**told, shared=self._compiled.shared_bytes or 0, name=self.name)

    def _init_handles(self) -> None:
        """Do nothing: there is nothing to load onto a GPU."""

    def result(self) -> Warmed:
        """Return itself: an asynchronous compile is done at once."""
        return self

    def __getitem__(self, grid: Any) -> Callable[..., None]:
        """Return a function that launches it over a grid: positional arguments, constexprs at the end optional."""

        def launch(*args: Any, stream: Any = None) -> None:
            names = list(self._kernel.signature.parameters)
            given = {name: value for name, value in zip(names, args, strict=False) if name not in self._constants}
            if len(args) > len(names):
                raise TypeError(f"{self.name} takes {len(names)} arguments, and {len(args)} are given")
            for name, number in self._numbers.items():
                if (fact := _relied_on(number, given.get(name))) is not None:
                    file, line = outside()
                    text = f"{self.name} was compiled for {name} = {number:,}, {fact}, and is launched with"
                    found = Finding("promise-broken", f"{text} {given[name]:,}.", str(file), line)
                    raise SubmissionError(replace(found, next_step=COMPILE_AGAIN))
            # Use the current launcher: host functions keep warmed kernels, and launch them in later calls.
            self._kernel.run(**given, **self._constants, **self._options, grid=grid)

        return launch
