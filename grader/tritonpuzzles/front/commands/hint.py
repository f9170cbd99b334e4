"""`tritonpuzzles hint` and `solution`: help with a puzzle, and what is left once there is nothing to spoil.

A hint is what answers the last check's finding, and the next of a puzzle's three.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import click
from rich.text import Text

from tritonpuzzles.curriculum.record import HINTS, Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front import console
from tritonpuzzles.front.console import warn
from tritonpuzzles.front.errors import ExitCode, FrontError
from tritonpuzzles.front.options import example, one_puzzle, progress_here, puzzle_named, state_of
from tritonpuzzles.front.page.terminal import Lines, highlighted, next_line, prose
from tritonpuzzles.front.story import readable
from tritonpuzzles.front.text import harmless
from tritonpuzzles.front.workspace.folder import find_workspace
from tritonpuzzles.front.workspace.progress import Progress, Seen
from tritonpuzzles.front.workspace.shipped import keep_stubs, refuse_without_solutions, solution_file, tuned_file
from tritonpuzzles.front.workspace.state import Entries


@click.command(epilog=example("hint 3", "hint 3 --all"))
@click.argument("name", metavar="N", shell_complete=one_puzzle)
@click.option("--all", "everything", is_flag=True, help="Show all hints at once.")
def hint_command(name: str, everything: bool) -> None:
    """Show the next hint of three.

    After the third it shows all of them again. After a check that did not pass, it begins with what that check found
    and a hint for that.
    """
    puzzle = puzzle_named(name)
    wanted = next_hints(puzzle, everything)
    console.show(lambda _: hint_lines(puzzle, wanted))


def next_hints(puzzle: Puzzle, everything: bool) -> range:
    """Return the indices of the hints to show now, and count them as shown."""
    seen = _count_one_more(puzzle, everything)
    return range(HINTS) if everything or seen >= HINTS else range(seen, seen + 1)


def hint_lines(puzzle: Puzzle, wanted: range, step: str | None = None) -> Lines:
    """Return what the last check saw with the answer to it, some of a puzzle's hints, and what to do next."""
    seen = last_seen(puzzle)
    lines = seen_lines(seen)
    if answer := answer_to(puzzle, seen):
        lines += [prose(readable(answer)), Text()]
    for index in wanted:
        title = Text.assemble((f"Hint {index + 1} of {HINTS}", "bold"), f"  {puzzle.label}")
        lines += [title, Text(), prose(readable(puzzle.hints[index])), Text()]
    return [*lines, next_line(step or step_after(puzzle, wanted))]


def last_seen(puzzle: Puzzle) -> Seen | None:
    """Return what the last check of the learner's file said first, where it did not pass."""
    workspace = find_workspace()
    if workspace is None:
        return None
    return state_of(workspace).read().get(puzzle.slug, Progress()).seen


def seen_lines(seen: Seen | None) -> Lines:
    """Return what a check saw as the beginning of a hint; nothing where it saw nothing."""
    if seen is None:
        return []
    place = f" ({seen.place})" if seen.place else ""
    lines: Lines = [Text(f"What your last check found{place}", style="bold"), Text(), Text(harmless(seen.message))]
    if seen.next_step:
        lines.append(next_line(harmless(seen.next_step)))
    return [*lines, Text()]


def answer_to(puzzle: Puzzle, seen: Seen | None) -> str:
    """Return what a puzzle's hints say of what a check saw, in Markdown; nothing where they do not cover it."""
    return puzzle.answers.get(seen.code, "") if seen else ""


def step_after(puzzle: Puzzle, wanted: range) -> str:
    """Return what to do after some hints."""
    if wanted.stop < HINTS:
        return f"tritonpuzzles check {puzzle.number}, or for more, {_more(puzzle, wanted.stop)}"
    return f"tritonpuzzles check {puzzle.number} (there are no more hints)"


def _count_one_more(puzzle: Puzzle, everything: bool) -> int:
    """Count a hint as shown, and return how many had been before; outside a workspace none has."""
    workspace = find_workspace()
    if workspace is None:
        return 0
    keep_stubs(workspace, warn)
    before = 0

    def change(entries: Entries) -> None:
        nonlocal before
        entry = entries.get(puzzle.slug, Progress())
        before = min(entry.hints, HINTS)
        entries[puzzle.slug] = replace(entry, hints=HINTS if everything else min(before + 1, HINTS))

    state_of(workspace).update(change)
    return before


def _more(puzzle: Puzzle, shown: int) -> str:
    """Return how to see the next hint; where none is counted, the next is not to be had alone."""
    if find_workspace() is None:
        return f"tritonpuzzles hint {puzzle.number} --all"
    return f"tritonpuzzles hint {puzzle.number} ({shown + 1} of {HINTS})"


@click.command(epilog=example("solution 3", "solution 3 --tuned", "solution 3 --force > p03.py"))
@click.argument("name", metavar="N", shell_complete=one_puzzle)
@click.option("--force", is_flag=True, help="Show it before you have solved the puzzle.")
@click.option("--tuned", is_flag=True, help="Show the one made for speed; not every puzzle has one.")
def solution_command(name: str, force: bool, tuned: bool) -> None:
    """Print the solution of a puzzle that you have solved."""
    source = solution_source(puzzle_named(name), force, tuned)
    out = console.stdout()
    if out.color_system is None:
        sys.stdout.write(source)
    else:
        out.print(highlighted(source, "python"))


def solution_source(puzzle: Puzzle, force: bool, tuned: bool = False) -> str:
    """Return the solution of a puzzle that is solved, or the tuned one.

    Raises:
        FrontError: if it is not, unless forced; if there is no tuned one, or none at all.
    """
    refuse_without_solutions(puzzle)
    if not force and not progress_here().get(puzzle.slug, Progress()).solved:
        sentence = f"Puzzle {puzzle.number} is not solved yet; --force shows the solution all the same."
        raise FrontError(sentence, f"tritonpuzzles hint {puzzle.number}", ExitCode.FAIL)
    if tuned:
        return _tuned(puzzle).read_text(encoding="utf-8")
    return solution_file(puzzle).read_text(encoding="utf-8")


def _tuned(puzzle: Puzzle) -> Path:
    path = tuned_file(puzzle)
    if path is None:
        there = [str(other.number) for other in load_curriculum().puzzles if tuned_file(other) is not None]
        which = f"the puzzles {', '.join(there)} have one" if there else "no puzzle here has one"
        sentence = f"Puzzle {puzzle.number} has no tuned solution; {which}."
        raise FrontError(sentence, f"tritonpuzzles solution {puzzle.number}")
    return path
