"""Run Triton's compiler for a target, quietly, within a budget of seconds, and leave nothing of it behind.

A crash of LLVM kills the process: callers run in a worker that may be lost (the judge then says so). A signal ends what
is Python or waits for ptxas. Passes of Triton and LLVM run to their end, minutes for a tile of a million elements or a
large one with a single warp: who started the process has to end it.
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
AGAIN = 1.0  # seconds: what is raised while Python finalises an object is lost


class CompileTimeoutError(BaseException):
    """The compiler did not finish in the time that was left; says nothing about the kernel.

    No `Exception`: Triton takes each of those for a fault of the kernel.
    """


class Budget:
    """Time to compile in: seconds of a clock for all that is compiled with it, and `each` for one launch at most."""

    def __init__(self, seconds: float, each: float | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds, self.each = seconds, min(seconds, seconds if each is None else each)
        self._clock, self._end = clock, clock() + seconds

    @property
    def left(self) -> float:
        """Seconds that are left for one launch; 0 when the time for all is up."""
        return min(self.each, max(0.0, self._end - self._clock()))

    @property
    def over(self) -> str:
        """Which time is up, in words, where something was not done in it."""
        return f"the {self.each:g} s for it are over" if self.left else f"the {self.seconds:g} s for all are over"


@contextlib.contextmanager
def hurried(seconds: float | None, computed: bool = False) -> Iterator[None]:
    """End the compiler after so many seconds inside a `with` block, by a CompileTimeoutError; `None` ends nothing.

    The seconds are of the clock, or those that this process has `computed`, which is no more on a busy machine. Only
    the main thread hears signals; in another one nothing is ended.
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
    log: str  # what ptxas says of registers, stack and spills; empty for AMD
    answers: Answers  # what static code was answered


class BuildError(Exception):
    """The compiler rejected a kernel: `__cause__` is its exception, `diagnostics` what it wrote to stderr."""

    def __init__(self, diagnostics: str) -> None:
        super().__init__(diagnostics)
        self.diagnostics = diagnostics


def build(variant: Specialised, seconds: float | None = None) -> Build:
    """Compile one variant; takes 0.05 to 0.5 s, and minutes for huge tiles.

    Raises:
        BuildError: the compiler rejects it.
        CompileTimeoutError: it had not finished after so many seconds.
        OSError: this machine cannot compile: no ptxas, no space for temporary files. No fault of the kernel.
    """
    with _private_cache(), _watched(seconds) as printed, current_target(variant.target), listening() as heard:
        compiled = _compile(variant)
    return Build(compiled.metadata, dict(compiled.asm), printed.getvalue(), heard[0])


def translate(variant: Specialised, seconds: float | None = None) -> tuple[str, Answers]:
    """Return a variant in Triton's intermediate language, TTIR, and what static code in it was answered on the way.

    The front half of the compiler, in 10 ms: it says what a kernel may not say, and which types and shapes do not fit.

    Raises:
        BuildError: the compiler rejects it.
        CompileTimeoutError: it had not finished after so many seconds.
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
    """Run the compiler inside a `with` block, quietly and for so many seconds; what it prints is in what is yielded.

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
    """Writes a file where it belongs at once: nobody else looks into the folder, so no write need be atomic."""

    def put(self, data: Any, filename: str, binary: bool = True) -> str:
        """Write a file into the cache's folder and return its path."""
        path = Path(self.cache_dir) / filename
        path.write_bytes(data if isinstance(data, bytes) else str(data).encode())
        return str(path)


@contextlib.contextmanager
def _private_cache() -> Iterator[None]:
    """Compile into a folder that goes away, and have ptxas' log printed: nowhere else does it count spilled bytes.

    Triton's cache keeps 300 kB a variant and never forgets; the outcome, which we keep ourselves, is 1 kB. Nor does
    Triton hash its own library, hundreds of MB, into the key of a cache that is empty anyway.
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
    """Send what Python prints to one place and what native code writes to stderr to another.

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
