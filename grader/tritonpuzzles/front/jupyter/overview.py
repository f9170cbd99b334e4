"""`%tritonpuzzles list` and `show`: the puzzles as a table with links to their notebooks, and a story as Markdown."""

from __future__ import annotations

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front.check import WIDTH
from tritonpuzzles.front.commands.list import list_lines, puzzle_rows
from tritonpuzzles.front.commands.show import story_lines, story_of
from tritonpuzzles.front.console import printed
from tritonpuzzles.front.grading import next_unsolved
from tritonpuzzles.front.jupyter.display import Prose, as_magics
from tritonpuzzles.front.jupyter.line import current_line
from tritonpuzzles.front.jupyter.links import notebook_link
from tritonpuzzles.front.options import progress_here, puzzle_named
from tritonpuzzles.front.page.html import html
from tritonpuzzles.front.page.model import Block, Column, Next, Paragraph, Table

COLUMNS = (Column(), Column("puzzle"), Column(), Column("stars, best speed"))


def show_list() -> None:
    """Show the puzzles: what is solved, and what is next."""
    curriculum, entries = load_curriculum(), progress_here()
    blocks: list[Block] = [] if curriculum.pack.is_shipped else [Paragraph(curriculum.pack.title, "bold")]
    blocks.append(Table(COLUMNS, list(puzzle_rows(curriculum.puzzles, entries, address=notebook_link)), "list"))
    following = next_unsolved(curriculum, entries)
    blocks.append(_next(following) if following else Paragraph("Every puzzle is solved.", "green"))
    current_line().end(as_magics(printed(list_lines(WIDTH), WIDTH)), html(blocks))


def story(name: str) -> Prose:
    """Return a puzzle's story, and what to do next."""
    puzzle = puzzle_named(name)
    step = f"%puzzle {puzzle.number} brings its code into a cell."
    link = notebook_link(puzzle)
    opens = f" Or open [{puzzle.stem}.ipynb]({link})." if link else ""
    plain = as_magics(printed(story_lines(puzzle), WIDTH))
    return Prose(f"{as_magics(story_of(puzzle))}\n\n**Next:** {step}{opens}", f"{plain}\nNext: {step}")


def _next(puzzle: Puzzle) -> Next:
    address = notebook_link(puzzle)
    step = f"%tritonpuzzles show {puzzle.number}, then %puzzle {puzzle.number} for its code"
    return Next(step, (f"{puzzle.number}. {puzzle.title}", address) if address else None)
