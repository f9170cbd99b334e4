"""The magics: `%%puzzle` writes a cell to its file and checks it, the others do what the command of their name does.

A magic never raises: what stops it is a sentence, as in the terminal, so that the rest of a notebook runs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

import click

from tritonpuzzles.curriculum.record import HINTS
from tritonpuzzles.front.check import WIDTH, CheckReport, checked
from tritonpuzzles.front.cli import report_error
from tritonpuzzles.front.commands import check as check_command
from tritonpuzzles.front.commands import hint as hint_command
from tritonpuzzles.front.commands import solution as solution_command
from tritonpuzzles.front.commands import words as words_command
from tritonpuzzles.front.commands.arguments import puzzle_named, workspace_to_change
from tritonpuzzles.front.console import printed
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.grading import grade
from tritonpuzzles.front.jupyter.bench import bench
from tritonpuzzles.front.jupyter.display import Prose, as_magics, in_notebook, seen_markdown
from tritonpuzzles.front.jupyter.trace import trace
from tritonpuzzles.front.notebook.line import parsed, run, words
from tritonpuzzles.front.notebook.place import cell_of, place
from tritonpuzzles.front.report.style import prose
from tritonpuzzles.judge.ambient import cpu_by_default
from tritonpuzzles.results.check import Verdict

WHAT = ("names", "solution", "file", "solutions", "device", "seed", "timeout", "verbose")  # of `check`: what to check

Magic = Callable[..., Any]


class Shell(Protocol):
    """What of IPython's shell is used here."""

    def register_magic_function(self, func: Magic, magic_kind: str, magic_name: str) -> None:
        """Make a function a magic."""

    def set_next_input(self, s: str, replace: bool) -> None:
        """Put text in place of the cell that runs, or into a new one."""


def register(shell: Shell) -> None:
    """Give a shell the magics."""
    shell.register_magic_function(_caught(puzzle), "cell", "puzzle")
    bring_here = functools.update_wrapper(functools.partial(bring, shell), bring)
    shell.register_magic_function(_caught(bring_here), "line", "puzzle")
    for magic in (check, hint, solution, trace, bench, tritonpuzzles):
        shell.register_magic_function(_caught(magic), "line", magic.__name__)
    shell.register_magic_function(_caught(glossary), "line", "words")


def puzzle(line: str, cell: str) -> CheckReport:
    """Write the cell to the puzzle's file and check it: `%%puzzle 3`, with the options of `tritonpuzzles check`."""
    params = parsed(check_command.command, "%%puzzle", line)
    request = check_command.request_of(**{name: params[name] for name in WHAT}, values=True)
    if _elsewhere(params) or not request.source.own or len(request.names) != 1:
        raise FrontError("%%puzzle takes one puzzle, and checks the cell.", "%%puzzle 3 --seed 1")
    chosen, workspace = puzzle_named(request.names[0]), workspace_to_change()
    placed = place(workspace, chosen, cell)
    report = checked(grade(request), placed.notes, placed.story_lines)
    if report.results[0].verdict is Verdict.UNSOLVED and placed.story_lines is not None:
        return replace(report, next_step="write the part of this cell that is marked TODO, and run it again")
    return in_notebook(report)


def bring(shell: Shell, line: str) -> None:
    """Bring the code of the puzzle's file into the cell: `%puzzle 3`."""
    names = words(line)
    if len(names) != 1:
        raise FrontError("%puzzle takes one puzzle.", "%puzzle 3")
    shell.set_next_input(cell_of(workspace_to_change(), puzzle_named(names[0])), replace=True)


def check(line: str) -> CheckReport | None:
    """Check files: `%check 3`, with the options of `tritonpuzzles check`."""
    params = parsed(check_command.command, "%check", line)
    if _elsewhere(params):
        run(["check", *words(line)])
        return None
    return in_notebook(checked(grade(check_command.request_of(**{name: params[name] for name in WHAT}, values=True))))


def _elsewhere(params: dict[str, Any]) -> bool:
    """Return whether an option wants the report as something else than the cell's result, such as a file."""
    return any(value for name, value in params.items() if name not in WHAT)


def hint(line: str) -> Prose:
    """Show the next of three hints: `%hint 3`, or all of them: `%hint 3 --all`."""
    params = parsed(hint_command.command, "%hint", line)
    chosen = puzzle_named(params["name"])
    wanted = hint_command.next_hints(chosen, params["everything"])
    hints = [f"**Hint {index + 1} of {HINTS}**\n\n{chosen.hints[index]}" for index in wanted]
    step = as_magics(hint_command.step_after(chosen, wanted))
    plain = printed(hint_command.hint_lines(chosen, wanted), WIDTH)
    seen = hint_command.last_seen(chosen)
    answer = hint_command.answer_to(chosen, seen)
    parts = [*seen_markdown(seen), *([answer] if answer else []), *hints, f"**Next:** {step}"]
    return Prose("\n\n".join(parts), as_magics(plain))


def solution(line: str) -> Prose:
    """Show the solution of a puzzle that is solved: `%solution 3`."""
    params = parsed(solution_command.command, "%solution", line)
    source = solution_command.solution_source(puzzle_named(params["name"]), params["force"], params["tuned"])
    return Prose(f"```python\n{source}```", source)


def glossary(line: str) -> Prose:
    """Explain a word: `%words mask`, or show the whole glossary: `%words`."""
    markdown = words_command.explained(" ".join(parsed(words_command.command, "%words", line)["words"]))
    return Prose(markdown, printed([prose(markdown)], WIDTH))


def tritonpuzzles(line: str) -> None:
    """Run any command of the terminal: `%tritonpuzzles list`."""
    run(words(line))


def _caught(magic: Magic) -> Magic:
    """Return a magic whose errors are sentences."""

    @functools.wraps(magic)
    def caught(*arguments: str) -> Any:
        try:
            with cpu_by_default():
                return magic(*arguments)
        except click.exceptions.Exit:  # after --help
            return None
        except Exception as error:
            report_error(error, as_magics)
            return None

    return caught
