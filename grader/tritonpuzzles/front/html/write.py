"""Make the page of a check: run the files once more for their pictures, and write one HTML file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from tritonpuzzles.front.check import next_step
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.grading import Graded, Say
from tritonpuzzles.front.html.page import Image, Part, page_html
from tritonpuzzles.front.judge_process import judged
from tritonpuzzles.front.pictures import require_matplotlib, to_svg, trace_pictures
from tritonpuzzles.front.report import first_step
from tritonpuzzles.front.text import sized
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.results.check import PuzzleResult
from tritonpuzzles.results.cover import named_case


def refuse_bad_place(path: Path) -> None:
    """Refuse a place where no file can be written, before anything is checked.

    Raises:
        FrontError: if there is no such folder, or a folder of that name.
    """
    if path.is_dir():
        raise FrontError(f"{path} is a folder.", "give a file's name such as report.html")
    if not path.absolute().parent.is_dir():
        raise FrontError(f"There is no folder {path.absolute().parent}.", "give a file's name such as report.html")


def write_page(graded: Graded, path: Path, timeout: float | None, say: Say, name: str = "") -> None:
    """Write the page of a check.

    Args:
        graded: the check.
        path: where to.
        timeout: seconds for each stage of the runs for pictures.
        say: takes short sentences about what is being done.
        name: whose page it is.

    Raises:
        FrontError: if the file cannot be written.
    """
    step = first_step(graded.report, lambda result: next_step(graded, result))
    date = f"{datetime.now():%Y-%m-%d %H:%M}"
    page = page_html(graded.report, list(parts(graded, timeout, say)), step, name=name, date=date)
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise FrontError(f"{path} cannot be written: {error.strerror}.") from error


def parts(graded: Graded, timeout: float | None, say: Say) -> Iterator[Part]:
    """Yield each file's pictures; only of files whose traffic the check has seen."""
    for result in graded.report.results:
        try:
            require_matplotlib()
            yield _with_pictures(graded, result, timeout, say) if result.traffic else Part(result)
        except FrontError as error:
            yield Part(result, without=f"{error.message} {error.next_step}")


def _with_pictures(graded: Graded, result: PuzzleResult, timeout: float | None, say: Say) -> Part:
    from tritonpuzzles.judge.trace import trace

    puzzle = graded.curriculum.find(str(result.puzzle))
    case = graded.case or named_case(result)
    options = CheckOptions("cpu", result.seed, timeout, case=case)
    found = judged(trace, puzzle, result.file, options, progress=say, picture=True)
    images = [Image(to_svg(light), to_svg(dark), words) for light, dark, words in trace_pictures(found)]
    if found.case is None:
        return Part(result, images, found.no_picture)
    words = f'"{found.case}", {sized(found.shape, found.dtype)}'
    return Part(replace(result, lines=found.result.lines), images, found.no_picture or found.instead, words)
