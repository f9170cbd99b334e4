"""Check the installed Triton against what the engine relies on; say which versions it has been run on.

python -m tritonpuzzles.engine.interpreter.selftest    prints one JSON object; `doctor` runs it
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Iterator
from typing import Any

import torch
import triton
import triton.language as tl
from triton.compiler.code_generator import CodeGenerator
from triton.language.semantic import TritonSemantic
from triton.runtime import autotuner, interpreter, jit

from tritonpuzzles.engine.interpreter.builder import unknown_operations
from tritonpuzzles.engine.interpreter.language import patches
from tritonpuzzles.engine.interpreter.tracer import Tracer

_EXPECTED_UNKNOWN = {"create_dot_scaled", "create_atomic_poll"}


@triton.jit  # type: ignore[untyped-decorator]
def _double(x_ptr: Any, y_ptr: Any, n: Any, BLOCK: tl.constexpr) -> None:
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n, other=0.0) * 2, mask=offsets < n)


def problems() -> list[str]:
    """Return what the engine relies on and does not find, in words; empty is good."""
    return [*_missing_names(), *_unexpected_operations(), *_wrong_results()]


def _missing_names() -> Iterator[str]:
    wanted = {
        interpreter: ("InterpreterBuilder", "InterpreterOptions", "TensorHandle"),
        jit: ("JITFunction", "TensorWrapper", "mangle_type"),
        jit.JITFunction: ("run", "__call__", "get_capture_scope"),
        autotuner.Autotuner: ("run",),
        tl.core: ("is_builtin", "TRITON_BUILTIN", "tensor", "tuple", "tuple_type", "dtype", "constexpr"),
        CodeGenerator: ("visit", "builtin_namespace"),
        tl.standard: ("_sum_combine", "_elementwise_max", "_elementwise_min", "_argmax_combine_tie_break_left"),
        TritonSemantic: ("to_tensor", "make_tensor_descriptor"),
    }
    for owner, names in wanted.items():
        yield from (f"{owner.__name__} has no {name}" for name in names if not hasattr(owner, name))
    attributes = ("raw_src", "starting_line_number", "params", "signature", "fn", "pre_run_hooks")
    yield from (f"a JITFunction has no {name}" for name in attributes if not hasattr(_double, name))


def _unexpected_operations() -> Iterator[str]:
    for name in unknown_operations():
        if name not in _EXPECTED_UNKNOWN:
            yield f"builder operation {name} is new; kernels that use it are refused"


def _wrong_results() -> Iterator[str]:
    before = [inspect.getattr_static(owner, name, None) for owner, name, _ in patches()]
    x = torch.arange(100.0)
    y = torch.zeros(100)
    with Tracer() as tracer:
        _double[(4,)](x, y, 100, BLOCK=32)
    if not torch.equal(y, 2 * x) or tracer.findings or tracer.launches[0].arguments[0].loaded_bytes != 400:
        yield "a kernel that doubles 100 numbers is interpreted wrongly"
    if before != [inspect.getattr_static(owner, name, None) for owner, name, _ in patches()]:
        yield "patches of triton.language stay behind"


def main() -> int:
    """Print what was found; return 1 if there are problems."""
    found = problems()
    print(json.dumps({"triton": triton.__version__, "problems": found}))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
