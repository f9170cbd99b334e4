"""`tritonpuzzles hint N`: the next of a puzzle's three hints."""

from __future__ import annotations

import click
from rich.console import Console
from rich.markdown import Markdown
from rich.text import Text

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front import console
from tritonpuzzles.front.commands.arguments import example, puzzle_named, state_of
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.progress import Progress, dataclass_replace
from tritonpuzzles.front.report.style import next_line
from tritonpuzzles.front.state import Entries
from tritonpuzzles.front.story import readable
from tritonpuzzles.front.workspace import find_workspace


@click.command(epilog=example("hint 3", "hint 3 --all"))
@click.argument("name", metavar="N")
@click.option("--all", "everything", is_flag=True, help="Show all hints at once.")
def command(name: str, everything: bool) -> None:
    """Show the next hint of three; after the third, all of them again."""
