"""From a request to a report: select the puzzles and files, call the judge, and remember the results."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import Curriculum, UnknownPuzzleError, load_curriculum
from tritonpuzzles.front import console
from tritonpuzzles.front.errors import FrontError, refuse_elsewhere
from tritonpuzzles.front.judge_process import judged
from tritonpuzzles.front.notebook.submitted import file_submission, submission
from tritonpuzzles.front.options import with_case
from tritonpuzzles.front.workspace.files import read_small
from tritonpuzzles.front.workspace.folder import Workspace, find_workspace, require_workspace
from tritonpuzzles.front.workspace.history import is_swapped
from tritonpuzzles.front.workspace.progress import Progress, hash_of
from tritonpuzzles.front.workspace.shipped import keep_stubs, refuse_unknown_hosts, solution_file
from tritonpuzzles.front.workspace.state import Entries, State
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.results.check import Report
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.supported import TRIED, TRITON, is_newer

Say = Callable[[str], None]
Judge = Callable[[Sequence[tuple[Puzzle, Submission]], CheckOptions, Say, Path | None], Report]


@dataclass(frozen=True)
class Cell:
    """A notebook's cell, graded in place of the learner's file."""

    submission: Submission  # its text
    file_hash: str  # of the file that holds it
    is_work: bool = True  # whether its result changes progress


@dataclass(frozen=True)
class Source:
    """Where the files under test come from: the workspace, unless one of these is given."""

    solution: bool = False  # the shipped solutions
    file: Path | None = None
    folder: Path | None = None
    cell: Cell | None = None  # it counts as the learner's own file
    by_cells: bool = False  # the workspace; a file that came from a notebook's cell is given the cell's line numbers

    @staticmethod
    def of(solution: bool = False, file: str | Path | None = None, folder: str | Path | None = None) -> Source:
        """Return a source.

        Raises:
            FrontError: if more than one is given, or the folder does not exist.
        """
        if (solution, file is not None, folder is not None).count(True) > 1:
            raise FrontError("--solution, --file and --solutions exclude each other.", "give one of them")
        if folder is not None and not Path(folder).is_dir():
            raise FrontError(f"There is no folder {folder}.", "name one with files such as p03_online_softmax.py")
        return Source(solution, Path(file) if file is not None else None, Path(folder) if folder is not None else None)

    @property
    def own(self) -> bool:
        """Whether the learner's own files are checked: only these change progress."""
        return not self.solution and self.file is None and self.folder is None


@dataclass(frozen=True)
class Request:
    """One check as it was asked for; no names mean the next unsolved puzzle."""

    names: tuple[str, ...] = ()
    source: Source = field(default_factory=Source)
    options: CheckOptions = field(default_factory=CheckOptions)


@dataclass(frozen=True)
class Selection:
    """The resolved request: the files to work on, and the state with their learner's progress."""

    curriculum: Curriculum
    workspace: Workspace | None
    state: State | None
    items: tuple[tuple[Puzzle, Submission], ...]

    @property
    def cache(self) -> Path | None:
        """Where compiled kernels are kept: in the workspace if it can be written to."""
        if self.workspace is None or not os.access(self.workspace.root, os.W_OK):
            return None
        return self.workspace.state_folder / "cache"


@dataclass(frozen=True)
class Graded:
    """A report, with the data for its rendering and for the next step."""

    report: Report
    curriculum: Curriculum
    source: Source
    workspace: Workspace | None
    progress: Entries
    completed: bool = False  # whether this check solved the last puzzle that was open
    case: str | None = None  # the only one that was run


def grade(request: Request, say: Say = lambda _: None, warn: Say = console.warn, judge: Judge | None = None) -> Graded:
    """Check the requested puzzles, and remember the results if the learner's own files were checked.

    Raises:
        FrontError: if a puzzle or folder does not exist.
        RuntimeError: if the grader itself does not work here.
    """
    chosen = select(request, warn)
    judge = judge or _check
    if request.options.case is not None:
        return _grade_one_case(chosen, request, say, judge)
    hashes = {puzzle.slug: _hash(puzzle, file, request.source, chosen.workspace) for puzzle, file in chosen.items}
    report = judge(chosen.items, request.options, say, chosen.cache)
    version = str(report.environment.get("triton", TRITON[0]))
    if is_newer(version):
        warn(f"Triton {version} is newer than what the grader was tried with ({TRIED}). It passes the self-test.")
    entries, completed = _remember(report, hashes, chosen, request.source)
    return Graded(report, chosen.curriculum, request.source, chosen.workspace, entries, completed)


def _check(items: Sequence[tuple[Puzzle, Submission]], options: CheckOptions, say: Say, cache: Path | None) -> Report:
    from tritonpuzzles.judge.check import check

    return judged(check, items, options, progress=say, cache=cache, asked=time.perf_counter())


def _grade_one_case(chosen: Selection, request: Request, say: Say, judge: Judge) -> Graded:
    """Run one case of one puzzle; what it says first is remembered, for `hint`."""
    options = request.options
    if len(chosen.items) != 1:
        raise FrontError(f"--case goes with one puzzle, not {len(chosen.items)}.", 'tritonpuzzles check 3 --case "..."')
    ((puzzle, file),) = chosen.items
    assert options.case is not None
    report = judge([(with_case(puzzle, options.case, options.device), file)], options, say, chosen.cache)
    entries = chosen.state.read() if chosen.state else {}
    if chosen.state and chosen.workspace and request.source.own and not is_swapped(chosen.workspace, puzzle):
        (result,) = report.results

        def change(entries: Entries) -> None:
            entries[result.slug] = entries.get(result.slug, Progress()).after_one_case(result)

        entries = chosen.state.update(change)
    return Graded(report, chosen.curriculum, request.source, chosen.workspace, entries, case=options.case)


def select(request: Request, warn: Say = console.warn) -> Selection:
    """Find the puzzles and files that a request means, to be run.

    Raises:
        FrontError: if a puzzle or folder does not exist, or nothing can be run here.
        RecordError: if a record names a host function that its stub lacks.
    """
    refuse_elsewhere()
    curriculum = load_curriculum()
    workspace = require_workspace() if request.source.own else find_workspace()
    state = State(workspace.state_folder, warn) if workspace else None
    puzzles = choose(request, curriculum, state.read() if state else {})
    if workspace is not None:
        keep_stubs(workspace, warn)
        if request.source.own:
            _refuse_other_files(request.names, curriculum, workspace)
    refuse_unknown_hosts(puzzles)
    items = tuple((puzzle, _file(puzzle, request.source, workspace)) for puzzle in puzzles)
    return Selection(curriculum, workspace, state, items)


def choose(request: Request, curriculum: Curriculum, progress: Entries) -> tuple[Puzzle, ...]:
    """Return the puzzles to check: those named, that of `--file`, or the next unsolved one; all if all are solved.

    Raises:
        FrontError: if a name is unknown, or `--file` is given for more than one puzzle.
    """
    file = request.source.file
    names = request.names or ((file.stem,) if file else ())
    try:
        chosen = curriculum.select(names)
    except UnknownPuzzleError as error:
        if file is not None and not request.names:
            raise FrontError(f"Which puzzle is {file.name}?", f"tritonpuzzles check 3 --file {file}") from error
        raise FrontError(str(error), "tritonpuzzles list") from error
    if file is not None and len(chosen) != 1:
        raise FrontError(f"--file goes with one puzzle, not {len(chosen)}.", f"tritonpuzzles check 3 --file {file}")
    if names:
        return chosen
    following = next_unsolved(curriculum, progress)
    return (following,) if following else curriculum.puzzles


def next_unsolved(curriculum: Curriculum, progress: Entries) -> Puzzle | None:
    """Return the first puzzle that is not solved yet."""
    return next((p for p in curriculum.puzzles if not progress.get(p.slug, Progress()).solved), None)


def _file(puzzle: Puzzle, source: Source, workspace: Workspace | None) -> Submission:
    if source.solution:
        return Submission.of(solution_file(puzzle))
    if source.folder is not None:
        notebook = source.folder / f"{puzzle.stem}.ipynb"
        file = source.folder / f"{puzzle.stem}.py"
        return submission(notebook if notebook.is_file() and not file.exists() else file, puzzle)
    if source.file is not None:
        return submission(source.file, puzzle)
    if source.cell is not None:
        return source.cell.submission
    assert workspace is not None
    return file_submission(workspace, puzzle) if source.by_cells else Submission.of(workspace.file(puzzle))


def _refuse_other_files(names: tuple[str, ...], curriculum: Curriculum, workspace: Workspace) -> None:
    """Refuse a path outside the workspace: its name would find a puzzle, and another file would be checked."""
    for name in names:
        if name.endswith((".py", ".ipynb")) and os.path.exists(name):
            own = workspace.file(curriculum.find(name))
            if not own.exists() or not os.path.samefile(name, own):
                raise FrontError(f"{name} is not the file in your workspace.", f"tritonpuzzles check --file {name}")


def _hash(puzzle: Puzzle, file: Submission, source: Source, workspace: Workspace | None) -> str | None:
    """Return the hash of the file under test; of a cell, of the file that holds it."""
    if source.cell is not None:
        return source.cell.file_hash
    try:
        return hash_of(read_small(workspace.file(puzzle) if file.in_cell and workspace else file.opened))
    except OSError:
        return None


def _remember(report: Report, hashes: dict[str, str | None], chosen: Selection, source: Source) -> tuple[Entries, bool]:
    """Write the results of the learner's own files into the state; a solution that is swapped in is not theirs.

    Returns:
        The entries as they are now, and whether these results solved the last puzzle that was open.
    """
    state, workspace, curriculum = chosen.state, chosen.workspace, chosen.curriculum
    if state is None or workspace is None or not source.own:
        return state.read() if state else {}, False
    theirs = report.results
    if source.cell is None:
        theirs = tuple(one for one in theirs if not is_swapped(workspace, curriculum.find(one.slug)))
    elif not source.cell.is_work:
        theirs = ()
    completed = False

    def change(entries: Entries) -> None:
        nonlocal completed
        was_open = next_unsolved(curriculum, entries) is not None
        for result in theirs:
            before = entries.get(result.slug, Progress())
            entries[result.slug] = before.after(result, hashes.get(result.slug))
        completed = was_open and next_unsolved(curriculum, entries) is None

    entries = state.update(change)
    return entries, completed


def select_one(command: str, name: str | None, source: Source) -> tuple[Selection, Puzzle, Submission]:
    """Return the one puzzle and file that a command line names; without a number, the next unsolved puzzle.

    Raises:
        FrontError: if it means several, or none.
    """
    selection = select(Request((name,) if name is not None else (), source))
    if len(selection.items) != 1:
        raise FrontError(f"{command} takes one puzzle, not {len(selection.items)}.", f"tritonpuzzles {command} 3")
    return selection, *selection.items[0]
