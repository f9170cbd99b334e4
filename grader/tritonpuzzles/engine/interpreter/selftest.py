"""Check that the installed Triton has all that interpreter, compiler and recorder rely on, in less than a second.

python -m tritonpuzzles.engine.interpreter.selftest    prints one JSON object; `doctor` runs it, and the engine runs it
for an untested version of Triton
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Iterator

import torch
import triton
import triton.language as tl

from tritonpuzzles import insides
from tritonpuzzles.compiler import TARGETS, Launch, compile_launch
from tritonpuzzles.compiler.compile import translate_launch
from tritonpuzzles.engine.interpreter.builder import unknown_operations
from tritonpuzzles.engine.interpreter.language import patches
from tritonpuzzles.engine.interpreter.tracer import Tracer

_EXPECTED_UNKNOWN = {"create_dot_scaled", "create_atomic_poll"}
_OF_KERNELS = ("raw_src", "src", "starting_line_number", "params", "signature", "fn", "pre_run_hooks", "hash", "debug")


@triton.jit  # type: ignore[untyped-decorator]
def _double(x_ptr, y_ptr, n, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n, other=0.0) * 2, mask=offsets < n)


def problems() -> list[str]:
    """Return sentences about what the grader relies on and does not find; an empty list is good."""
    return [*_missing_names()] or [*_wrong_results(), *_not_compiled()]


def new_operations() -> list[str]:
    """Return the builder's operations that the interpreter does not know: kernels that use one are refused by name."""
    return [name for name in unknown_operations() if name not in _EXPECTED_UNKNOWN]


def _missing_names() -> Iterator[str]:
    yield from (f"{name} is not there" for name in insides.missing())
    yield from (f"a JITFunction has no {name}" for name in _OF_KERNELS if not hasattr(_double, name))


def _wrong_results() -> Iterator[str]:
    before = [inspect.getattr_static(owner, name, None) for owner, name, _ in patches()]
    x, y = torch.arange(100.0), torch.zeros(100)
    try:
        with Tracer() as tracer:
            _double[(4,)](x, y, 100, BLOCK=32)
    except Exception as error:
        yield f"a kernel that doubles 100 numbers cannot be interpreted ({type(error).__name__}: {error})"
        return
    if not torch.equal(y, 2 * x) or tracer.facts or tracer.launches[0].arguments[0].loaded_bytes != 400:
        yield "a kernel that doubles 100 numbers is interpreted wrongly"
    if before != [inspect.getattr_static(owner, name, None) for owner, name, _ in patches()]:
        yield "patches of triton.language stay behind"


def _not_compiled() -> Iterator[str]:
    launch = Launch(_double, {"x_ptr": torch.zeros(100), "y_ptr": torch.zeros(100), "n": 100, "BLOCK": 32})
    try:
        half, whole = (stage(launch, TARGETS["sm_80"]) for stage in (translate_launch, compile_launch))
    except Exception as error:
        yield f"a kernel that doubles 100 numbers cannot be compiled ({type(error).__name__}: {error})"
        return
    if half.translation is None or not whole.result.ok or whole.result.registers is None:
        yield f"a kernel that doubles 100 numbers does not compile: {[item.message for item in whole.findings]}"


def main() -> int:
    """Print what was found; return 1 if there are problems."""
    found = problems()
    print(json.dumps({"triton": triton.__version__, "problems": found, "new_operations": new_operations()}))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
