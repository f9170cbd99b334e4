"""What the first line of a solve cell takes: the options of `check`, and one of its own."""

from __future__ import annotations

import click

from tritonpuzzles.front.options import check_options


@click.command()
@check_options
@click.option("--replace", is_flag=True, help="Write the file also where it was edited elsewhere; it is put aside.")
def solve(**options: object) -> None:
    """Check this cell, and write it to the puzzle's file."""
