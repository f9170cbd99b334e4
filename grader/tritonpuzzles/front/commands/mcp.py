"""`tritonpuzzles mcp`: the checks for programs that write kernels, as tools of the Model Context Protocol."""

from __future__ import annotations

import importlib.util

import click

from tritonpuzzles.front.errors import ExitCode, FrontError, refuse_elsewhere
from tritonpuzzles.front.options import example


@click.command(epilog=example("mcp"))
def mcp_command() -> None:
    """Serve check, verify, hint and words to a program.

    It speaks on stdin and stdout. The tools read files of this folder alone, or texts that come with a call, and write
    none: not your files, and not your progress. What to do about a finding is left out unless a call asks for it.
    """
    refuse_elsewhere()
    if importlib.util.find_spec("mcp") is None:
        text = "The server needs the package mcp, which is not installed."
        raise FrontError(text, "pip install 'tritonpuzzles[mcp]'", ExitCode.FAULT)
    from tritonpuzzles.front.programs import served

    served().run("stdio")
