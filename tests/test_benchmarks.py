"""The arithmetic of the benchmark scripts; their times are nobody's assertion."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def latency(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    path = Path(__file__).parents[1] / "benchmarks" / "latency.py"
    spec = importlib.util.spec_from_file_location("latency", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "latency", module)
    spec.loader.exec_module(module)
    return module


def test_ratios_are_taken_within_a_round(latency: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    walls = {"imports": (1.0, 3.0, 2.0), "check": (2.0, 6.0, 10.0), "cold": (3.0, 9.0, 6.0)}
    seen = {name: [latency.Run(wall, 2 * wall) for wall in times] for name, times in walls.items()}
    rows = latency.rows(seen)
    assert [(row.wall_seconds, row.ratio, row.verdict) for row in rows] == [
        (2.0, None, ""), (6.0, 2.0, "ok"), (6.0, 3.0, "slow"),
    ]  # fmt: skip
    latency.report(rows, 3, 400.0, as_json=True)
    data = json.loads(capsys.readouterr().out)
    assert (data["wanted"], data["peak_mb"], data["rows"][2]["verdict"]) == (2.2, 400.0, "slow")
    latency.report(rows, 3, 400.0, as_json=False)
    assert "2.00x    2.2x  ok" in capsys.readouterr().out


def test_the_rows_of_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "benchmarks"))
    watching = importlib.import_module("watching")
    answers = [watching.Answer(first, 2 * first) for first in (0.5, 0.6, 0.9)]
    row = watching.row(3, "right", answers)
    assert (row.median, row.p95, row.last_median, row.verdict) == (0.6, 0.9, 1.2, "ok")
    assert watching.row(3, "right", [*answers, watching.Answer(1.1, 1.2)]).verdict == "slow"
    assert watching.percentile95([float(n) for n in range(1, 101)]) == pytest.approx(95, abs=1.5)
    for number, (old, _) in watching.MISTAKES.items():
        (solution,) = (watching.ROOT / "solutions").glob(f"p0{number}_*.py")
        assert old in solution.read_text(encoding="utf-8")
