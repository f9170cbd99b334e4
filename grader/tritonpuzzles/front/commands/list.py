"""`tritonpuzzles list`, `show`, `words` and `docs`: the puzzles and their stories, what words mean, and `docs/`."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import broken_modules, load_curriculum
from tritonpuzzles.decoding.marks import nearest
from tritonpuzzles.front import console
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.glossary import glossary_of
from tritonpuzzles.front.grading import next_unsolved
from tritonpuzzles.front.options import example, json_option, name_argument, progress_here, puzzle_named
from tritonpuzzles.front.page.model import Block, Cell, Column, Gap, Link, Paragraph, Table, View
from tritonpuzzles.front.page.terminal import Lines, next_line, prose, rendered, two_columns
from tritonpuzzles.front.report.predicted import counted, meanings, most_stars, star_signs
from tritonpuzzles.front.story import readable, story
from tritonpuzzles.front.text import harmless, one_line, significant
from tritonpuzzles.front.workspace.files import read_small
from tritonpuzzles.front.workspace.folder import find_workspace, shown
from tritonpuzzles.front.workspace.progress import Progress, day, hash_of
from tritonpuzzles.front.workspace.shipped import docs_pages, stub_file
from tritonpuzzles.front.workspace.state import Entries

SIGNS = {"solved": ("✓", "green"), "tried": ("·", "yellow"), "open": (" ", "")}
NONE = "-"
COLUMNS = (Column(right=True), Column(), Column(), Column())
WIDE = 60  # columns from which the ideas have room
OTHER_PAGE = re.compile(r"\[[^\]]*\]\((\w+)\.md[^)]*\)")  # a link to another page of `docs/`


@click.command("list", epilog=example("list", "list --json"))
@json_option
def list_command(as_json: bool = False) -> None:
    """List the puzzles: which are solved, which is next.

    Shows when each was solved, its stars of three, and the best speed. A hollow star is one by prediction, and a dash
    stands for a speed that was not measured: both take a GPU. In the JSON the times are in UTC: `solved_at` of the
    first pass, `best.at` of the best speed.
    """
    for sentence in () if load_curriculum().pack.is_shipped else broken_modules(load_curriculum()):
        console.warn(sentence)
    if not as_json:
        return console.show(list_lines)
    curriculum, entries = load_curriculum(), progress_here()
    pack, following = curriculum.pack, next_unsolved(curriculum, entries)
    opened = {"title": pack.title, "folder": str(pack.folder), "shipped": pack.is_shipped}
    rows = [_row(puzzle, entries.get(puzzle.slug, Progress())) for puzzle in curriculum.puzzles]
    console.show_json({"version": 2, "pack": opened, "next": following and following.number, "puzzles": rows})


def _row(puzzle: Puzzle, entry: Progress) -> dict[str, Any]:
    known = entry.to_dict()
    return {
        "puzzle": puzzle.number,
        "slug": puzzle.slug,
        "title": puzzle.title,
        "idea": puzzle.idea,
        "state": entry.word,
        "edited_since_solved": edited_since_solved(puzzle, entry),
        "stars": entry.stars_now,
        "predicted_stars": entry.predicted_now,
        **{key: known[key] for key in ("attempts", "solved_at", "best", "hints", "verdict", "codes")},
    }


def edited_since_solved(puzzle: Puzzle, entry: Progress) -> bool:
    """Return whether the learner's file is no longer the one that passed."""
    workspace = find_workspace()
    if workspace is None or entry.solved_hash is None:
        return False
    try:
        return hash_of(read_small(workspace.file(puzzle))) != entry.solved_hash
    except OSError:
        return True


def list_lines(width: int) -> Lines:
    """Return the pack's name, where it is not the shipped one, a table of the puzzles, and what is next."""
    curriculum, entries = load_curriculum(), progress_here()
    pack, following = curriculum.pack, next_unsolved(curriculum, entries)
    title = Text.assemble((pack.title, "bold"), (f"  {shown(pack.folder)}", "dim"))
    table = Table(COLUMNS, list(puzzle_rows(curriculum.puzzles, entries, width >= WIDE)), indent=0)
    below = star_lines(curriculum.puzzles, entries)
    blocks: list[Block] = [table, Gap(), *below, *([Gap()] if below else [])]
    lines: Lines = [*([] if pack.is_shipped else [title, Text()]), *rendered(blocks, View(width))]
    if following is None:
        return [*lines, Text("Every puzzle is solved.", style="green")]
    if find_workspace() is None and pack.is_shipped:
        step = "tritonpuzzles init NAME makes a folder with the puzzles; then tritonpuzzles check 0"
        return [*lines, next_line(step)]
    step = f"tritonpuzzles show {following.number}, then tritonpuzzles check {following.number}"
    return [*lines, next_line(step)]


def star_lines(puzzles: Sequence[Puzzle], entries: Entries) -> list[Block]:
    """Return how many stars there are, once there is one, and what the signs in the table mean."""
    known = [(puzzle, entries.get(puzzle.slug, Progress())) for puzzle in puzzles]
    solved = [(puzzle, entry) for puzzle, entry in known if entry.solved]
    if not solved:
        return []
    told = meanings("".join(_signs(puzzle, entry) for puzzle, entry in solved))
    if not all(entry.best for puzzle, entry in solved if puzzle.benchmark):
        told.append((NONE, "no speed was measured: that takes a GPU"))
    return [Paragraph(counted(known), "bold", 0), *(Paragraph(f"{sign} {meaning}", "dim", 0) for sign, meaning in told)]


def puzzle_rows(
    puzzles: Iterable[Puzzle],
    entries: Entries,
    wide: bool = True,
    address: Callable[[Puzzle], str | None] = lambda _: None,
) -> Iterator[tuple[Cell, ...]]:
    """Yield a row for each puzzle: number, title and idea, state, stars and best speed."""
    for puzzle in puzzles:
        entry, leads_to = entries.get(puzzle.slug, Progress()), address(puzzle)
        title, idea = Text(puzzle.title, "bold"), [Text(puzzle.idea, "dim")] if wide else []
        sign, style = SIGNS[entry.word]
        solved_on = [found] if (found := day(entry.solved_at)) else []
        words = (f"{sign} {entry.word}", *solved_on, *(["edited since"] if edited_since_solved(puzzle, entry) else []))
        earned = [f"{significant(entry.best.rate)} {one_line(entry.best.unit)}"] if entry.best else []
        if entry.solved:  # the stars, and a dash where no speed was measured
            earned = [_signs(puzzle, entry), *(earned or ([NONE] if puzzle.benchmark else []))]
        linked = Link(title, leads_to) if leads_to else title
        yield str(puzzle.number), (linked, *idea), tuple(Text(word, style) for word in words), tuple(earned)


def _signs(puzzle: Puzzle, entry: Progress) -> str:
    return star_signs(entry.stars_now, entry.predicted_now, most_stars(puzzle))


@click.command(epilog=example("show 3"))
@name_argument
def show_command(name: str) -> None:
    """Show a puzzle's story: what is new, what to reach."""
    puzzle, workspace, step = puzzle_named(name), find_workspace(), "tritonpuzzles init"
    if workspace is not None:
        step = f"edit {shown(workspace.file(puzzle))}, then tritonpuzzles check {puzzle.number}"
    below = [Text(), Text("Words: tritonpuzzles words", style="dim"), next_line(step)]
    console.show(lambda _: [*story_lines(puzzle), *below])


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
    """Explain a word of the stories and reports, or all.

    It also says what a finding's code means.
    """
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
        out.print(prose(OTHER_PAGE.sub(r"`tritonpuzzles docs \1`", pages[Path(page).stem])))
    else:
        raise FrontError(f"There is no page {page!r}.{nearest(Path(page).stem, pages)}", "tritonpuzzles docs")
