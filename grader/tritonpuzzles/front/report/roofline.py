"""What `roofline` prints: operations per byte, and the rate that a GPU allows for them, puzzle by puzzle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from tritonpuzzles.front.report.style import Lines, indented
from tritonpuzzles.front.text import dimensions, one_line, significant
from tritonpuzzles.hardware.gpus import Gpu
from tritonpuzzles.results.check import plain
from tritonpuzzles.results.roofline import Point

VERSION = 1


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


def roofline_lines(points: Sequence[Point], gpu: Gpu, measured: Mapping[int, float]) -> Lines:
    """Return a table with a row per puzzle."""
    tensor = f"{gpu.tensor:,.0f} with tensor cores (16-bit)"
    about = f"{gpu.gb_per_s:,.0f} GB/s; TFLOP/s: {gpu.float32:,.0f} in float32, {tensor}"
    table = Table.grid(padding=(0, 2))
    for side in ("left", "right", "right", "right"):
        table.add_column(justify="right" if side == "right" else "left", overflow="fold")
    table.add_row(*(Text(word, style="dim") for word in ("puzzle", "operations per byte", "allowed", "measured")))
    for point in points:
        if point.intensity:
            rates = [roof(point, gpu), measured.get(point.puzzle)]
            cells = [significant(point.intensity), *("-" if rate is None else significant(rate) for rate in rates)]
            table.add_row(Text(_name(point)), *(Text(cell) for cell in cells))
    without = [
        Text(f"{_name(point)}: no point. {one_line(point.problem or '')}") for point in points if not point.intensity
    ]
    shapes = ", ".join(dict.fromkeys(f"{dimensions(p.shape)} {p.dtype}" for p in points if p.intensity))
    closing = f"Counted at {shapes}; caches are not known to the ledger." if shapes else ""
    return [
        Text.assemble((f"Roofline of the {gpu.name}", "bold")),
        indented(Text(about, style="dim")),
        *([indented(table)] if shapes else []),
        *(indented(text) for text in without),
        *([indented(Text(closing, style="dim"))] if closing else []),
    ]


def roof(point: Point, gpu: Gpu) -> float | None:
    """Return the TFLOP/s that a GPU allows for a point."""
    return gpu.attainable(point.intensity, point.on_tensor_cores) if point.intensity else None


def _name(point: Point) -> str:
    return f"p{point.puzzle:02d} {one_line(point.slug)}"
