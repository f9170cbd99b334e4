"""Speed that a model predicts for a GPU that need not be here; it never stands among what was measured."""

from __future__ import annotations

from functools import partial

from rich.text import Text

from tritonpuzzles.curriculum.limits import TRAFFIC
from tritonpuzzles.front.page.model import Bar, Block, Blocks, Cell, Heading, Paragraph, Table, View
from tritonpuzzles.front.report.findings import Quotes, note_item
from tritonpuzzles.front.report.naming import line_anchor
from tritonpuzzles.front.report.speed import ALLOWED, COLUMNS, bar_room, share_percent, title_of
from tritonpuzzles.front.text import one_line, percent, significant, sized
from tritonpuzzles.results.check import Predicted, PuzzleResult

STYLE = "cyan"  # no bar of a time that was measured has it
SPELLED = frozenset("AEFHILMNORSX")  # letters whose names begin with a vowel: an H200, a T4


def prediction(result: PuzzleResult) -> Predicted | None:
    """Return what is predicted of a right result; `None` of any other, and where there is no rate."""
    found = result.predicted
    return found if found is not None and found.rate is not None and result.passed else None


def predicted_blocks(result: PuzzleResult, view: View) -> Blocks:
    """Return the section on predicted speed, or why there is none; nothing of what fails, or where nobody asked."""
    found = result.predicted
    if found is None or not result.passed:
        return []
    heading = Heading(*titled(found))
    if found.rate is None:
        return [heading, Paragraph(one_line(found.problem or ""))]
    blocks: list[Block] = [heading, *_bars(found, found.rate, view), Paragraph(sentence(found))]
    if found.why is not None:
        anchor = partial(line_anchor, result) if view.linked else None
        blocks.append(note_item(found.why, Quotes(result.file, anchor)))
    return blocks


def titled(found: Predicted) -> tuple[str, str]:
    """Return what is predicted, and of what: `Bandwidth, predicted`, `H200, 1024 x 65536 float32, about 0.21 ms`."""
    about = f"{one_line(found.gpu)}, {sized(found.shape, found.dtype)}"
    if found.microseconds is not None:
        about += f", about {significant(found.microseconds / 1000, 2)} ms"
    return f"{title_of(found.unit)}, predicted", about


def sentence(found: Predicted) -> str:
    """Return the rate, its shares, and how far to trust them.

    `About 2,710 GB/s, 66 % of a copy, 98 % of what this puzzle's traffic allows; 9 of 10 predictions are within 12 %.`
    """
    parts = [f"About {rate_words(found)}"]
    if found.share_of_copy is not None:
        parts.append(f"{percent(found.share_of_copy)} of a copy")
    if found.tensor_tflop_per_s:
        parts.append(f"{percent((found.rate or 0.0) / found.tensor_tflop_per_s)} of what its tensor cores can do")
    if found.share_of_yardstick is not None:
        parts.append(share_words(found, found.share_of_yardstick))
    trust = f"; 9 of 10 predictions are within {percent(found.band)}" if found.band else ""
    return f"{', '.join(parts)}{trust}."


def rate_words(found: Predicted) -> str:
    """Return `2,710 GB/s`, with no more digits than such a number deserves."""
    return f"{_rounded(found.rate or 0.0)} {one_line(found.unit)}"


def share_words(found: Predicted, share: float) -> str:
    """Return `98 % of what this puzzle's traffic allows`, `82 % of cuBLAS`."""
    return f"{share_percent(share, found.stars_at)} of {yardstick_words(found.yardstick)}"


def yardstick_words(yardstick: str) -> str:
    """Return what stars are a share of."""
    return ALLOWED if yardstick == TRAFFIC else one_line(yardstick)


def with_article(gpu: str) -> str:
    """Return `an H200`, `a T4`."""
    name = one_line(gpu)
    return f"{'an' if name[:1] in SPELLED else 'a'} {name}"


def _bars(found: Predicted, rate: float, view: View) -> Blocks:
    """Return a bar for the kernel, and for what it is compared with: a copy, or a library and the tensor cores."""
    rates = {"yours": rate, **({"copy": found.copy_gb_per_s} if found.unit == "GB/s" else _library(found))}
    room = bar_room(rates, view)
    rows: list[list[Cell]] = []
    for name, value in rates.items():
        style = STYLE if name == "yours" else ""
        bar = Bar(value, max(rates.values()) or 1, style, room, hatched=True)
        rows.append([Text(name, style), Text(f"{_rounded(value)} {found.unit}", style), bar])
    return [Table(COLUMNS, rows, "numbers")]


def _library(found: Predicted) -> dict[str, float]:
    """Return what a library reaches there, where that was measured, and what the data sheet says."""
    reached = {} if found.yardstick_rate is None else {one_line(found.yardstick): found.yardstick_rate}
    return {**reached, "tensor cores": found.tensor_tflop_per_s or 0.0}


def _rounded(value: float) -> str:
    """Return three digits: `2,710` for 2,706."""
    return significant(float(f"{value:.3g}"))
