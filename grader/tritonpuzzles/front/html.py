"""The page of `check --html`: one file with the report, pictures, and the code with its ledger by line.

The page runs no script and loads nothing. Text of learners is escaped (`page/markup.py`), and pictures are embedded as
images, in which nothing can run either. The files are run a second time for the pictures.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from markupsafe import Markup, escape

from tritonpuzzles.front.check import next_step
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.grading import Graded, Say
from tritonpuzzles.front.judge_process import judged
from tritonpuzzles.front.page.html import fragment
from tritonpuzzles.front.page.markup import data_uri, document, element, joined
from tritonpuzzles.front.pictures import require_matplotlib, to_svg, trace_pictures
from tritonpuzzles.front.report import first_step, report_html
from tritonpuzzles.front.report.naming import label, part_anchor
from tritonpuzzles.front.report.source import file_blocks
from tritonpuzzles.front.text import one_line, sized
from tritonpuzzles.front.workspace.files import write_file
from tritonpuzzles.front.workspace.folder import current_folder, find_workspace, shown
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.results.check import PuzzleResult, Report
from tritonpuzzles.results.cover import named_case

LEDGER = "In the margin: what each line moves{}, in multiples of the tensor's size."
HOME = "~/"


@dataclass(frozen=True)
class Image:
    """One picture as an SVG file for a light page and one for a dark one, and what it shows in words."""

    light: str
    dark: str
    words: str


@dataclass(frozen=True)
class Part:
    """The section about one file, below the report: pictures, or why there are none."""

    result: PuzzleResult  # its `lines` are those of the pictured case
    images: Sequence[Image] = ()
    without: str | None = None  # why pictures are missing
    case: str = ""  # name and size of the pictured case: `"late maximum", 6 x 9551 float32`


def page_html(
    report: Report, parts: Sequence[Part], next_step: str | None = None, *, name: str = "", date: str = ""
) -> str:
    """Return the whole page."""
    folders = Folders([part.result.file.shown for part in parts])
    title = ", ".join(f"{label(part.result)}: {part.result.verdict.value}" for part in parts) or "nothing checked"
    known = {one: value for one, value in report.environment.items() if isinstance(value, str) and value}
    versions = ", ".join(one_line(f"{one} {value}") for one, value in known.items())  # what the check ran on
    about = ", ".join(one_line(word) for word in (name, date) if word)
    body = joined(
        [
            element("h1", "Triton puzzles"),
            *([element("p", about, "page-dim")] if about else []),
            folders.cut_in(report_html(report, next_step=next_step, linked=True)),
            *(_part(part, folders) for part in parts),
            element("footer", f"tritonpuzzles {report.tritonpuzzles}; {versions}", "page-dim"),
        ]
    )
    return document(title, body)


def _part(part: Part, folders: Folders) -> Markup:
    found = [Markup('<h2 id="{}">{}</h2>').format(part_anchor(part.result), label(part.result))]
    if part.without is not None:
        found.append(element("p", folders.cut(one_line(part.without)), "page-dim"))
    found += [_image(image) for image in part.images]
    found.append(element("h3", folders.cut(shown(one_line(str(part.result.file))))))
    if part.result.lines:
        case = f" in the case {one_line(part.case)}" if part.case else ""
        found.append(element("p", LEDGER.format(case), "page-dim"))
    found.append(fragment(file_blocks(part.result, folders.cut)))
    return element("section", joined(found))


def _image(image: Image) -> Markup:
    """Return both versions of a picture; the style shows the one for the colour scheme, and the light one in print."""
    img = Markup('<img class="{}" src="{}" alt="{}">')
    both = (("page-light", image.light), ("page-dark", image.dark))
    return element(
        "figure",
        Markup("").join(img.format(of, data_uri("image/svg+xml", svg.encode()), image.words) for of, svg in both),
    )


class Folders:
    """Removes folder names from a page that will be shared: paths of a machine may reveal who owns it.

    Of a file outside the workspace the name alone is shown.
    """

    def __init__(self, files: Sequence[Path]) -> None:
        workspace = find_workspace()
        own = [current_folder(), *([workspace.root] if workspace is not None else []), *(file.parent for file in files)]
        known = {str(one): "" for folder in own for one in (folder.absolute(), folder.resolve())}
        known |= {str(one): HOME for one in (Path.home(), Path.home().resolve())} | known
        longest_first = sorted((name for name in known if len(Path(name).parts) > 1), key=len, reverse=True)
        self._known = [(f"{name}/", known[name]) for name in longest_first]

    def cut(self, text: str) -> str:
        """Return text with the paths in it as seen from their folder, or from home."""
        for name, instead in self._known:
            text = text.replace(name, instead)
        return text

    def cut_in(self, html: str) -> Markup:
        """Return HTML with the paths in its text and attributes cut."""
        for name, instead in self._known:
            html = html.replace(str(escape(name)), str(escape(instead)))
        return Markup(html)


def refuse_bad_place(path: Path) -> None:
    """Refuse a place where no file can be written, before anything is checked.

    Raises:
        FrontError: if its folder does not exist, or it is a folder itself.
    """
    if path.is_dir():
        raise FrontError(f"{path} is a folder.", "give a file's name such as report.html")
    if not path.absolute().parent.is_dir():
        raise FrontError(f"There is no folder {path.absolute().parent}.", "give a file's name such as report.html")


def write_page(graded: Graded, path: Path, timeout: float | None, say: Say, name: str = "") -> None:
    """Write the page of a check.

    Raises:
        FrontError: if the file cannot be written.
    """
    step = first_step(graded.report, lambda result: next_step(graded, result))
    date = f"{datetime.now():%Y-%m-%d %H:%M}"
    write_file(path, page_html(graded.report, list(parts(graded, timeout, say)), step, name=name, date=date))


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
