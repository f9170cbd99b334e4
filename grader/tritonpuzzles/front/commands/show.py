"""`tritonpuzzles show`, `words` and `docs`: a puzzle's story, what words mean, and the pages of `docs/`."""

from __future__ import annotations

import contextlib
from pathlib import Path

import click
from rich.text import Text

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.decoding.marks import nearest
from tritonpuzzles.front import console
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.glossary import glossary_of
from tritonpuzzles.front.options import example, one_puzzle, puzzle_named
from tritonpuzzles.front.page.terminal import Lines, next_line, prose, two_columns
from tritonpuzzles.front.story import readable, story
from tritonpuzzles.front.text import harmless
from tritonpuzzles.front.workspace.files import read_small
from tritonpuzzles.front.workspace.folder import find_workspace, shown
from tritonpuzzles.front.workspace.shipped import docs_pages, stub_file


@click.command(epilog=example("show 3"))
@click.argument("name", metavar="N", shell_complete=one_puzzle)
def show_command(name: str) -> None:
    """Show a puzzle's story: what is new, what to reach."""
    puzzle = puzzle_named(name)
    out = console.stdout()
    for line in story_lines(puzzle):
        out.print(line)
    workspace = find_workspace()
    out.print()
    out.print(Text("Words: tritonpuzzles words", style="dim"))
    if workspace is None:
        out.print(next_line("tritonpuzzles init"))
    else:
        out.print(next_line(f"edit {shown(workspace.file(puzzle))}, then tritonpuzzles check {puzzle.number}"))


def story_lines(puzzle: Puzzle) -> Lines:
    """Return a puzzle's story."""
    return [prose(readable(story_of(puzzle)))]


def story_of(puzzle: Puzzle) -> str:
    """Return the story of the learner's file in Markdown, or of the stub where that has lost it."""
    workspace = find_workspace()
    with contextlib.suppress(OSError):
        mine = read_small(workspace.file(puzzle)) if workspace else b""
        if found := story(harmless(mine.decode("utf-8-sig", "replace"))):
            return found
    return story(stub_file(puzzle).read_text(encoding="utf-8")) or f"# {puzzle.number}. {puzzle.title}\n\n{puzzle.idea}"


@click.command(epilog=example("words", "words mask", "words lane, mask"))
@click.argument("words", metavar="[WORD]", nargs=-1)
def words_command(words: tuple[str, ...]) -> None:
    """Explain a word of the stories and reports, or all."""
    console.stdout().print(prose(glossary_of(" ".join(words))))


@click.command(epilog=example("docs", "docs packs"))
@click.argument("page", metavar="[PAGE]", required=False)
def docs_command(page: str | None) -> None:
    """Show a page about packs, codes, limits and the like.

    Without PAGE, it lists the pages and where they lie.
    """
    texts, out = {path: path.read_text(encoding="utf-8") for path in docs_pages()}, console.stdout()
    pages = {path.stem: text for path, text in texts.items()}
    if page is None:
        out.print(two_columns([(name, text.partition("\n")[0].strip("# ")) for name, text in pages.items()], 14))
        out.print(Text(f"Folder: {next(iter(texts)).parent}"), soft_wrap=True)
    elif Path(page).stem in pages:
        out.print(prose(pages[Path(page).stem]))
    else:
        raise FrontError(f"There is no page {page!r}.{nearest(Path(page).stem, pages)}", "tritonpuzzles docs")
