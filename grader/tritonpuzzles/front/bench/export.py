"""A sweep as JSON and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

from tritonpuzzles import __version__
from tritonpuzzles.results import plain
from tritonpuzzles.sweeping import VERSION, Sweep

FIELDS = (
    "puzzle", "slug", "contender", "file", "gpu", "dtype", "shape", "axis", "size", "unit", "rate", "predicted",
    "copy_gb_per_s", "limit_gb_per_s", "median_ms", "low_ms", "high_ms", "best_ms", "samples", "labels", "failure",
)  # fmt: skip


def sweeps_data(sweeps: Sequence[Sweep]) -> dict[str, Any]:
    """Return the object that `bench --json` prints.

    `{"version": 1, "tritonpuzzles", "sweeps": [...]}`, where a sweep has the fields of `tritonpuzzles.sweeping.Sweep`:
    `points` one per size, and `contenders`, each with one of `speeds` per point. A speed without a rate has a
    `failure`, a finding as in the report of `check`.
    """
    return {"version": VERSION, "tritonpuzzles": __version__, "sweeps": [plain(sweep) for sweep in sweeps]}


def sweeps_csv(sweeps: Sequence[Sweep]) -> str:
    """Return one line per contender and size, under a heading; what is not known is empty."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, FIELDS, lineterminator="\n")
    writer.writeheader()
    for sweep in sweeps:
        writer.writerows(_rows(sweep))
    return stream.getvalue()


def _rows(sweep: Sweep) -> list[dict[str, Any]]:
    rows = []
    for contender in sweep.contenders:
        for point, speed in zip(sweep.points, contender.speeds, strict=True):
            timing = plain(speed.timing) if speed.timing is not None else {}
            rows.append(
                {
                    "puzzle": sweep.puzzle,
                    "slug": sweep.slug,
                    "contender": contender.name,
                    "file": contender.file,
                    "gpu": sweep.environment.get("gpu"),
                    "dtype": sweep.dtype,
                    "shape": "x".join(str(n) for n in point.shape),
                    "axis": sweep.axis,
                    "size": point.size,
                    "unit": sweep.unit,
                    "rate": speed.rate,
                    "predicted": speed.predicted,
                    "copy_gb_per_s": point.copy_gb_per_s,
                    "limit_gb_per_s": point.limit_gb_per_s,
                    **timing,
                    "labels": " ".join(speed.labels),
                    "failure": speed.failure.code if speed.failure is not None else None,
                }
            )
    return rows
