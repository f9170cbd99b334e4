"""Run Triton's compiler for a target, silently, within a budget of seconds, and leave no files behind.

A crash of LLVM kills the process: callers run in a worker that may be lost, which the judge then reports. A signal
interrupts Python code and the wait for ptxas. Passes of Triton and LLVM run to completion, minutes for a tile of a
million elements or for a large one with a single warp: then the parent process has to kill this one.
"""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, TextIO
from unittest import mock

import triton

from tritonpuzzles.compiler.answers import Answers
from tritonpuzzles.compiler.launch import Specialised, current_target, gpu_target
from tritonpuzzles.compiler.listening import listening
from tritonpuzzles.insides import ASTSource, ir, knobs, make_backend, triton_cache

SHORTEST = 1e-3  # seconds: 0 would set no alarm
AGAIN = 1.0  # seconds until the signal repeats: an exception raised while Python finalises an object is lost


class CompileTimeoutError(BaseException):
    """The compiler did not finish in the time that was left; says nothing about the kernel.

    Not an `Exception`: Triton treats each of those as a fault of the kernel.
    """


class Budget:
    """A time limit for compiling: `seconds` of a clock for all launches together, and at most `each` for one launch."""

    def __init__(self, seconds: float, each: float | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds, self.each = seconds, min(seconds, seconds if each is None else each)
        self._clock, self._end = clock, clock() + seconds

    @property
    def left(self) -> float:
        """Seconds that are left for one launch; 0 when the time for all is up."""
        return min(self.each, max(0.0, self._end - self._clock()))

    @property
    def over(self) -> str:
        """A phrase that says which limit was exceeded, for a launch that was not compiled."""
        return f"the {self.each:g} s for it are over" if self.left else f"the {self.seconds:g} s for all are over"


@contextlib.contextmanager
def hurried(seconds: float | None, computed: bool = False) -> Iterator[None]:
    """Raise CompileTimeoutError inside a `with` block after so many seconds; `None` sets no limit.

    The seconds are wall-clock time or, if `computed`, this process's CPU time, which does not grow on a busy machine.
    Only the main thread receives signals; in another thread no timer is set.
    """
    if seconds == 0:
        raise CompileTimeoutError("the time is up")
    if seconds is None or threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: FrameType | None) -> None:
        raise CompileTimeoutError(f"the compiler had not finished after {seconds:g} s")

    heard, timer = (signal.SIGPROF, signal.ITIMER_PROF) if computed else (signal.SIGALRM, signal.ITIMER_REAL)
    before = signal.signal(heard, end)
    signal.setitimer(timer, max(seconds, SHORTEST), AGAIN)
    try:
        yield
    finally:
        signal.setitimer(timer, 0)
        signal.signal(heard, before)


@dataclass
class Build:
    """A compiled kernel."""

    metadata: Any  # Triton's: `shared`, `num_warps`, `num_stages`, ...
    asm: dict[str, Any]  # stage -> text, or bytes of the binary: `ttgir`, `ptx`, `cubin`, `amdgcn`
    log: str  # the report of ptxas on registers, stack and spills; empty for AMD
    answers: Answers  # to the questions in static code


class BuildError(Exception):
    """The compiler rejected a kernel: `__cause__` is its exception, `diagnostics` what it wrote to stderr."""

    def __init__(self, diagnostics: str) -> None:
        super().__init__(diagnostics)
        self.diagnostics = diagnostics


def build(variant: Specialised, seconds: float | None = None) -> Build:
    """Compile one variant; takes 0.05 to 0.5 s, and minutes for huge tiles.

    Raises BuildError if the compiler rejects it, CompileTimeoutError if it had not finished after so many seconds, and
    OSError, no fault of the kernel, if this machine cannot compile: no ptxas, no space for temporary files.
    """
    with _private_cache(), _watched(seconds) as printed, current_target(variant.target), listening() as heard:
        compiled = _compile(variant)
    return Build(compiled.metadata, dict(compiled.asm), printed.getvalue(), heard[0])


def translate(variant: Specialised, seconds: float | None = None) -> tuple[str, Answers]:
    """Return a variant in Triton's intermediate language, TTIR, and the answers to the questions in its static code.

    This is the compiler's front end, about 10 ms: it rejects invalid syntax and types and shapes that do not fit, by a
    BuildError. Raises CompileTimeoutError if it had not finished after so many seconds.
    """
    target, source = gpu_target(variant.target), _source(variant)
    with _watched(seconds), current_target(variant.target):
        backend = make_backend(target)
        options = backend.parse_options(dict(variant.options))
        context = ir.context()
        ir.load_dialects(context)
        backend.load_dialects(context)
        functions, modules = backend.get_codegen_implementation(options), backend.get_module_map()
        with listening() as heard:
            module = source.make_ir(target, options, functions, modules, context)
        stages: dict[str, Any] = {}
        backend.add_stages(stages, options, source.language)
        return str(stages["ttir"](module, dict(vars(options))).str_nodebug()), heard[0]


def _compile(variant: Specialised) -> Any:
    return triton.compile(_source(variant), target=gpu_target(variant.target), options=variant.options)


def _source(variant: Specialised) -> Any:
    return ASTSource(variant.kernel, variant.signature, variant.constants, variant.attributes)


@contextlib.contextmanager
def _watched(seconds: float | None) -> Iterator[io.StringIO]:
    """Run the compiler silently inside a `with` block, for so many seconds; yield a buffer with what it prints.

    Raises what `build` does.
    """
    printed = io.StringIO()
    with tempfile.TemporaryFile() as noise, _quiet(printed, noise):
        try:
            with hurried(seconds):
                yield printed
        except (OSError, MemoryError):
            raise
        except Exception as error:
            if str(error).startswith("Cannot find "):  # how Triton says that ptxas is missing
                raise FileNotFoundError(str(error)) from error
            noise.seek(0)
            raise BuildError(noise.read(65_536).decode(errors="replace")) from error


class _PrivateCacheManager(triton_cache.FileCacheManager):  # type: ignore[misc]
    """Writes each file directly to its final path: no other process reads the folder, so writes need not be atomic."""

    def put(self, data: Any, filename: str, binary: bool = True) -> str:
        """Write a file into the cache's folder and return its path."""
        path = Path(self.cache_dir) / filename
        path.write_bytes(data if isinstance(data, bytes) else str(data).encode())
        return str(path)


@contextlib.contextmanager
def _private_cache() -> Iterator[None]:
    """Compile into a temporary folder, and print the log of ptxas: only there are spilled bytes counted.

    Triton's cache keeps 300 kB per variant and is never pruned; our own cached outcome is 1 kB. Triton also does not
    hash its own library here, hundreds of MB, into the key of a cache that is empty anyway.
    """
    folder = tempfile.TemporaryDirectory(prefix="tritonpuzzles-", ignore_cleanup_errors=True)
    known = hasattr(triton_cache, "triton_key")  # a version that keeps it elsewhere is slower, no different
    unhashed = mock.patch.object(triton_cache, "triton_key", str) if known else contextlib.nullcontext()
    with folder as path, knobs.cache.scope(), knobs.nvidia.scope(), unhashed:
        knobs.cache.dir = path
        knobs.cache.manager_class = _PrivateCacheManager
        knobs.nvidia.dump_ptxas_log = True
        yield


@contextlib.contextmanager
def _quiet(printed: TextIO, noise: Any) -> Iterator[None]:
    """Redirect Python's stdout to `printed` and native code's stderr to `noise`; drop Python's stderr and warnings.

    File descriptor 2 belongs to the process: do not compile while another thread writes to it.
    """
    with contextlib.suppress(Exception):  # a submission may have replaced it
        sys.stderr.flush()
    kept = os.dup(2)
    try:
        os.dup2(noise.fileno(), 2)
        python = contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO())
        with python[0], python[1], warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
