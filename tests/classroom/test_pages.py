"""`class.html` and `feedback/`: what stands in them, that nothing foreign runs, and that a phone shows them."""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.classroom.made_class import HOSTILE, MARKUP, PUZZLES, a_class, outcome
from tests.classroom.test_grades import infra, small
from tests.front.test_html import FRAME_TITLE, Elements, browse, needs_chromium, pixels
from tritonpuzzles.front.classroom.results.book import Book, book_of, tally
from tritonpuzzles.front.classroom.results.feedback import feedback_html, file_name
from tritonpuzzles.front.classroom.results.overview import overview_html
from tritonpuzzles.front.page.markup import policy

DARK = "--blink-settings=preferredColorScheme=0"
GROUND, DARK_GROUND = (0xF6, 0xF8, 0xFA), (0x0D, 0x10, 0x14)


@pytest.fixture(scope="module")
def book() -> Book:
    return book_of(*a_class())


@pytest.fixture(scope="module")
def overview(book: Book) -> str:
    return overview_html(book, ["A sentence on Canvas's export."])


@pytest.fixture(scope="module")
def feedback(book: Book) -> str:
    """The page of the student whose name is markup."""
    return feedback_html(book, next(row for row in book.rows if row.student.id == MARKUP))


def assert_nothing_foreign(page: str, scripts: int) -> Elements:
    elements = Elements(page)
    tags = [tag for tag, _ in elements.found]
    assert tags.count("script") == scripts
    assert not {"img", "iframe", "svg", "object", "embed", "link", "base", "form"} & set(tags)
    for tag, attributes in elements.found:
        assert not [name for name in attributes if name.startswith("on")], tag
        assert re.fullmatch(r"#p\d\d|feedback/[\w.@~-]+\.html", attributes.get("href") or "#p00")
    return elements


def test_the_overview_has_every_student_and_puzzle(overview: str, book: Book) -> None:
    elements = assert_nothing_foreign(overview, scripts=1)
    assert "41 students, 6 puzzles, a folder for each student:" in elements.text
    assert len([one for one in elements.of("th") if one.get("scope") == "row"]) == 41
    assert len([one for one in elements.of("td") if "data-sort" in one]) == 41 * 7
    openers = [one["popovertarget"] for one in elements.of("button")]
    assert openers == [one["id"] for one in elements.of("div") if "popover" in one]
    assert len(openers) == 41 * 6 - book.statuses["missing"]
    assert "not on the roster" in elements.text
    assert "A sentence on Canvas's export." in elements.text
    assert "It belongs to no student." in elements.text


def test_its_only_script_is_ours_by_its_hash(overview: str) -> None:
    script = overview.split("<script>")[1].split("</script>")[0]
    [content] = [tag["content"] for tag in Elements(overview).of("meta") if "http-equiv" in tag]
    assert content == policy(script)
    assert "script-src 'sha256-" in str(content)
    assert "unsafe-inline'; img-src" in str(content)  # of styles alone


def test_a_broken_machine_is_said_first_and_takes_no_points() -> None:
    page = Elements(overview_html(small(outcome("ada", PUZZLES[3]), infra("alan"))))
    assert "1 of 4 graded, 2 missing, 1 grader fault." in page.text
    assert "The grader failed in 1 file: no points are given or taken for them." in page.text
    assert "0 + ?" in page.text


def test_which_mistake_how_often_counts_files_that_were_graded(book: Book, overview: str) -> None:
    found = tally(book, book.settings.assigned[3])
    counted = {mistake.code: len(mistake.rows) for mistake in found.mistakes}
    assert found.passed + sum(counted.values()) == found.graded
    assert "grader-fault" not in counted
    assert list(counted.values()) == sorted(counted.values(), reverse=True)
    mistake = next(one for one in found.mistakes if one.code == "sum-not-rescaled")
    text = " ".join(Elements(overview).text.split())
    assert f"{len(mistake.rows)} of {found.graded}: sum not rescaled. l is not rescaled when the running" in text


def test_feedback_says_all_of_one_student_and_nothing_of_others(book: Book) -> None:
    for row in book.rows:
        elements = assert_nothing_foreign(feedback_html(book, row), scripts=0)
        for other in book.rows[:33]:  # the others' names stand in hostile texts
            assert other is row or other.student.id not in elements.text.replace(row.student.id, "")
        for entry in row.entries:
            assert entry.score.words[1:] in elements.text
            for code, sentence in entry.outcome.flags if entry.outcome else ():
                assert sentence == MARKUP or (code not in elements.text and sentence not in elements.text)
    assert [one["content"] for one in elements.of("meta") if "http-equiv" in one] == [policy()]


def test_feedback_words_a_finding_with_its_place_and_next_step() -> None:
    book = small(outcome("ada", PUZZLES[3], "fail", loads=(("x_ptr", 3.0),)))
    text = Elements(feedback_html(book, book.rows[0])).text
    assert "l is not rescaled when the running maximum grows: l is 1.03 times too large" in text
    assert 'In "late maximum".' in text
    assert "ada/p03_online_softmax.py:78" in text
    assert "Next: Multiply l by tl.exp(m - m_new) before you add." in text
    assert "29 of 41 cases right, handed in 2026-11-20 18:59 UTC, due 2026-11-20 23:59 UTC." in text
    assert "x_ptr read 3.00x its size" in text
    assert "0 of 5 points" in text
    missing = Elements(feedback_html(book, book.rows[3])).text
    assert "Missing: 0 of 5 points." in missing
    assert "Next: hand in p03_online_softmax.py" in missing


@given(st.sampled_from(HOSTILE) | st.text(), st.text())
def test_any_student_has_a_safe_file_name_of_their_own(one: str, other: str) -> None:
    names = [file_name(one), file_name(other)]
    for name in names:
        assert re.fullmatch(r"[A-Za-z0-9][\w.@~-]*\.html|_?[\w-]+~[0-9a-f]{16}\.html", name)
        assert len(name) < 100
    assert one == other or names[0].casefold() != names[1].casefold()


def test_names_that_systems_take_for_others_get_a_hash() -> None:
    assert file_name("ada.lovelace@example.edu") == "ada.lovelace@example.edu.html"
    for id in ("Ada", "con", "nul.x", "..", "", "a/b", "ada~1", "é", "x" * 61):
        assert re.search(r"~[0-9a-f]{16}\.html$", file_name(id)), id


@given(st.text(), st.text())
def test_any_text_makes_a_page(name: str, text: str) -> None:
    found = outcome(name, PUZZLES[3], "fail", file=text, how=text, notes=(text,), flags=((text, text),))
    book = small(replace(found, findings=(replace(found.findings[0], message=text, case=text, next_step=text),)))
    for page in (overview_html(book, [text]), *(feedback_html(book, row) for row in book.rows)):
        page.encode()
        assert "http-equiv" in page


def framed(page: str, width: int, asked: str = "") -> str:
    """Return a page in a frame of some width, which a window has a least of, with a script that sets its title."""
    script = f"<script>{asked or 'document.title = document.documentElement.scrollWidth'}</script>"
    inner = re.sub("<meta http-equiv[^>]*>", "", page).replace("</body>", f"{script}</body>")
    return f"<iframe width={width} height=900 srcdoc='{escape(inner)}'></iframe>{FRAME_TITLE}"


@pytest.mark.slow
@needs_chromium
@pytest.mark.parametrize("kind", ["overview", "feedback"])
def test_no_page_is_wider_than_its_window(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    page = tmp_path / "framed.html"
    for width in (400, 1200):
        page.write_text(framed(request.getfixturevalue(kind), width), encoding="utf-8")
        dom, _ = browse(page, tmp_path, "--dump-dom")
        assert f"<title>{width}</title>" in dom


@pytest.mark.slow
@needs_chromium
@pytest.mark.parametrize("kind", ["overview", "feedback"])
def test_a_browser_runs_nothing_foreign_light_and_dark(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    page, shot = tmp_path / "page.html", tmp_path / "page.png"
    page.write_text(request.getfixturevalue(kind), encoding="utf-8")
    dom, said = browse(page, tmp_path, "--dump-dom")
    assert "CONSOLE" not in said
    assert "<title>GPU programming, homework 3" in dom
    for options, ground in (((), GROUND), ((DARK,), DARK_GROUND)):
        browse(page, tmp_path, f"--screenshot={shot}", "--window-size=1200,1500", *options)
        assert pixels(shot, ground) > 10_000


@needs_chromium
def test_heads_sort_by_numbers_and_names(overview: str, tmp_path: Path) -> None:
    """In the page as it is, whose policy lets the script run."""
    page = tmp_path / "page.html"
    page.write_text(overview, encoding="utf-8")
    dom, said = browse(page, tmp_path, "--dump-dom")
    assert "CONSOLE" not in said
    assert dom.count('title="sort"') == 8
    asked = """
    const rows = () => [...document.querySelectorAll(".class-book tbody tr")];
    const totals = () => rows().map(row => Number(row.lastElementChild.dataset.sort));
    const sorted = (values, sign) => values.every((value, i) => !i || sign * (value - values[i - 1]) >= 0);
    const heads = [...document.querySelectorAll(".class-book thead button")];
    heads.at(-1).click();
    const up = sorted(totals(), 1);
    heads.at(-1).click();
    const down = sorted(totals(), -1);
    heads[0].click();
    document.title = `${up} ${down} ${rows()[0].textContent.slice(0, 12)} ${rows().length}`;
    """
    page.write_text(framed(overview, 1200, asked), encoding="utf-8")
    dom, _ = browse(page, tmp_path, "--dump-dom")
    assert "<title>true true ../../etc/pa 41</title>" in dom


@needs_chromium
def test_a_click_on_a_cell_shows_its_findings(overview: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    asked = """
    const button = [...document.querySelectorAll("td button")].find(one => one.textContent.includes("fail"));
    const popover = document.getElementById(button.getAttribute("popovertarget"));
    const before = popover.matches(":popover-open");
    button.click();
    const box = popover.getBoundingClientRect();
    document.title = `${before} ${popover.matches(":popover-open")} ${box.left >= 0 && box.right <= 400}`;
    """
    page.write_text(framed(overview, 400, asked), encoding="utf-8")
    dom, _ = browse(page, tmp_path, "--dump-dom")
    assert "<title>false true true</title>" in dom
