"""The rendered report: golden texts at three widths, and what must be in each."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.front import samples
from tests.front.samples import case
from tritonpuzzles.front.console import console_on
from tritonpuzzles.front.report import render
from tritonpuzzles.front.report.cases import counts
from tritonpuzzles.front.report.findings import grouped, seen_in
from tritonpuzzles.front.text import harmless, significant, two_values
from tritonpuzzles.results.check import CompileResult, Confinement, Finding, Mismatch, PuzzleResult, Report, Verdict
from tritonpuzzles.results.states import RowStates, VariableValue
from tritonpuzzles.results.traffic import Traffic

GOLDEN = Path(__file__).parent / "golden"
SOURCE = '"""A kernel."""\n\n        l = l + tl.sum(x[mask])  # [bold]\n        tl.store(y_ptr + cols, y)\n'
REPORTS = {
    "pass_gpu": samples.report(samples.timed()),
    "pass_cpu": samples.report(samples.passing()),
    "not_rescaled": samples.report(samples.not_rescaled()),
    "out_of_bounds": samples.report(samples.out_of_bounds()),
    "syntax_error": samples.report(samples.syntax_error()),
    "timeout": samples.report(samples.timeout()),
    "unsolved": samples.report(samples.unsolved()),
    "five": samples.five(),
    "predicted": samples.report(samples.passing(predicted=samples.predicted())),
    "predicted_slow": samples.report(samples.passing(predicted=samples.predicted_slow())),
    "predicted_product": samples.report(
        samples.passing(puzzle=7, slug="matmul", predicted=samples.predicted_product())
    ),
    "predicted_nothing": samples.report(samples.passing(predicted=samples.predicted_nothing())),
    "timed_and_predicted": samples.report(samples.timed(predicted=samples.predicted(gpu="A100"))),
    "two_predicted": samples.report(
        samples.passing(puzzle=1, slug="softmax", predicted=samples.predicted(rate=4051.0)), samples.not_rescaled()
    ),
}


def text_of(report: Report, width: int = 80, verbose: bool = False, advice: str | None = None) -> str:
    stream = io.StringIO()
    render(report, console_on(stream, width), verbose, lambda _: advice)
    return "\n".join(line.rstrip() for line in stream.getvalue().split("\n"))


@pytest.fixture(autouse=True)
def _source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file under test, where the samples say it is."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / samples.FILE).parent.mkdir()
    (tmp_path / samples.FILE).write_text(SOURCE)


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("name", REPORTS)
def test_golden(name: str, width: int) -> None:
    """Set UPDATE_GOLDEN=1 to write them anew, and look at them before they are committed."""
    text = text_of(REPORTS[name], width, advice="tritonpuzzles hint 3 (1 of 3)")
    path = GOLDEN / f"{name}.{width}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text)
    assert text == path.read_text()
    assert max(len(line) for line in text.split("\n")) <= width


@pytest.mark.parametrize(("error", "shown"), [(3e-6, True), (3e-3, False), (float("nan"), False)])
def test_a_deviation_near_its_limit_stands_beside_it(error: float, shown: bool) -> None:
    wrong = Mismatch("y", 3, 9, (0, 1), 0.25, 0.250003, "all over")
    case = samples.case("ordinary numbers", Verdict.FAIL, wrong, max_error=error)
    text = text_of(samples.report(samples.result(Verdict.FAIL, cases=(case,))), 80)
    assert ("The largest deviation is 3e-06, and 1e-06 is allowed." in text) == shown


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (
            samples.HELD,
            "The system held the file: it could leave no process behind, write in no folder but its own, reach",
        ),
        (
            Confinement(("a supervisor", "Landlock 3"), ("a filter on system calls (Invalid argument)",)),
            "it could leave no process behind, write in no folder but its own. Not held by a filter on system calls (",
        ),
        (
            Confinement((), ("Landlock (Function not implemented)",)),
            "Nothing kept the file from the rest of this machine",
        ),
    ],
)
def test_what_held_the_file_stands_at_the_end(told: Confinement, said: str) -> None:
    report = samples.report(samples.passing(confinement=told))
    assert said in text_of(report, 400, verbose=True).rstrip("\n").split("\n")[-1]
    assert (said in text_of(report, 400)) == bool(told.missing)


def test_cases_that_ran_without_a_compiler_say_so() -> None:
    rejected = Finding("compile-error", "kernel does not compile: no.", file=samples.FILE, line=3)
    one = CompileResult("kernel", "sm_80", False)
    cases = (case("ordinary numbers"),)
    failed = samples.result(Verdict.ERROR, cases=cases, findings=(rejected,), compile=(one,))
    assert "pass on the CPU, interpreted: compiling failed\n" in text_of(samples.report(failed), 400)
    some = samples.result(
        Verdict.ERROR, cases=cases, findings=(rejected,), compile=(one, CompileResult("kernel", "sm_90", True))
    )
    assert "pass on the CPU, interpreted: compiling failed for sm_80\n" in text_of(samples.report(some), 400)


@pytest.mark.parametrize(
    ("assembled", "said"), [((True, True), ""), ((True, False, False), " (1 of 3 variants to machine code)")]
)
def test_compiled_is_said_of_what_was_compiled(assembled: tuple[bool, ...], said: str) -> None:
    both = [CompileResult("k", f"sm_{n}", True, assembled=whole) for whole in assembled for n in (80, 90)]
    right = samples.passing(compile=tuple(both))
    assert f"; compiled for sm_80 and sm_90{said}\n" in text_of(samples.report(right), 400)


def test_what_was_not_compiled_in_time_is_not_said_to_be() -> None:
    over = "kernel (BLOCK=64) was not compiled: the 30 s for it are over."
    late = Finding("not-compiled", over, file=samples.FILE, line=3)
    right = (CompileResult("k", "sm_90", True),)
    error = samples.result(Verdict.ERROR, cases=(case("ordinary numbers"),), findings=(late,), compile=right)
    text = text_of(samples.report(error), 400)
    assert "pass on the CPU, interpreted: not all was compiled (the 30 s for it are over)\n" in text
    assert "compiled for" not in text


def test_the_verdict_is_the_first_line() -> None:
    for report in REPORTS.values():
        first = text_of(report).split("\n")[0]
        assert any(word in first for word in ("pass", "fail", "error", "unsolved"))


def test_a_finding_is_said_once_with_its_line() -> None:
    text = text_of(REPORTS["not_rescaled"])
    assert text.count("not rescaled") == 1
    assert "In 2 cases." in text
    assert "puzzles/p03_online_softmax.py:3" in text
    assert "3 │ l = l + tl.sum(x[mask])  # [bold]" in text
    assert text.index("late maximum") < text.index("ordinary numbers")


def test_an_unknown_cause_is_admitted() -> None:
    text = "5 of 29 cases have wrong values. The grader does not know which mistake it is."
    unknown = (Finding("wrong-values", text, case="late maximum"),)
    assert "does not know" in text_of(Report("1.0", {}, (samples.not_rescaled(findings=unknown),)), width=200)


def test_causes_come_before_costs_and_notes() -> None:
    text = text_of(REPORTS["out_of_bounds"])
    assert text.index("outside its") < text.index("too many loads (line 3)") < text.index("note: A note.")
    assert "✗ over" not in text  # it is not the cause


def test_traffic_is_a_table_where_it_is_what_fails() -> None:
    found = Finding("too-many-loads", "x is read 3.00 times.", details={"argument": "x_ptr"})
    text = text_of(samples.report(samples.result(Verdict.FAIL, findings=(found,), traffic=samples.traffic(3.0))))
    assert "✗ over" in text


def test_tensors_that_launches_call_by_one_name_are_told_apart() -> None:
    rows = [Traffic("x_ptr", 300, 0, 3.0, 0.0, 2.0, tensor=tensor, role="input") for tensor in ("a", "g")]
    found = Finding("too-many-loads", "g is read 3.00 times.", details={"argument": "x_ptr", "tensor": "g"})
    text = text_of(samples.report(samples.result(Verdict.FAIL, findings=(found,), traffic=rows)))
    assert [line.split()[:2] for line in text.splitlines() if "✗ over" in line] == [["x_ptr", "(g)"]]
    wrong = Finding("not-normalised", "Not divided.")
    text = text_of(samples.report(samples.result(Verdict.FAIL, findings=(wrong,), traffic=rows)))
    assert "x_ptr (a) read 3.00x, x_ptr (g) read 3.00x" in " ".join(text.split())


def test_a_tensor_that_nobody_touches_is_told_apart() -> None:
    wrong = Finding("not-normalised", "Not divided.")
    touched = Traffic("x_ptr", 300, 0, 1.0, 0.0, 2.0, tensor="x", role="input")
    idle = Traffic("z_ptr", 0, 0, 0.0, 0.0, 2.0, tensor="z", role="output")
    for rows, said in (
        ((touched, idle), 'x_ptr read 1.00x its size in "300,000 elements"; z_ptr not touched\n'),
        ((idle,), 'z_ptr not touched in "300,000 elements"\n'),
    ):
        result = samples.result(Verdict.FAIL, findings=(wrong,), traffic=rows, traffic_case="300,000 elements")
        assert f"DRAM traffic  {said}" in text_of(samples.report(result), 120)


def test_cases_that_were_not_run_are_no_part_of_what_is_wrong() -> None:
    note = Finding("cases-not-run", "4 cases were not run: others are wrong.", next_step="Run one.")
    wrong = Finding("not-normalised", "Not divided.")
    cases = (case("late maximum", Verdict.FAIL, programs=33),)
    text = text_of(samples.report(samples.result(Verdict.FAIL, findings=(wrong, note), cases=cases)))
    assert "\nCases  0 of 1 pass on the CPU\n  4 cases were not run: others are wrong.\n" in text
    assert "Run one." not in text
    assert "Run one." in text_of(
        samples.report(samples.result(Verdict.FAIL, findings=(wrong, note), cases=cases)), verbose=True
    )


@pytest.mark.parametrize("width", [40, 48, 72, 73, 74, 80])
def test_a_number_of_seconds_keeps_its_unit(width: int) -> None:
    lines = text_of(samples.report(samples.passing(seconds=35.0)), width).split("\n")
    assert any("35 s" in line for line in lines)
    assert max(map(len, lines[:4])) <= width
    assert "\xa0" not in "".join(lines)


def test_the_numbers_of_a_row_split_no_word_where_there_is_no_room_for_a_table() -> None:
    held = [VariableValue(turn, (0, 7), 74, "m_new", "the running maximum", 3.11345, 3.5, False) for turn in (1, 1, 2)]
    states = RowStates("late maximum", "y", 0, "row", "column", 16, (), tuple(held))
    wrong = Finding("not-normalised", "Not divided.")
    text = text_of(samples.report(samples.result(Verdict.FAIL, findings=(wrong,), states=states)), 40)
    first = "  ✗  iteration 1, line 74: m_new is 3.5,\n     right 3.11345\n"
    assert f"{first}  ✗  line 74: m_new is 3.5, right\n     3.11345\n  ✗  iteration 2, line 74" in text


def test_a_quoted_line_is_of_the_checked_file_only(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("the answer\n")
    found = Finding("kernel-error", "It stops.", file=str(tmp_path / "secret.txt"), line=1)
    text = text_of(samples.report(samples.result(Verdict.ERROR, findings=(found,))))
    assert "secret.txt:1" in text
    assert "the answer" not in text


def test_a_long_line_is_cut(tmp_path: Path) -> None:
    (tmp_path / samples.FILE).write_text(f"x = '{'long ' * 10_000}'\n")
    found = Finding("kernel-error", "It stops.", file=samples.FILE, line=1)
    text = text_of(samples.report(samples.result(Verdict.ERROR, findings=(found,))))
    assert 30 < text.count("long") < 40
    assert "..." in text


def test_lines_that_do_not_exist_and_files_that_are_gone(tmp_path: Path) -> None:
    found = Finding("kernel-error", "It stops.", file=samples.FILE, line=99)
    report = samples.report(samples.result(Verdict.ERROR, findings=(found,)))
    assert ":99" in text_of(report)
    (tmp_path / samples.FILE).unlink()
    assert ":99" in text_of(report)


def test_verbose_opens_every_case() -> None:
    text = text_of(REPORTS["not_rescaled"], verbose=True)
    assert text.count("✗ fail  ") == 5 + 1
    assert text.count("✓ pass  ") == 2
    assert "error 1.0e-08, 0.010 of the tolerance" in text
    assert "50 samples" in text_of(REPORTS["pass_gpu"], verbose=True)


def test_output_is_capped() -> None:
    text = text_of(REPORTS["timeout"])
    assert "iteration 11" in text
    assert "iteration 12" not in text
    assert "28 more lines" in text
    assert "iteration 39" in text_of(REPORTS["timeout"], verbose=True)
    assert len(text_of(samples.report(samples.passing(output="x" * 10**7)))) < 2000


def test_a_case_without_programs_counts_for_nothing_in_a_file_that_fails() -> None:
    """A kernel that does not compile passes where there is nothing to do: that says nothing for it."""
    idle = case("no rows", programs=0)
    failing = [case("late maximum", Verdict.FAIL, programs=33), case("float16", programs=33)]
    assert counts([idle, *failing]) == "1 of 2 pass on the CPU (1 empty one not counted)"
    assert counts([idle, failing[1]]) == "2 of 2 pass on the CPU"


def test_cpu_says_what_it_could_not_see() -> None:
    assert "Not seen on the CPU: speed" in text_of(REPORTS["pass_cpu"])
    assert "On the CPU" not in text_of(REPORTS["pass_gpu"])
    assert "GB/s" not in text_of(REPORTS["pass_cpu"])


def test_labels_are_explained() -> None:
    text = text_of(samples.report(samples.timed(2.0, ("launch-bound", "suspicious", "new-label"))))
    assert "launch-bound: below 20 microseconds" in text
    assert "suspicious:" in text
    assert "new-label" in text


@pytest.mark.parametrize(
    ("seen", "said"),
    [(["tail", "late"], 'Clearest in "tail".'), (["tail"], 'In "tail".'), (5, 'In "tail".'), (None, 'In "tail".')],
)
def test_the_clearest_of_several_cases_is_called_so(seen: object, said: str) -> None:
    finding = Finding("sum-not-rescaled", "It is not rescaled.", case="tail", details={"cases": seen})
    (group,) = grouped([finding])
    assert seen_in(group) == f" {said}"


def test_grouping_counts_cases() -> None:
    findings = [Finding("a", "x", case="1"), Finding("better-than-asked", "y"), Finding("a", "z", case="2")]
    groups = grouped(findings)
    assert [(group.first.code, group.cases) for group in groups] == [("a", ("1", "2")), ("better-than-asked", ())]


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=300), st.integers(40, 120), st.booleans())
def test_any_text_anywhere_renders_harmlessly(text: str, width: int, verbose: bool) -> None:
    found = Finding(text, text, file=text, line=1, case=text, next_step=text, details={"argument": [text]})
    mismatch = Mismatch(text, 1, 2, (0, 1), float("nan"), float("inf"), text)
    case = samples.case(text, Verdict.FAIL, mismatch, why=text, layout=text)
    result: PuzzleResult = samples.result(Verdict.FAIL, findings=(found, found), cases=(case, case), output=text)
    printed = text_of(samples.report(result, result), width, verbose)
    assert not [c for c in printed if not c.isprintable() and c != "\n"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07x", "x"),
        ("\x1b]8;;http://a\x1b\\link", "link"),
        ("a\rb\r\nc", "a\nb\nc"),
        ("\x07\u202e\u200b", "\\x07\\u202e\\u200b"),
        ("a\tb", "a   b"),
        ("\ud800", "\\ud800"),
        ("\x9b31mred", "red"),
        ("\x1b", "\\x1b"),
    ],
)
def test_harmless(text: str, shown: str) -> None:
    assert harmless(text) == shown


def test_numbers() -> None:
    assert [significant(v) for v in (2706.4, 0.01234, 0, 1.5e12, float("inf"))] == [
        "2,706",
        "0.0123",
        "0",
        "1.5e+12",
        "inf",
    ]
    assert two_values(1.0, 1.0 + 1e-7) == ("1", "1.0000001")
    assert two_values(2**60, 2**60 + 1) == (str(2**60), str(2**60 + 1))


def test_what_dram_reads_of_a_puzzle_that_bounds_it() -> None:
    text = " ".join(text_of(samples.report(samples.passing(dram=samples.dram()))).split())
    assert "L2 cache DRAM reads a and b 2.10 times, at most 7 a 1.17 times and b 3.00 times." in text
    assert "In row-major order of the programs: 13.35 times." in text
    failed = " ".join(text_of(samples.report(samples.not_rescaled(dram=samples.dram()))).split())
    assert "L2 cache DRAM reads a and b 2.10 times, at most 7" in failed
    assert "row by row" not in failed  # it fails for something else


def test_programs_and_occupancy_of_a_puzzle_that_asks_for_them() -> None:
    text = " ".join(text_of(samples.report(samples.passing(occupancy=samples.filled()))).split())
    assert (
        "Programs 432 for 1,823 rows, 4.2 each on average NVIDIA A100: 108 x 5 = 540 fit at once; a multiprocessor has "
        "registers for 5 programs of 8 warps with 44 a thread. Occupancy 50 % of its warps."
    ) in text
    assert "Programs" not in text_of(samples.report(samples.passing()))
