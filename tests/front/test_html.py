"""The page of `check --html`: what stands in it, and that nothing in it can run, also in a real browser."""

from __future__ import annotations

import math
import re
import shutil
import subprocess
from dataclasses import replace
from html import escape
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.conftest import FIXTURE
from tests.front import samples
from tests.front.conftest import Run
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.html import Image, Part, page_html, refuse_bad_place
from tritonpuzzles.front.page.markup import POLICY
from tritonpuzzles.front.report import report_html
from tritonpuzzles.results.check import Finding, PuzzleResult, Verdict
from tritonpuzzles.results.states import ElementValue, RowStates, VariableValue
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.results.traffic import LineTraffic

ATTACK = "document.title='owned';console.log('owned')"
HOSTILE = (
    f'</code></pre></style></title><script>{ATTACK}</script><img src=x onerror="{ATTACK}">'
    f"<svg onload={ATTACK}><iframe src='javascript:{ATTACK}'></iframe><style>*{{display:none}}</style>{{0}}%s&lt;"
)
STYLE = "<style>*{fill:#56b4e9}</style>"
SQUARE = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">{STYLE}<path d="M0 0h9v9H0z"/></svg>'
DARK_SQUARE = SQUARE.replace("#56b4e9", "#0a2a4a")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
needs_chromium = pytest.mark.skipif(
    CHROMIUM is None, reason="needs a browser: apt-get update && apt-get install -y --no-install-recommends chromium"
)


class Elements(HTMLParser):
    """The elements of a page, with their attributes, and the text in them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


FRAME_TITLE = """<script>
onload = () => document.title = document.querySelector("iframe").contentDocument.title;
</script>"""


def assert_nothing_can_run(page: str) -> Elements:
    elements = Elements(page)
    assert not {tag for tag, _ in elements.found} & {
        "script",
        "iframe",
        "svg",
        "object",
        "embed",
        "link",
        "base",
        "form",
    }
    for tag, attributes in elements.found:
        assert not [name for name in attributes if name.startswith("on")], tag
        for value in (attributes.get("src"), attributes.get("href")):
            assert value is None or value.startswith(("data:image/svg+xml;base64,", "#p"))
    policies = [tag["content"] for tag in elements.of("meta") if tag.get("http-equiv") == "Content-Security-Policy"]
    assert policies == [POLICY]
    assert "script" not in POLICY
    assert POLICY.startswith("default-src 'none'")
    return elements


@pytest.fixture
def hostile(tmp_path: Path) -> PuzzleResult:
    """A failing result in which everything that a submission can say is hostile."""
    path = tmp_path / f"{HOSTILE.replace('/', '')[:100]}.py"
    path.write_text(f"x = 1  # {HOSTILE}\ny = '''{HOSTILE}'''\n")
    finding = Finding("kernel-error", HOSTILE, file=str(path), line=1, case=HOSTILE, next_step=HOSTILE)
    lines = (LineTraffic(str(path), 2, HOSTILE, 200, 0, 0, 100),)
    return samples.result(
        Verdict.FAIL,
        file=str(path),
        findings=(finding,),
        cases=(samples.case(HOSTILE, Verdict.FAIL),),
        traffic=samples.traffic(),
        lines=lines,
        output=HOSTILE,
    )


def page_of(result: PuzzleResult) -> str:
    return page_html(
        samples.report(result), [Part(result, [Image(SQUARE, DARK_SQUARE, HOSTILE)], HOSTILE, HOSTILE)], HOSTILE
    )


def test_what_dram_reads_stands_on_the_page_too() -> None:
    page = report_html(samples.report(samples.passing(dram=samples.dram())))
    assert "DRAM reads a and b 2.10 times, at most 7" in page
    assert "row-major order of the programs: 13.35 times" in page
    assert "16 of 600 programs at once" in page


def test_programs_and_occupancy_stand_on_the_page_too() -> None:
    page = report_html(samples.report(samples.passing(occupancy=samples.filled())))
    assert "432 for 1,823 rows, 4.2 each on average" in page
    assert "Occupancy 50 % of its warps." in page
    assert "Occupancy" not in report_html(samples.report(samples.passing()))


def test_hostile_text_is_text(hostile: PuzzleResult) -> None:
    elements = assert_nothing_can_run(page_of(hostile))
    assert [image["alt"] for image in elements.of("img")] == [HOSTILE] * 2
    assert elements.text.count(f"<script>{ATTACK}</script>") >= 6  # message, next step, case, print, code, margin


@pytest.mark.slow
@needs_chromium
def test_a_browser_shows_it_and_runs_nothing(hostile: PuzzleResult, tmp_path: Path) -> None:
    page, shot = tmp_path / "page.html", tmp_path / "page.png"
    page.write_text(page_of(hostile), encoding="utf-8")
    dom, said = browse(page, tmp_path, "--dump-dom")
    assert "CONSOLE" not in said
    title = dom.split("<title>")[1].split("</title>")[0]
    assert title == "p03 online_softmax: fail"
    assert "<script" not in dom
    _, said = browse(page, tmp_path, f"--screenshot={shot}", "--window-size=900,3000")
    assert "CONSOLE" not in said
    assert pixels(shot, (0x56, 0xB4, 0xE9)) > 10_000  # the picture, whose style the policy lets be
    assert pixels(shot, (0xFF, 0xFF, 0xFF)) > 100_000  # the sheets of report and code: nobody hid them
    browse(page, tmp_path, f"--screenshot={shot}", "--window-size=400,3000", "--blink-settings=preferredColorScheme=0")
    assert pixels(shot, (0x0D, 0x10, 0x14)) > 10_000  # the dark theme's ground
    assert pixels(shot, (0x0A, 0x2A, 0x4A)) > 10_000  # and its picture
    assert pixels(shot, (0x56, 0xB4, 0xE9)) == 0


def test_a_page_says_whose_it_is_and_where_its_parts_are(tmp_path: Path) -> None:
    first, second = samples.passing(puzzle=1, slug="softmax"), samples.not_rescaled()
    page = page_html(
        samples.report(first, second), [Part(first), Part(second)], name="Ada <L.>", date="2026-11-22 23:59"
    )
    elements = Elements(page)
    assert "Ada <L.>, 2026-11-22 23:59" in elements.text
    contents = [link["href"] for link in elements.of("a")]
    assert contents == ["#p01", "#p03-report", "#p03", "#p03-line-3"]
    assert {"p01", "p03"} <= {heading.get("id") for heading in elements.of("h2")}
    assert "p03-report" in {section.get("id") for section in elements.of("section")}


def test_findings_lead_to_their_lines(tmp_path: Path) -> None:
    """Whatever their weight, and also where the line stands in the story, which is not folded then."""
    path = tmp_path / "p03.py"
    path.write_text("# %% [markdown]\n# A story.\n# %%\nx = 1\ny = 2\n")
    findings = (
        Finding("out-of-bounds-store", "Stores outside.", file=str(path), line=4, case="a"),
        Finding("not-compiled", "Slow.", line=5),
        Finding("better-than-asked", "Better than asked.", file=str(path), line=2),
        Finding("kernel-error", "Elsewhere.", file="/usr/lib/other.py", line=1, case="b"),
    )
    elements = Elements(page_of(samples.result(Verdict.FAIL, file=str(path), findings=findings, lines=())))
    lines = [link["href"] for link in elements.of("a")]
    assert set(lines) == {f"#p03-line-{n}" for n in (2, 4, 5)}
    rows = [row.get("id") for row in elements.of("tr") if row.get("id")]
    assert rows == [f"p03-line-{n}" for n in range(1, 6)]
    assert "The story, lines" not in elements.text


@needs_chromium
def test_the_line_that_a_link_leads_to_is_marked(tmp_path: Path) -> None:
    path, page = tmp_path / "p03.py", tmp_path / "open.html"
    path.write_text("x = 1\ny = 2\n")
    finding = Finding("wrong-values", "Wrong.", line=2)
    text = page_of(samples.passing(file=Submission.of(path), findings=(finding,)))
    asked = """<script>
    const outline = n => getComputedStyle(document.getElementById(`p03-line-${n}`)).outlineStyle;
    const before = outline(2);
    document.querySelector("a[href='#p03-line-2']").click();
    setTimeout(() => document.title = `${before} ${outline(1)} ${outline(2)}`, 50);
    </script>"""
    page.write_text(re.sub("<meta http-equiv[^>]*>", "", text).replace("</body>", f"{asked}</body>"))
    dom, _ = browse(page, tmp_path, "--dump-dom")
    assert "<title>none none solid</title>" in dom


@needs_chromium
def test_nothing_is_wider_than_a_phone_but_what_scrolls_by_itself(tmp_path: Path) -> None:
    path, page = tmp_path / "p03.py", tmp_path / "open.html"
    path.write_text(f"x = '{'long ' * 80}'\n")
    results = [samples.not_rescaled(file=Submission.of(path)), samples.passing(puzzle=4, slug="a_rather_long_name")]
    text = page_html(samples.report(*results), [Part(one, [Image(SQUARE, SQUARE, "x")]) for one in results])
    asked = "<script>document.title = document.documentElement.scrollWidth</script>"
    # a window has a least width, a frame has none
    inner = re.sub("<meta http-equiv[^>]*>", "", text).replace("</body>", f"{asked}</body>")
    page.write_text(f"<iframe width=400 height=900 srcdoc='{escape(inner)}'></iframe>" + FRAME_TITLE)
    dom, _ = browse(page, tmp_path, "--dump-dom")
    assert "<title>400</title>" in dom


def test_a_page_names_no_folder_of_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, course = tmp_path / "ada", tmp_path / "ada" / "course"
    (course / "puzzles").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(course)
    outside = tmp_path / "elsewhere" / "attempt.py"
    outside.parent.mkdir()
    outside.write_text("x = 1\n")
    said = f"{course}/puzzles/p03.py and {home}/lib/a.py fail, and {outside} too."
    finding = Finding("kernel-error", said, file=str(outside), line=1, next_step=f"Look at {home}/lib/a.py.")
    result = samples.result(Verdict.FAIL, file=str(outside), findings=(finding,), output=f"File {course}/puzzles/x.py")
    page = page_html(samples.report(result), [Part(result, without=f"No picture of {outside}.")])
    assert str(tmp_path) not in page
    text = Elements(page).text
    assert "puzzles/p03.py and ~/lib/a.py fail, and attempt.py too." in text
    assert "attempt.py:1" in text
    assert "No picture of attempt.py." in text


def test_the_story_is_folded_unless_something_is_said_of_it(tmp_path: Path) -> None:
    path = tmp_path / "p03.py"
    path.write_text("# %% [markdown]\n# A story.\n# %%\nimport torch\nx = 1\n")
    folded = page_of(samples.passing(file=Submission.of(path), lines=()))
    assert "The story, lines 1 to 3" in folded
    assert folded.index("A story.") < folded.index("import torch")
    finding = Finding("syntax-error", "odd", file=str(path), line=2)
    assert "The story, lines" not in page_of(samples.passing(file=Submission.of(path), findings=(finding,)))


def replayed(tmp_path: Path) -> PuzzleResult:
    """A kernel that holds a wrong sum from its second tile on."""
    path = tmp_path / "p03.py"
    path.write_text("def kernel():\n    m = 0\n    l = 0\n")
    steps = [(1, 2, "m", 4.0, 4.0), (1, 3, "l", 9.0, 9.0), (2, 2, "m", 5.0, 5.0), (2, 3, "l", 99.0, 1.5)]
    variables = tuple(
        VariableValue(turn, (8 * turn - 8, 8 * turn - 1), line, name, "a quantity", right, held, held == right)
        for turn, line, name, held, right in steps
    )
    element = ElementValue((0, 3), 0.5, math.nan, right=False)
    states = RowStates("late maximum", "y", 0, "row", "column", 16, (element,), variables)
    return samples.not_rescaled(file=Submission.of(path), states=states)


def test_a_replay_begins_where_it_goes_wrong(tmp_path: Path) -> None:
    page = page_of(replayed(tmp_path))
    assert "<details open><summary>Replay of the program of row 0</summary>" in page
    assert "<details><summary>Replay of" in report_html(samples.report(replayed(tmp_path)))  # a notebook has less room
    elements = Elements(page)
    buttons = [one for one in elements.of("input") if one.get("type") == "radio"]
    assert [("checked" in one) for one in buttons] == [False, False, False, True]
    assert all(one["data-lm-suppress-shortcuts"] == "true" for one in buttons)  # arrow keys work in JupyterLab too
    assert buttons[3]["aria-label"] == "iteration 2, line 3: l is 99, where 1.5 is right"
    assert "columns 8 to 15 of 16" in elements.text


@pytest.mark.slow
@needs_chromium
def test_each_step_of_a_replay_shows_its_own(tmp_path: Path) -> None:
    """The page's policy lets no script run, so that a copy without it is asked."""
    page, open_page = tmp_path / "page.html", tmp_path / "open.html"
    text = page_of(replayed(tmp_path)).replace("<details>", "<details open>")
    page.write_text(text, encoding="utf-8")
    shot = tmp_path / "page.png"
    browse(page, tmp_path, f"--screenshot={shot}", "--window-size=900,2000")
    assert pixels(shot, (0xFF, 0xF1, 0xC9)) > 1_000  # the line of the step, lit
    browse(page, tmp_path, f"--screenshot={shot}", "--window-size=400,2000", "--blink-settings=preferredColorScheme=0")
    assert pixels(shot, (0x37, 0x2D, 0x0E)) > 1_000
    asked = """<script>
    const style = of => getComputedStyle(document.querySelector(of));
    const shown = () => [0, 1, 2, 3].filter(i => style(`.tp-at-${i}`).display != "none");
    const lit = n => style(`.tp-line-${n}`).backgroundColor != "rgba(0, 0, 0, 0)";
    const before = `${shown()} ${lit(2)} ${lit(3)}`;
    document.querySelectorAll("input[type=radio]")[2].click();
    document.title = `${before} then ${shown()} ${lit(2)} ${lit(3)}`;
    </script>"""
    open_page.write_text(re.sub("<meta http-equiv[^>]*>", "", text).replace("</body>", f"{asked}</body>"))
    dom, _ = browse(open_page, tmp_path, "--dump-dom")
    assert "<title>3 false true then 2 true false</title>" in dom


@needs_chromium
def test_the_browser_test_would_notice(tmp_path: Path) -> None:
    page = tmp_path / "open.html"
    page.write_text(f'<title>mine</title><img src=x onerror="{ATTACK}">')
    dom, said = browse(page, tmp_path, "--dump-dom")
    assert "<title>owned</title>" in dom
    assert "CONSOLE" in said


def browse(page: Path, home: Path, *options: str) -> tuple[str, str]:
    """Open a page in a headless browser; return what it prints and what it logs."""
    assert CHROMIUM is not None
    command = [
        CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr",
        "--virtual-time-budget=2000", f"--user-data-dir={home / 'profile'}", *options, f"file://{quote(str(page))}",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout, done.stderr


def pixels(path: Path, colour: tuple[int, int, int]) -> int:
    """Count the pixels of a colour in an image."""
    PIL = pytest.importorskip("PIL.Image")
    with PIL.open(BytesIO(path.read_bytes())) as image:
        found: list[tuple[int, tuple[int, int, int]]] = image.convert("RGB").getcolors(1 << 24)
    return sum(count for count, seen in found if seen == colour)


def test_code_with_its_ledger_and_its_mistakes(tmp_path: Path) -> None:
    path = tmp_path / "p03.py"
    path.write_text("import torch\n\nx = tl.load(x_ptr)\ntl.store(y_ptr, x)")
    lines = (LineTraffic(str(path), 3, "x_ptr", 200, 0, 0, 100), LineTraffic("/other.py", 1, "x_ptr", 9, 0, 0, 9))
    findings = (
        Finding("a", "Stores outside.", file=str(path), line=4, case="one"),
        Finding("a", "Stores outside, again.", file=str(path), line=4, case="two"),
        Finding("timing-failed", "Slow.", file=str(path), line=1),
        Finding("better-than-asked", "Better than asked.", file=str(path), line=2),
    )
    result = samples.result(Verdict.FAIL, file=str(path), lines=lines, findings=findings)
    page = page_html(samples.report(result), [Part(result)])
    listing = page.split('<div class="page-code">')[1]
    assert '<td class="page-margin"><span>x_ptr read 2.00x</span></td><td class="page-number">3</td>' in listing
    assert "<div>✗ Stores outside.</div>" in listing
    assert "<div>! Slow.</div>" in listing
    assert "again" not in listing
    assert "Better" not in listing
    assert listing.count('class="page-number"') == 4 + 2


def test_a_file_that_is_gone_leaves_the_rest(tmp_path: Path) -> None:
    result = samples.result(Verdict.ERROR, file=str(tmp_path / "gone.py"))
    assert "The file cannot be shown: No such file or directory." in page_html(samples.report(result), [Part(result)])


def test_places_that_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(FrontError, match="is a folder"):
        refuse_bad_place(tmp_path)
    with pytest.raises(FrontError, match="There is no folder"):
        refuse_bad_place(tmp_path / "none" / "page.html")


def test_a_real_check_of_a_hostile_file(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    source = (FIXTURE / "solutions" / "p01_square.py").read_text()
    path = tmp_path / "<img src=x onerror=alert(1)>.py"
    path.write_text(source.replace("    y = torch", '    print("<script>alert(1)</script>")\n    y = torch'))
    page = tmp_path / "report.html"
    real = {"judge": False, "TRITONPUZZLES_PACK": str(FIXTURE)}
    done = run("check", "1", "--file", str(path), "--seed", "3", "--device", "cpu", "--html", str(page), **real)
    assert done.returncode == 0, done.stderr
    elements = assert_nothing_can_run(page.read_text(encoding="utf-8"))
    told = [str(image["alt"]) for image in elements.of("img")]
    assert told[::2] == told[1::2]  # for a light page and for a dark one
    assert [words.split(".")[0] for words in told[::2]] == [
        "Which program reads and writes which element",
        "What program 1 reads and writes, in order of time",
        "How many bytes it moves, and how few would do",
    ]
    assert all('case "ordinary numbers"' in words for words in told)
    assert 'In the margin: what each line moves in the case "ordinary numbers", ' in elements.text
    assert "x_ptr read 1.00x" in elements.text
    assert "<script>alert(1)</script>" in elements.text
    assert "<img src=x onerror=alert(1)>.py" in elements.text


def test_a_check_without_a_ledger_has_a_page_too(run: Run, tmp_path: Path) -> None:
    done = run("check", "--json", "--html", str(tmp_path / "page.html"))
    assert done.returncode == 1
    assert done.stdout.startswith("{")
    elements = assert_nothing_can_run((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert "unsolved" in elements.text
    assert elements.of("img") == []


def test_without_matplotlib_the_page_says_how_to_get_pictures(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from tritonpuzzles.curriculum.registry import load_curriculum
    from tritonpuzzles.front.grading import Graded, Source
    from tritonpuzzles.front.html import write_page

    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    graded = Graded(samples.report(samples.passing()), load_curriculum(), Source(), None, {})
    write_page(graded, tmp_path / "page.html", None, lambda _: None)
    assert "pip install &#39;tritonpuzzles[plot]&#39;" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_a_column_with_nothing_in_it_is_left_out() -> None:
    whole = samples.passing(cases=(replace(samples.case("a", Verdict.PASS), dtype=""),))
    assert "<th>dtype</th>" not in page_of(whole)
    told = samples.passing(cases=(replace(samples.case("a", Verdict.PASS), values={"eps": 1e-6}),))
    assert "float32 eps = 1e-06" in page_of(told)
