"""Traces of real files in real workers, made once for all of pytest's processes."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.front.conftest import run, workspace
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.judge.options import CACHE, CheckOptions
from tritonpuzzles.judge.trace import trace
from tritonpuzzles.results.trace import Trace

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["last_maximum", "run", "solution", "unmasked", "workspace"]

ROOT = Path(__file__).parents[2]
WRONG = ROOT / "tests" / "mutants" / "p03_online_softmax" / "wrong"


@cache
def traced(path: Path) -> Trace:
    """Return a file's trace; where another process has made it in this run, that one's."""
    kept = Path(os.environ[CACHE]) / f"{path.parent.parent.name}-{path.stem}.trace"
    if kept.exists():
        found: Trace = pickle.loads(kept.read_bytes())
        return found
    found = traced_now(path)
    new = kept.with_suffix(f".{os.getpid()}")
    new.write_bytes(pickle.dumps(found))
    new.replace(kept)
    return found


def traced_now(path: Path) -> Trace:
    puzzle = load_curriculum().find(path.stem if path.parent.name == "solutions" else path.parent.parent.name)
    return trace(puzzle, path, CheckOptions("cpu", seed=1), picture=True)


@pytest.fixture(scope="session")
def solution() -> Callable[[int], Trace]:
    """Return a function that traces a puzzle's solution."""
    return lambda number: traced(next((ROOT / "solutions").glob(f"p{number:02d}_*.py")))


@pytest.fixture(scope="session")
def unmasked() -> Trace:
    """A kernel that stores its last tile without a mask, into the next row."""
    return traced(WRONG / "no_store_mask.py")


@pytest.fixture(scope="session")
def last_maximum() -> Trace:
    """A kernel that subtracts the last tile's maximum alone, which one case tells."""
    return traced(ROOT / "tests" / "mutants" / "p02_blocked_softmax" / "wrong" / "max_of_the_last_tile.py")


def trace_figures(found: Trace, dark: bool = False) -> list[Figure]:
    """Return each picture of a trace as a figure."""
    from tritonpuzzles.front.pictures.sheet import drawings

    return [drawing.figure(dark) for drawing in drawings(found)]


def trace_words(found: Trace) -> list[str]:
    """Return what each picture of a trace shows, in words."""
    from tritonpuzzles.front.pictures.sheet import drawings

    return [drawing.words for drawing in drawings(found)]
