"""The page of recorded results: up to date with the records, and made of nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.bench import samples
from tritonpuzzles.hardware.l2 import USUAL
from tritonpuzzles.judge.bench.ledger import Counted
from tritonpuzzles.results.bench import Bench, bench_from_dict
from tritonpuzzles.results.check import Finding, plain

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def test_the_page_is_up_to_date() -> None:
    """Run `python benchmarks/page.py` after a record, or the code that draws, has changed."""
    command = [sys.executable, str(BENCHMARKS / "page.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_records_say_where_they_come_from() -> None:
    paths = sorted((BENCHMARKS / "results").glob("*.json"))
    assert len(paths) >= 2
    for path in paths:
        data = json.loads(path.read_text())
        assert data["command"].startswith("python benchmarks/record.py ")
        for bench in data["results"]:
            assert {"gpu", "driver", "sm_mhz", "memory_mhz", "torch", "triton", "cuda"} <= set(bench["environment"])
            files = [contender for contender in bench["contenders"] if contender["file"]]
            assert all(not Path(contender["file"]).is_absolute() for contender in files)
            assert all(speed["timing"]["samples"] >= 50 for contender in files for speed in contender["speeds"])


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, ModuleType]:
    """The scripts, working in a folder of their own that has a record of each kind."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    for name in ("page", "sections", "record", "predict"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import page
    import predict
    import record
    import sections

    results = tmp_path / "results"
    for target, name, value in (
        (page, "ROOT", tmp_path),
        (page, "RESULTS", results),
        (page, "PAGE", tmp_path / "R.md"),
    ):
        monkeypatch.setattr(target, name, value)
    made = {"addition": [samples.addition()], "softmax": softmaxes(), "attention": [samples.attention()]}
    for kind, benches in made.items():
        record.write(record.recorded(benches, f"python benchmarks/record.py {kind}"), results / f"gpu_{kind}.json")
    return {"page": page, "record": record, "sections": sections, "predict": predict}


def softmaxes() -> list[Bench]:
    """Puzzles 2 and 3, without a learner's file."""
    found = samples.online_softmax()
    shipped = tuple(contender for contender in found.contenders if contender.name != "yours")
    plain_only = tuple(contender for contender in shipped if contender.name != "tuned")
    second = replace(found, puzzle=2, slug="blocked_softmax", contenders=plain_only)
    return [second, replace(found, contenders=shipped)]


def run(page: Any, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["page.py", *arguments])
    code: int = page.main()
    return code


def test_what_is_written_is_up_to_date_until_something_changes(
    scripts: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = scripts["page"]
    assert run(page, monkeypatch, "--check") == 1
    assert run(page, monkeypatch) == 0
    assert run(page, monkeypatch, "--check") == 0
    names = {path.name for path in (tmp_path / "results").glob("*.svg")}
    assert names == {"gpu_addition.svg", "gpu_softmax.svg", "gpu_attention.svg", "gpu_ladder.svg"}
    written = {path: path.read_text() for path in (tmp_path / "R.md", *(tmp_path / "results").glob("*.svg"))}
    for path, text in written.items():
        path.write_text(text + " ")
        assert run(page, monkeypatch, "--check") == 1
        path.write_text(text)
    assert run(page, monkeypatch, "--check") == 0
    (tmp_path / "results" / "left_over.svg").write_text("<svg/>")
    capsys.readouterr()
    assert run(page, monkeypatch, "--check") == 1
    assert "results/left_over.svg is out of date" in capsys.readouterr().err


def test_a_changed_record_makes_page_and_plots_stale(
    scripts: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = scripts["page"]
    assert run(page, monkeypatch) == 0
    path = tmp_path / "results" / "gpu_softmax.json"
    data = json.loads(path.read_text())
    data["results"][0]["contenders"][0]["speeds"][0]["rate"] += 10
    path.write_text(json.dumps(data))
    assert run(page, monkeypatch, "--check") == 1
    stale = capsys.readouterr().err
    assert [name in stale for name in ("R.md", "gpu_softmax.svg", "gpu_ladder.svg", "gpu_attention.svg")] == [
        True, True, True, False,
    ]  # fmt: skip


def test_the_page_holds_the_numbers(scripts: dict[str, ModuleType], tmp_path: Path) -> None:
    sections = scripts["sections"]
    text = sections.page(sections.read_records(tmp_path / "results"))
    assert text.index("## Vector addition, n_elements float32") < text.index("## Softmax, 4,096 x n_cols float32")
    assert "| n_elements | torch.add | 0 | copy |" in text
    assert "| 131,072 | 2,078 | 831 | 2,763 | 2,763 | 3,632 | 4,240 |" in text
    assert "| n_cols | torch.softmax | naive torch | 2 | 3 | 3 tuned | copy |" in text
    assert "| bytes | 1.50x | 1.50x | 1.50x |" in text
    assert "| 131,072 | -2 % | -2 % | +28 % |" in text
    said = " ".join(text.split())
    assert said.count("off in the mean; without the cache it would be") == 1
    assert said.count("An H200 has 60 MiB of cache; the model's holds 67 % of that") == 1
    assert "no faster than the cache serves (9,300 GB/s)" in said
    assert "| 16,384 | 1.30x | 1.86x | 0.58x | 0.83x |" in text
    assert "| p05 16384 x 128 | 8 % | 38 % | 85 % | 49 % | 71 % | 761 TFLOP/s |" in text
    assert "by `python benchmarks/record.py softmax`: driver 580.159.04, multiprocessors at 1980 MHz" in " ".join(
        text.split()
    )


def test_the_page_says_what_the_cache_leaves_to_dram(scripts: dict[str, ModuleType], tmp_path: Path) -> None:
    path = tmp_path / "results" / "gpu_softmax.json"
    data = json.loads(path.read_text())
    for speed in data["results"][0]["contenders"][0]["speeds"]:
        speed["dram_bytes"] = speed["ledger_bytes"] * 5 // 6
        speed["predicted"] = speed["rate"] / 1.1
    path.write_text(json.dumps(data))
    sections = scripts["sections"]
    text = sections.page(sections.read_records(tmp_path / "results"))
    assert "| 131,072 | +10 % (1.25x) | -2 % | +28 % |" in text


def test_a_records_errors_beside_its_times(scripts: dict[str, ModuleType]) -> None:
    predict = scripts["predict"]
    bench = samples.online_softmax()
    counted = Counted(*[tuple(times * point.minimum_bytes for point in bench.points) for times in (2, 1)])
    solution = next(contender for contender in bench.contenders if contender.name == "solution")
    made = predict.with_predictions(solution, bench, counted, USUAL)
    for point, speed, before in zip(bench.points, made.speeds, solution.speeds, strict=True):
        assert (speed.timing, speed.rate) == (before.timing, before.rate)
        assert speed.predicted == min(point.copy_gb_per_s or 0, (USUAL.gb_per_s or 0) / 2)
    lines = list(predict.errors(replace(bench, contenders=(made, bench.contenders[-1]))))
    assert len(lines) == sum(point.size >= 4096 for point in bench.points)
    assert lines[-1][0].startswith("| 131,072 | 3 solution | ")
    assert lines[-1][1] == pytest.approx((made.speeds[-1].rate or 0) / (made.speeds[-1].predicted or 0) - 1)
    with pytest.raises(SystemExit, match="no softmax"):
        predict.with_predictions(
            solution, bench, replace(counted, refusal=Finding("wrong-values", "no softmax")), USUAL
        )


def test_softmaxes_on_record_are_predicted(scripts: dict[str, ModuleType]) -> None:
    """From 4,096 columns on, 15 % off in the mean at most; see `python benchmarks/predict.py --errors`."""
    record = json.loads((BENCHMARKS / "results" / "nvidia_h200_softmax.json").read_text())
    benches = [bench_from_dict(bench) for bench in record["results"]]
    shares = [abs(share) for bench in benches for _, share in scripts["predict"].errors(bench)]
    assert len(shares) == 7 * 6
    assert sum(shares) / len(shares) <= 0.15


def test_no_path_of_this_machine_is_recorded(scripts: dict[str, ModuleType], tmp_path: Path) -> None:
    record = scripts["record"]
    found = samples.attention()
    here = replace(found.contenders[0], file=str(record.ROOT / "solutions" / "x.py"))
    path = tmp_path / "x.json"
    record.write(record.recorded([replace(found, contenders=(here,))], "python x"), path)
    assert str(record.ROOT) not in path.read_text()
    assert json.loads(path.read_text())["results"][0]["contenders"][0]["file"] == "solutions/x.py"
    assert record.file_name("softmax", "NVIDIA A100-SXM4") == "nvidia_a100_sxm4_softmax.json"


def test_kinds_cover_every_puzzle(scripts: dict[str, ModuleType]) -> None:
    record = scripts["record"]
    kinds = [[puzzle.number for puzzle in record.puzzles(kind)] for kind in record.SLUGS]
    assert kinds == [[0], [1, 2, 3, 4], [6], [5], [7], [8]]
    assert plain(samples.attention())["puzzle"] == 5
