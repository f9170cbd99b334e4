"""What `roofline` prints: operations per byte, and the rate that a GPU allows for them, puzzle by puzzle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.text import Text

from tritonpuzzles.front.page.model import Block, Column, Paragraph, Table, Title, View
from tritonpuzzles.front.page.terminal import Lines, rendered
from tritonpuzzles.front.text import dimensions, one_line, significant
from tritonpuzzles.hardware.gpus import Gpu
from tritonpuzzles.results.check import plain
from tritonpuzzles.results.inspect import Point

VERSION = 1
COLUMNS = (
    Column("puzzle"), Column("operations per byte", right=True), Column("allowed", right=True),
    Column("measured", right=True),
)  # fmt: skip


def roofline_data(points: Sequence[Point], gpu: Gpu, measured: Mapping[int, float]) -> dict[str, Any]:
    """Return the object that `roofline --json` prints.

    `{"version": 1, "gpu": {"name", "gb_per_s", "float32", "tensor"}, "points": [...]}`: a point has the puzzle, its
    file, shape, dtype, `operations`, `bytes`, their ratio `intensity`, and in TFLOP/s the `roof` and what was
    `measured`, null where it was not; `problem` says why there is no point.
    """
    return {
        "version": VERSION,
        "gpu": plain(gpu),
        "points": [
            {
                **{key: value for key, value in plain(point).items() if key not in ("work", "unit")},
                "intensity": point.intensity,
                "roof": roof(point, gpu),
                "measured": measured.get(point.puzzle),
            }
            for point in points
        ],
    }


def roofline_lines(points: Sequence[Point], gpu: Gpu, measured: Mapping[int, float], view: View) -> Lines:
    """Return a table with a row per puzzle, as a terminal shows it."""
    tensor = f"{gpu.tensor:,.0f} with tensor cores (16-bit)"
    about = f"{gpu.gb_per_s:,.0f} GB/s; TFLOP/s: {gpu.float32:,.0f} in float32, {tensor}"
    rows = []
    for point in points:
        if point.intensity:
            rates = [roof(point, gpu), measured.get(point.puzzle)]
            cells = ("-" if rate is None else significant(rate) for rate in rates)
            rows.append([_name(point), significant(point.intensity), *cells])
    blocks: list[Block] = [Title(Text(f"Roofline of the {gpu.name}", style="bold")), Paragraph(about, "dim")]
    blocks += [Table(COLUMNS, rows)] if rows else []
    without = (point for point in points if not point.intensity)
    blocks += (Paragraph(f"{_name(point)}: no point. {one_line(point.problem or '')}") for point in without)
    if rows:
        shapes = ", ".join(dict.fromkeys(f"{dimensions(p.shape)} {p.dtype}" for p in points if p.intensity))
        blocks.append(Paragraph(f"Counted at {shapes}; caches are not known to the ledger.", "dim"))
    return rendered(blocks, view)


def roof(point: Point, gpu: Gpu) -> float | None:
    """Return the TFLOP/s that a GPU allows for a point."""
    return gpu.attainable(point.intensity, point.on_tensor_cores) if point.intensity else None


def _name(point: Point) -> str:
    return f"p{point.puzzle:02d} {one_line(point.slug)}"
