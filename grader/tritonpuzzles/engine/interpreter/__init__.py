"""Triton without a GPU: interpret a kernel's whole grid at once, and see every byte it moves.

Everything that touches Triton's private interpreter API is in this folder; selftest.py says which versions it has
been run on.
"""

from .errors import KernelError, UnsupportedOperation
from .ledger import Access
from .records import ArgumentTrace, LaunchTrace
from .tracer import Tracer

__all__ = ["Access", "ArgumentTrace", "KernelError", "LaunchTrace", "Tracer", "UnsupportedOperation"]
