"""The front half of Triton's compiler: a kernel's text becomes intermediate language, in some 20 ms.

Every choice of constants and types is taken through it, for each is another program: what a constant switches off was
never looked at. What comes out says which of them are the same program but for sizes, and one of these is compiled
whole.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import signal
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

from triton._C.libtriton import ir
from triton.compiler.compiler import ASTSource, make_backend

from tritonpuzzles.compiler.budget import CompileTimeoutError
from tritonpuzzles.compiler.build import quietly
from tritonpuzzles.compiler.compile import kept, rejected, skipped
from tritonpuzzles.compiler.launch import Launch, Specialised, gpu_target
from tritonpuzzles.compiler.outcome import CompileOutcome
from tritonpuzzles.hardware.targets import Target
from tritonpuzzles.results.check import CompileResult

SECONDS = 10.0  # for one variant: an unrolled loop of thousands of iterations takes as long
# Arithmetic on integers, and on addresses: of these the second half of the compiler takes all that the first does.
_ADDRESSES = re.compile(
    r"^\s*%\S* = (?:tt\.addptr|(?:arith\.|tt\.(?:splat|expand_dims|broadcast|make_range))(?!.*f\d)).*$", re.M
)
_QUOTED = re.compile(r'(?<!@)("(?:[^"\\]|\\.)*")')
_SYMBOL = re.compile(r'@(?:"[^"]*"|[\w.$]+)')  # a function's name, with the sizes that it was made for
_SIZES = re.compile(
    r"%[\w#:]+"  # names of values
    r"|\b(?:\d+x)+"  # shapes
    r"|\bi\d+\b"  # integers, of which Triton makes constants where they are 1
    r"|(?<![\w.])-?(?:0x[0-9A-Fa-f]+|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)"  # numbers
    r"|[,:\s]"
)


def front_launch(launch: Launch, target: Target, cache: Path | None = None) -> CompileOutcome:
    """Take one launch through the front half; the outcome has a `structure` where it comes through.

    Raises:
        TypeError: the launch's function is no `JITFunction`.
        OSError: this machine cannot compile.
    """
    try:
        return kept(launch, target, cache, "front", _front, read=lambda variant: replace(variant, attributes={}))
    except CompileTimeoutError:
        return skipped(launch, target, f"its code was not read within {SECONDS:g} s")


def _front(variant: Specialised) -> CompileOutcome:
    name, target = variant.kernel.__name__, variant.target.name
    with quietly() as written:
        try:
            with _ended_after(SECONDS):
                text = _intermediate(variant)
        except (OSError, MemoryError, CompileTimeoutError):
            raise
        except Exception as error:
            return rejected(variant, error, written())
    return CompileOutcome(CompileResult(name, target, True), structure=structure_of(text))


def _intermediate(variant: Specialised) -> str:
    """Return what Triton makes of a variant before any pass: MLIR in its own words."""
    backend = make_backend(gpu_target(variant.target))
    options = backend.parse_options(dict(variant.options))
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    source = ASTSource(variant.kernel, variant.signature, variant.constants, variant.attributes)
    functions, modules = backend.get_codegen_implementation(options), backend.get_module_map()
    return str(source.make_ir(gpu_target(variant.target), options, functions, modules, context))


def structure_of(text: str) -> str:
    """Return a digest of the operations and types in MLIR's text, whatever its sizes, numbers and names are.

    What stands in quotes counts as it is: assembly is another one with another number in it.
    """
    text = _SYMBOL.sub(lambda found: re.sub(r"\d+", "", found[0].replace('"', "")), _ADDRESSES.sub("", text))
    parts = _QUOTED.split(text)
    parts[::2] = [_SIZES.sub("", part) for part in parts[::2]]
    return hashlib.sha256("".join(parts).encode()).hexdigest()


@contextlib.contextmanager
def _ended_after(seconds: float) -> Iterator[None]:
    """End Python code inside a `with` block that takes longer, as a function does that the compiler calls for ever.

    Raises:
        CompileTimeoutError: it did, whatever became of that on the way out.
    """
    if threading.current_thread() is not threading.main_thread():  # no signal reaches another
        yield
        return
    over: list[bool] = []

    def end(number: int, frame: FrameType | None) -> Any:
        over.append(True)
        raise CompileTimeoutError(f"the time is up after {seconds:g} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    except Exception as error:
        if over:
            raise CompileTimeoutError(str(error)) from error
        raise
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
