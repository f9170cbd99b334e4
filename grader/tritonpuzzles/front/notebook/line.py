"""A magic's line, parsed like the command of that name, and the shell of the running notebook."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from typing import Any

import click

from tritonpuzzles.front.options import check_options


def parsed(command: click.Command, name: str, line: str) -> dict[str, Any]:
    """Return the parameters that a command would be called with.

    Raises:
        click.UsageError: if the command does not take this.
        click.exceptions.Exit: after `--help`.
    """
    with command.make_context(name, words(line)) as context:
        return dict(context.params)


def words(line: str) -> list[str]:
    """Split a line as a shell does.

    Raises:
        click.UsageError: for a quotation mark without its partner.
    """
    try:
        return shlex.split(line)
    except ValueError as error:
        raise click.UsageError(f"{line!r} cannot be read: {error}.") from error


def run_command(arguments: Sequence[str]) -> None:
    """Run a command of the terminal; what it prints appears under the cell.

    Raises:
        Exception: what stops the command, as `front.cli.main` knows it.
    """
    from tritonpuzzles.front.cli import cli

    cli.main(list(arguments), prog_name="tritonpuzzles", standalone_mode=False)


@click.command()
@check_options
@click.option("--replace", is_flag=True, help="Write the file also where it was edited elsewhere; it is put aside.")
def solve(**options: object) -> None:
    """Check this cell, and write it to the puzzle's file."""


def running_shell() -> Any:
    """Return the shell of the notebook or terminal that runs this; `None` in a plain Python, which imports nothing."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None
