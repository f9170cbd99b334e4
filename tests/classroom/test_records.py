"""Lines of results: short, whole, readable by the next run, and one that a kill has cut short is dropped."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front.classroom.grading.boiled import boiled, line_of, read_line
from tritonpuzzles.front.classroom.grading.records import all_lines, appending, lines_of, merged
from tritonpuzzles.front.classroom.model import MOST_BYTES, Outcome, Submitted, Told
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.results.check import Finding, PuzzleResult, Verdict
from tritonpuzzles.results.submission import Submission

ADA = Outcome("k" * 64, "ada", 1, "softmax", "ada/p01.py", "s" * 64, "by its name", "pass")
TEXT = st.text(st.characters(), max_size=400)


def quiet(sentence: str) -> None:
    raise AssertionError(sentence)


@given(student=st.text(max_size=200), message=TEXT, step=TEXT | st.none(), note=TEXT)
def test_a_line_is_read_as_it_was_written(student: str, message: str, step: str | None, note: str) -> None:
    told = Told("wrong-values", "error", message, 3, None, step)
    outcome = replace(ADA, student=student, findings=(told,), notes=(note,), loads=(("x", 1.5),), flags=(("a", note),))
    line = line_of(outcome)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert len(line) <= MOST_BYTES
    found = read_line(line)
    assert (found.student, found.loads) == (student, outcome.loads)
    assert found == outcome or found.findings[0].message.endswith("...") or found.notes[0].endswith("...")


def test_the_longest_findings_fit() -> None:
    told = Told("wrong-values", "error", "\u202e" * 400, 3, "\x00" * 400, "\U0001f600" * 400)
    line = line_of(replace(ADA, findings=(told,) * 4, notes=("\x07" * 400,) * 8))
    assert len(line) <= MOST_BYTES
    assert read_line(line).findings[0].line == 3


def test_one_finding_stands_for_its_like_in_other_cases() -> None:
    findings = [Finding("wrong-type", "None is returned.\n  1 | x", line=3, case=case, next_step="y") for case in "abc"]
    findings += [Finding("wrong-type", "None is returned.", line=4, case="a")]
    file = Submission(Path("p.py"), Path("p.py"))
    result = PuzzleResult(0, "vector_add", file, Verdict.FAIL, "cpu", 1, tuple(findings))
    submitted = Submitted("ada", load_curriculum().find("0"), Path("p.py"), "ada/p.py", "by its name")
    told = boiled(result, submitted, "k", "s").findings
    assert [(one.message, one.line, one.case) for one in told] == [
        ("None is returned. The same in 2 more cases.\n  1 | x", 3, "a"),
        ("None is returned.", 4, "a"),
    ]


def test_a_torn_line_is_dropped_and_the_next_one_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_bytes(line_of(ADA) + line_of(ADA)[:50])
    assert lines_of(path, quiet) == [ADA]
    with appending(path) as append:
        append(replace(ADA, student="bob"))
    assert [line.student for line in lines_of(path, quiet)] == ["ada", "bob"]


def test_a_line_of_no_result_is_named_and_left_out(tmp_path: Path) -> None:
    path, said = tmp_path / "results.jsonl", []
    newer = json.dumps({**json.loads(line_of(ADA)), "version": 99}).encode() + b"\n"
    path.write_bytes(b"{}\n" + line_of(ADA) + b"[[[\n" + newer)
    assert lines_of(path, said.append) == [ADA]
    assert [sentence.split("line ")[1][0] for sentence in said] == ["1", "3", "4"]


def test_two_processes_do_not_write_to_one_file(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    with appending(path), pytest.raises(FrontError, match="Another process"), appending(path):
        pass
    with appending(path), appending(tmp_path / "results-1-of-2.jsonl"):
        pass


def test_a_later_line_counts_and_a_fault_hides_no_grade(tmp_path: Path) -> None:
    fault, failed = replace(ADA, verdict="infra_error"), replace(ADA, verdict="fail")
    assert merged([fault, ADA]) == [ADA]
    assert merged([ADA, fault]) == [ADA]
    assert merged([ADA, failed]) == [failed]
    assert merged([fault]) == [fault]
    assert merged([ADA, replace(ADA, student="bob")]) == [ADA, replace(ADA, student="bob")]


def test_all_shards_of_a_folder_are_read(tmp_path: Path) -> None:
    for number, student in enumerate(("ada", "bob"), 1):
        with appending(tmp_path / f"results-{number}-of-2.jsonl") as append:
            append(replace(ADA, student=student))
    assert [line.student for line in all_lines(tmp_path, quiet)] == ["ada", "bob"]
