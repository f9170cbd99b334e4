"""The report as HTML: nothing a learner writes is markup, and nothing that the terminal says is missing."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.front import samples
from tritonpuzzles.front.check import CheckReport
from tritonpuzzles.front.report import report_html
from tritonpuzzles.results.check import Finding, Mismatch, Report, Verdict

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>\" style='x' &lt; </div></pre>\x1b[2J\u202e"
TAGS = {"div", "style", "section", "span", "b", "p", "h4", "ul", "li", "br", "details", "summary", "pre", "code", "i"}
TAGS |= {"table", "thead", "tbody", "tr", "th", "td", "a"}
ATTRIBUTES = {"class", "style", "href"}
STYLE = re.compile(r"width:\d+\.\d%")
SOURCE = '"""A kernel."""\n\n        l = l + tl.sum(x[mask])  # </pre><script>\n        tl.store(y_ptr + cols, y)\n'


class Checker(HTMLParser):
    """Collects what is wrong with a piece of HTML, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        names = {name for name, _ in attributes}
        styles = [value for name, value in attributes if name == "style" and not STYLE.fullmatch(value or "")]
        if tag not in TAGS or not names <= ATTRIBUTES or styles:
            self.wrong.append(f"<{tag} {attributes}>")
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}>")
        if tag in ("td", "th"):
            self.text.append(" ")

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text.append(data)


def read(fragment: str) -> str:
    """Return the text of a fragment that is well formed and made of our own elements alone."""
    checker = Checker()
    checker.feed(fragment)
    checker.close()
    assert checker.wrong == []
    assert checker.open == []
    return " ".join("".join(checker.text).split())


def shown(report: Report, **more: object) -> str:
    """Return what a notebook shows of a check."""
    whole = CheckReport(report.tritonpuzzles, report.environment, report.results, **more)  # type: ignore[arg-type]
    return whole._repr_html_()


def hostile(text: str) -> Report:
    """Return a report in which every string is this text."""
    found = Finding(text, text, file=text, line=3, case=text, next_step=text, details={"argument": text})
    notes = [replace(found, code=code, line=None) for code in ("wrong-values", "register-spills", "better-than-asked")]
    case = samples.case(
        text, Verdict.FAIL, Mismatch(text, 1, 2, (0, 1), 1.0, 2.0, text), why=text, layout=text, device=text
    )
    other = replace(case, name=f"{text}2", mismatch=None, dtype=text)
    traffic = tuple(replace(row, argument=text, tensor=text) for row in samples.traffic())
    speed = samples.timed(labels=(text,)).benchmark
    assert speed is not None
    speed = replace(speed, device=text, dtype=text, unit=text, baselines={text: 1.0})
    fields = {"slug": text, "findings": (found, *notes), "cases": (case, other), "traffic": traffic, "benchmark": speed}
    result = samples.result(Verdict.FAIL, output=text, **fields)
    unsolved = samples.result(Verdict.UNSOLVED, slug=text, findings=(found,))
    return samples.report(
        result, replace(result, file=samples.known_as(text)), replace(unsolved, file=samples.known_as(text))
    )


@pytest.fixture(autouse=True)
def _source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file under test, where the samples say it is."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / samples.FILE).parent.mkdir()
    (tmp_path / samples.FILE).write_text(SOURCE)


def test_a_hostile_message_is_text() -> None:
    fragment = shown(hostile(HOSTILE), next_step=HOSTILE, notes=(HOSTILE,))
    text = read(fragment)
    assert "<script>alert(1)</script><img src=x onerror=alert(1)>" in text
    assert "<script" not in fragment
    assert "\x1b" not in fragment
    assert "\u202e" not in fragment


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet=st.sampled_from("<>&\"'/ab\n\x00\x1b\u2028"), max_size=40) | st.text(max_size=60))
def test_any_text_anywhere_is_text(text: str) -> None:
    read(shown(hostile(text), next_step=text, notes=(text,), question=(text, text)))


def test_a_failing_report_says_all_that_the_terminal_says() -> None:
    text = read(report_html(samples.report(samples.not_rescaled()), next_step="%hint 3 (1 of 3)"))
    for words in (
        "✗ fail p03 online_softmax",
        "puzzles/p03_online_softmax.py, CPU, seed 123, checked in 1.9 s",
        "2 of 7 pass on the CPU",
        "14,012 of 25,773 elements of y wrong: columns 256 and after of every row.",
        "The first is [0, 256]: expected 0.00123456, got 0.00098765.",
        "Wrong values in 4 more",
        "Your sum is not rescaled when the running maximum grows",
        "In 2 cases.",
        "puzzles/p03_online_softmax.py:3",
        "3 │ l = l + tl.sum(x[mask]) # </pre><script>",
        "Next: Multiply l by exp(m - m_new)",
        "x_ptr 2.00x - 2.00x ✓",
        "Next: %hint 3 (1 of 3)",
    ):
        assert words in text
    assert text.count("not rescaled") == 1
    assert text.index("late maximum") < text.index("ordinary numbers")
    assert all(name in text for name in samples.NAMES)


def test_line_numbers_of_the_cell_only_where_a_cell_was_checked() -> None:
    result = samples.not_rescaled()
    assert "of the cell" not in report_html(samples.report(result))
    cell = replace(result, file=replace(result.file, in_cell=True))
    text = read(report_html(samples.report(cell)))
    assert "line 3 of the cell 3 │ l = l + tl.sum" in text
    assert "p03_online_softmax.py:3" not in text


def test_a_question_stands_before_the_report_with_its_answers() -> None:
    text = read(shown(samples.report(samples.passing()), question=("Replace <it>?", "Yes: so.", "No: thus.")))
    assert text.startswith("Replace <it>?Yes: so.No: thus. ✓ pass")


def test_the_next_step_may_be_a_link() -> None:
    fragment = shown(samples.report(samples.passing()), next_step="%x", link=("4. <T>", 'p04.ipynb"><script>'))
    assert "Next: 4. <T>" in read(fragment)
    assert "%x" not in fragment


def test_a_passing_report_on_a_gpu() -> None:
    text = read(report_html(samples.report(samples.timed(labels=("launch-bound",)))))
    for words in ("✓ pass", "2,706 GB/s", "copy 4,119 GB/s", "66 % of a copy", "launch-bound: below 20"):
        assert words in text
    assert "Not seen on the CPU: speed" not in text


def test_the_learners_output_and_the_costs() -> None:
    text = read(report_html(samples.report(samples.timeout())))
    assert "Your code printed" in text
    assert "iteration 39" in text
    over = read(report_html(samples.report(samples.out_of_bounds())))
    assert "x_ptr 3.00x - 2.00x ✗ over" in over
    assert "2 cases: out of bounds store, too many loads" in over
    assert len(report_html(samples.report(samples.passing(output="x\n" * 10**6)))) < 60_000


def test_several_puzzles_begin_with_a_summary() -> None:
    text = read(report_html(samples.five()))
    assert "✗ fail 2 of 5 puzzles pass" in text
    assert text.count("p01 softmax") == 1
    assert text.count("p03 online_softmax") == 2


def test_the_report_of_a_check_shows_itself() -> None:
    plain = samples.report(samples.not_rescaled())
    report = CheckReport(plain.tritonpuzzles, plain.environment, plain.results, "%hint 3", ("Written.",))
    assert not report.passed
    assert report.findings == plain.findings
    assert report.to_dict() == plain.to_dict()
    assert repr(report) == "<report: p03 fail; print it for the text>"
    assert str(report).startswith("Written.\n✗ fail  p03 online_softmax\n")
    assert str(report).endswith("Next: %hint 3")
    assert "\x1b" not in str(report)
    fragment = report._repr_html_()
    assert "Written." in html.unescape(fragment)
