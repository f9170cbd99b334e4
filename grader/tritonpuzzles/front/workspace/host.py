"""Whether a puzzle's stub defines the function that its record names: if not, the record is wrong."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.tables import RecordError
from tritonpuzzles.decoding.marks import nearest
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.workspace.shipped import stub_file


def refuse_unknown_hosts(puzzles: Iterable[Puzzle]) -> None:
    """Refuse a record whose host function is not in its puzzle's stub.

    A stub that is not there, or cannot be read, says nothing of the record: others tell of it.

    Raises:
        RecordError: with the nearest function of the stub.
    """
    for puzzle in puzzles:
        defined = _functions(puzzle)
        if defined and puzzle.host not in defined:
            near = nearest(puzzle.host, defined)
            what = f"host {puzzle.host!r}: the stub puzzles/{puzzle.stem}.py defines no such function.{near}"
            raise RecordError(f"{puzzle.stem}.toml: {what}")


def _functions(puzzle: Puzzle) -> list[str]:
    """Return what a stub defines at its top; nothing where it cannot be read."""
    try:
        tree = ast.parse(stub_file(puzzle).read_bytes())
    except (FrontError, OSError, SyntaxError, ValueError):
        return []
    names = [node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    targets = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    return names + [target.id for target in targets if isinstance(target, ast.Name)]
