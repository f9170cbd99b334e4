"""Compile the kernels that a submission launched; needs no GPU, runs nothing, grades nothing."""

from tritonpuzzles.compiler.build import Budget
from tritonpuzzles.compiler.compile import Announce, Compiled, compile_launch, compile_launches, distinct
from tritonpuzzles.compiler.launch import Launch
from tritonpuzzles.compiler.outcome import CompileOutcome
from tritonpuzzles.hardware.gpus import DEFAULT_TARGETS, TARGETS, Target

__all__ = [
    "DEFAULT_TARGETS", "TARGETS", "Announce", "Budget", "CompileOutcome", "Compiled", "Launch", "Target",
    "compile_launch", "compile_launches", "distinct",
]  # fmt: skip
