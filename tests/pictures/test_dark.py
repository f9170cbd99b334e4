"""Pictures for a dark page: the same words on a dark ground, that can be told from it."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")

import matplotlib as mpl
from matplotlib.colors import to_rgb
from matplotlib.text import Text

from tests.conftest import FIXTURE
from tests.front.conftest import Run
from tests.pictures.conftest import trace_figures, trace_words
from tests.pictures.test_figures import words
from tritonpuzzles.front.pictures import save, to_png, to_svg, trace_pictures
from tritonpuzzles.front.pictures.style import CALM, GREY, GROUND, INK, is_dark, styled
from tritonpuzzles.results.trace import Trace

pytestmark = pytest.mark.slow

Solution = Callable[[int], Trace]
DARK, LIGHT = (0x16, 0x19, 0x1D), (0xFF, 0xFF, 0xFF)


def commonest(png: bytes) -> tuple[int, ...]:
    PIL = pytest.importorskip("PIL.Image")
    with PIL.open(BytesIO(png)) as image:
        counts: list[tuple[int, tuple[int, ...]]] = image.convert("RGB").getcolors(1 << 24)
    return max(counts)[1]


def brightness(colour: str | tuple[float, ...]) -> float:
    """Return relative luminance as WCAG 2 has it."""
    parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def test_each_picture_has_a_dark_variant(solution: Solution, unmasked: Trace) -> None:
    for found in (solution(5), unmasked):
        pictures = trace_pictures(found)
        assert [told for _, _, told in pictures] == trace_words(found)
        assert len(pictures) == len(trace_figures(found))
        for light, dark, _ in pictures:
            assert words(light) == words(dark)
            assert (is_dark(light), is_dark(dark)) == (False, True)
            drawn = to_svg(dark)
            assert "#16191d" in drawn
            assert "#16191d" not in to_svg(light)
            assert "#ffffff" not in drawn.replace('style="fill: #ffffff"', "")  # but for words on bars


def test_words_can_be_read_on_their_ground() -> None:
    for dark in (False, True):
        with styled(dark):
            ground = brightness(GROUND)
            for name in (INK, GREY):
                high, low = sorted((brightness(name), ground), reverse=True)
                assert (high + 0.05) / (low + 0.05) >= 4.5, (name, dark)
            assert brightness(CALM) != ground


def test_drawing_dark_leaves_the_light_ones_as_they_are(solution: Solution) -> None:
    light = trace_figures(solution(1))[0]
    before = to_png(light)
    dark = trace_figures(solution(1), dark=True)[0]
    assert commonest(to_png(dark)) == DARK
    assert commonest(before) == LIGHT
    assert to_png(light) == before
    assert to_png(trace_figures(solution(1))[0]) == before
    assert to_png(dark) == to_png(trace_figures(solution(1), dark=True)[0])
    assert mpl.rcParams["text.color"] != INK
    assert all(isinstance(text.get_color(), (str, tuple)) for text in dark.findobj(Text) if isinstance(text, Text))


def test_a_dark_file(solution: Solution, tmp_path: Path) -> None:
    save(solution(1), tmp_path / "dark.png", dark=True)
    assert commonest((tmp_path / "dark.png").read_bytes()) == DARK


REAL = {"judge": False, "TRITONPUZZLES_PACK": str(FIXTURE)}


def test_the_command_draws_dark_if_asked(run: Run, tmp_path: Path) -> None:
    picture = tmp_path / "picture.png"
    done = run("trace", "1", "--solution", "--seed", "3", "--plot", str(picture), "--dark", **REAL)
    assert done.returncode == 0, done.stderr
    assert commonest(picture.read_bytes()) == DARK


@pytest.mark.parametrize("command", [("trace", "1"), ("roofline",), ("bench", "1")])
def test_dark_without_a_picture_is_refused(run: Run, command: tuple[str, ...]) -> None:
    done = run(*command, "--solution", "--dark", judge=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--dark says how to draw, and nothing is drawn." in done.stderr
