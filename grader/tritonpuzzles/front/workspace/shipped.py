"""The files of tritonpuzzles: unedited stubs, solutions, notebooks, pages of `docs/`; and what a workspace received.

An installed wheel contains them in `_workspace/`. A clone has the solutions in `solutions/`, but the learner edits its
`puzzles/`. Git cannot restore the stubs: it may be absent, and learners commit. So the first command that writes to a
clone copies the stubs into `.tritonpuzzles/stubs/`, from the copy that `pip install -e` placed in site-packages before
any edit. A kept stub is never overwritten, so a second install after edits does no harm.

`.tritonpuzzles/shipped.json` records the texts that a workspace received: a file that still has such a text was not
edited. Losing the record loses no work: without it a file counts as edited.
"""

from __future__ import annotations

import ast
import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from tritonpuzzles.curriculum.pack import SHIPPED, pack_folder
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.curriculum.tables import RecordError
from tritonpuzzles.decoding.marks import nearest
from tritonpuzzles.front.errors import ExitCode, FrontError
from tritonpuzzles.front.workspace.files import locked, read_small, write_atomically
from tritonpuzzles.front.workspace.folder import Workspace, why

NO_SOLUTIONS = "This is a student edition: it has no solutions."
STUBS = ".tritonpuzzles/stubs"  # of a clone
NAME, VERSION = "shipped.json", 1  # of the record of what a workspace got


def solution_file(puzzle: Puzzle) -> Path:
    """Return the path of the shipped solution.

    Raises:
        FrontError: if the installation has none.
    """
    refuse_without_solutions(puzzle)
    return _first([folder / "solutions" for folder in _roots()], puzzle, "solution")


def has_solutions() -> bool:
    """Return whether the open pack comes with solutions: a student edition has none."""
    return load_curriculum().pack.solutions


def refuse_without_solutions(puzzle: Puzzle) -> None:
    """Refuse what needs a solution in a student edition.

    Raises:
        FrontError: if the open pack has no solutions.
    """
    if not has_solutions():
        raise FrontError(NO_SOLUTIONS, f"tritonpuzzles hint {puzzle.number}")


def tuned_file(puzzle: Puzzle) -> Path | None:
    """Return the path of the tuned solution, where the puzzle has one."""
    paths = (folder / "solutions" / "tuned" / f"{puzzle.stem}.py" for folder in _roots())
    return next((path for path in paths if path.is_file()), None)


def stub_file(puzzle: Puzzle) -> Path:
    """Return the path of a puzzle's file as it was before any edit.

    Raises:
        FrontError: if the installation has none.
    """
    return _first(stub_folders(), puzzle, "stub")


def notebook_files() -> list[Path]:
    """Return the paths of the shipped notebooks; none for a curriculum without."""
    found = (sorted((folder / "notebooks").glob("*.ipynb")) for folder in _roots())
    return next((paths for paths in found if paths), [])


def docs_pages() -> list[Path]:
    """Return the paths of the pages about tritonpuzzles itself, whatever pack is open.

    Raises:
        FrontError: if the installation has none.
    """
    clone = _clone()
    found = [path for root in ([clone] if clone else _installed()) for path in sorted((root / "docs").glob("*.md"))]
    if not found:
        raise FrontError("This installation has no pages.", "tritonpuzzles doctor", ExitCode.FAULT)
    return found


def keep_stubs(workspace: Workspace, warn: Callable[[str], None]) -> None:
    """Keep the stubs of a clone before its learner edits them; elsewhere the package has them."""
    try:
        clone = _clone()
        if clone is None or not is_clone(workspace):
            return
        kept = clone / STUBS
        missing = [puzzle for puzzle in load_curriculum().puzzles if not (kept / f"{puzzle.stem}.py").exists()]
        with locked(workspace.state_folder) if missing else contextlib.nullcontext():
            for puzzle in missing:
                with contextlib.suppress(FrontError):  # a puzzle that is being written: nothing to keep yet
                    stub = stub_file(puzzle)
                    write_atomically(kept / stub.name, stub.read_bytes())
    except OSError as error:
        warn(f"The stubs cannot be kept for `tritonpuzzles reset`: {why(error)}.")


def is_clone(workspace: Workspace) -> bool:
    """Return whether a workspace is the clone that this package runs from: its files come with git."""
    clone = _clone()
    return clone is not None and _custom() is None and os.path.samefile(workspace.root, clone)


def _first(folders: list[Path], puzzle: Puzzle, what: str) -> Path:
    for folder in folders:
        path = folder / f"{puzzle.stem}.py"
        if path.is_file():
            return path
    text = f"This installation has no {what} of puzzle {puzzle.number}, {puzzle.slug}"
    if _custom() is None:
        raise FrontError(f"{text}.", "tritonpuzzles doctor", ExitCode.FAULT)
    looked = " and ".join(str(folder / f"{puzzle.stem}.py") for folder in folders)
    text = f"The pack has no {what} of puzzle {puzzle.number}, {puzzle.slug}: there is no {looked}."
    raise FrontError(text, f"Write the file, in the pack's folder {folders[0].name}/.", ExitCode.FAULT)


def stub_folders() -> list[Path]:
    """Return the folders in which stubs are looked for, in order."""
    clone = _clone()
    if clone is None or _custom() is not None:
        return [root / "puzzles" for root in _roots()]
    return [clone / STUBS, *(folder / "puzzles" for folder in _installed()), clone / "puzzles"]


def _roots() -> list[Path]:
    """Return the folders with `puzzles/` and `solutions/`: a custom pack's only, else the clone's, else the wheel's."""
    custom, clone = _custom(), _clone()
    if custom is not None:
        return [custom]
    return [clone, *_installed()] if clone is not None else _installed()


def _custom() -> Path | None:
    return pack_folder() if pack_folder() != SHIPPED else None


def _clone() -> Path | None:
    """Return the root of the clone that this package runs from, if it does."""
    root = Path(__file__).resolve().parents[4]
    return root if (root / "grader").is_dir() and (root / "solutions").is_dir() else None


def _installed() -> list[Path]:
    """Return the package's own copies: inside it in a wheel, beside the link to the clone in an editable install.

    A student edition has its own alone, whatever else is installed.
    """
    if (SHIPPED / "puzzles").is_dir():
        return [SHIPPED]
    candidates = (Path(entry) / "tritonpuzzles" / "_workspace" for entry in sys.path if entry)
    return [folder for folder in candidates if folder.is_dir()]


def in_package(file: Path) -> Path | None:
    """Return the path of one of the package's own copies, from the folder that holds them; `None` for another file."""
    return next((file.relative_to(folder) for folder in _installed() if file.is_relative_to(folder)), None)


def shipped_hashes(workspace: Workspace) -> dict[str, str]:
    """Return the hash of the text that each file got last, by path in the workspace."""
    with contextlib.suppress(OSError, ValueError, RecursionError):
        data = json.loads(read_small(workspace.state_folder / NAME))
        files = data.get("files") if isinstance(data, dict) else None
        if isinstance(files, dict):
            return {path: found for path, found in files.items() if isinstance(found, str)}
    return {}


def remember_shipped(workspace: Workspace, hashes: Mapping[str, str]) -> None:
    """Record the hashes of the texts that files received, by path in the workspace; the caller holds its lock."""
    before = shipped_hashes(workspace)
    files = {**before, **hashes}
    if files != before:
        written = json.dumps({"version": VERSION, "files": dict(sorted(files.items()))}, indent=2)
        write_atomically(workspace.state_folder / NAME, written.encode() + b"\n")


def refuse_unknown_hosts(puzzles: Iterable[Puzzle]) -> None:
    """Refuse a record whose host function is not in its puzzle's stub.

    A stub that is missing or unreadable is ignored here: other checks report it.

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
    """Return the top-level names of a stub; none if it cannot be read."""
    try:
        tree = ast.parse(stub_file(puzzle).read_bytes())
    except (FrontError, OSError, SyntaxError, ValueError):
        return []
    names = [node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    targets = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    return names + [target.id for target in targets if isinstance(target, ast.Name)]
