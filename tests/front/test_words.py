"""The glossary: every word that a learner asks for, on a terminal, in the docs, and below a report's findings."""

from __future__ import annotations

import re

import pytest

from tests.front import samples
from tests.front.conftest import ROOT, Run
from tritonpuzzles.curriculum.mistakes import in_words
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front.console import printed
from tritonpuzzles.front.glossary import COMMON, LINKED, PAGE, entries, find, words_in
from tritonpuzzles.front.page.model import View
from tritonpuzzles.front.report import report_html, report_lines
from tritonpuzzles.judge.resolve import resolve
from tritonpuzzles.results.check import Finding, Report, Verdict
from tritonpuzzles.results.codes import CODES

ASKED_FOR = [
    "program",
    "grid",
    "lane",
    "tile",
    "mask",
    "constexpr",
    "pointer arithmetic",
    "stride",
    "num_warps",
    "register",
    "spill",
    "occupancy",
    "L2",
    "DRAM",
    "sm_80",
    "traffic",
]
JARGON = [
    "lanes",
    "masks",
    "tiles",
    "blocks",
    "warps",
    "threads",
    "SM",
    "fused",
    "constexprs",
    "strides",
    "broadcast",
    "broadcasting",
    "reduction",
    "accumulator",
    "autotuner",
    "TF32",
    "descriptor",
    "ptxas",
    "roofline",
    "race",
    "atomic",
    "overflow",
    "underflow",
    "ragged",
    "tail",
    "contiguous",
    "bandwidth",
    "HBM",
    "smem",
    "occupancy",
    "spills",
    "num_stages",
    "float16",
    "bf16",
    "pid",
    "scalar",
    "tl.dot",
]


def section(report: Report) -> str:
    return printed(report_lines(report, View(80), lambda _: None), 80)


@pytest.mark.parametrize("code", ["unwritten-elements", "Sum-not-rescaled", "missing-file, mask"])
def test_a_code_of_a_finding_has_its_sentence(code: str, run: Run) -> None:
    done = run("words", *code.split(), judge=False)
    name = code.lower().split(",")[0]
    row = next(line for line in (ROOT / "docs/codes.md").read_text().splitlines() if line.startswith(f"| `{name}` |"))
    meaning = row.strip("| ").rpartition(" | ")[2]
    assert " ".join(done.stdout.split()).startswith(f"{name}, a finding's code: {meaning}")
    assert ("lanes" in done.stdout) == ("mask" in code)


@pytest.mark.parametrize("word", [*ASKED_FOR, *JARGON, "shared memory", "local memory", "scratch memory", "row stride"])
def test_every_word_has_an_entry_in_both_cases(word: str, run: Run) -> None:
    done = run("words", *word.split(), judge=False)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout) > 60
    assert run("words", word.upper(), judge=False).stdout == done.stdout


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("warp", "num_warps:"),
        ("Warps", "num_warps:"),
        ("smem", "shared memory:"),
        ("block", "tile:"),
        ("sm_90", "sm_80:"),
        ("global memory", "DRAM:"),
    ],
)
def test_other_names_lead_to_the_entry(words: str, first: str, run: Run) -> None:
    assert run("words", words, judge=False).stdout.startswith(first)


@pytest.mark.parametrize("words", [("lane,", "mask"), ("lane", "mask"), ("lane, mask",)])
def test_several_words_at_once(words: tuple[str, ...], run: Run) -> None:
    shown = run("words", *words, judge=False).stdout
    assert re.findall(r"^(\w+):", shown, re.MULTILINE) == ["lane", "mask"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("maks",), "no word 'maks'. Did you mean mask?"),
        (("lane", "regster"), "no word 'regster'. Did you mean register?"),
        (("qqqq",), "no word 'qqqq'.\n"),
    ],
)
def test_a_typo_is_a_usage_error_with_the_nearest_word(words: tuple[str, ...], said: str, run: Run) -> None:
    done = run("words", *words, judge=False)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Next: tritonpuzzles words" in done.stderr


def test_the_page_has_every_entry_and_fits(run: Run) -> None:
    shown = run("words", judge=False, COLUMNS="60", NO_COLOR="1").stdout
    assert max(map(len, shown.split("\n"))) <= 60
    assert all(f"\n{entry.name}: " in shown for entry in entries())
    assert "<!--" not in shown
    assert "\x1b" not in shown


def test_the_page_is_in_the_docs() -> None:
    """Run `cp grader/tritonpuzzles/front/glossary.md docs/words.md` after a change."""
    assert (ROOT / "docs" / "words.md").read_bytes() == PAGE.read_bytes()


def test_names_are_unique_and_entries_short() -> None:
    names = [name.lower() for entry in entries() for name in entry.names]
    assert len(names) == len(set(names))
    assert {*COMMON} <= {entry.name for entry in entries()}
    for entry in entries():
        prose = re.sub(r"```.*?```", "", entry.text, flags=re.DOTALL)
        assert len(prose.split()) < 80, entry.name
        assert len(re.findall(r"[.:?](?=\s+[A-Z`]|\s*$)", prose)) <= 6, entry.name


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The lanes past the end of the row hold 0.", ["lane"]),
        ("A lane that a mask switches off; lanes again.", ["lane", "mask"]),
        ("Pass mask=offsets < n to tl.store, or correct the offsets.", ["mask", "offset"]),
        ("attention_kernel spills on sm_90: more warps, smaller tiles.", ["spill", "sm_90", "warp"]),
        ("The running sum is rescaled when the running maximum grows.", ["running sum"]),
        ("The kernel is launched in float32. Next: tl.max(x, axis=0).", []),
        ("plane, masking, programmer, tiled_softmax, m_tile", []),
    ],
)
def test_words_of_a_text(text: str, words: list[str]) -> None:
    assert words_in(text) == words
    assert all(find(word) for word in words)


def test_a_report_links_the_words_of_its_first_finding_once() -> None:
    text = section(samples.report(samples.out_of_bounds()))
    assert text.count("Words: ") == 1
    assert "\n  Words: tritonpuzzles words lane, program, mask\n" in text
    html = report_html(samples.report(samples.out_of_bounds()))
    assert "<summary>Words: lane, program, mask</summary>" in html
    assert "<p><b>lane</b>: the place of one element in a tile." in html
    assert "`" not in html.split("<summary>Words")[1].split("</details>")[0]


def test_a_report_without_findings_links_nothing() -> None:
    assert "Words: " not in section(samples.report(samples.passing()))
    assert "Words: " not in report_html(samples.report(samples.passing()))
    plain = samples.result(Verdict.ERROR, findings=(Finding("import-error", "No module named 'numpyy'."),))
    assert "Words: " not in section(samples.report(plain))


def test_every_word_that_a_finding_can_link_exists() -> None:
    texts = [code.meaning for code in CODES.values()]
    for puzzle in load_curriculum().puzzles:
        texts += [in_words(f"{mistake.says} {mistake.next_step}") for mistake in resolve(puzzle).mistakes]
    linked = [words_in(text) for text in texts]
    assert all(len(words) <= LINKED and all(find(word) for word in words) for words in linked)
    assert sum(map(bool, linked)) > len(linked) // 3
