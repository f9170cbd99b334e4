"""`tritonpuzzles doctor`: what is installed, whether a check works, and the fix for what does not."""

from __future__ import annotations

import click
from rich.text import Text

from tritonpuzzles import __version__
from tritonpuzzles.front import console
from tritonpuzzles.front.console import status_line
from tritonpuzzles.front.errors import ExitCode
from tritonpuzzles.front.installation import Item, diagnose
from tritonpuzzles.front.options import example
from tritonpuzzles.front.page.terminal import item, next_line
from tritonpuzzles.front.text import harmless
from tritonpuzzles.front.workspace.folder import find_workspace
from tritonpuzzles.front.workspace.shipped import stub_folders

SIGNS = {"ok": ("✓ ok    ", "green"), "note": ("· note  ", "yellow"), "broken": ("✗ broken", "bold red")}


@click.command(epilog=example("doctor"))
def command() -> int:
    """Say what is installed, run a check on the CPU and the GPU, and name the fix for each problem."""
    out = console.stdout()
    out.print(Text(f"tritonpuzzles {__version__}", style="bold"))
    workspace = find_workspace()
    out.print(Text(f"  workspace: {workspace.root if workspace else 'none here; tritonpuzzles init makes one'}"))
    stubs = next((str(folder) for folder in stub_folders() if folder.is_dir()), "none: this installation is broken")
    out.print(Text(f"  stubs: {stubs}"), soft_wrap=True)
    broken = 0
    with status_line() as say:
        say("looking at versions, the GPU, and a check of a solution")
        for found in diagnose():
            out.print(item(*SIGNS[found.word], _text(found)))
            broken += found.word == "broken"
    out.print(Text(f"{broken} broken." if broken else "Everything works.", style="bold"))
    return ExitCode.FAULT if broken else ExitCode.PASS


def _text(found: Item) -> Text:
    text = Text.assemble((found.name, "bold"), f": {harmless(found.found)}")
    if found.fix:
        text.append("\n").append_text(next_line(found.fix))
    return text
