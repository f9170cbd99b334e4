"""What all pictures share: colours that everyone can tell apart, fonts, a light or a dark ground, and file output.

Names such as `INK` stand for one colour on a light ground and for another on a dark one; matplotlib looks them up.
No text is taken for a formula: names come from a learner's file.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
from matplotlib.colors import get_named_colors_mapping, to_hex
from matplotlib.figure import Figure, FigureBase, SubFigure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from tritonpuzzles.front.text import one_line
from tritonpuzzles.memory import without_collector

# M. Okabe, K. Ito, Color Universal Design (2008): told apart by people with any kind of colour vision.
BLUE, ORANGE, GREEN, VERMILLION = "#0072b2", "#e69f00", "#009e73", "#d55e00"
SKY, PINK, YELLOW = "#56b4e9", "#cc79a7", "#f0e442"
INK, GREY, PALE, LINE, GROUND = "tp-ink", "tp-grey", "tp-pale", "tp-line", "tp-ground"
SHARED, CALM = "tp-shared", "tp-calm"

_COLOURS = {  # on a light ground, and on a dark one
    INK: ("#1f2328", "#e6edf3"),
    GREY: ("#59636e", "#9198a1"),
    PALE: ("#eef0f2", "#23282e"),
    LINE: ("#b4bac1", "#4d555e"),
    GROUND: ("#ffffff", "#16191d"),
    SHARED: ("#6e7781", "#7d8590"),
    CALM: ("#e3e8e4", "#2c3531"),
}

PROGRAMS = (SKY, ORANGE, GREEN, PINK, BLUE, YELLOW, VERMILLION)  # neighbours differ in brightness too
READ, WRITTEN, ATOMIC = BLUE, VERMILLION, PINK

WIDTH = 10.0  # inches of every picture
HEADING = 0.62  # inches above a picture for its title
DPI = 144
MAX_NAME = 40
BETWEEN = "   ·   "  # parts of the line below a title

STYLE: Any = {
    "font.family": "DejaVu Sans",  # comes with matplotlib: the same letters everywhere
    "font.size": 9,
    "text.color": INK,
    "text.parse_math": False,
    "axes.facecolor": GROUND,
    "axes.edgecolor": LINE,
    "axes.labelcolor": GREY,
    "axes.labelsize": 8.5,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "axes.titlepad": 6,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "xtick.major.size": 3,
    "ytick.major.size": 3,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "legend.handlelength": 1.2,
    "legend.handleheight": 0.9,
    "hatch.linewidth": 0.6,
    "hatch.color": GREY,
    "svg.fonttype": "path",
    "svg.hashsalt": "tritonpuzzles",
    "figure.facecolor": GROUND,
    "savefig.facecolor": GROUND,
}


@contextmanager
def styled(dark: bool = False) -> Iterator[None]:
    """Draw in our style, whatever the learner's own matplotlib settings are, on a light or a dark ground."""
    before = {name: get_named_colors_mapping().get(name, colour) for name, (colour, _) in _COLOURS.items()}
    with mpl.rc_context(), warnings.catch_warnings(), without_collector():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # a name with characters that the font lacks
        mpl.rcdefaults()
        _name_colours({name: colours[dark] for name, colours in _COLOURS.items()})
        try:
            mpl.rcParams.update(STYLE)
            yield
        finally:
            _name_colours(before)


def _name_colours(colours: Mapping[str, Any]) -> None:
    """Define matplotlib's named colours, one by one: each assignment clears its cache of looked-up colours."""
    for name, colour in colours.items():
        get_named_colors_mapping()[name] = colour


def is_dark(figure: Figure | None = None) -> bool:
    """Return whether a figure has a dark ground; without one, whether one is being drawn."""
    return to_hex(GROUND if figure is None else figure.get_facecolor()) == _COLOURS[GROUND][True]


class _Saved(Figure):
    """A figure that is only ever saved: matplotlib draws one twice for that, the first time for its layout alone."""

    def draw(self, renderer: Any) -> None:
        """Compute the layout if that is still to be done, as saving requests first; otherwise draw."""
        engine = self.get_layout_engine()
        if isinstance(engine, ConstrainedLayoutEngine):
            engine.execute(self)
        else:
            super().draw(renderer)


def new_figure(height: float) -> Figure:
    """Return an empty figure, independent of pyplot and of its windows; to be `rendered`."""
    return _Saved(figsize=(WIDTH, height), dpi=DPI, layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.08))


def rendered(figure: Figure, kind: str, told: str = "") -> bytes:
    """Return a figure as the bytes of a file, without a date in it; `kind` is "png" or "svg".

    What it shows is `told` in words: in the title of an SVG file, in the description of a PNG file.
    """
    metadata: dict[str, str | None] = {"Date": None} if kind == "svg" else {"Software": None}
    if told:
        metadata["Title" if kind == "svg" else "Description"] = told
    stream = io.BytesIO()
    with styled(is_dark(figure)):
        figure.savefig(stream, format=kind, dpi=DPI, metadata=metadata)
    return stream.getvalue()


@dataclass(frozen=True)
class Drawing:
    """One picture."""

    title: str  # what is seen; the figure's label too
    about: str  # of which file and case
    height: float  # in inches
    draw: Callable[[SubFigure], None]  # draws it into the room that is left below them
    told: str = ""  # what it shows, in sentences
    spoken: str = ""  # what precedes the description, if not the title and the line below it

    @property
    def words(self) -> str:
        """What it shows, for those who cannot see it."""
        return f"{self.spoken or f'{self.title}. {self.about}'}. {self.told}".replace(BETWEEN, ", ")

    def figure(self, dark: bool = False) -> Figure:
        """Return the picture as a separate figure."""
        with styled(dark):
            figure = new_figure(self.height)
            self.draw_in(figure)
        return figure

    def draw_in(self, figure: FigureBase) -> None:
        """Draw it into a figure or a part of one, below its title."""
        top, body = figure.subfigures(2, 1, squeeze=False, height_ratios=[HEADING, self.height - HEADING])[:, 0]
        figure.set_label(self.title)
        top.text(0.012, 1 - 0.24 / HEADING, self.title, fontsize=13, fontweight="bold", va="center")
        top.text(0.012, 1 - 0.46 / HEADING, self.about, color=GREY, va="center")
        for part in (top, body):
            part.set_facecolor(GROUND)
        self.draw(body)


def name_of(text: str) -> str:
    """Return a name from a learner's file, fit for a label."""
    text = one_line(text)
    return text if len(text) <= MAX_NAME else f"{text[: MAX_NAME - 1]}…"


def program_colour(program: int) -> str:
    """Return the colour of a program; they repeat after seven."""
    return PROGRAMS[program % len(PROGRAMS)]


def key(colour: Any, label: str, hatch: str = "") -> Patch:
    """Return a legend's entry for an area."""
    return Patch(facecolor=colour, edgecolor=LINE, linewidth=0.6, label=label, hatch=hatch)


def line_key(label: str, **look: Any) -> Line2D:
    """Return a legend's entry for a line or a point."""
    return Line2D([], [], label=label, **look)


def legend_below(figure: SubFigure, keys: Sequence[Any]) -> None:
    """Put a legend under a picture, line by line, with as many entries in a line as there is room for."""
    columns = next(n for n in range(len(keys), 0, -1) if n == 1 or _legend_width(keys, n) <= WIDTH - 0.3)
    by_column = [one for column in range(columns) for one in keys[column::columns]]  # matplotlib fills columns first
    figure.legend(handles=by_column, loc="outside lower left", ncols=columns)


def _legend_width(keys: Sequence[Any], columns: int) -> float:
    """Return how wide a legend is at most, in inches."""
    longest = (max(len(one.get_label()) for one in keys[column::columns]) for column in range(columns))
    return sum(0.48 + 0.074 * letters for letters in longest)
