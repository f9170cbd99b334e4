"""`%tritonpuzzles list` and `show`: the puzzles as a table with links to their notebooks, and a story as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front.check import WIDTH
from tritonpuzzles.front.commands.arguments import progress_here, puzzle_named
from tritonpuzzles.front.commands.list import SIGNS, earned, list_lines, since
from tritonpuzzles.front.commands.show import story_lines, story_of
from tritonpuzzles.front.console import printed
from tritonpuzzles.front.grading import next_unsolved
from tritonpuzzles.front.html.report.markup import GOOD, OPEN, element, next_html, styled, table
from tritonpuzzles.front.jupyter.display import Prose, as_magics
from tritonpuzzles.front.jupyter.line import current_line
from tritonpuzzles.front.jupyter.links import notebook_link
from tritonpuzzles.front.workspace.contents import Entries
from tritonpuzzles.front.workspace.progress import Progress

COLOURS = {"solved": GOOD, "tried": OPEN}
HEADS = ("", "puzzle", "", "stars, best speed")


def show_list() -> None:
    """Show the puzzles: what is solved, and what is next."""
    curriculum, entries = load_curriculum(), progress_here()
    parts = [element("b", curriculum.pack.title)] if not curriculum.pack.is_shipped else []
    parts.append(table(HEADS, _rows(curriculum.puzzles, entries), "tp-list"))
    following = next_unsolved(curriculum, entries)
    parts.append(next_html(_step(following)) if following else element("p", "Every puzzle is solved.", GOOD))
    plain = as_magics(printed(list_lines(WIDTH), WIDTH))
    current_line().end(plain, str(styled(Markup("\n").join(parts))))


def story(name: str) -> Prose:
    """Return a puzzle's story, and what to do next."""
    puzzle = puzzle_named(name)
    step = f"%puzzle {puzzle.number} brings its code into a cell."
    link = notebook_link(puzzle)
    opens = f" Or open [{puzzle.stem}.ipynb]({link})." if link else ""
    plain = as_magics(printed(story_lines(puzzle), WIDTH))
    return Prose(f"{as_magics(story_of(puzzle))}\n\n**Next:** {step}{opens}", f"{plain}\nNext: {step}")


def _rows(puzzles: tuple[Puzzle, ...], entries: Entries) -> Iterator[list[str]]:
    for puzzle in puzzles:
        entry = entries.get(puzzle.slug, Progress())
        title = element("b", _linked(puzzle)) + Markup("<br>") + element("span", puzzle.idea, "tp-dim")
        word = element("span", f"{SIGNS[entry.word][0]} {entry.word}", COLOURS.get(entry.word, ""))
        state = Markup("<br>").join([word, *since(puzzle, entry)])
        yield [str(puzzle.number), title, state, Markup("<br>").join(earned(entry))]


def _step(puzzle: Puzzle) -> Markup:
    if notebook_link(puzzle):
        return Markup("{}. {}").format(puzzle.number, _linked(puzzle))
    return Markup("%tritonpuzzles show {0}, then %puzzle {0} for its code").format(puzzle.number)


def _linked(puzzle: Puzzle) -> Markup:
    link = notebook_link(puzzle)
    return Markup('<a href="{}">{}</a>').format(link, puzzle.title) if link else Markup("{}").format(puzzle.title)
