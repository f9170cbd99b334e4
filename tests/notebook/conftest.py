"""A workspace as `init` makes it, the real program, and notebooks run by a real kernel."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front.workspace import Workspace

ROOT = Path(__file__).parents[2]
PUZZLES = load_curriculum().puzzles
AT_ONCE = 2


def environment(home: Path) -> dict[str, str]:
    """Return an environment without a GPU, in which nothing of the user's own IPython counts."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("TRITONPUZZLES")}
    return {**kept, "PYTHONPATH": str(ROOT / "grader"), "CUDA_VISIBLE_DEVICES": "", "IPYTHONDIR": str(home / "ipython")}


def run(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run `tritonpuzzles` with these words."""
    command = [sys.executable, "-m", "tritonpuzzles", *words]
    return subprocess.run(command, cwd=cwd, env=environment(cwd), capture_output=True, text=True, timeout=300)


def new_workspace(folder: Path) -> Workspace:
    """Return a workspace as `tritonpuzzles init` makes it."""
    done = run("init", str(folder), cwd=folder.parent)
    assert done.returncode == 0, done.stderr
    return Workspace(folder)


def execute(notebooks: Mapping[str, nbformat.NotebookNode], folder: Path) -> None:
    """Run notebooks in a folder, two at once, each by a kernel of its own; an exception in a cell raises."""
    asyncio.run(_execute(notebooks, folder))


async def _execute(notebooks: Mapping[str, nbformat.NotebookNode], folder: Path) -> None:
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(notebook: nbformat.NotebookNode) -> None:
        async with gate:
            resources = {"metadata": {"path": str(folder)}}
            client = NotebookClient(notebook, timeout=120, kernel_name="python3", resources=resources)
            await client.async_execute(env=environment(folder))

    await asyncio.gather(*(one(notebook) for notebook in notebooks.values()))


def shown(cell: nbformat.NotebookNode, kind: str = "text/plain") -> str:
    """Return what a cell displays as one kind of data."""
    return "\n".join(output["data"][kind] for output in cell["outputs"] if kind in output.get("data", {}))


def printed(cell: nbformat.NotebookNode) -> str:
    """Return what a cell prints."""
    return "".join(output["text"] for output in cell["outputs"] if output["output_type"] == "stream")


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
