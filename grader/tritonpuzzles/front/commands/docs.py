"""`tritonpuzzles docs [PAGE]`: the pages of `docs/`, to which messages and skeletons point."""

from __future__ import annotations

from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from tritonpuzzles.curriculum.tables import nearest
from tritonpuzzles.front import console
from tritonpuzzles.front.commands.arguments import example
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.report.style import indented, next_line, prose
from tritonpuzzles.front.workspace.folder import shown
from tritonpuzzles.front.workspace.shipped import docs_pages


@click.command(epilog=example("docs", "docs packs"))
@click.argument("page", metavar="[PAGE]", required=False)
def command(page: str | None) -> None:
    """Show a page about packs, codes, limits and the like, or list the pages and where they lie."""
    pages, out = docs_pages(), console.stdout()
    if page is None:
        grid = Table.grid(padding=(0, 2))
        for name, path in pages.items():
            grid.add_row(Text(name, "bold"), Text(_title(path)))
        out.print(indented(grid))
        out.print(Text(f"They lie in {shown(next(iter(pages.values())).parent)}."))
        out.print(next_line("tritonpuzzles docs packs"))
        return
    name = Path(page).stem
    if name not in pages:
        raise FrontError(f"There is no page {page!r}.{nearest(name, pages)}", "tritonpuzzles docs (all of them)")
    out.print(prose(pages[name].read_text(encoding="utf-8")))


def _title(path: Path) -> str:
    with path.open(encoding="utf-8") as page:
        return page.readline().removeprefix("#").strip()
