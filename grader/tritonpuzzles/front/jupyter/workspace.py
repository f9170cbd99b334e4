"""`%workspace`: be in a workspace, and make one where there is none. Running it again changes nothing."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path

from markupsafe import Markup

from tritonpuzzles.front.commands.init import NAME
from tritonpuzzles.front.commands.init import command as init
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.jupyter.line import current_line
from tritonpuzzles.front.jupyter.links import link_to
from tritonpuzzles.front.notebook.cells import START
from tritonpuzzles.front.notebook.line import parsed, run, words
from tritonpuzzles.front.page.markup import element, styled
from tritonpuzzles.front.workspace.folder import PUZZLE_FILES, Workspace, current_folder, find_workspace


def workspace(line: str) -> None:
    """Go to the workspace of this notebook, and make it where there is none: `%workspace`, or `%workspace ~/course`."""
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
            run(["init", str(folder)])
    os.chdir(folder)
    _show(Workspace(folder), "Made a workspace, and went there:" if made else "Went to the workspace")


def initialised(arguments: Sequence[str]) -> Workspace | None:
    """Go to the workspace that `init` with these words has made, as nothing finds one below the current folder.

    Returns:
        The workspace; `None` if it made none, or this is it.
    """
    params = parsed(init, "%tritonpuzzles init", " ".join(arguments))
    folder = current_folder() / (params["folder"] or Path()).expanduser()
    if params["updating"] or os.path.samefile(folder, current_folder()):
        return None
    os.chdir(folder)
    return Workspace(folder)


def show_gone_to(found: Workspace) -> None:
    """Say that this notebook now works in a workspace."""
    _show(found, "This notebook now works in")


def _show(found: Workspace, words: str) -> None:
    """Say where the workspace is, and where its notebooks are if this one lies elsewhere."""
    sentence = f"{words} {found.root}."
    parts = [element("p", sentence)]
    link = link_to(found, f"{START}.ipynb")
    if link is not None and os.path.dirname(link):
        parts.append(element("p", Markup('Its notebooks begin with <a href="{0}">{0}</a>.').format(link)))
    current_line().end(sentence, str(styled(Markup("\n").join(parts))))
