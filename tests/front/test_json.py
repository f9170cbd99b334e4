"""The JSON of the report: its schema, and a golden file."""

from __future__ import annotations

import dataclasses
import json
import math
import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import tritonpuzzles
from tests.front import samples
from tritonpuzzles.results import check as results
from tritonpuzzles.results import speed, states
from tritonpuzzles.results.check import Mismatch, Report, Verdict

SCHEMA = json.loads((Path(tritonpuzzles.__file__).parent / "report.schema.json").read_text())
GOLDEN = Path(__file__).parent / "golden"
ALL = samples.five()
OTHERS = [
    *ALL.results,
    samples.out_of_bounds(),
    samples.timeout(),
    samples.passing(occupancy=samples.filled(), dram=samples.dram()),
    samples.passing(slug="fast", predicted=samples.predicted()),
    samples.passing(slug="slow", predicted=samples.predicted_slow()),
    samples.passing(slug="unknown", predicted=samples.predicted_nothing()),
]


def validate(data: Any) -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate(data)


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("result", OTHERS, ids=lambda r: r.slug)
def test_reports_are_as_the_schema_says(result: results.PuzzleResult) -> None:
    validate(json.loads(json.dumps(samples.report(result).to_dict(), allow_nan=False)))


def test_not_a_number_is_text() -> None:
    mismatch = Mismatch("y", 1, 1, (0,), math.inf, math.nan, "element 0")
    report = samples.report(samples.passing(cases=(samples.case("a", Verdict.FAIL, mismatch),)))
    data = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    validate(data)
    assert data["results"][0]["cases"][0]["mismatch"]["got"] == "nan"


def test_the_numbers_of_a_row_are_as_the_schema_says() -> None:
    element = states.ElementValue((0, 3), 0.5, math.nan, right=False)
    variable = states.VariableValue(2, (0, 3), 24, "l", "the running sum", 1.5, math.inf, right=False)
    row = states.RowStates("late maximum", "y", 0, "row", "column", 9, (element,), (variable,))
    data = json.loads(json.dumps(samples.report(samples.passing(states=row)).to_dict(), allow_nan=False))
    validate(data)
    assert data["results"][0]["states"]["variables"][0]["got"] == "inf"


@pytest.mark.parametrize(
    "break_it",
    [
        lambda data: data.update(extra=1),
        lambda data: data["results"][0].update(verdict="passed"),
        lambda data: data["results"][0].pop("seed"),
        lambda data: data["results"][2]["findings"][0].update(code="Sum Not Rescaled"),
        lambda data: data["results"][0]["cases"][0].update(shape=[-1]),
    ],
)
def test_the_schema_is_strict(break_it: Any) -> None:
    data = json.loads(json.dumps(ALL.to_dict()))
    validate(data)
    break_it(data)
    with pytest.raises(jsonschema.ValidationError):
        validate(data)


def test_the_schema_has_every_field() -> None:
    names = {
        "result": results.PuzzleResult, "finding": results.Finding, "case": results.CaseResult,
        "mismatch": results.Mismatch, "traffic": results.Traffic, "line": results.LineTraffic,
        "compile": results.CompileResult, "timing": speed.Timing, "benchmark": speed.Benchmark,
        "confinement": results.Confinement, "states": states.RowStates, "element": states.ElementValue,
        "variable": states.VariableValue, "predicted": results.Predicted,
    }  # fmt: skip
    for name, kind in names.items():
        fields = [field.name for field in dataclasses.fields(kind)]
        described = SCHEMA["$defs"][name]
        assert sorted(described["required"]) == sorted(fields) == sorted(described["properties"])


def test_the_golden_report(tmp_path: Path) -> None:
    """Set UPDATE_GOLDEN=1 to write it anew, and read the difference before it is committed."""
    text = json.dumps(ALL.to_dict(), indent=2) + "\n"
    path = GOLDEN / "five.json"
    if os.environ.get("UPDATE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert text == path.read_text()


def test_an_empty_report_passes_nothing() -> None:
    validate(samples.report().to_dict())
    assert not Report("0", {}, ()).passed
