"""A bench as JSON and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

from tritonpuzzles import __version__
from tritonpuzzles.results.bench import VERSION, Bench
from tritonpuzzles.results.check import plain

FIELDS = (
    "puzzle", "slug", "contender", "file", "gpu", "dtype", "shape", "axis", "size", "unit", "rate", "predicted",
    "copy_gb_per_s", "limit_gb_per_s", "median_ms", "low_ms", "high_ms", "best_ms", "samples", "labels", "failure",
)  # fmt: skip


def bench_data(benches: Sequence[Bench]) -> dict[str, Any]:
    """Return the object that `bench --json` prints.

    `{"version": 1, "tritonpuzzles", "results": [...]}`, where a bench has the fields of
    `tritonpuzzles.results.bench.Bench`: `points` one per size, and `contenders`, each with one of `speeds` per point.
    A speed without a rate has a `failure`, a finding as in the report of `check`.
    """
    return {"version": VERSION, "tritonpuzzles": __version__, "results": [plain(bench) for bench in benches]}


def bench_csv(benches: Sequence[Bench]) -> str:
    """Return one line per contender and size, under a heading; what is not known is empty."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, FIELDS, lineterminator="\n")
    writer.writeheader()
    for bench in benches:
        writer.writerows(_rows(bench))
    return stream.getvalue()


def _rows(bench: Bench) -> list[dict[str, Any]]:
    rows = []
    for contender in bench.contenders:
        for point, speed in zip(bench.points, contender.speeds, strict=True):
            timing = plain(speed.timing) if speed.timing is not None else {}
            rows.append(
                {
                    "puzzle": bench.puzzle,
                    "slug": bench.slug,
                    "contender": contender.name,
                    "file": contender.file,
                    "gpu": bench.environment.get("gpu"),
                    "dtype": bench.dtype,
                    "shape": "x".join(str(n) for n in point.shape),
                    "axis": bench.axis,
                    "size": point.size,
                    "unit": bench.unit,
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
