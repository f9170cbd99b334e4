"""Compile the kernels that a submission launched, for GPUs that need not be there; runs nothing, grades nothing."""

from tritonpuzzles.engine.compiler.compile import compile_launch
from tritonpuzzles.engine.compiler.inspection import Row, inspection, predicted_share
from tritonpuzzles.engine.compiler.launch import Launch
from tritonpuzzles.engine.compiler.outcome import CompileOutcome, Occupancy, Resources
from tritonpuzzles.engine.compiler.several import Compiled, compile_launches, distinct
from tritonpuzzles.engine.compiler.targets import DEFAULT_TARGETS, TARGETS, Target

__all__ = [
    "DEFAULT_TARGETS",
    "TARGETS",
    "CompileOutcome",
    "Compiled",
    "Launch",
    "Occupancy",
    "Resources",
    "Row",
    "Target",
    "compile_launch",
    "compile_launches",
    "distinct",
    "inspection",
    "predicted_share",
]
