"""Notebooks for nbgrader, and tests for otter: the same line, whose value is the score, in the form of each.

Both run it where the student's own code has run, and believe what it gives: docs/platforms.md says what that means.
"""

from __future__ import annotations

import json
from typing import Any

from tritonpuzzles.front.classroom.platforms.scripts import OTTER
from tritonpuzzles.front.classroom.settings import Assigned, ClassSettings
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.workspace.shipped import notebook_files

LEFT_OUT = ("about-check", "check", "about-trace", "trace", "about-bench", "bench", "next")  # roles of cells
TITLE = "## Score\n\nChecks the cell above once more. The number below is what this puzzle is worth to you."
SCHEMA = 3  # of nbgrader's metadata


def nbgrader_files(settings: ClassSettings) -> dict[str, bytes]:
    """Return a source notebook for each puzzle, with a locked cell that nbgrader reads the score from.

    Raises:
        FrontError: if there is no notebook of a puzzle.
    """
    shipped = {path.stem: path for path in notebook_files()}
    made = {}
    for assigned in settings.assigned:
        stem = assigned.puzzle.stem
        if stem not in shipped:
            told = f"There is no notebook of puzzle {assigned.puzzle.number}."
            raise FrontError(told, "tritonpuzzles notebook build makes those of a folder")
        notebook = json.loads(shipped[stem].read_text(encoding="utf-8"))
        made[f"source/tritonpuzzles/{stem}.ipynb"] = _with_score(notebook, assigned)
    return made


def _with_score(notebook: dict[str, Any], assigned: Assigned) -> bytes:
    name = f"p{assigned.puzzle.number:02d}"
    cells = [cell for cell in notebook["cells"] if cell["id"] not in {f"{name}-{role}" for role in LEFT_OUT}]
    about = {"grade_id": f"{name}-score", "grade": True, "solution": False, "task": False, "locked": True}
    about |= {"points": assigned.points, "schema_version": SCHEMA}
    score: dict[str, Any] = {"cell_type": "code", "execution_count": None, "id": f"{name}-score", "outputs": []}
    score |= {"metadata": {"nbgrader": about}, "source": [*score_line(assigned).splitlines(keepends=True)]}
    title = {"cell_type": "markdown", "id": f"{name}-about-score", "metadata": {}, "source": [TITLE]}
    return f"{json.dumps({**notebook, 'cells': [*cells, title, score]}, indent=1, ensure_ascii=False)}\n".encode()


def score_line(assigned: Assigned) -> str:
    """Return the code whose value is the score."""
    return f"import tritonpuzzles\n\ntritonpuzzles.check({assigned.puzzle.number}).score(points={assigned.points})"


def otter_files(settings: ClassSettings) -> dict[str, bytes]:
    """Return a test file for each puzzle, in the form that otter shares with OK."""
    made = {}
    for assigned in settings.assigned:
        number = str(assigned.puzzle.number)
        text = OTTER.replace("{{number}}", number).replace("{{points}}", str(assigned.points))
        made[f"tests/q{number}.py"] = text.encode()
    return made
