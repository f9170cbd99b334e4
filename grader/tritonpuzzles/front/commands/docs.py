"""`tritonpuzzles docs [PAGE]`: the pages of `docs/`, to which messages and skeletons point."""

from __future__ import annotations

from pathlib import Path

import click
from rich.text import Text

from tritonpuzzles.curriculum.tables import nearest
from tritonpuzzles.front import console
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.options import example
from tritonpuzzles.front.page.terminal import prose, two_columns
from tritonpuzzles.front.workspace.shipped import docs_pages


@click.command(epilog=example("docs", "docs packs"))
@click.argument("page", metavar="[PAGE]", required=False)
def command(page: str | None) -> None:
    """Show a page about packs, codes, limits and the like, or list the pages and where they lie."""
    texts, out = {path: path.read_text(encoding="utf-8") for path in docs_pages()}, console.stdout()
    pages = {path.stem: text for path, text in texts.items()}
    if page is None:
        out.print(two_columns([(name, text.partition("\n")[0].strip("# ")) for name, text in pages.items()], 14))
        out.print(Text(f"Folder: {next(iter(texts)).parent}"), soft_wrap=True)
    elif Path(page).stem in pages:
        out.print(prose(pages[Path(page).stem]))
    else:
        raise FrontError(f"There is no page {page!r}.{nearest(Path(page).stem, pages)}", "tritonpuzzles docs")
