"""What `bench` prints, writes and draws, from benches that were made up."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.bench import samples
from tritonpuzzles.front.bench.contest import best_at, best_speeds
from tritonpuzzles.front.bench.ladder import ladder_lines, names_of, rungs_of
from tritonpuzzles.front.bench.plot import bench_figure, ladder_figure, overview_figure
from tritonpuzzles.front.bench.table import bench_lines, geometric_mean, sentences
from tritonpuzzles.front.commands.bench import FIELDS, bench_csv, bench_data
from tritonpuzzles.front.console import console_on
from tritonpuzzles.front.page.model import View
from tritonpuzzles.front.page.terminal import Lines
from tritonpuzzles.front.pictures import to_svg, write
from tritonpuzzles.front.workspace.progress import BestSpeed
from tritonpuzzles.results.bench import Bench, Speed, bench_from_dict
from tritonpuzzles.results.check import Finding

NONE: list[float | None] = [None] * 4
HOSTILE = "[bold]\x1b[2J\x07k"


def text_of(lines: Lines, width: int) -> str:
    stream = io.StringIO()
    console = console_on(stream, width)
    for line in lines:
        console.print(line)
    return "\n".join(line.rstrip() for line in stream.getvalue().split("\n"))


def table_of(bench: Bench, best: Sequence[float | None] = NONE, width: int = 80) -> str:
    return text_of(bench_lines(bench, best, View(width)), width)


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("bench", [samples.online_softmax(), samples.attention()], ids=["softmax", "attention"])
def test_every_number_at_every_width(bench: Bench, width: int) -> None:
    text = table_of(bench, [None] * len(bench.points), width)
    assert max(len(line) for line in text.split("\n")) <= width
    for contender in bench.contenders:
        for speed in contender.speeds:
            assert speed.rate is not None
            assert f" {speed.rate:,.0f}" in text
    assert "NVIDIA H200, driver 580.159.04" in text
    assert "1980 MHz" in " ".join(text.split())


def test_rows_are_sizes_and_columns_contenders() -> None:
    lines = table_of(samples.online_softmax(), [None, 3000.0, None, None]).split("\n")
    row = next(line.split() for line in reversed(lines) if line.split()[:1] == ["4,096"])
    assert row == ["4,096", "3,334", "3,000", "3,430", "3,682", "2,284", "670", "3,603", "2,402*"]
    heading = " ".join(" ".join(lines[lines.index("") :][1:3]).split())
    assert heading == "best torch. naive bytes n_cols yours before solution tuned softmax torch copy predict"


def test_a_prediction_without_a_model_of_the_cache_says_so() -> None:
    bench = samples.online_softmax()
    first, *others = bench.contenders
    modelled = replace(first, speeds=tuple(replace(speed, dram_bytes=speed.ledger_bytes) for speed in first.speeds))
    assert "* as if DRAM moved every byte" in table_of(bench)
    assert "*" not in table_of(replace(bench, contenders=(modelled, *others)))


def test_what_has_no_speed_is_a_word_and_a_reason() -> None:
    text = table_of(samples.with_failures())
    assert "2,441~" in text
    assert "90,000?" in text
    assert "~ below 20 microseconds" in text
    assert "? faster than this GPU can do the work" in text
    row = next(line.split() for line in text.split("\n") if line.split()[:1] == ["131,072"])
    assert row == ["131,072", "wrong", "2,763", "3,632", "2,078", "-", "4,240", "-"]
    words = " ".join(text.split())
    assert "✗ yours: The result is wrong at n_cols = 131,072: 3 of 9 elements. (line 27) Next: Look." in words
    assert "does not run here" not in text


def test_hostile_names_are_shown_and_not_obeyed() -> None:
    bench = samples.online_softmax()
    first, *others = bench.contenders
    bad = replace(first, name=HOSTILE, speeds=(Speed(failure=Finding("x", HOSTILE, next_step=HOSTILE)),) * 4)
    hostile = replace(bench, contenders=(bad, *others), slug=HOSTILE, environment={"gpu": HOSTILE, "driver": HOSTILE})
    for width in (40, 80):
        text = table_of(hostile, width=width) + text_of(ladder_lines([hostile], View(width)), width)
        text += " ".join(sentences(hostile, NONE))
        assert "[bold]" in text
        assert not {"\x1b", "\x07"} & set(text)
    assert "\x1b" not in to_svg(bench_figure(hostile))


def test_sentences_are_means_over_the_large_sizes() -> None:
    bench = samples.online_softmax()
    mean, limits, best = sentences(bench, [None, 3000.0, 2800.0, None])
    expected = math.prod(a / b for a, b in zip((3334, 2706, 2724), (2284, 2618, 2078), strict=True)) ** (1 / 3)
    assert mean.startswith("Over n_cols = 4,096 to 131,072, yours runs at ")
    assert f"{expected:.2f}x torch.softmax" in mean
    assert "73 % of a copy, 110 % of what this puzzle's traffic allows" in limits
    assert "faster at 1 of 2 sizes, +3.6 % in the mean" in best


def test_what_is_not_counted_is_in_no_mean() -> None:
    mean, limits = sentences(samples.with_failures(), NONE)
    assert f"{2706 / 2618:.2f}x torch.softmax" in mean
    assert "66 % of a copy" in limits
    assert next(sentences(samples.attention(), [None] * 3)).startswith("Over n = 1,024 to 16,384, solution")
    nothing = replace(samples.online_softmax(), contenders=samples.online_softmax().contenders[:1])
    failed = replace(nothing.contenders[0], speeds=(Speed(failure=samples.WRONG),) * 4)
    assert [*sentences(replace(nothing, contenders=(failed,)), NONE)] == []


@given(st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=20))
def test_a_geometric_mean_treats_twice_and_half_alike(ratios: list[float]) -> None:
    mean, inverse = geometric_mean(ratios), geometric_mean([1 / ratio for ratio in ratios])
    assert mean is not None
    assert inverse is not None
    assert mean * inverse == pytest.approx(1)
    assert min(ratios) * (1 - 1e-9) <= mean <= max(ratios) * (1 + 1e-9)
    assert geometric_mean([]) is None


def test_csv_has_a_line_per_contender_and_size() -> None:
    rows = list(csv.DictReader(io.StringIO(bench_csv([samples.with_failures(), samples.attention()]))))
    assert tuple(rows[0]) == FIELDS
    assert len(rows) == 5 * 4 + 5 * 3
    first, last = rows[0], rows[3]
    assert (first["contender"], first["size"], first["labels"]) == ("yours", "1024", "launch-bound")
    assert float(first["rate"]) == 2441.0
    assert float(first["limit_gb_per_s"]) == pytest.approx(2551 / 1.5)
    assert (last["rate"], last["median_ms"], last["failure"]) == ("", "", "wrong-values")
    assert rows[-1]["copy_gb_per_s"] == ""


def test_json_is_the_bench() -> None:
    data = json.loads(json.dumps(bench_data([samples.with_failures()]), allow_nan=False))
    assert data["version"] == 1
    assert bench_from_dict(data["results"][0]) == samples.with_failures()


def test_the_ladder_goes_from_naive_to_tuned() -> None:
    rungs = rungs_of([samples.with_failures(), samples.attention()])
    assert names_of(rungs) == ["naive torch", "PyTorch", "cuDNN", "solution", "tuned"]
    assert "yours" not in rungs[0].shares  # wrong at the largest size
    assert rungs[0].shares["tuned"] == pytest.approx(3632 / 4240)
    assert rungs[1].shares["cuDNN"] == pytest.approx(646 / 761)
    text = text_of(ladder_lines([samples.online_softmax(), samples.attention()], View(80)), 80)
    row = next(line.split() for line in text.split("\n") if "p05" in line)
    assert " ".join(row) == "p05 16384 x 128 8 % 38 % 85 % 49 % 71 % - 761 TFLOP/s"


def test_best_speeds_only_rise_and_are_kept_apart() -> None:
    bench = samples.with_failures()
    yours = bench.contenders[0]
    first = best_speeds(bench, yours, ())
    assert {speed.shape[1]: speed.rate for speed in first} == {1024: 2441.0, 32768: 2706.0}
    assert best_at(bench, first) == [2441.0, None, 2706.0, None]
    faster = replace(first[0], rate=9000.0)
    elsewhere = replace(first[1], device="NVIDIA A100")
    again = best_speeds(bench, yours, (faster, elsewhere))
    assert best_at(bench, again) == [9000.0, None, 2706.0, None]
    assert elsewhere in again
    assert best_at(replace(bench, dtype="float16"), again) == NONE
    assert BestSpeed("NVIDIA H200", "float32", (4096, 1024), 9000.0) in again


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_plots_are_drawn_and_alike_each_time(ending: str, tmp_path: Path) -> None:
    figures = {
        "bench": lambda: bench_figure(samples.with_failures()),
        "ladder": lambda: ladder_figure([samples.with_failures(), samples.attention()]),
        "overview": lambda: overview_figure([samples.online_softmax()] * 2, "Softmax"),
    }
    start = b"\x89PNG" if ending == "png" else b"<?xml"
    for name, figure in figures.items():
        paths = [tmp_path / f"{name}{n}.{ending}" for n in range(2)]
        for path in paths:
            write(figure(), path)
        assert paths[0].read_bytes().startswith(start)
        assert paths[0].read_bytes() == paths[1].read_bytes()


def test_a_line_holds_what_counts_and_no_more() -> None:
    (axes,) = [axes for figure in bench_figure(samples.with_failures()).subfigs for axes in figure.axes]
    lines = {line.get_label(): line for line in axes.get_lines()}
    assert list(lines["yours"].get_xdata()) == [1024, 32768]
    assert list(lines["yours"].get_ydata()) == [2441.0, 2706.0]
    assert list(lines["copy"].get_ydata()) == [2551.0, 3603.0, 4119.0, 4240.0]
    assert list(lines["naive torch"].get_xdata()) == [1024, 4096, 32768]
    predicted = lines["yours: what its bytes predict"]
    assert list(predicted.get_ydata()) == pytest.approx([2551 / 1.5, 3603 / 1.5, 4119 / 1.5])
    assert (axes.get_xlabel(), axes.get_ylabel()[:4]) == ("n_cols", "GB/s")
