"""What a shell completes: numbers and names of puzzles, copies to restore. It never fails, for nobody would see why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click
from click.shell_completion import CompletionItem

from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front.workspace.folder import find_workspace
from tritonpuzzles.front.workspace.history import copies
from tritonpuzzles.front.workspace.packs import open_for


def one_puzzle(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[Any]]:
    """Return the numbers and names of puzzles that begin so."""
    return _beginning(ctx, incomplete, _puzzles())


def several_puzzles(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[Any]]:
    """Return these and `all`; without those that the line has already."""
    there = ctx.params.get(param.name or "") or ()
    found = _beginning(ctx, incomplete, _puzzles())
    return [item for item in [*found, CompletionItem("all")] if item.value not in there and _begins(item, incomplete)]


def a_copy(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[Any]]:
    """Return the puzzles and copies of their files that begin so."""
    return _beginning(ctx, incomplete, _copies())


def _beginning(ctx: click.Context, start: str, items: Iterator[CompletionItem[Any]]) -> list[CompletionItem[Any]]:
    try:
        open_for(ctx.find_root().params.get("pack"))  # click does not call the command's own function here
        return [item for item in items if _begins(item, start)]
    except Exception:
        return []


def _begins(item: CompletionItem[Any], start: str) -> bool:
    return str(item.value).startswith(start)


def _puzzles() -> Iterator[CompletionItem[Any]]:
    found = load_curriculum().puzzles
    yield from (CompletionItem(str(puzzle.number), help=puzzle.title) for puzzle in found)
    yield from (CompletionItem(puzzle.slug, help=puzzle.idea) for puzzle in found)


def _copies() -> Iterator[CompletionItem[Any]]:
    yield from _puzzles()
    workspace = find_workspace()
    for copy in copies(workspace) if workspace is not None else ():
        yield CompletionItem(copy.name, help=f"{copy.file.name}, {copy.at:%Y-%m-%d %H:%M}")
