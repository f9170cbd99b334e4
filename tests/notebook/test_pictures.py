"""Pictures under a cell, in a real browser: light or dark as the notebook says, else as the system."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest

from tests.front.test_html import browse, needs_chromium, pixels
from tritonpuzzles.front.jupyter.checking import picture_html

pytestmark = pytest.mark.slow

LIGHT, DARK = (0xFA, 0xF0, 0xE6), (0x10, 0x20, 0x30)
SYSTEM = {"light": "--blink-settings=preferredColorScheme=1", "dark": "--blink-settings=preferredColorScheme=0"}


def png(colour: tuple[int, int, int]) -> bytes:
    PIL = pytest.importorskip("PIL.Image")
    stream = BytesIO()
    PIL.new("RGB", (200, 200), colour).save(stream, "png")
    return stream.getvalue()


@needs_chromium
@pytest.mark.parametrize(
    ("said", "system", "seen"),
    [
        ('data-jp-theme-light="false"', "light", DARK),
        ('data-jp-theme-light="true"', "dark", LIGHT),
        ('class="vscode-dark"', "light", DARK),
        ('class="vscode-light"', "dark", LIGHT),
        ("", "light", LIGHT),
        ("", "dark", DARK),
    ],
)
def test_the_theme_chooses(said: str, system: str, seen: tuple[int, int, int], tmp_path: Path) -> None:
    page, shot = tmp_path / "page.html", tmp_path / "page.png"
    page.write_text(f"<body {said}>{picture_html(png(LIGHT), png(DARK), 'x')}</body>")
    browse(page, tmp_path, f"--screenshot={shot}", "--window-size=600,400", SYSTEM[system])
    assert [pixels(shot, colour) == 200 * 200 for colour in (LIGHT, DARK)] == [seen == LIGHT, seen == DARK]


def test_without_the_style_one_picture_with_its_words_is_left() -> None:
    html = picture_html(png(LIGHT), png(DARK), 'in "late <maximum>"')
    rest = html.split("</style>")[1]
    assert rest.count("<img ") == 1
    assert 'alt="in &#34;late &lt;maximum&gt;&#34;"' in rest
