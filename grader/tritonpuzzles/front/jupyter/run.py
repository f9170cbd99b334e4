"""Commands of the terminal, run in a cell: what they print is shown in the report's colours, as it comes."""

from __future__ import annotations

import io
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout

from rich.text import Text

from tritonpuzzles.front.jupyter.display import as_magics
from tritonpuzzles.front.jupyter.line import Line, current_line, in_kernel
from tritonpuzzles.front.notebook.line import run as run_command
from tritonpuzzles.front.page.html import terminal_html
from tritonpuzzles.front.status import progress_to


def run(arguments: Sequence[str]) -> None:
    """Run a command of the terminal.

    Raises:
        Exception: what stops the command, as `front.cli.main` knows it.
    """
    if not in_kernel():
        return run_command(arguments)
    line, printed = current_line(), io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed), progress_to(line.say):
        try:
            run_command(arguments)
        finally:
            if printed.getvalue():
                show_printed(line, printed.getvalue())


def show_printed(line: Line, text: str) -> None:
    """Show what a command has printed, its commands in the words of a notebook."""
    plain = "\n".join(Text.from_ansi(one).plain for one in text.rstrip().split("\n"))
    line.end(as_magics(plain), terminal_html(text, as_magics))
