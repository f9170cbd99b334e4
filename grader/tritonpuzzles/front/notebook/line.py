"""The line of a magic, read as the command of the same name reads its command line, and commands run in process."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

import click


def parsed(command: click.Command, name: str, line: str) -> dict[str, Any]:
    """Return the parameters that a command would be called with.

    Args:
        command: the command of the terminal.
        name: how the magic is called, for messages and `--help`.
        line: what stands behind it.

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


def run(arguments: Sequence[str]) -> None:
    """Run a command of the terminal; what it prints appears under the cell.

    Raises:
        Exception: what stops the command, as `front.cli.main` knows it.
    """
    from tritonpuzzles.front.cli import cli

    cli.main(list(arguments), prog_name="tritonpuzzles", standalone_mode=False)
