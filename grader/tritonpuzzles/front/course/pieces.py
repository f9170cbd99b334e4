"""What a workspace gets: a stub and a notebook of every puzzle, a README, the tasks of VS Code."""

from __future__ import annotations

from dataclasses import dataclass

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front.course.readme import readme
from tritonpuzzles.front.course.vscode import tasks
from tritonpuzzles.front.workspace.shipped import notebook_files, stub_file

README, TASKS = "README.md", ".vscode/tasks.json"


@dataclass(frozen=True)
class Piece:
    """One file.

    Attributes:
        path: in the workspace, `puzzles/p03_online_softmax.py`.
        data: what this version ships.
        puzzle: whose stub it is.
    """

    path: str
    data: bytes
    puzzle: Puzzle | None = None


def pieces() -> list[Piece]:
    """Return everything that a workspace of the open pack gets.

    Raises:
        FrontError: if the installation has no stub of a puzzle.
    """
    curriculum, notebooks = load_curriculum(), notebook_files()
    return [
        *(Piece(f"puzzles/{puzzle.stem}.py", stub_file(puzzle).read_bytes(), puzzle) for puzzle in curriculum.puzzles),
        *(Piece(f"notebooks/{path.name}", path.read_bytes()) for path in notebooks),
        Piece(README, readme(curriculum, bool(notebooks))),
        Piece(TASKS, tasks()),
    ]
