"""Where one is: `%workspace`, and `%tritonpuzzles list` and `show` with links to the notebooks.

Links are relative to the notebook that runs, as notebooks resolve them. Running `%workspace` again changes nothing.
"""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path

from markupsafe import Markup

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front.check import WIDTH
from tritonpuzzles.front.commands.init import NAME, init_command
from tritonpuzzles.front.commands.list import list_lines, puzzle_rows, star_lines, story_lines, story_of
from tritonpuzzles.front.console import printed
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.grading import next_unsolved
from tritonpuzzles.front.jupyter.display import Prose, as_magics, current_line, run
from tritonpuzzles.front.notebook.builder import START
from tritonpuzzles.front.notebook.line import parsed, run_command, running_shell, words
from tritonpuzzles.front.notebook.place import ONE_NOTEBOOK, notebook_name
from tritonpuzzles.front.options import progress_here, puzzle_named
from tritonpuzzles.front.page.html import html
from tritonpuzzles.front.page.markup import element, styled
from tritonpuzzles.front.page.model import Block, Column, Next, Paragraph, Table
from tritonpuzzles.front.workspace.folder import PUZZLE_FILES, Workspace, current_folder, find_workspace

COLUMNS = (Column(), Column("puzzle"), Column(), Column("stars, best speed"))


def notebook_link(puzzle: Puzzle) -> str | None:
    """Return the address of a puzzle's notebook; `None` if there is none that a link can open."""
    workspace = find_workspace()
    return link_to(workspace, f"{puzzle.stem}.ipynb") if workspace is not None else None


def link_to(workspace: Workspace, name: str) -> str | None:
    """Return the address of a notebook of a workspace, by its file's name; `None` as above."""
    file, here = workspace.notebooks / name, _folder_here()
    if here is None or ONE_NOTEBOOK in os.environ or not file.is_file():
        return None
    return Path(os.path.relpath(file, here)).as_posix()


def _folder_here() -> Path | None:
    """Return the folder of the running notebook: a kernel starts there, even if it changes its folder later."""
    notebook = Path(notebook_name() or "")
    if notebook.is_absolute() and notebook.parent.is_dir():
        return notebook.parent
    start = getattr(running_shell(), "starting_dir", None)
    return Path(start) if start is not None else None


def workspace(line: str) -> None:
    """Go to this notebook's workspace, and make it if there is none: `%workspace`, or `%workspace ~/course`."""
    names = words(line)
    if len(names) > 1:
        raise FrontError("%workspace takes one folder.", "%workspace ~/course")
    found = find_workspace()
    if found is not None and not names:
        return _show(found, "The workspace is")
    folder = current_folder() / Path(names[0] if names else NAME).expanduser()
    made = not any((folder / "puzzles").glob(PUZZLE_FILES))
    if made:
        with redirect_stdout(io.StringIO()):
            run_command(["init", str(folder)])
    os.chdir(folder)
    _show(Workspace(folder), "Made a workspace, and went there:" if made else "Went to the workspace")


def init(arguments: Sequence[str]) -> None:
    """Make a workspace with the arguments of `init`, and go there: no workspace below the current folder is found."""
    run(["init", *arguments])
    params = parsed(init_command, "%tritonpuzzles init", " ".join(arguments))
    folder = current_folder() / (params["folder"] or Path()).expanduser()
    if not params["updating"] and not os.path.samefile(folder, current_folder()):
        os.chdir(folder)
        _show(Workspace(folder), "This notebook now works in")


def _show(found: Workspace, words: str) -> None:
    """Show where the workspace is, and where its notebooks are if this one is elsewhere."""
    sentence = f"{words} {found.root}."
    parts = [element("p", sentence)]
    link = link_to(found, f"{START}.ipynb")
    if link is not None and os.path.dirname(link):
        parts.append(element("p", Markup('Its notebooks begin with <a href="{0}">{0}</a>.').format(link)))
    current_line().end(sentence, str(styled(Markup("\n").join(parts))))


def show_list() -> None:
    """Show the puzzles: what is solved, and what is next."""
    curriculum, entries = load_curriculum(), progress_here()
    blocks: list[Block] = [] if curriculum.pack.is_shipped else [Paragraph(curriculum.pack.title, "bold")]
    blocks.append(Table(COLUMNS, list(puzzle_rows(curriculum.puzzles, entries, address=notebook_link)), "list"))
    blocks += star_lines(curriculum.puzzles, entries)
    following = next_unsolved(curriculum, entries)
    if following is None:
        blocks.append(Paragraph("Every puzzle is solved.", "green"))
    else:
        address, number = notebook_link(following), following.number
        step = f"%tritonpuzzles show {number}, then %puzzle {number} for its code"
        blocks.append(Next(step, (f"{number}. {following.title}", address) if address else None))
    current_line().end(as_magics(printed(list_lines(WIDTH), WIDTH)), html(blocks))


def story(name: str) -> Prose:
    """Return a puzzle's story, and what to do next."""
    puzzle = puzzle_named(name)
    step = f"%puzzle {puzzle.number} brings its code into a cell."
    link = notebook_link(puzzle)
    opens = f" Or open [{puzzle.stem}.ipynb]({link})." if link else ""
    plain = as_magics(printed(story_lines(puzzle), WIDTH))
    return Prose(f"{as_magics(story_of(puzzle))}\n\n**Next:** {step}{opens}", f"{plain}\nNext: {step}")
