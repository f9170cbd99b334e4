"""Files that bring a test of their own and run it when they are imported, on "cuda": here on the CPU, interpreted.

No reference is needed for what the ledger sees: accesses out of bounds, races, lanes and memory that are undefined.
Exceptions mean that a file asks for what a machine without a GPU, or this version of Triton, does not have.
"""

from __future__ import annotations

import contextlib
import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import benchmarks.public  # noqa: F401 - stands in for a GPU
import torch
from torch.overrides import TorchFunctionMode

from tritonpuzzles.engine.interpreter import Tracer


@dataclass(frozen=True)
class Outcome:
    """What one file came to: launches, facts as "code, line: text", and the exception that ended it, if one did."""

    launches: int
    facts: tuple[str, ...]
    error: str = ""


class OnTheCpu(TorchFunctionMode):
    """Lets PyTorch do on the CPU what it is told to do on "cuda"."""

    def __torch_function__(
        self, function: Callable[..., Any], types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if function == torch.Tensor.is_cuda.__get__:  # type: ignore[attr-defined]
            return True
        if function is torch.Tensor.cuda:
            return args[0]
        return function(*map(_moved, args), **{name: _moved(value) for name, value in (kwargs or {}).items()})


def _moved(value: Any) -> Any:
    is_there = isinstance(value, (str, torch.device)) and str(value).startswith("cuda")
    return torch.device("cpu") if is_there else value


def run_file(path: Path) -> Outcome:
    """Import a file, which runs its test, and return what the interpreter has seen."""
    torch.cuda.synchronize = lambda *_: None
    torch.cuda.current_device = lambda: 0
    torch.cuda.device = lambda *_: contextlib.nullcontext()  # type: ignore[assignment, misc]
    torch.cuda._DeviceGuard = lambda *_: contextlib.nullcontext()  # type: ignore[assignment, misc]
    torch.manual_seed(0)
    error = ""
    specification = importlib.util.spec_from_file_location(f"own_{path.stem}", path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[module.__name__] = module
    with Tracer(user_file=str(path)) as tracer, OnTheCpu():
        try:
            specification.loader.exec_module(module)
        except Exception as exception:
            error = f"{type(exception).__name__}: {exception}"[:200]
    text = path.read_text(encoding="utf-8").splitlines()
    facts = [f"{fact.code}, {fact.line}: {text[fact.line - 1].strip()}" for fact in tracer.facts if fact.line]
    return Outcome(len(tracer.launches), tuple(facts), error)
