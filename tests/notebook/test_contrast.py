"""What a notebook shows can be read on a light and on a dark theme: contrast of at least 4.5:1, WCAG 2.1's level AA."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path

import pytest
from markupsafe import Markup

from tests.front import samples
from tests.front.test_html import browse, needs_chromium, replayed
from tests.notebook.test_html import shown
from tritonpuzzles.front.page.html import terminal_html
from tritonpuzzles.front.page.markup import style, styled

pytestmark = pytest.mark.slow

LEAST = 4.5
GROUNDS = ("back", "code", "lit")
TEXTS = ("text", "dim", "good", "bad", "open", "note")
COLOUR = re.compile(r"--tp-(\w+): light-dark\((#\w{6}), (#\w{6})\)")
ANSI = "".join(f"\x1b[{code}mword {code}\x1b[0m\n" for code in (1, 2, 31, 32, 33, 34, 35, 36, 91, 92, 93, 94, 95, 96))


def luminance(colour: str) -> float:
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * value for weight, value in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_colour_of_text_can_be_read_on_every_ground(theme: str) -> None:
    colours = {name: (light if theme == "light" else dark) for name, light, dark in COLOUR.findall(style())}
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert {*TEXTS, *GROUNDS} <= colours.keys()
    pairs = {
        (text, ground): contrast(colours[text], colours[ground]) for text, ground in itertools.product(TEXTS, GROUNDS)
    }
    assert not {pair: round(found, 2) for pair, found in pairs.items() if found < LEAST}


def outputs_of(tmp_path: Path) -> str:
    """Return outputs with every kind of text that there is."""
    report = shown(
        samples.report(replayed(tmp_path), samples.passing(puzzle=1, slug="softmax", stars=1)),
        next_step="%hint 3",
        notes=("Written.",),
        question=("Replace it?", "Yes.", "No."),
    )
    linked = shown(samples.report(samples.out_of_bounds()), link=("4. Tiled softmax", "p04.ipynb"))
    predicted = shown(samples.report(samples.passing(predicted=samples.predicted_slow())))
    return f"{report}{linked}{predicted}{terminal_html(ANSI)}{styled(Markup('<p>Stopped.</p>'))}"


@needs_chromium
@pytest.mark.parametrize(("attribute", "page"), [("true", "#ffffff"), ("false", "#111111")])
def test_as_rendered_everything_can_be_read(attribute: str, page: str, tmp_path: Path) -> None:
    """In a page that says its theme as JupyterLab does, whatever the system's is."""
    script = (Path(__file__).parent / "contrast.js").read_text()
    outputs = outputs_of(tmp_path).replace("<details>", "<details open>")
    page_file = tmp_path / "outputs.html"
    page_file.write_text(
        f'<!doctype html><meta charset="utf-8"><title></title><body data-jp-theme-light="{attribute}" '
        f'style="background:{page}">{outputs}<pre id="told"></pre><script>{script}\n{WALK}</script></body>',
        encoding="utf-8",
    )
    for system in ("0", "1"):  # dark, light
        dom, _ = browse(page_file, tmp_path, "--dump-dom", f"--blink-settings=preferredColorScheme={system}")
        told = re.search(r'<pre id="told">(.*?)</pre>', dom, re.DOTALL)
        assert told is not None
        found = json.loads(told[1])
        assert found["count"] > 200
        assert found["steps"] == 4
        assert found["low"] == [], f"of {found['count']} pieces of text"


WALK = """
const low = [];
let count = 0;
const radios = document.querySelectorAll("input[type=radio]");
for (const radio of radios) {
  radio.click();
  const found = contrasts(document.body);
  count += found.length;
  low.push(...found.filter(one => one.ratio < 4.5).map(one => `${one.ratio.toFixed(2)} ${one.of} `));
}
document.getElementById("told").textContent = JSON.stringify({ count, steps: radios.length, low });
"""
