"""Triton without a GPU: interpret a kernel's whole grid at once, and trace every byte it moves.

Everything that uses Triton's private interpreter API is in this folder; selftest.py lists the versions it has
been run on.
"""

from tritonpuzzles.engine.interpreter.errors import KernelError, NeedlessProgramsError
from tritonpuzzles.engine.interpreter.footprints import Footprint
from tritonpuzzles.engine.interpreter.seen import ArgumentTrace, LaunchTrace
from tritonpuzzles.engine.interpreter.states import BatchStates, Event
from tritonpuzzles.engine.interpreter.tracer import Tracer

__all__ = [
    "ArgumentTrace",
    "BatchStates",
    "Event",
    "Footprint",
    "KernelError",
    "LaunchTrace",
    "NeedlessProgramsError",
    "Tracer",
]
