"""Predicted speed: apart from what was measured, in reports, stars and progress; and the choice of the GPU."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

import tritonpuzzles
from tests.front import fake_judge, samples
from tests.front.conftest import Run, environment
from tests.front.test_report import text_of
from tests.program import HERE, JUDGE
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front import judge_process
from tritonpuzzles.front.commands.check import check_command
from tritonpuzzles.front.commands.watch import watch_command
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.jupyter import checking
from tritonpuzzles.front.notebook import line as magic
from tritonpuzzles.front.page.model import View
from tritonpuzzles.front.report import report_html, without_fixes
from tritonpuzzles.front.report.predicted import (
    counted,
    predicted_blocks,
    sentence,
    star_sentence,
    star_signs,
    star_text,
    titled,
    with_article,
)
from tritonpuzzles.front.watch import editor
from tritonpuzzles.front.workspace.progress import Progress, from_dict
from tritonpuzzles.front.workspace.state import State
from tritonpuzzles.hardware.l2 import L2S, l2_meant
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.results.check import Predicted, PuzzleResult, Verdict

FAST = samples.passing(predicted=samples.predicted())
SLOW = samples.passing(predicted=samples.predicted_slow())
UNKNOWN = samples.passing(predicted=samples.predicted_nothing())
BOTH = samples.timed(2000.0, predicted=samples.predicted())


def solve(workspace: Path, word: str, *names: str) -> None:
    for name in names:
        (workspace / f"puzzles/{name}.py").write_text(f"# verdict: {word}\n")


def state(workspace: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((workspace / ".tritonpuzzles/state.json").read_text())
    return found


def test_what_fails_shows_no_prediction() -> None:
    for verdict in set(Verdict) - {Verdict.PASS}:
        failing = replace(samples.not_rescaled(predicted=samples.predicted_slow()), verdict=verdict)
        assert predicted_blocks(failing, View()) == []
        assert "predict" not in text_of(samples.report(failing), verbose=True)
    assert predicted_blocks(samples.passing(), View()) == []


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (
            samples.predicted(),
            "About 2,710 GB/s, 66 % of a copy, 98 % of what this puzzle's traffic allows; "
            "9 of 10 predictions are within 12 %.",
        ),
        (samples.predicted(share_of_yardstick=0.9196, band=0.0), "About 2,710 GB/s, 66 % of a copy, 91.9 % of what"),
        (
            samples.predicted_product(rate=612.4, yardstick_rate=None, share_of_yardstick=None),
            "About 612 TFLOP/s, 62 % of what its tensor cores can do; 9 of 10",
        ),
    ],
)
def test_the_sentence(found: Predicted, said: str) -> None:
    assert sentence(found).startswith(said)


def test_operations_have_no_copy_beside_them() -> None:
    found = samples.predicted(unit="TFLOP/s", rate=612.4, share_of_copy=None)
    assert titled(found)[0] == "Speed, predicted"
    assert "copy" not in text_of(samples.report(samples.passing(predicted=found)))


def test_bars_do_not_look_like_those_that_were_measured() -> None:
    lines = text_of(samples.report(BOTH), 100).split("\n")
    measured, predicted = (
        next(n for n, line in enumerate(lines) if line.startswith(title))
        for title in ("Bandwidth  NVIDIA H200", "Bandwidth, predicted  H200")
    )
    assert measured < predicted
    assert "░" not in "".join(lines[:predicted])
    assert "█" not in "".join(lines[predicted:])
    page = report_html(samples.report(BOTH))
    before, _, after = page.partition("Bandwidth, predicted")
    assert "tp-bar tp-good" in before
    assert 'hatched"' not in before
    assert after.count('class="tp-bar tp-note tp-hatched"') == after.count('class="tp-bar  tp-hatched"') == 1


def test_no_fix_leaves_out_what_to_do_about_the_limit() -> None:
    assert "larger BLOCK_SIZE" in text_of(samples.report(SLOW))
    without = without_fixes(samples.report(SLOW, UNKNOWN, FAST))
    assert "larger BLOCK_SIZE" not in json.dumps(without.to_dict())
    assert without.results[0].predicted is not None


@pytest.mark.parametrize(
    ("result", "signs", "said"),
    [
        (
            FAST,
            "★☆☆",
            "1 of 3: the result is right. By prediction 2 more on an H200: 98 % of what this puzzle's traffic allows.",
        ),
        (
            samples.passing(predicted=samples.predicted(gpu="T4", share_of_yardstick=0.88, stars=2)),
            "★☆·",
            "1 of 3: the result is right. By prediction 1 more on a T4: 88 % of what this puzzle's traffic allows; "
            "92 % earn the next.",
        ),
        (
            SLOW,
            "★··",
            "1 of 3: the result is right. On an H200 it would earn no more, by prediction: 67 % of what this puzzle's "
            "traffic allows; 80 % earn the next.",
        ),
        (
            samples.passing(predicted=samples.predicted_product(gpu="RTX 4090", share_of_yardstick=None, stars=1)),
            "★··",
            "1 of 3: the result is right. No more are predicted on an RTX 4090: cuBLAS was never timed there.",
        ),
        (UNKNOWN, "★··", "1 of 3: the result is right. The others are for speed, on a GPU."),
        (BOTH, "★··", "1 of 3: 73 % of what this puzzle's traffic allows; 80 % earn the next."),
    ],
)  # fmt: skip
def test_stars(result: PuzzleResult, signs: str, said: str) -> None:
    result = replace(result, stars=1)
    assert star_sentence(result).startswith(said)
    assert f"Stars  {signs}  {said[:6]}" in text_of(samples.report(result))


def test_signs() -> None:
    pairs = ((1, 0), (1, 1), (1, 2), (1, 3), (2, 3), (3, 3), (2, 1), (1, 9), (0, 0))
    signs = ["★··", "★··", "★☆·", "★☆☆", "★★☆", "★★★", "★★·", "★☆☆", "···"]
    assert [star_signs(*pair) for pair in pairs] == signs
    assert [star_text(*pair).plain for pair in pairs] == signs


@pytest.mark.parametrize(
    ("gpu", "said"),
    [("H200", "an H200"), ("T4", "a T4"), ("RTX 4090", "an RTX 4090"), ("B200", "a B200"), ("L4", "an L4"), ("", "a ")],
)
def test_articles(gpu: str, said: str) -> None:
    assert with_article(gpu) == said


def test_predictions_are_kept_apart_until_a_clock_decides() -> None:
    entry = Progress().after(SLOW, "a").after(FAST, "b")
    assert (entry.stars_now, entry.predicted_now) == (1, 3)
    for result in (UNKNOWN, samples.passing(), samples.not_rescaled(predicted=samples.predicted())):
        assert entry.after(result, "c").predicted_now == 3
    assert replace(entry, solved_at=None).predicted_now == 0
    timed = entry.after(replace(BOTH, stars=1), "d")
    assert (timed.stars_now, timed.predicted_now) == (1, 0)
    assert from_dict(json.loads(json.dumps(entry.to_dict()))) == entry
    puzzles = load_curriculum().puzzles
    assert counted(zip(puzzles, [entry, timed, Progress()], strict=False)) == "2 of 9 stars, 2 more by prediction"
    assert counted(zip(puzzles, [timed, Progress()], strict=False)) == "1 of 6 stars"


def test_older_entries_have_none_and_newer_keys_stay(tmp_path: Path) -> None:
    old = {"attempts": 1, "solved_at": "2026-11-05T12:00:00+00:00", "stars": 2, "moons": 7}
    (tmp_path / "state.json").write_text(json.dumps({"version": 2, "theme": "dark", "puzzles": {"softmax": old}}))
    kept = State(tmp_path, pytest.fail)
    assert (kept.read()["softmax"].predicted_stars, kept.gpu()) == (0, "H200")
    kept.keep_gpu("A100")
    written = json.loads((tmp_path / "state.json").read_text())
    assert (written["gpu"], written["theme"], written["puzzles"]["softmax"]["moons"]) == ("A100", "dark", 7)
    assert kept.gpu() == "A100"


def test_lists_count_them_apart(run: Run, workspace: Path) -> None:
    solve(workspace, "predicted", "p00_vector_add")
    solve(workspace, "timed", "p01_softmax")
    run("check", "0-1")
    assert state(workspace)["puzzles"]["vector_add"]["predicted_stars"] == 3
    printed = run("list").stdout
    assert "★☆☆" in printed
    assert "\n4 of 9 stars, 2 more by prediction\n☆ a star by prediction: a GPU has to time the kernel" in printed
    assert "\n· a star" not in printed
    rows = json.loads(run("list", "--json").stdout)["puzzles"]
    assert [(row["stars"], row["predicted_stars"]) for row in rows] == [(1, 3), (3, 0), (0, 0)]
    solve(workspace, "pass", "p02_row_sum")
    assert "\nEvery puzzle is solved  5 of 9 stars, 2 more by prediction\n" in run("check", "2").stdout
    assert "\n· a star that is not earned yet" in run("list").stdout
    narrow = run("list", COLUMNS="40", PYTHONIOENCODING="ascii").stdout
    assert max(map(len, narrow.splitlines())) <= 40
    assert "*oo" in narrow
    assert "*.." in narrow
    assert "\no a star by prediction" in narrow
    assert "\n. a star that is not" in narrow


def test_a_short_report_of_several(run: Run, workspace: Path) -> None:
    solve(workspace, "predicted", "p00_vector_add")
    solve(workspace, "pass", "p01_softmax")
    printed = run("check", "0-1").stdout
    assert "✓ pass  p00 vector_add  ★☆☆  7 cases, predicted 2,710 GB/s (H200)\n" in printed
    assert "✓ pass  p01 softmax     ★··  7 cases\n" in printed
    assert "Not seen on the CPU: speed, and races" in printed
    assert "Speed is predicted, not measured. Not seen on the CPU: races" in run("check", "0").stdout


def asked(run: Run, *words: str) -> str | None:
    """Return the GPU that the judge is asked for."""
    done = run(*words)
    assert done.returncode == 0, done.stderr
    gpus = {result["predicted"] and result["predicted"]["gpu"] for result in json.loads(done.stdout)["results"]}
    (gpu,) = gpus
    return gpu


def test_the_chosen_gpu_is_kept(run: Run, workspace: Path) -> None:
    solve(workspace, "predicted", "p00_vector_add")
    check = ("check", "0", "--json")
    assert asked(run, *check) == "H200"
    assert asked(run, *check, "--gpu", "4090") == "RTX 4090"
    assert asked(run, *check) == "RTX 4090"
    assert asked(run, *check, "--gpu", "nvidia a100-sxm4") == "A100"
    assert asked(run, *check, "--gpu", "None") is None
    assert asked(run, *check) is None
    assert state(workspace)["gpu"] == "none"
    assert asked(run, *check, "--gpu", "l4") == "L4"


def test_an_unknown_gpu_is_one_sentence(run: Run, workspace: Path) -> None:
    solve(workspace, "predicted", "p00_vector_add")
    for name in ("H300", "", "rtx", "a100 pcie", "MI300X"):
        done = run("check", "0", "--gpu", name)
        assert (done.returncode, done.stdout) == (2, "")
        assert f"{name!r} is no GPU whose speed is predicted; it may be {', '.join(L2S)} or none.\n" in done.stderr
    assert run("check", "0", "--gpu", "A100", "--json", "--github").returncode == 2
    assert not (workspace / ".tritonpuzzles/state.json").exists()  # nothing is kept of what was refused


@pytest.mark.parametrize("value", [7, None, [], {}, "H300", "h100", True])
def test_a_choice_that_is_none_is_the_usual_gpu(value: object, tmp_path: Path) -> None:
    (tmp_path / "state.json").write_text(json.dumps({"version": 2, "gpu": value, "puzzles": {}}))
    assert State(tmp_path, pytest.fail).gpu() == "H200"


def test_a_state_that_cannot_be_read_is_the_usual_gpu(tmp_path: Path) -> None:
    (tmp_path / "state.json").write_text("{")
    assert State(tmp_path, pytest.fail).gpu() == "H200"


def test_outside_of_a_workspace_nothing_is_kept(run: Run, workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    file = tmp_path / "elsewhere" / "p00_vector_add.py"
    file.write_text("# verdict: predicted\n")
    done = run("check", "0", "--file", str(file), "--gpu", "t4", "--json", cwd=file.parent)
    assert json.loads(done.stdout)["results"][0]["predicted"]["gpu"] == "T4"
    assert list(file.parent.iterdir()) == [file]


def test_every_gpu_is_found_by_its_name() -> None:
    for name in L2S:
        for meant in (name, name.lower(), f"NVIDIA {name}"):
            found = l2_meant(meant)
            assert found is not None
            assert found.gpu == name
    found = [l2_meant(name) for name in ("4090", "3050", "laptop", "rtx", "", "4")]
    assert [one and one.gpu for one in found] == ["RTX 4090", "RTX 3050 Laptop", "RTX 3050 Laptop", None, None, None]


def test_notebooks_predict_for_the_chosen_gpu(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workspace)
    for line, gpu in (("0", "H200"), ("0 --gpu t4", "T4"), ("0", "T4"), ("0 --gpu none", None), ("0", None)):
        for command in (check_command, magic.solve):
            params = magic.parsed(command, "%check", line)
            params.pop("replace", None)
            assert not checking._elsewhere(params)
            assert checking._request(params).options.gpu == gpu


def test_watch_predicts_for_the_chosen_gpu(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[CheckOptions] = []

    class Watch:
        def __init__(self, place: object, puzzles: object, options: CheckOptions, *_: object) -> None:
            seen.append(options)

        def run(self) -> None: ...

    monkeypatch.chdir(workspace)
    monkeypatch.setattr(editor, "EditorWatch", Watch)
    State(workspace / ".tritonpuzzles", pytest.fail).keep_gpu("L4")
    watch_command.main(["--editor"], standalone_mode=False)
    assert [options.gpu for options in seen] == ["L4"]


def test_python_predicts_for_the_chosen_gpu(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    solve(workspace, "predicted", "p00_vector_add")
    State(workspace / ".tritonpuzzles", pytest.fail).keep_gpu("H100")
    monkeypatch.chdir(workspace)
    monkeypatch.setattr(judge_process, "_judges", [HERE])
    with mock.patch.dict("sys.modules", {JUDGE: fake_judge.module()}), mock.patch.dict(os.environ, environment()):
        report = tritonpuzzles.check(0)
        assert "By prediction 2 more on an H100" in " ".join(report.text.split())
        tritonpuzzles.check(0, gpu="nvidia a100")
    assert state(workspace)["gpu"] == "A100"
    with pytest.raises(FrontError, match="'H300' is no GPU whose speed is predicted; it may be"):
        tritonpuzzles.check(0, gpu="H300")
