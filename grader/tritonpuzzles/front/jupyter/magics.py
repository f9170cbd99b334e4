"""The magics: `%%puzzle` checks a cell and writes it to its file, the others do what the command of their name does.

An error of a magic is shown as a sentence, as in the terminal, never as a traceback: later cells can still run.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, suppress
from typing import TYPE_CHECKING, Any

import click

from tritonpuzzles.curriculum.record import HINTS
from tritonpuzzles.front import judge_process
from tritonpuzzles.front.check import WIDTH
from tritonpuzzles.front.cli import explained
from tritonpuzzles.front.commands import hint as hints
from tritonpuzzles.front.commands.list import words_command
from tritonpuzzles.front.console import printed
from tritonpuzzles.front.errors import FrontError, grades_here
from tritonpuzzles.front.glossary import glossary_of
from tritonpuzzles.front.jupyter import display
from tritonpuzzles.front.jupyter.checking import bench, check, check_cell, trace
from tritonpuzzles.front.jupyter.workspace import init, show_list, story, workspace
from tritonpuzzles.front.notebook.line import parsed, words
from tritonpuzzles.front.notebook.place import cell_of
from tritonpuzzles.front.options import puzzle_named, workspace_to_change
from tritonpuzzles.front.page.terminal import prose
from tritonpuzzles.front.story import split

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

STOPPED = "Stopped."
Magic = Callable[..., Any]


class StoppedByHandError(Exception):
    """The user pressed the stop button; nothing more is shown for it."""


def register(shell: InteractiveShell) -> None:
    """Give a shell the magics, and start the judge, which imports while its user reads."""
    if grades_here():
        with suppress(OSError):  # a check reports it
            judge_process.begin()
    shell.set_custom_exc((StoppedByHandError,), _show_nothing)
    shell.register_magic_function(_caught(check_cell), "cell", "puzzle")
    bring_here = functools.update_wrapper(functools.partial(bring, shell), bring)
    shell.register_magic_function(_caught(bring_here), "line", "puzzle")
    others = {"list": listing, "show": shown, "workspace": workspace, "tritonpuzzles": tritonpuzzles}
    for name, magic in {**OWN, **others}.items():
        shell.register_magic_function(_caught(magic), "line", name)


def bring(shell: InteractiveShell, line: str) -> None:
    """Bring the code of the puzzle's file into the cell: `%puzzle 3`."""
    names = words(line)
    if len(names) != 1:
        raise FrontError("%puzzle takes one puzzle.", "%puzzle 3")
    shell.set_next_input(cell_of(workspace_to_change(), puzzle_named(names[0])), replace=True)


def hint(line: str) -> display.Prose:
    """Show the next of three hints: `%hint 3`, or all of them: `%hint 3 --all`."""
    params = parsed(hints.hint_command, "%hint", line)
    chosen = puzzle_named(params["name"])
    wanted = hints.next_hints(chosen, params["everything"])
    texts = [f"**Hint {index + 1} of {HINTS}**\n\n{chosen.hints[index]}" for index in wanted]
    step = display.as_magics(hints.step_after(chosen, wanted))
    plain = printed(hints.hint_lines(chosen, wanted), WIDTH)
    seen = hints.last_seen(chosen)
    answer = hints.answer_to(chosen, seen)
    parts = [*display.seen_markdown(seen), *([answer] if answer else []), *texts, f"**Next:** {step}"]
    return display.Prose("\n\n".join(parts), display.as_magics(plain))


def solution(line: str) -> display.Prose:
    """Show the code of the solution of a puzzle that is solved: `%solution 3`; the notebook has the story."""
    params = parsed(hints.solution_command, "%solution", line)
    source = hints.solution_source(puzzle_named(params["name"]), params["force"], params["tuned"])
    code = split(source).code
    return display.Prose(f"```python\n{code}```", code)


def glossary(line: str) -> display.Prose:
    """Explain a word: `%words mask`, or show the whole glossary: `%words`."""
    markdown = display.as_magics(glossary_of(" ".join(parsed(words_command, "%words", line)["words"])))
    return display.Prose(markdown, printed([prose(markdown)], WIDTH))


def listing(line: str) -> Any:
    """Show the puzzles: `%list`."""
    return tritonpuzzles(f"list {line}")


def shown(line: str) -> Any:
    """Show a puzzle's story: `%show 3`."""
    return tritonpuzzles(f"show {line}")


def tritonpuzzles(line: str) -> Any:
    """Run any command of the terminal: `%tritonpuzzles list`."""
    match words(line):
        case ["list"]:
            return show_list()
        case ["show", name] if not name.startswith("-"):
            return story(name)
        case ["init", *rest]:
            return init(rest)
        case [name, *_] if name in OWN:
            return OWN[name](line.strip().removeprefix(name))
        case arguments:
            return display.run(arguments)


OWN: dict[str, Magic] = {
    "check": check,
    "hint": hint,
    "solution": solution,
    "words": glossary,
    "trace": trace,
    "bench": bench,
}


def _caught(magic: Magic) -> Magic:
    """Return a magic that shows errors as sentences, and warnings on stdout."""

    @functools.wraps(magic)
    def caught(*arguments: str) -> Any:
        with display.new_line() as shown, redirect_stderr(sys.stdout):
            try:
                return magic(*arguments)
            except click.exceptions.Exit:  # after --help
                return None
            except KeyboardInterrupt:
                display.show_sentences(shown, " ".join([*shown.done, STOPPED]))  # what was done before, too
                raise StoppedByHandError from None
            except Exception as error:
                message, step, _ = explained(error)
                display.show_sentences(shown, f"tritonpuzzles: {message}", step and display.as_magics(step))
                return None

    return caught


def _show_nothing(*_: object, tb_offset: int | None = None) -> list[str]:
    """Return an empty traceback."""
    return []
