"""A workspace as `init` makes it, the program, and notebooks run by a real kernel."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

import nbformat
import pytest
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

from tests.program import run_here
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front.workspace.folder import Workspace
from tritonpuzzles.judge.options import CACHE

ROOT = Path(__file__).parents[2]
PUZZLES = load_curriculum().puzzles
FORGET = """
for magics in get_ipython().magics_manager.magics.values():
    for name in [name for name, magic in magics.items() if magic.__module__.startswith("tritonpuzzles")]:
        del magics[name]
get_ipython().extension_manager.loaded.discard("tritonpuzzles")
%reset -f
"""


def environment(home: Path) -> dict[str, str]:
    """Return an environment without a GPU, in which nothing of the user's own IPython counts."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("TRITONPUZZLES") or key == CACHE}
    path = f"{ROOT / 'grader'}{os.pathsep}{ROOT}"
    return {**kept, "PYTHONPATH": path, "CUDA_VISIBLE_DEVICES": "", "IPYTHONDIR": str(home / "ipython")}


def run(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run `tritonpuzzles` with these words in this process."""
    return run_here(words, cwd, environment(cwd))


def new_workspace(folder: Path) -> Workspace:
    """Return a workspace as `tritonpuzzles init` makes it."""
    done = run("init", str(folder), cwd=folder.parent)
    assert done.returncode == 0, done.stderr
    return Workspace(folder)


def execute(notebooks: Iterable[nbformat.NotebookNode], folder: Path) -> None:
    """Run notebooks in a folder, one after the other, in a kernel that each of them finds as if it were its own.

    An exception in a cell raises.
    """
    asyncio.run(_execute(list(notebooks), folder))


async def _execute(notebooks: list[nbformat.NotebookNode], folder: Path) -> None:
    kernel = AsyncKernelManager(kernel_name="python3")
    try:
        for notebook in notebooks:
            for cells in ([nbformat.v4.new_code_cell(FORGET)], notebook["cells"]):
                run_now = nbformat.v4.new_notebook(cells=cells)
                resources = {"metadata": {"path": str(folder)}}
                client = NotebookClient(run_now, timeout=300, km=kernel, resources=resources)
                await client.async_execute(env=environment(folder))
                client.kc.stop_channels()
    finally:
        await kernel.shutdown_kernel(now=True)


def shown(cell: nbformat.NotebookNode, kind: str = "text/plain") -> str:
    """Return what a cell displays as one kind of data."""
    return "\n".join(output["data"][kind] for output in cell["outputs"] if kind in output.get("data", {}))


def printed(cell: nbformat.NotebookNode) -> str:
    """Return what a cell prints."""
    return "".join(output["text"] for output in cell["outputs"] if output["output_type"] == "stream")


def has_bench(puzzle: Puzzle) -> bool:
    """Return whether `bench` times a puzzle over sizes."""
    return puzzle.benchmark is not None and puzzle.benchmark.bench is not None


def cell_of(notebook: nbformat.NotebookNode, role: str) -> nbformat.NotebookNode:
    """Return the cell of a role, such as `solve`."""
    return next(cell for cell in notebook["cells"] if cell["id"].partition("-")[2] == role)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A fresh workspace."""
    return new_workspace(tmp_path / "course")


@pytest.fixture
def online() -> Puzzle:
    """Puzzle 3."""
    return next(puzzle for puzzle in PUZZLES if puzzle.number == 3)
