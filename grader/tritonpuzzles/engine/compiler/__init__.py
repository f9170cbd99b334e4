"""Compile the kernels that a submission launched, for GPUs that need not be there; runs nothing, grades nothing."""

from tritonpuzzles.engine.compiler.budget import Budget
from tritonpuzzles.engine.compiler.compile import compile_launch
from tritonpuzzles.engine.compiler.launch import Launch
from tritonpuzzles.engine.compiler.outcome import CompileOutcome
from tritonpuzzles.engine.compiler.several import Compiled, compile_launches, distinct
from tritonpuzzles.hardware.targets import DEFAULT_TARGETS, TARGETS, Target

__all__ = [
    "DEFAULT_TARGETS",
    "TARGETS",
    "Budget",
    "CompileOutcome",
    "Compiled",
    "Launch",
    "Target",
    "compile_launch",
    "compile_launches",
    "distinct",
]
