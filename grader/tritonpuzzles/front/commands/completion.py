"""`tritonpuzzles completion`: the script with which a shell completes commands, options and puzzles."""

from __future__ import annotations

import sys

import click
from click.shell_completion import get_completion_class

from tritonpuzzles.front.cli import cli

PROGRAM, SHELLS = "tritonpuzzles", ("bash", "zsh", "fish")


@click.command(
    epilog="\b\nExample:\n  # a line for ~/.bashrc\n"
    '  eval "$(tritonpuzzles completion bash)"\n'
    "  # for ~/.zshrc, below compinit\n"
    '  eval "$(tritonpuzzles completion zsh)"\n'
    "  # for ~/.config/fish/config.fish\n"
    "  tritonpuzzles completion fish | source"
)
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> None:
    """Print a script for your shell: Tab completes commands, options, puzzles."""
    found = get_completion_class(shell)
    assert found is not None
    sys.stdout.write(found(cli, {}, PROGRAM, f"_{PROGRAM.upper()}_COMPLETE").source())
