"""SARIF: as its published schema has it, one result for each kind of finding at each place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as Log

from tests.front import samples
from tests.front.conftest import Run
from tritonpuzzles.front.report.problems import FINGERPRINT, log_of
from tritonpuzzles.results.check import Finding, Verdict
from tritonpuzzles.results.submission import Submission


@pytest.mark.parametrize(
    "result", [*samples.five().results, samples.out_of_bounds(), samples.timeout(), samples.syntax_error()]
)
def test_a_log_is_as_its_schema_says(result: object) -> None:
    log = json.loads(json.dumps(log_of(samples.report(result)), allow_nan=False))
    (run,) = Log.model_validate(log).runs
    assert run.tool.driver.rules is not None
    rules = [rule.id for rule in run.tool.driver.rules]
    assert rules == sorted(set(rules))
    assert all(rules[found.ruleIndex] == found.ruleId for found in run.results)


def test_a_finding_stands_at_its_line_by_a_print_that_stays_where_the_line_moves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    prints = []
    for before in ("", "# one more line\n"):
        file = tmp_path / f"my kernel{len(prints)}.py"
        file.write_text(f"{before}x = tl.load(x_ptr)\n")
        line = 1 + bool(before)
        twice = (Finding("out-of-bounds-load", "x_ptr is read.", str(file), line, case) for case in ("a", "b"))
        report = samples.report(samples.result(Verdict.FAIL, file=Submission.of(file), findings=tuple(twice)))
        (found,) = log_of(report)["runs"][0]["results"]
        place = found["locations"][0]["physicalLocation"]
        assert place["artifactLocation"] == {"uri": f"my%20kernel{len(prints)}.py"}
        assert place["region"] == {"startLine": line, "snippet": {"text": "x = tl.load(x_ptr)"}}
        assert (found["level"], found["message"]["text"]) == ("error", "x_ptr is read. In 2 cases.")
        prints.append(found["partialFingerprints"][FINGERPRINT])
    assert prints[0] != prints[1]  # another file


def test_a_fault_of_the_grader_is_no_success() -> None:
    fault = samples.result(Verdict.INFRA_ERROR, findings=(Finding("grader-fault", "It broke."),))
    (run,) = log_of(samples.report(fault))["runs"]
    assert run["invocations"] == [{"executionSuccessful": False}]
    assert "locations" not in run["results"][0]


def test_check_writes_one_too(run: Run, puzzle: Path, tmp_path: Path) -> None:
    puzzle.write_text("# verdict: fail\n")
    done = run("check", "1", "--sarif", str(tmp_path / "found.sarif"), "--no-fix")
    assert done.returncode == 1
    assert "Your sum is not rescaled" in done.stdout
    assert "Multiply l by exp(m - m_new)" not in done.stdout
    text = (tmp_path / "found.sarif").read_text()
    assert Log.model_validate_json(text).runs[0].results[0].ruleId == "sum-not-rescaled"
    assert "Multiply" not in text
    assert run("check", "1", "--sarif", str(tmp_path / "no" / "found.sarif")).returncode == 2
