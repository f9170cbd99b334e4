"""CSV that a spreadsheet opens without running anything in it. Names of students and files may hold anything.

A cell that begins with one of `BEGINS` is a formula for Excel, LibreOffice or Sheets; an apostrophe makes it text [1].

1. OWASP, CSV Injection, owasp.org/www-community/attacks/CSV_Injection.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from tritonpuzzles.front.text import one_line

BEGINS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # the last four as full-width forms
ENCODING = "utf-8-sig"  # without its mark, Excel takes UTF-8 for the system's own code page
Cell = str | float | None


def grid(rows: Iterable[Sequence[Cell]]) -> bytes:
    r"""Return rows as CSV: text in quotation marks and harmless, numbers as such, nothing where nothing is known.

    Control characters are written out, as in `\x07`, and white space is one blank.
    """
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, quoting=csv.QUOTE_NONNUMERIC)
    writer.writerows([_cell(cell) for cell in row] for row in rows)
    return stream.getvalue().encode(ENCODING)


def text_cell(text: str) -> str:
    """Return text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(BEGINS) else text


def _cell(cell: Cell) -> str | float:
    match cell:
        case None:
            return ""
        case str():
            return text_cell(one_line(cell))
        case float() if cell.is_integer():
            return int(cell)
        case _:
            return cell
