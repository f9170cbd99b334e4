"""Inline assembly on the CPU: single float32 instructions of PTX that kernels use; all other is refused.

Computed in float64 and rounded once, so that the last places may differ from what a GPU approximates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from tritonpuzzles.engine.interpreter.errors import NotOnCpu
from tritonpuzzles.engine.interpreter.values import Array

_INSTRUCTION = re.compile(r"([a-z0-9]+)((?:\.(?:approx|ftz|rn|full))*)\.f32\s+\$0((?:\s*,\s*\$\d)+)\s*;?")
_CONSTRAINTS = re.compile(r"=f(?:,f)+")
_FUNCTIONS: dict[str, Callable[..., Array]] = {
    "abs": np.abs,
    "add": np.add,
    "cos": np.cos,
    "div": np.divide,
    "ex2": np.exp2,
    "fma": lambda a, b, c: a * b + c,
    "lg2": np.log2,
    "max": np.fmax,
    "min": np.fmin,
    "mov": np.positive,
    "mul": np.multiply,
    "neg": np.negative,
    "rcp": np.reciprocal,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sin": np.sin,
    "sqrt": np.sqrt,
    "sub": np.subtract,
    "tanh": np.tanh,
}
_SHOWN = 40  # characters


def compute(text: str, constraints: str, arguments: Sequence[Array], pack: int) -> Array:
    """Apply one instruction to float32 arrays that broadcast.

    Raises:
        NotOnCpu: if it is not among those that are known here.
    """
    found = _INSTRUCTION.fullmatch(" ".join(text.split()))
    function = _FUNCTIONS.get(found[1]) if found else None
    registers = re.findall(r"\$(\d)", found[3]) if found else []
    plain = pack == 1 and _CONSTRAINTS.fullmatch(constraints.replace(" ", ""))
    if function is None or not plain or registers != [str(i + 1) for i in range(len(arguments))]:
        shown = " ".join(text.split())
        raise NotOnCpu(f"inline assembly ({shown[:_SHOWN]}{'...' if len(shown) > _SHOWN else ''})")
    with np.errstate(all="ignore"):
        result: Array = function(*(array.astype(np.float64) for array in arguments)).astype(np.float32)
    return result
