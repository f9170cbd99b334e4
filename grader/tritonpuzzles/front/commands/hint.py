"""`tritonpuzzles hint` and `solution`: help with a puzzle, and what is left once there is nothing to spoil.

A hint is what answers the last check's finding, and the next of a puzzle's three.
"""

from __future__ import annotations

import sys
from dataclasses import replace

import click
from rich.text import Text

from tritonpuzzles.curriculum.record import HINTS, Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front import console
from tritonpuzzles.front.console import warn
from tritonpuzzles.front.errors import ExitCode, FrontError
from tritonpuzzles.front.options import example, name_argument, progress_here, puzzle_named, state_of
from tritonpuzzles.front.page.terminal import Lines, highlighted, next_line, prose
from tritonpuzzles.front.story import readable
from tritonpuzzles.front.text import harmless
from tritonpuzzles.front.workspace.folder import find_workspace
from tritonpuzzles.front.workspace.progress import Progress, Seen
from tritonpuzzles.front.workspace.shipped import keep_stubs, refuse_without_solutions, solution_file, tuned_file
from tritonpuzzles.front.workspace.state import Entries


@click.command(epilog=example("hint 3", "hint 3 --all"))
@name_argument
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
    """Return the indices of the hints to show now, and count them as shown, where there is a workspace."""
    workspace, seen = find_workspace(), 0
    if workspace is not None:
        keep_stubs(workspace, warn)

        def change(entries: Entries) -> None:
            nonlocal seen
            entry = entries.get(puzzle.slug, Progress())
            seen = min(entry.hints, HINTS)
            entries[puzzle.slug] = replace(entry, hints=HINTS if everything else min(seen + 1, HINTS))

        state_of(workspace).update(change)
    return range(HINTS) if everything or seen >= HINTS else range(seen, seen + 1)


def hint_lines(puzzle: Puzzle, wanted: range, step: str | None = None) -> Lines:
    """Return what the last check saw with the answer to it, some of a puzzle's hints, and what to do next."""
    seen = last_seen(puzzle)
    lines: Lines = []
    if seen is not None:
        place = f" ({seen.place})" if seen.place else ""
        steps = [next_line(harmless(seen.next_step))] if seen.next_step else []
        title = Text(f"What your last check found{place}", style="bold")
        lines = [title, Text(), Text(harmless(seen.message)), *steps, Text()]
    if answer := answer_to(puzzle, seen):
        lines += [prose(readable(answer)), Text()]
    for index in wanted:
        title = Text.assemble((f"Hint {index + 1} of {HINTS}", "bold"), f"  {puzzle.label}")
        lines += [title, Text(), prose(readable(puzzle.hints[index])), Text()]
    return [*lines, next_line(step or step_after(puzzle, wanted))]


def last_seen(puzzle: Puzzle) -> Seen | None:
    """Return what the last check of the learner's file said first, where it did not pass."""
    return progress_here().get(puzzle.slug, Progress()).seen


def answer_to(puzzle: Puzzle, seen: Seen | None) -> str:
    """Return what a puzzle's hints say of what a check saw, in Markdown; nothing where they do not cover it."""
    return puzzle.answers.get(seen.code, "") if seen else ""


def step_after(puzzle: Puzzle, wanted: range) -> str:
    """Return what to do after some hints."""
    check, hint = f"tritonpuzzles check {puzzle.number}", f"tritonpuzzles hint {puzzle.number}"
    if wanted.stop >= HINTS:
        return f"{check} (there are no more hints)"
    if find_workspace() is None:  # where none is counted, the next is not to be had alone
        return f"{check}, or for more, {hint} --all"
    return f"{check}, or for more, {hint} ({wanted.stop + 1} of {HINTS})"


@click.command(epilog=example("solution 3", "solution 3 --tuned", "solution 3 --force > p03.py"))
@name_argument
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


def solution_source(puzzle: Puzzle, force: bool, tuned: bool) -> str:
    """Return the solution of a puzzle that is solved, or the tuned one.

    Raises:
        FrontError: if it is not, unless forced; if there is no tuned one, or none at all.
    """
    refuse_without_solutions(puzzle)
    if not force and not progress_here().get(puzzle.slug, Progress()).solved:
        sentence = f"Puzzle {puzzle.number} is not solved yet; --force shows the solution all the same."
        raise FrontError(sentence, f"tritonpuzzles hint {puzzle.number}", ExitCode.FAIL)
    path = tuned_file(puzzle) if tuned else solution_file(puzzle)
    if path is None:
        there = [str(other.number) for other in load_curriculum().puzzles if tuned_file(other) is not None]
        which = f"the puzzles {', '.join(there)} have one" if there else "no puzzle here has one"
        sentence = f"Puzzle {puzzle.number} has no tuned solution; {which}."
        raise FrontError(sentence, f"tritonpuzzles solution {puzzle.number}")
    return path.read_text(encoding="utf-8")
