"""Several puzzles in one report: a table first, and at the end of the course what was earned, and what is next."""

from __future__ import annotations

from rich.text import Text

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import Curriculum
from tritonpuzzles.front.page.model import (
    Bar,
    Block,
    Blocks,
    Cell,
    Column,
    Gap,
    Heading,
    Link,
    Paragraph,
    Table,
    Title,
    View,
)
from tritonpuzzles.front.page.terminal import Lines, rendered
from tritonpuzzles.front.report import predicted
from tritonpuzzles.front.report.naming import MARKS, label, marked, part_anchor, report_anchor
from tritonpuzzles.front.text import one_line, percent, significant
from tritonpuzzles.front.workspace.progress import Best, Progress
from tritonpuzzles.front.workspace.shipped import has_solutions, tuned_file
from tritonpuzzles.front.workspace.state import Entries
from tritonpuzzles.results.check import PuzzleResult, Report, Verdict
from tritonpuzzles.results.cover import grouped
from tritonpuzzles.results.words import plural

NEEDS_NO_MORE = (Verdict.PASS, Verdict.UNSOLVED)
WIDE = 60  # columns from which a table has room
SUMMARY = (Column(whole=True), Column(whole=True), Column(), Column(on_page=True), Column(on_page=True))
BAR, MIN_BAR_WIDTH = 30, 72  # columns of the longest bar, and the least width of a terminal that shows bars
LADDER = (Column(), Column(whole=True), Column(right=True, whole=True), Column(whole=True))
NONE = "-"


def summary_blocks(report: Report, view: View) -> Blocks:
    """Return one sentence and one line per puzzle; on a page, with links to its report and its code."""
    passed = sum(result.passed for result in report.results)
    sentence = f"{passed} of {plural(len(report.results), 'puzzle')} {'passes' if passed == 1 else 'pass'}"
    title = Title(marked(Verdict.PASS if report.passed else Verdict.FAIL, sentence))
    if view.width < WIDE:
        return [title, Gap(), *_stacked(report)]
    rows: list[list[Cell]] = []
    for result in report.results:
        row: list[Cell] = [MARKS[result.verdict].text, label(result), remark(result)]
        if view.linked:
            address = f"#{report_anchor(result)}"
            row.append("" if result.verdict in NEEDS_NO_MORE else Link("report", address))
            row.append(Link("pictures and code", f"#{part_anchor(result)}"))
        rows.append(row)
    return [title, Gap(), Table(SUMMARY if view.linked else SUMMARY[:3], rows, "summary", indent=0)]


def _stacked(report: Report) -> Blocks:
    """Return two lines per puzzle, where a table has no room."""
    blocks: list[Block] = []
    for result in report.results:
        title = Text.assemble(MARKS[result.verdict].text, f"  {label(result)}")
        blocks += [Paragraph(title, indent=0), Paragraph(remark(result), "dim", 4)]
    return blocks


def remark(result: PuzzleResult) -> str:
    """Return a table's remark on a result, in a few words."""
    words = _in_words(result)
    if not result.passed or not result.stars:
        return words
    stars, most = predicted.predicted_stars(result), predicted.stars_of(result)
    return f"{predicted.star_signs(result.stars, stars, most)}  {words}"


def _in_words(result: PuzzleResult) -> str:
    if result.benchmark is not None:
        speed = f"{significant(result.benchmark.rate)} {one_line(result.benchmark.unit)}"
        share = result.benchmark.share_of_copy
        return f"{speed}, {percent(share)} of a copy" if share is not None else speed
    if result.verdict is Verdict.PASS:
        found, cases = predicted.prediction(result), plural(len(result.cases), "case")
        return cases if found is None else f"{cases}, predicted {predicted.rate_words(found)} ({one_line(found.gpu)})"
    if result.verdict is Verdict.FAIL:
        wrong = sum(case.verdict is not Verdict.PASS for case in result.cases)
        idle = sum(case.verdict is Verdict.PASS and case.programs == 0 for case in result.cases)  # nothing to do
        return f"{wrong} of {plural(len(result.cases) - idle, 'case')} not right" if wrong else "see below"
    if result.verdict is Verdict.UNSOLVED:
        return "not started yet"
    groups = grouped(result.findings)
    return one_line(groups[0].first.code.replace("-", " ")) if groups else ""


def finish_lines(curriculum: Curriculum, entries: Entries, view: View) -> Lines:
    """Return the end of the course as a terminal shows it: stars, the ladder of the best speeds, what is next."""
    solved = [(puzzle, entries.get(puzzle.slug, Progress())) for puzzle in curriculum.puzzles]
    title = Heading("Every puzzle is solved", predicted.counted(solved))
    steps = [(f"tritonpuzzles {command}", what) for command, what in _steps(solved)]
    onward: Blocks = [Heading("What is next"), Table([Column(whole=True), Column()], steps)]
    return rendered([title, _ladder(solved, view), *onward], view)


def _ladder(solved: list[tuple[Puzzle, Progress]], view: View) -> Table:
    """Return a line per puzzle: its stars, its best speed, and that as a bar beside others in the same unit."""
    bests = [entry.best for _, entry in solved if entry.best is not None]
    rows: list[list[Cell]] = []
    for puzzle, entry in solved:
        speed = f"{significant(entry.best.rate)} {one_line(entry.best.unit)}" if entry.best else NONE
        stars = predicted.star_text(entry.stars_now, entry.predicted_now, predicted.most_stars(puzzle))
        rows.append([puzzle.label, stars, speed, _bar(entry.best, bests, view)])
    return Table(LADDER, rows)


def _bar(best: Best | None, bests: list[Best], view: View) -> Cell:
    if best is None:
        return ""
    most = max(other.rate for other in bests if other.unit == best.unit)
    return Bar(best.rate, most or 1, columns=BAR if view.width >= MIN_BAR_WIDTH else 0)


def _steps(solved: list[tuple[Puzzle, Progress]]) -> list[tuple[str, str]]:
    """Return commands, and what they are good for now."""
    on_gpu = "" if any(entry.best for _, entry in solved) else "on a machine with a GPU: "
    tuned = [puzzle.number for puzzle, _ in solved if tuned_file(puzzle) is not None]
    missing = next((puzzle.number for puzzle, entry in solved if entry.best and entry.stars_now < predicted.MOST), None)
    steps = []
    if missing is not None:
        steps.append((f"bench {missing}", f"where puzzle {missing} loses speed: it has a star to earn"))
    if tuned:
        numbers = ", ".join(map(str, tuned))
        steps.append((f"solution {tuned[0]} --tuned", f"a kernel made for speed, to read; there is one for {numbers}"))
    if has_solutions():
        steps.append(("bench --ladder", f"{on_gpu}all puzzles, from naive PyTorch to tuned"))
    steps.append(("roofline", "the speed that a GPU allows for each puzzle"))
    return steps
