"""`tritonpuzzles swap`, `reset` and `restore`: a learner's file replaced, and put back. What was there is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import click
from rich.text import Text

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front import console
from tritonpuzzles.front.options import a_copy, example, name_argument, puzzle_named, state_of, workspace_to_change
from tritonpuzzles.front.page.model import Column, Table, View
from tritonpuzzles.front.page.terminal import Lines, kept_lines, next_line, rendered
from tritonpuzzles.front.text import compared, one_line
from tritonpuzzles.front.workspace import history
from tritonpuzzles.front.workspace.files import read_small
from tritonpuzzles.front.workspace.folder import Workspace, shown
from tritonpuzzles.front.workspace.history import COMMANDS, Copy, copies
from tritonpuzzles.front.workspace.state import Entries
from tritonpuzzles.results.words import plural

EXPLAINED = "+ and - are the lines that it would bring to the file, and take from it."


@click.command(epilog=example("swap 3"))
@name_argument
def swap_command(name: str) -> None:
    """Put the solution in place of your file, and back.

    Called again, it puts your file back. Nothing is lost.
    """
    puzzle, workspace = puzzle_named(name), workspace_to_change()
    kept = history.swap(workspace, puzzle)
    out, file = console.stdout(), shown(workspace.file(puzzle))
    if history.is_swapped(workspace, puzzle):
        aside = shown(history.swapped_file(workspace, puzzle))
        out.print(Text(f"{file} is the solution now. Your file is put aside in {aside}."))
        out.print(next_line(f"tritonpuzzles check {puzzle.number}; tritonpuzzles swap {puzzle.number} brings it back"))
    else:
        out.print(Text(f"{file} is your file again."))
        for line in kept_lines(kept):
            out.print(line, soft_wrap=True)
        out.print(next_line(f"tritonpuzzles check {puzzle.number}"))


@click.command(epilog=example("reset 3"))
@name_argument
def reset_command(name: str) -> None:
    """Put the stub back in place of your file.

    Your file is put aside with a date in its name. The puzzle counts as open again, and what the last check saw is
    forgotten; hints seen, attempts and the best speed stay.
    """
    puzzle = puzzle_named(name)
    for line in put_stub_back(puzzle):
        console.stdout().print(line, soft_wrap=True)
    console.stdout().print(next_line(f"tritonpuzzles show {puzzle.number}"))


def put_stub_back(puzzle: Puzzle) -> Lines:
    """Put a puzzle's stub back, and return what was done."""
    workspace = workspace_to_change()
    kept = history.reset(workspace, puzzle)

    def reopen(entries: Entries) -> None:
        if puzzle.slug in entries:
            entry = entries[puzzle.slug]
            entries[puzzle.slug] = replace(entry, solved_at=None, solved_hash=None, verdict=None, codes=(), seen=None)

    state_of(workspace).update(reopen)
    undo = [Text(f"tritonpuzzles restore {puzzle.number} brings your file back.")] if kept else []
    return [Text(f"{shown(workspace.file(puzzle))} is the stub again."), *kept_lines(kept), *undo]


@click.command(epilog=example("restore", "restore 3", "restore 3.2"))
@click.argument("name", metavar="[N | COPY]", required=False, shell_complete=a_copy)
@click.option("--list", "listed", is_flag=True, help="List what can be brought back, of one puzzle or of all.")
def restore_command(name: str | None, listed: bool) -> None:
    """Bring back what reset, swap or %%puzzle put aside.

    Also what restore itself did. Without N, it lists the copies. N is a puzzle: its newest copy that differs from the
    file comes back. COPY is a copy of the list, such as 3.2. The file that is replaced is put aside first, so restore N
    once more undoes it.
    """
    workspace = workspace_to_change()
    if name is None or listed:
        _print_list(workspace, name)
    else:
        _bring_back(workspace, history.copy_named(workspace, name))


def _bring_back(workspace: Workspace, copy: Copy) -> None:
    out, file = console.stdout(), shown(copy.file)
    if copy.is_here and not copy.waits:
        out.print(Text(f"{file} is that already; nothing was changed."))
        return
    own = copy.file if copy.puzzle is None or copy.waits else history.own_file(workspace, copy.puzzle)
    mine = own.read_bytes() if own.is_file() else None  # what the learner has, in its place or waiting
    history.restore(workspace, copy)
    out.print(Text(f"{file} is again what {_by(copy)} put aside on {copy.at:%Y-%m-%d at %H:%M}."))
    if mine is not None:
        out.print(Text(_undo(workspace, copy, mine)))
    if copy.puzzle is not None:
        out.print(next_line(f"tritonpuzzles check {copy.puzzle.number}"))


def _undo(workspace: Workspace, copy: Copy, before: bytes) -> str:
    """Return where that went which the learner had before."""
    for other in copies(workspace):
        if other.file == copy.file and other.path.read_bytes() == before:
            return f"What you had before is put aside; tritonpuzzles restore {other.name} brings it back."
    number = copy.puzzle.number if copy.puzzle is not None else ""
    word, what = ("swap", "solution") if copy.waits else ("reset", "stub")
    return f"The {what} was there before; tritonpuzzles {word} {number} puts it there again."


def _print_list(workspace: Workspace, name: str | None) -> None:
    puzzle = puzzle_named(name) if name is not None else None
    found = [copy for copy in copies(workspace) if puzzle is None or copy.puzzle == puzzle]
    if not found:
        of = f" of puzzle {puzzle.number}" if puzzle is not None else ""
        console.stdout().print(Text(f"Nothing{of} is put aside."))
        return
    files = dict.fromkeys(copy.file for copy in found)
    sections = [line for file in files for line in _section([copy for copy in found if copy.file == file])]
    other = next((copy for copy in found if not copy.is_here), None)
    onward = [next_line(f"tritonpuzzles restore {other.name}")] if other is not None else []
    console.show(lambda _: [*sections, Text(), Text(EXPLAINED, style="dim"), *onward])


def _section(found: Sequence[Copy]) -> Lines:
    """Return the copies of one file."""
    rows = [
        (Text(one_line(copy.name), "bold"), f"{copy.at:%Y-%m-%d %H:%M}", _by(copy), _changes(copy)) for copy in found
    ]
    return [Text(shown(found[0].file)), *rendered([Table([Column()] * 4, rows)], View())]


def _changes(copy: Copy) -> str:
    """Return `81 lines, +3 -2`: how many lines it has, would bring to the file, and take from it."""
    try:
        mine = read_small(copy.path)
    except OSError:
        return "not readable"
    lines = plural(len(mine.splitlines()), "line")
    if copy.is_here:
        return f"{lines}, the same as now"
    try:
        return compared(mine, read_small(copy.file))
    except OSError:
        return f"{lines}, no file there now"


def _by(copy: Copy) -> str:
    return COMMANDS.get(copy.by, copy.by) if copy.by is not None else "an earlier version"
