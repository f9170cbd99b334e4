"""Stars in the report, in the list, and kept."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.front import samples
from tests.front.conftest import CURRICULUM, Run
from tritonpuzzles.front.report.predicted import star_blocks, star_sentence, star_signs
from tritonpuzzles.front.workspace.progress import BestSpeed, Progress, from_dict
from tritonpuzzles.results.check import Verdict
from tritonpuzzles.results.speed import Benchmark


def timed(share: float | None, stars: int, **more: object) -> object:
    result = samples.timed()
    assert isinstance(result.benchmark, Benchmark)
    return replace(result, stars=stars, benchmark=replace(result.benchmark, share_of_yardstick=share, **more))


@pytest.mark.parametrize(
    ("result", "sentence"),
    [
        (samples.passing(), "1 of 3: the result is right. The others are for speed, on a GPU."),
        (timed(0.714, 1), "1 of 3: 71 % of what this puzzle's traffic allows; 80 % earn the next."),
        (timed(0.88, 2), "2 of 3: 88 % of what this puzzle's traffic allows; 92 % earn the next."),
        (timed(0.9196, 2), "2 of 3: 91.9 % of what this puzzle's traffic allows; 92 % earn the next."),
        (timed(0.964, 3), "3 of 3: 96 % of what this puzzle's traffic allows."),
        (timed(0.75, 2, yardstick="cuDNN", stars_at=(0.6, 0.9)), "2 of 3: 75 % of cuDNN; 90 % earn the next."),
        (timed(None, 1, yardstick="cuDNN"), "1 of 3: the result is right. Speed is measured by cuDNN, which is not"),
        (timed(9.0, 1, labels=("suspicious",)), "1 of 3: the result is right. A timing that is suspicious earns no"),
    ],
)
def test_the_sentence_says_what_is_missing(result: object, sentence: str) -> None:
    assert star_sentence(result).startswith(sentence)  # type: ignore[arg-type]


def test_signs() -> None:
    assert [star_signs(n) for n in (-1, 0, 1, 2, 3, 4)] == ["···", "···", "★··", "★★·", "★★★", "★★★"]


def test_what_does_not_pass_has_none() -> None:
    assert star_blocks(samples.not_rescaled()) == []
    assert star_blocks(replace(samples.passing(), verdict=Verdict.FAIL)) == []
    assert len(star_blocks(samples.passing())) == 2


def test_the_most_stars_are_kept() -> None:
    entry = Progress().after(timed(0.95, 3), "a")  # type: ignore[arg-type]
    assert (entry.stars, entry.stars_now) == (3, 3)
    assert entry.after(timed(0.5, 1), "b").stars == 3  # type: ignore[arg-type]
    assert entry.after(samples.not_rescaled(), "c").stars_now == 3
    put_back = replace(entry, solved_at=None)
    assert (put_back.stars, put_back.stars_now) == (3, 0)


def test_an_entry_from_before_there_were_stars_has_one() -> None:
    entry = from_dict({"solved_at": "2026-11-05T12:00:00+00:00"})
    assert (entry.stars, entry.stars_now, entry.speeds) == (0, 1, ())


def test_speeds_are_written_and_read() -> None:
    entry = Progress(stars=2, speeds=(BestSpeed("NVIDIA H200", "float32", (4096, 1024), 2441.5),))
    assert from_dict(json.loads(json.dumps(entry.to_dict()))) == entry


@pytest.mark.parametrize(
    "speed",
    [7, {}, {"device": 1}, {"device": "a", "dtype": "b", "shape": [1, -1], "rate": 1.0},
     {"device": "a", "dtype": "b", "shape": [1], "rate": "fast"}, {"device": "a", "dtype": "b", "shape": 4, "rate": 1}],
)  # fmt: skip
def test_speeds_that_are_none_are_refused(speed: object) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 (what it says is for the state file's own warning)
        from_dict({"speeds": [speed]})


def test_stars_are_listed(run: Run, workspace: Path) -> None:
    (workspace / "puzzles/p00_vector_add.py").write_text("# verdict: timed\n")
    (workspace / "puzzles/p01_softmax.py").write_text("# verdict: pass\n")
    (workspace / "puzzles/p02_row_sum.py").write_text("# verdict: fail\n")
    assert "★★★" in run("check", "0").stdout
    run("check", "all")
    printed = run("list").stdout
    assert (printed.count("★★★"), printed.count("★··")) == (1, 1)
    assert [row["stars"] for row in json.loads(run("list", "--json").stdout)["puzzles"]] == [3, 1, 0]
    ascii_only = run("list", PYTHONIOENCODING="ascii").stdout
    assert "***" in ascii_only
    assert "*.." in ascii_only


def test_a_puzzle_without_a_benchmark_has_no_stars_for_speed(run: Run, workspace: Path, tmp_path: Path) -> None:
    pack = Path(shutil.copytree(CURRICULUM, tmp_path / "pack"))
    for record in (pack / "records").glob("*.toml"):
        record.write_text(re.sub(r"^\[benchmark\].*?(?=^\[\[cases)", "", record.read_text(), flags=re.M | re.S))
    for name in ("p00_vector_add", "p01_softmax"):
        (workspace / f"puzzles/{name}.py").write_text("# verdict: pass\n")
    told = run("check", "0", TRITONPUZZLES_PACK=str(pack)).stdout
    assert "Stars" not in told
    assert "for speed" not in told
    several = run("check", "0-1", TRITONPUZZLES_PACK=str(pack)).stdout
    listed = run("list", TRITONPUZZLES_PACK=str(pack)).stdout
    assert several.count("★  ") == listed.count("★\n") == 2, several + listed
    assert "2 of 3 stars" in listed
    assert "speed" not in listed
    assert "·" not in listed
