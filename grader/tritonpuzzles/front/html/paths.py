"""Paths as a page may show them: a page is handed in and shared, and folders of a machine tell whose it is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup, escape

from tritonpuzzles.front.workspace.folder import current_folder, find_workspace

HOME = "~/"


class Folders:
    """The folders that a page does not show.

    Args:
        files: that were checked: of those outside the workspace the name alone is shown.
    """

    def __init__(self, files: Sequence[Path]) -> None:
        workspace = find_workspace()
        own = [current_folder(), *([workspace.root] if workspace is not None else []), *(file.parent for file in files)]
        known = {str(one): "" for folder in own for one in (folder.absolute(), folder.resolve())}
        known |= {str(one): HOME for one in (Path.home(), Path.home().resolve())} | known
        longest_first = sorted((name for name in known if len(Path(name).parts) > 1), key=len, reverse=True)
        self._known = [(f"{name}/", known[name]) for name in longest_first]

    def cut(self, text: str) -> str:
        """Return text with the paths in it as seen from their folder, or from home."""
        for name, instead in self._known:
            text = text.replace(name, instead)
        return text

    def cut_in(self, html: str) -> Markup:
        """Return HTML with the paths in its text and attributes cut."""
        for name, instead in self._known:
            html = html.replace(str(escape(name)), str(escape(instead)))
        return Markup(html)
