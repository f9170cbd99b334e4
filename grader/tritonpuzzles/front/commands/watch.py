"""`tritonpuzzles watch`: check a file at every save, with the report on the screen and single keys."""

from __future__ import annotations

import contextlib
import subprocess

import click

from tritonpuzzles.curriculum.record import HINTS, Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front import console, options
from tritonpuzzles.front.commands.check import print_graded
from tritonpuzzles.front.commands.hint import hint_lines, next_hints
from tritonpuzzles.front.commands.list import list_lines, story_lines
from tritonpuzzles.front.commands.restore import put_stub_back
from tritonpuzzles.front.errors import FrontError, refuse_elsewhere
from tritonpuzzles.front.grading import next_unsolved
from tritonpuzzles.front.page.terminal import Lines
from tritonpuzzles.front.watch.screen import Commands
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.sandbox.interpreter import python_module

NO_TERMINAL = "watch needs a terminal: its keys and its screen. check does the same once."


@click.command(epilog=options.example("watch", "watch 3"))
@click.argument("name", metavar="[N]", required=False)
@options.device_option
@click.option("--seed", type=options.SEED, help="Seed of shapes and inputs; a new one for each check by default.")
@options.timeout_option
@click.option("--editor", is_flag=True, help="Without a screen: print findings as file:line:column: lines.")
def watch_command(
    name: str | None = None,
    device: str = "auto",
    seed: int | None = None,
    timeout: float | None = None,
    editor: bool = False,
) -> None:
    """Check your file at every save, until you quit. With no N, the next unsolved puzzle.

    The verdict comes first, then what the compiler says and the speed; a save in between ends what is running. Single
    keys show a hint, how your file differs from the solution (once you have passed), the memory traffic of each line,
    the list, and go to the next puzzle.

    With --editor all puzzles' files are watched, or that of N alone. A task of VS Code runs it in the background;
    `init` writes that task.
    """
    refuse_elsewhere()
    if not editor and not console.is_terminal():
        raise FrontError(NO_TERMINAL, f"tritonpuzzles check{f' {name}' if name else ''}")
    curriculum = load_curriculum()
    asked = options.puzzle_named(name) if name is not None else None
    workspace = options.workspace_to_change()
    puzzle = asked or next_unsolved(curriculum, options.progress_here()) or curriculum.puzzles[0]
    how = CheckOptions(device, seed, timeout, gpu=options.predicted_gpu())
    if editor:
        from tritonpuzzles.front.watch.editor import EditorWatch

        others = [other for other in curriculum.puzzles if asked is None and other is not puzzle]
        EditorWatch(workspace, [puzzle, *others], how, print_graded).run()
    else:
        from tritonpuzzles.front.watch.loop import Watch

        commands = Commands(hint=_hint, story=story_lines, list=list_lines, reset=put_stub_back, bench=_bench)
        Watch(workspace, options.state_of(workspace), puzzle, how, commands).run()


def _hint(puzzle: Puzzle) -> Lines:
    wanted = next_hints(puzzle, False)
    more = f"h for hint {wanted.stop + 1} of {HINTS}" if wanted.stop < HINTS else "there are no more hints"
    return hint_lines(puzzle, wanted, f"save, or {more}")


def _bench(puzzle: Puzzle) -> None:
    """Run `bench` before the learner's eyes; Ctrl-C ends it alone."""
    pack = load_curriculum().pack
    opened = [] if pack.is_shipped else ["--pack", str(pack.folder)]
    with contextlib.suppress(KeyboardInterrupt):
        subprocess.run(python_module("tritonpuzzles", *opened, "bench", str(puzzle.number)), check=False)
