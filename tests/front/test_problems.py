"""Findings for GitHub and for editors: each on its line, escaped, and no learner's word among them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.front import samples
from tests.front.conftest import ROOT, Run
from tests.program import run_here
from tritonpuzzles.front.report.problems import PROBLEM, editor, github
from tritonpuzzles.results.check import Finding, Verdict

COMMAND = re.compile(r"^::(error|warning|notice) (.*?)::(.*)$")
FORGED = "puzzles/p01_softmax.py:1:1: error: forged [wrong-values]"


def untimed(text: str) -> str:
    """Return a report without what differs from run to run."""
    return re.sub(r"checked in [\d.]+ s", "checked", text)


def unescaped(text: str) -> str:
    """Read text as GitHub's runner does."""
    for escaped, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(escaped, character)
    return text


def commands(lines: list[str]) -> list[tuple[str, dict[str, str], str]]:
    """Return kind, properties and text of each workflow command."""
    found = [COMMAND.fullmatch(line) for line in lines]
    assert None not in found, lines
    return [(one[1], dict(word.split("=", 1) for word in one[2].split(",")), unescaped(one[3])) for one in found if one]


def test_annotations_stand_below_the_report(run_process: Run, puzzle: Path) -> None:
    puzzle.write_text("# verdict: fail\n")
    done = run_process("check", "1", "--github", "--seed", "1")
    assert done.returncode == 1
    *lines, last = done.stdout.splitlines()
    alone = run_process("check", "1", "--seed", "1").stdout
    assert untimed("\n".join(lines) + "\n") == untimed(alone)
    ((kind, properties, text),) = commands([last])
    assert kind == "error"
    assert properties == {
        "file": "puzzles/p03_online_softmax.py",
        "line": "3",
        "title": "p01 softmax%3A sum-not-rescaled",
    }
    assert text.startswith("Your sum is not rescaled")
    assert "Next: Multiply l by exp(m - m_new)" in text


def test_an_editor_reads_lines_between_a_beginning_and_an_end(run_process: Run, puzzle: Path) -> None:
    puzzle.write_text("# verdict: fail\n")
    lines = run_process("check", str(puzzle), "--editor", COLUMNS="60").stdout.splitlines()
    assert lines[0] == f"tritonpuzzles: checking {puzzle}"
    assert lines[-1] == "tritonpuzzles: checked: p01 softmax fail"
    (found,) = [match for line in lines if (match := re.fullmatch(PROBLEM, line))]
    assert found.group(1, 2, 3, 4, 6) == ("puzzles/p03_online_softmax.py", "3", "1", "error", "sum-not-rescaled")
    puzzle.write_text("# verdict: pass\n")
    done = run_process("check", "1", "--editor")
    assert done.returncode == 0
    assert not [line for line in done.stdout.splitlines() if re.fullmatch(PROBLEM, line)]


@pytest.mark.slow
def test_what_a_file_prints_is_no_finding(tmp_path: Path) -> None:
    """A real check, of a file that prints workflow commands and lines such as an editor reads."""
    source = (ROOT / "solutions/p01_softmax.py").read_text()
    printed = f"print({FORGED!r}); print('::error file=x::forged'); print('::add-mask::pass')\n"
    (tmp_path / "puzzles").mkdir()
    (tmp_path / "puzzles/p01_softmax.py").write_text(source + printed)
    env = {"COLUMNS": "100", "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    words = ("check", "1", "--device", "cpu", "--seed", "1", "--verbose")
    lines = run_here((*words, "--editor"), tmp_path, env).stdout.splitlines()
    assert FORGED in "\n".join(lines)
    assert not [line for line in lines if re.fullmatch(PROBLEM, line)]
    for more, settings in ((("--github",), {}), ((), {"GITHUB_ACTIONS": "true"})):
        done = run_here((*words, *more), tmp_path, {**env, **settings})
        lines = (done.stdout + done.stderr).splitlines()
        assert any("::add-mask::" in line for line in lines)
        assert not [line for line in lines if line.lstrip().startswith(("::", "##["))]


hostile = st.text(alphabet=st.sampled_from("ab%:,\n\r=\x1b[]#é "), min_size=1, max_size=30)


@given(hostile, hostile, st.none() | st.integers(1, 99))
def test_any_text_is_one_line_that_is_read_back(message: str, file: str, line: int | None) -> None:
    finding = Finding("wrong-values", f"x {message}", file=f"/tmp/{file}.py", line=line)
    report = samples.report(samples.result(Verdict.FAIL, findings=(finding,)))
    (printed,) = github(report)
    ((_, properties, text),) = commands([printed])
    assert unescaped(properties["file"]) == f"/tmp/{file}.py"
    assert properties["line"] == str(line or 1)
    assert text.startswith("x")
    (printed,) = editor(report)
    found = re.fullmatch(PROBLEM, printed)
    assert found is not None
    assert (found[2], found[6]) == (str(line or 1), "wrong-values")


def test_paths_are_those_of_the_checkout(run: Run, workspace: Path, puzzle: Path) -> None:
    puzzle.write_text("# verdict: hostile\n")
    printed = run("check", "1", "--github", GITHUB_WORKSPACE=str(workspace.parent)).stdout.splitlines()
    ((kind, properties, _),) = commands(printed[-1:])
    assert (kind, properties["file"]) == ("error", "work/puzzles/p01_softmax.py")


def test_a_fault_of_ours_is_not_put_into_the_learners_file(run: Run, puzzle: Path) -> None:
    puzzle.write_text("# verdict: infra\n")
    done = run("check", "1", "--github")
    assert done.returncode == 3
    ((kind, properties, _),) = commands(done.stdout.splitlines()[-1:])
    assert (kind, properties) == ("error", {"title": "p01 softmax%3A grader-fault"})
    assert not [line for line in run("check", "1", "--editor").stdout.splitlines() if re.fullmatch(PROBLEM, line)]


@pytest.mark.parametrize("options", [("--json", "--github"), ("--github", "--editor"), ("--json", "--sarif=-")])
def test_one_form_at_a_time(options: tuple[str, ...], run: Run) -> None:
    done = run("check", "1", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--json, --github, --editor and --sarif - exclude each other." in done.stderr


def test_an_editor_does_not_wait_for_a_check_that_stopped(run: Run) -> None:
    done = run("check", "README.md", "--editor")
    assert done.returncode == 2
    assert done.stdout.splitlines() == ["tritonpuzzles: checking README.md", "tritonpuzzles: checked: nothing"]


def test_json_stays_alone(run: Run, puzzle: Path) -> None:
    puzzle.write_text("# verdict: fail\n")
    assert json.loads(run("check", "1", "--json").stdout)["results"][0]["verdict"] == "fail"
