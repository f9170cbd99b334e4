"""Shared by all tests: the fixture curriculum and a way to check a piece of source."""

from __future__ import annotations

import gc
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from tritonpuzzles.curriculum.reading import load_puzzle
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.judge.options import CACHE
from tritonpuzzles.results.check import PuzzleResult

os.environ.pop("PYTHONUNBUFFERED", None)  # a convenience of this machine's would hide what buffering loses
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # and this one would have each process compile what it imports
sys.dont_write_bytecode = False
os.environ.setdefault(
    "OMP_NUM_THREADS", "1"
)  # pytest's processes share the cores: torch's threads would wait, spinning
settings.register_profile("untimed", deadline=None)  # no test asserts a time
settings.load_profile("untimed")
gc.disable()  # it finds nothing in what is being imported

FIXTURE = Path(__file__).parent / "fixture"
Check = Callable[..., PuzzleResult]


def pytest_configure(config: pytest.Config) -> None:
    """Compile each kernel once for all tests that check one, in whichever of pytest's processes; never across runs."""
    if not hasattr(config, "workerinput"):  # the others have their environment from this one
        folder = tempfile.TemporaryDirectory(prefix="kernels-")
        config.add_cleanup(folder.cleanup)
        os.environ[CACHE] = folder.name


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest."""
    items.sort(key=lambda item: item.get_closest_marker("first") is None)


def pytest_collection_finish() -> None:
    """Leave what is imported by now out of all later collections, and compute on one thread in this process.

    The judge asks for a collection behind each file.
    """
    gc.collect()
    gc.freeze()
    gc.enable()
    if "torch" in sys.modules:  # its threads wait for each other, spinning, where pytest's processes share the cores
        sys.modules["torch"].set_num_threads(1)


def pytest_unconfigure() -> None:
    """Let what holds each other be found in the end: Triton's bindings complain of what is not."""
    gc.unfreeze()


@pytest.fixture(scope="session")
def square() -> Puzzle:
    """The fixture curriculum's puzzle: y = x * x."""
    return load_puzzle(FIXTURE / "records" / "p01_square.toml", FIXTURE / "hints" / "p01_square.md")


@pytest.fixture
def square_source() -> str:
    """Source of its solution."""
    return (FIXTURE / "solutions" / "p01_square.py").read_text()


@pytest.fixture
def check_source(square: Puzzle, tmp_path: Path) -> Check:
    """Return a function that checks source text, or bytes, against the fixture puzzle on the CPU."""
    from tritonpuzzles.judge.check import check
    from tritonpuzzles.judge.options import CheckOptions

    def run(source: str | bytes, name: str = "p01_square.py", **options: object) -> PuzzleResult:
        path = tmp_path / name
        path.write_bytes(source if isinstance(source, bytes) else source.encode())
        asked = CheckOptions(**{"device": "cpu", "seed": 3, **options})  # type: ignore[arg-type]
        return check([(square, path)], asked).results[0]

    return run
