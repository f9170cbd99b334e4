"""Pictures of a trace and of a GPU's roofline, drawn with matplotlib, which is imported when one is made."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

from tritonpuzzles.front.errors import ExitCode, FrontError
from tritonpuzzles.front.workspace.files import write_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tritonpuzzles.results.trace import Trace

FORMATS = ("png", "svg")


def trace_pictures(trace: Trace) -> list[tuple[Figure, Figure, str]]:
    """Return the pictures of a trace, each as a light figure, a dark figure, and a description; the list may be empty.

    The pictures: which program reads and writes which element; the tiles of one program in order of time; where wrong
    elements are, if there are any; the traffic beside the minimum and the limit. The data is computed once for both.

    Raises:
        FrontError: if matplotlib is not installed.
    """
    require_matplotlib()
    from tritonpuzzles.front.pictures.sheet import drawings

    return [(found.figure(), found.figure(dark=True), found.words) for found in drawings(trace)]


def save(trace: Trace, path: Path, dark: bool = False) -> bool:
    """Write all pictures of a trace, one below the other, to a PNG or SVG file; return whether there were any.

    Raises:
        FrontError: if matplotlib is not installed, or the file cannot be written.
    """
    require_matplotlib()
    from tritonpuzzles.front.pictures.sheet import drawings, sheet

    found = drawings(trace)
    if found:
        write(sheet(found, dark), path, " ".join(drawing.words for drawing in found))
    return bool(found)


def write(figure: Figure, path: Path, told: str = "") -> None:
    """Write a figure to a PNG or SVG file, by its ending, with a description in words.

    Raises:
        FrontError: for another ending, or if the file cannot be written.
    """
    write_file(path, to_svg(figure, told) if plot_format(path) == "svg" else to_png(figure, told))


def refuse_bad_plot(path: Path | None, dark: bool) -> None:
    """Refuse what cannot be drawn, before minutes are spent on it.

    Raises:
        FrontError: for another ending, without matplotlib, or for `dark` without a picture.
    """
    if path is not None:
        plot_format(path)
        require_matplotlib()
    elif dark:
        raise FrontError("--dark says how to draw, and nothing is drawn.", "add --plot picture.png")


def plot_format(path: Path) -> str:
    """Return the format that a file's ending asks for.

    Raises:
        FrontError: if it is neither .png nor .svg.
    """
    ending = path.suffix.lower().removeprefix(".")
    if ending not in FORMATS:
        raise FrontError(f"A picture is a .png or an .svg file, not {path.name}.", "give a name such as picture.png")
    return ending


def to_png(figure: Figure, told: str = "") -> bytes:
    """Return a figure as a PNG file; the same figure gives the same bytes."""
    from tritonpuzzles.front.pictures.style import rendered

    return rendered(figure, "png", told)


def to_svg(figure: Figure, told: str = "") -> str:
    """Return a figure as an SVG file, letters as outlines; the same figure gives the same text."""
    from tritonpuzzles.front.pictures.style import rendered

    return rendered(figure, "svg", told).decode("utf-8")


def require_matplotlib() -> None:
    """Raise an error if matplotlib is not installed.

    Raises:
        FrontError: with how to install it.
    """
    if importlib.util.find_spec("matplotlib") is None:
        raise FrontError(
            "Pictures need matplotlib, which is not installed.", "pip install 'tritonpuzzles[plot]'", ExitCode.FAULT
        )
