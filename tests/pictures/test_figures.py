"""The pictures themselves: what stands in them, their files, names that would be formulas or markup."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

pytest.importorskip("matplotlib")

import matplotlib as mpl
from matplotlib.figure import FigureBase
from matplotlib.text import Text

from tests.front import samples
from tests.pictures.conftest import trace_figures
from tritonpuzzles.front.errors import ExitCode, FrontError
from tritonpuzzles.front.pictures import plot_format, save, to_png, to_svg, trace_pictures
from tritonpuzzles.front.pictures.traffic import rows, total
from tritonpuzzles.results.trace import Picture, Trace
from tritonpuzzles.results.traffic import Traffic

pytestmark = pytest.mark.slow

Solution = Callable[[int], Trace]
HOSTILE = "$\\frac{1}$<script>alert(1)</script>&\x1b[2J\u202e"


def words(figure: FigureBase) -> str:
    """Return all that is written in a figure."""
    return "\n".join(text.get_text() for text in figure.findobj(Text) if isinstance(text, Text))


def test_pictures_of_online_softmax(solution: Solution) -> None:
    access, timeline, traffic = trace_figures(solution(3))
    n_rows, n_cols = solution(3).picture.shape  # type: ignore[union-attr]
    said = words(access)
    assert access.get_label() == "Which program reads and writes which element"
    assert f'case "ordinary numbers", {n_rows} x {n_cols} float32, seed 1' in said
    assert {f"program {n}" for n in range(n_rows)} <= set(said.split("\n"))
    assert {"tile 0", "tile 2", "4,096", f"{n_cols:,}", "2 times", "once", "row", "column"} <= set(said.split("\n"))
    said = words(timeline)
    assert "pass 1 of 2 over x_ptr\nreads x_ptr, line" in said
    assert "pass 2 of 2 over x_ptr\nreads x_ptr, line" in said
    assert "time, downwards" in said
    assert {"2.00x", "1.00x", "x_ptr read", "y_ptr written"} <= set(words(traffic).split("\n"))


def test_pictures_of_attention(solution: Solution) -> None:
    found = solution(5)
    figures = trace_figures(found)
    labels = [str(figure.get_label()) for figure in figures]
    access, timeline, scores, _ = figures
    programs = found.picture.launches[0].programs  # type: ignore[union-attr]
    assert words(access).count(f"all {programs} programs") == 2  # k and v
    assert f"program {programs // 2} works out" in labels[2]
    assert "at most 64 x 64 = 4,096 scores at a time" in words(scores)
    assert {"q_ptr", "k_ptr", "v_ptr", "o_ptr"} <= set(words(timeline).split("\n"))


def test_what_pairs_are_called_stands_in_the_record(solution: Solution) -> None:
    found = solution(5)
    assert found.picture is not None
    assert found.picture.pairs is not None
    body = replace(found.picture.pairs, row="body", column="source", rows_in_words="bodies", values_in_words="forces")
    told = words(trace_figures(replace(found, picture=replace(found.picture, pairs=body)))[2])
    assert {"body (row of q_ptr)", "source (row of k_ptr)"} <= set(told.split("\n"))
    assert "= 4,096 forces at a time" in told
    assert "bodies on chip" in told
    without = replace(found, picture=replace(found.picture, pairs=None))
    assert len(trace_figures(without)) == len(trace_figures(found)) - 1


def test_a_wrong_kernel_has_a_map_and_a_bar_over_its_limit(unmasked: Trace) -> None:
    _, _, outcomes, traffic = trace_figures(unmasked)
    wrong = int((unmasked.picture.outcomes != 0).sum())  # type: ignore[union-attr]
    assert str(outcomes.get_label()).startswith(f"Where the wrong elements lie: {wrong:,} of ")
    assert f"too small: {wrong:,}" in words(outcomes)
    assert "over the limit" in words(traffic)


def test_files_are_the_same_each_time_whatever_the_settings(solution: Solution, tmp_path: Path) -> None:
    figure = trace_figures(solution(1))[0]
    png, svg = to_png(figure), to_svg(figure)
    assert png.startswith(b"\x89PNG")
    assert ElementTree.fromstring(svg).tag == "{http://www.w3.org/2000/svg}svg"
    with mpl.rc_context({"figure.facecolor": "black", "text.color": "white", "font.size": 30}):
        again = trace_figures(solution(1))[0]
        assert (to_png(again), to_svg(again)) == (png, svg)
    assert save(solution(1), tmp_path / "all.PNG")
    assert (tmp_path / "all.PNG").read_bytes().startswith(b"\x89PNG")


def test_names_are_neither_formulas_nor_markup(solution: Solution) -> None:
    found = solution(3)
    assert found.picture is not None
    (launch,) = found.picture.launches
    tensors = tuple(replace(tensor, name=HOSTILE) for tensor in launch.tensors)
    picture = Picture(HOSTILE, (6, 9), HOSTILE, (replace(launch, kernel=HOSTILE, tensors=tensors),) * 2)
    result = replace(found.result, traffic=(Traffic(HOSTILE, 8, 0, 1.0, 0.0, None, tensor=HOSTILE),))
    for figure in trace_figures(replace(found, picture=picture, case=HOSTILE, result=result)):
        svg = to_svg(figure)
        ElementTree.fromstring(svg)
        assert "<script" not in svg
        assert "\\frac{1}" in words(figure)
        assert "\x1b" not in words(figure)


def test_a_trace_without_a_ledger_has_no_pictures(tmp_path: Path) -> None:
    assert trace_figures(Trace(samples.syntax_error())) == []
    assert not save(Trace(samples.syntax_error()), tmp_path / "a.png")
    assert not (tmp_path / "a.png").exists()


def test_files_that_cannot_be(solution: Solution, tmp_path: Path) -> None:
    with pytest.raises(FrontError, match=r"a \.png or an \.svg file, not a\.jpg"):
        plot_format(tmp_path / "a.jpg")
    with pytest.raises(FrontError, match="cannot be written: No such file or directory"):
        save(solution(1), tmp_path / "none" / "a.png")


def test_without_matplotlib_one_sentence_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(FrontError) as caught:
        trace_pictures(Trace(samples.passing()))
    assert caught.value.next_step == "pip install 'tritonpuzzles[plot]'"
    assert caught.value.code is ExitCode.FAULT


@pytest.mark.parametrize("module", ["front.pictures", "front.commands.inspect", "front.commands.check", "front.html"])
def test_matplotlib_waits_until_a_picture_is_made(module: str) -> None:
    code = f"import sys, tritonpuzzles.{module}; print(sorted({{'matplotlib', 'torch', 'numpy'}} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_traffic_in_words() -> None:
    bars = rows(samples.traffic())
    assert [(row.label, row.times, row.least, row.most) for row in bars] == [
        ("x_ptr read", 2.0, 1, 2.0),
        ("y_ptr written", 1.0, 1, 1.0),
    ]
    assert total(bars).startswith("309,276 bytes in all, 1.50 times the least")
    assert total(rows(samples.traffic(1.0))) == "206,184 bytes in all, the least there is"
    scratch = Traffic("s_ptr", 400, 400, 1.0, 1.0, tensor="scratch")
    assert [row.least for row in rows([scratch])] == [0, 0]
    assert rows([Traffic("x_ptr", 0, 0, 0.0, 0.0, 2.0, tensor="x", role="input")]) == []
