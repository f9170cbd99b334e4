"""Every platform's results against its published form, of a class that is hostile in names and texts."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from typing import Any

import jsonschema
import pytest

from tests.classroom.made_class import PUZZLES, a_class, outcome, settings
from tritonpuzzles.front.classroom.model import Intake, Student
from tritonpuzzles.front.classroom.platforms.forms import FORMS, SAY_UNGRADED, why_ungraded
from tritonpuzzles.front.classroom.results.book import Row, book_of

TEXT, NUMBER = {"type": "string"}, {"type": "number", "minimum": 0}
WHEN = {"enum": ["hidden", "after_due_date", "after_published", "visible"]}
FORMAT = {"enum": ["text", "html", "simple_format", "md", "ansi"]}


def closed(required: list[str], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": required, "properties": properties, "additionalProperties": False}


def many(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


SCHEMAS = {
    "gradescope": closed(  # "Autograder Specifications" and "Leaderboards" of Gradescope's documentation, 2026
        ["tests"],
        score=NUMBER,
        execution_time=NUMBER,
        output=TEXT,
        output_format=FORMAT,
        test_output_format=FORMAT,
        test_name_format=FORMAT,
        visibility=WHEN,
        stdout_visibility=WHEN,
        extra_data={"type": "object"},
        tests=many(
            closed(
                ["score", "max_score"],
                score=NUMBER,
                max_score=NUMBER,
                status={"enum": ["passed", "failed"]},
                name=TEXT,
                name_format=FORMAT,
                number=TEXT,
                output=TEXT,
                output_format=FORMAT,
                tags=many(TEXT),
                visibility=WHEN,
                extra_data={"type": "object"},
            )
        ),
        leaderboard=many(
            closed(["name", "value"], name=TEXT, value={"type": ["number", "string"]}, order={"enum": ["asc", "desc"]})
        ),
    ),
    "github": closed(  # what the reporter reads, and the graders of classroom-resources write, 2025
        ["version", "status", "max_score", "tests"],
        version={"const": 1},
        status={"enum": ["pass", "fail", "error"]},
        max_score=NUMBER,
        tests=many(
            closed(
                ["name", "status", "score", "message"],
                name=TEXT,
                status={"enum": ["pass", "fail", "error"]},
                score=NUMBER,
                message=TEXT,
                test_code=TEXT,
                filename=TEXT,
                line_no={"type": "integer", "minimum": 0},
                duration=NUMBER,
            )
        ),
    ),
    "autolab": closed(  # "Guide for Lab Authors"; `null` is kept by `saveAutograde` as a score that is not there
        ["scores"],
        scores={"type": "object", "minProperties": 1, "additionalProperties": {"type": ["number", "null"]}},
        scoreboard=many(NUMBER),
    ),
    "prairielearn": {  # "External grading", "Grading results", 2026
        "oneOf": [
            closed(["gradable", "format_errors"], gradable={"const": False}, format_errors=many(TEXT)),
            closed(
                ["score"],
                gradable={"const": True},
                score={"type": "number", "minimum": 0, "maximum": 1},
                message=TEXT,
                output=TEXT,
                tests=many(
                    closed(
                        ["name", "points", "max_points"],
                        name=TEXT,
                        description=TEXT,
                        points=NUMBER,
                        max_points=NUMBER,
                        message=TEXT,
                        output=TEXT,
                    )
                ),
            ),
        ]
    },
}
ROWS = {row.student.id: row for row in book_of(*a_class()).rows}


def row_of(*outcomes: Any, **more: Any) -> Row:
    """Return the row of one student."""
    made = settings(roster=(Student("ada", "ada"),), **more)
    return book_of(made, Intake("one student's files", ()), outcomes).rows[0]


def data_of(platform: str, row: Row) -> Any:
    text = FORMS[platform](row)
    if platform == "github":
        return json.loads(base64.b64decode(text, validate=False))
    return json.loads(text.splitlines()[-1] if platform == "autolab" else text)


def test_every_form_has_a_schema() -> None:
    assert SCHEMAS.keys() == FORMS.keys()


@pytest.mark.parametrize("platform", sorted(FORMS))
def test_every_row_of_a_class_fits_the_published_form(platform: str) -> None:
    graded = 0
    for row in ROWS.values():
        if row.total is not None or platform in SAY_UNGRADED:
            jsonschema.validate(data_of(platform, row), SCHEMAS[platform])
            graded += 1
    assert graded > 20


def test_points_are_those_of_the_book() -> None:
    row = next(row for row in ROWS.values() if row.total)
    points = [entry.score.points for entry in row.entries]
    assert [test["score"] for test in data_of("gradescope", row)["tests"]] == points
    assert [test["score"] for test in data_of("github", row)["tests"]] == points
    assert [*data_of("autolab", row)["scores"].values()] == points
    prairielearn = data_of("prairielearn", row)
    assert [test["points"] for test in prairielearn["tests"]] == points
    assert prairielearn["score"] == pytest.approx(row.points / 35)


def test_what_nobody_knows_is_no_zero_anywhere() -> None:
    row = row_of(outcome("ada", PUZZLES[0]), outcome("ada", PUZZLES[1], "infra_error"))
    assert data_of("autolab", row)["scores"]["p01"] is None
    assert data_of("autolab", row)["scores"]["p00"] == 5.0
    assert data_of("prairielearn", row)["gradable"] is False
    assert not {"gradescope", "github"} & SAY_UNGRADED
    assert str(why_ungraded(row)).startswith("1 puzzle of 6 not graded: ")
    assert why_ungraded(row_of(outcome("ada", PUZZLES[0], "fail"))) is None


def test_no_text_of_a_student_is_the_last_line_that_autolab_reads() -> None:
    for row in ROWS.values():
        *text, last = FORMS["autolab"](row).splitlines()
        assert set(json.loads(last)["scores"]) == {f"p{number:02d}" for number in range(6)}
        assert "\x1b" not in "".join(text)


def test_the_leaderboard_has_right_kernels_alone_and_speed_where_it_was_measured() -> None:
    timed = replace(outcome("ada", PUZZLES[1]), rate=812.5, unit="GB/s")
    row = row_of(outcome("ada", PUZZLES[0]), timed, outcome("ada", PUZZLES[2], "fail"))
    assert data_of("gradescope", row)["leaderboard"] == [
        {"name": "p00 DRAM reads, x its size", "value": 2.0, "order": "asc"},
        {"name": "p01 GB/s", "value": 812.5, "order": "desc"},
    ]


def test_a_late_pass_has_fewer_points_and_is_no_failure() -> None:
    late = outcome("ada", PUZZLES[0], handed_in="2026-11-21T10:00:00+00:00")
    test = data_of("gradescope", row_of(late))["tests"][0]
    assert (test["score"], test["max_score"], test["status"]) == (4.0, 5.0, "passed")
