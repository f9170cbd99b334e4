"""What commands share: options, the puzzle that is named and how a shell completes it, the workspace and its state.

A notebook's solve cell accepts the options of `check` in its first line. Completion hides all errors.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.decoding.marks import nearest
from tritonpuzzles.front.console import warn
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.workspace.folder import Workspace, find_workspace, open_for, require_workspace
from tritonpuzzles.front.workspace.history import copies
from tritonpuzzles.front.workspace.shipped import keep_stubs
from tritonpuzzles.front.workspace.state import NO_GPU, Entries, State
from tritonpuzzles.hardware.l2 import L2S, USUAL, l2_meant

Command = TypeVar("Command", bound=Callable[..., Any])
Completion = Callable[[click.Context, click.Parameter, str], list[CompletionItem[Any]]]

SEED = click.IntRange(0, 2**31 - 1)
SECONDS = click.FloatRange(min=0, min_open=True)
PATH: click.Path = click.Path(path_type=Path)


def _puzzles() -> Iterator[CompletionItem[Any]]:
    found = load_curriculum().puzzles
    yield from (CompletionItem(str(puzzle.number), help=puzzle.title) for puzzle in found)
    yield from (CompletionItem(puzzle.slug, help=puzzle.idea) for puzzle in found)


def _puzzles_and_copies() -> Iterator[CompletionItem[Any]]:
    yield from _puzzles()
    workspace = find_workspace()
    for copy in copies(workspace) if workspace is not None else ():
        yield CompletionItem(copy.name, help=f"{copy.file.name}, {copy.at:%Y-%m-%d %H:%M}")


def _completing(items: Callable[[], Iterator[CompletionItem[Any]]]) -> Completion:
    """Return a completion function that offers the items that begin with a word."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[Any]]:
        try:
            open_for(ctx.find_root().params.get("pack"))  # click does not call the command's own function here
            return [item for item in items() if str(item.value).startswith(incomplete)]
        except Exception:
            return []

    return complete


one_puzzle, a_copy = _completing(_puzzles), _completing(_puzzles_and_copies)


def several_puzzles(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[Any]]:
    """Return the puzzles that begin with a word, and `all`, without those that are already on the line."""
    there = ctx.params.get(param.name or "") or ()
    found = [*one_puzzle(ctx, param, incomplete), *([CompletionItem("all")] if "all".startswith(incomplete) else [])]
    return [item for item in found if item.value not in there]


def finite(ctx: click.Context, param: click.Parameter, seconds: float | None) -> float | None:
    """Refuse values that are no number of seconds: click accepts "nan" in any range."""
    if seconds is not None and not math.isfinite(seconds):
        raise click.BadParameter(f"{seconds} is not a number of seconds.")
    return seconds


def known_gpu(ctx: click.Context, param: click.Parameter, name: str | None) -> str | None:
    """Return the full name of a GPU, or "none"; refuse a GPU whose speed cannot be predicted."""
    try:
        return None if name is None else gpu_meant(name)
    except FrontError as error:
        raise click.BadParameter(error.message) from None


def gpu_meant(name: str) -> str:
    """Return the full name of a GPU named as in "4090", or "none".

    Raises:
        FrontError: if its speed cannot be predicted.
    """
    if name.lower() == NO_GPU:
        return NO_GPU
    l2 = l2_meant(name)
    if l2 is None:
        raise FrontError(f"{name!r} is no GPU whose speed is predicted; it may be {', '.join(L2S)} or {NO_GPU}.")
    return l2.gpu


def a_gpu(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[Any]]:
    """Return the GPUs that begin with a word, and `none`."""
    return [CompletionItem(name) for name in (*L2S, NO_GPU) if name.lower().startswith(incomplete.lower())]


def _all_of(*options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Return a decorator that adds several options to a command, in the order of its help text."""

    def add(function: Command) -> Command:
        for option in reversed(options):
            function = option(function)
        return function

    return add


dark_option = click.option("--dark", is_flag=True, help="Draw it light on dark.")  # beside --plot
device_option = click.option("--device", type=click.Choice(["auto", "cpu", "cuda"]), default="auto", show_default=True)
timeout_option = click.option("--timeout", type=SECONDS, callback=finite, help="Seconds per stage.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
name_argument = click.argument("name", metavar="N", shell_complete=one_puzzle)
names_argument = click.argument("names", metavar="[N ... | 0-8 | all | slug]", nargs=-1, shell_complete=several_puzzles)
check_options = _all_of(
    names_argument,
    click.option("--solution", is_flag=True, help="Check the shipped solution."),
    click.option("--file", type=PATH, metavar="PATH", help="Check this file, or notebook."),
    click.option("--solutions", type=PATH, metavar="DIR", help="Check the files of this folder."),
    device_option,
    click.option(
        "--gpu",
        metavar="NAME",
        callback=known_gpu,
        shell_complete=a_gpu,
        help="Predict the speed on this GPU, such as A100, or none; kept for later checks.",
    ),
    click.option("--seed", type=SEED, help="Seed of shapes and inputs; a new one each time by default."),
    timeout_option,
    click.option("--case", metavar="NAME", help="Run this case alone; a pass says nothing of the others."),
    click.option("--values", is_flag=True, help="Show a wrong row, and what variables held, with the right values."),
    click.option("--json", "as_json", is_flag=True, help="Print the report as one JSON object."),
    click.option("--github", is_flag=True, help="Print the findings as annotations of GitHub too."),
    click.option("--editor", is_flag=True, help="Print the findings as file:line:column: lines too."),
    click.option("--sarif", type=PATH, metavar="FILE", help="Write the findings as SARIF 2.1.0 too, for code review."),
    click.option("--no-fix", is_flag=True, help="Leave out how to fix a finding."),
    click.option("--html", type=PATH, metavar="FILE", help="Write a page too, in one file, to hand in or share."),
    click.option("--name", metavar="NAME", default="", help="Whose page it is, for --html."),
    click.option("--verbose", is_flag=True, help="Show every case, all that was printed, and the grader's own errors."),
)
one_file_options = _all_of(
    click.argument("name", metavar="[N]", required=False, shell_complete=one_puzzle),
    click.option("--solution", is_flag=True, help="Take the shipped solution."),
    click.option("--file", type=PATH, metavar="PATH", help="Take this file or notebook."),
    click.option("--seed", type=SEED, help="Seed of shapes and inputs; else a new one each time."),
    timeout_option,
    json_option,
)


def example(*lines: str) -> str:
    """Return examples as click prints them under the help text, unwrapped."""
    return "\b\nExample:\n" + "\n".join(f"  tritonpuzzles {line}" for line in lines)


def puzzle_named(name: str) -> Puzzle:
    """Return the puzzle of a number, slug or file name.

    Raises:
        UnknownPuzzleError: with the nearest name.
    """
    return load_curriculum().find(name)


def workspace_to_change() -> Workspace:
    """Return the workspace around the current folder, with its stubs safe.

    Raises:
        FrontError: if there is none; it says how to make one.
    """
    workspace = require_workspace()
    keep_stubs(workspace, warn)
    return workspace


def state_of(workspace: Workspace) -> State:
    """Return a workspace's progress; what cannot be read or written is said on stderr."""
    return State(workspace.state_folder, warn)


def progress_here() -> Entries:
    """Return the progress of the workspace around the current folder; nothing outside of one."""
    workspace = find_workspace()
    return state_of(workspace).read() if workspace else {}


def predicted_gpu(asked: str | None = None) -> str | None:
    """Return the GPU whose speed a check predicts: the requested one, which is kept, or the kept one; `None`: none.

    `asked` is the name of a GPU, or "none".
    """
    workspace = find_workspace()
    state = state_of(workspace) if workspace is not None else None
    if asked is None:
        return state.gpu() if state is not None else USUAL.gpu
    chosen = None if asked == NO_GPU else asked
    if state is not None:
        state.keep_gpu(chosen)
    return chosen


def with_case(puzzle: Puzzle, name: str, device: str) -> Puzzle:
    """Return a puzzle with one case, and those before it that share its memory; nothing is timed.

    Raises:
        FrontError: if there is no such case, or it does not run on the device.
    """
    cases = {case.name.lower(): case for case in puzzle.cases if {"cpu", "cuda"} & set(case.devices)}
    case = cases.get(name.lower())
    if case is None:
        near = nearest(name, [case.name for case in cases.values()])
        text = f"Puzzle {puzzle.number} has no case {name!r}.{near}"
        raise FrontError(text, f"tritonpuzzles check {puzzle.number} --verbose lists its cases")
    if device != "auto" and device not in case.devices:
        other = next(iter(sorted(case.devices)))
        raise FrontError(f"The case {case.name!r} does not run with --device {device}.", f"--device {other}")
    chosen = [case]
    while chosen[0].after is not None:
        chosen.insert(0, cases[chosen[0].after.lower()])
    return replace(puzzle, cases=tuple(chosen), benchmark=None)
