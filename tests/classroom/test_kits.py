"""What an instructor gives a platform: complete, without names of students, the same for the same class."""

from __future__ import annotations

import io
import json
import os
import subprocess
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import pytest

from tests.classroom.made_class import settings
from tests.classroom.test_class_command import done
from tests.classroom.test_hidden import HIDDEN
from tests.classroom.test_running import RIGHT, STEM, STUB, hand_in
from tests.conftest import FIXTURE
from tritonpuzzles import __version__
from tritonpuzzles.curriculum.pack import PACK_VARIABLE
from tritonpuzzles.front.check import NBGRADER, CheckReport
from tritonpuzzles.front.classroom.intake.config import class_settings
from tritonpuzzles.front.classroom.model import ClassSettings
from tritonpuzzles.front.classroom.platforms.kits import Asked, kit, write_kit
from tritonpuzzles.front.errors import ExitCode, FrontError
from tritonpuzzles.results.check import Finding, PuzzleResult, Verdict
from tritonpuzzles.results.submission import Submission

PLATFORMS = ("autolab", "github", "gradescope", "nbgrader", "otter", "prairielearn")


def class_of(files: dict[str, bytes], name: str, folder: Path) -> ClassSettings:
    write_kit(files, folder)
    return class_settings(folder / name, folder)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_kit_is_the_same_again_and_names_no_student(platform: str, tmp_path: Path) -> None:
    made = kit(platform, settings(), Asked())
    write_kit(made, tmp_path / "a")
    write_kit(kit(platform, settings(), Asked()), tmp_path / "a")  # what is there already is the same
    whole = b"".join(made.values()).decode("utf-8")
    assert "{{" not in whole.replace("${{ steps", "")
    assert not any(student.id in whole for student in settings().roster if len(student.id) > 3)


def test_gradescopes_zip_has_both_scripts_at_the_top_and_the_class(tmp_path: Path) -> None:
    wheel = tmp_path / "x-1-py3-none-any.whl"
    wheel.write_bytes(b"wheel")
    asked = Asked(torch="torch --index-url ADDRESS", wheels=[wheel], unconfined=True)
    (path,) = write_kit(kit("gradescope", settings(), asked), tmp_path / "out.zip")
    with zipfile.ZipFile(path) as archive:
        modes = {entry.filename: entry.external_attr >> 16 & 0o777 for entry in archive.infolist()}
        archive.extractall(tmp_path / "source")
    assert modes == {
        "setup.sh": 0o755, "run_autograder": 0o755, "class.toml": 0o644, "wheels/x-1-py3-none-any.whl": 0o644,
    }  # fmt: skip
    for name in ("setup.sh", "run_autograder"):
        subprocess.run(["bash", "-n", tmp_path / "source" / name], check=True)
    setup = (tmp_path / "source/setup.sh").read_text()
    assert "torch --index-url ADDRESS\n" in setup
    assert f"tritonpuzzles=={__version__}\n" in setup
    assert "--for gradescope --unconfined" in (tmp_path / "source/run_autograder").read_text()


def test_a_kits_class_is_the_class_without_its_roster(tmp_path: Path) -> None:
    given = settings(title='A "class" \\ of Zoë')
    read = class_of(kit("gradescope", given, Asked()), "class.toml", tmp_path)
    assert read == replace(given, roster=())


def test_a_class_without_a_seed_gets_one_for_all_its_students(tmp_path: Path) -> None:
    assert class_of(kit("gradescope", settings(seed=None), Asked()), "class.toml", tmp_path).seed is not None


def test_a_pack_and_solutions_of_ones_own_go_along_but_never_to_where_students_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PACK_VARIABLE, str(FIXTURE))
    given = replace(class_settings(None, tmp_path), solutions=FIXTURE / "solutions")
    read = class_of(kit("prairielearn", given, Asked()), "serverFilesCourse/tritonpuzzles/class.toml", tmp_path / "kit")
    assert [one.puzzle.stem for one in read.assigned] == [one.puzzle.stem for one in given.assigned]
    assert read.solutions is not None
    assert (read.solutions / f"{STEM}.py").read_bytes() == (FIXTURE / "solutions" / f"{STEM}.py").read_bytes()
    assert Path(os.environ[PACK_VARIABLE]).is_relative_to(tmp_path)
    with pytest.raises(FrontError, match="would lie there too"):
        kit("github", given, Asked())


def test_hidden_cases_go_along_but_never_to_where_students_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PACK_VARIABLE, str(FIXTURE))
    cases = tmp_path / "of_ours.toml"
    cases.write_text(HIDDEN, encoding="utf-8")
    given = class_settings(None, tmp_path, cases)
    read = class_of(kit("prairielearn", given, Asked()), "serverFilesCourse/tritonpuzzles/class.toml", tmp_path / "kit")
    assert [[case.name for case in one.puzzle.cases if case.hidden] for one in read.assigned] == [
        [case.name for case in one.puzzle.cases if case.hidden] for one in given.assigned
    ]
    assert any(case.hidden for one in read.assigned for case in one.puzzle.cases)
    monkeypatch.setenv(PACK_VARIABLE, str(FIXTURE))
    with pytest.raises(FrontError, match="hidden cases of this class would lie there too"):
        kit("github", given, Asked())


def test_nothing_else_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "autograde-Makefile").write_text("mine")
    with pytest.raises(FrontError, match="is there already"):
        write_kit(kit("autolab", settings(), Asked()), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["autograde-Makefile"]


def test_autolab_reads_null_where_the_grader_does_not_even_start(tmp_path: Path) -> None:
    made = kit("autolab", settings(), Asked())
    with tarfile.open(fileobj=io.BytesIO(made["autograde.tar"])) as archive:
        assert {entry.name: entry.mode for entry in archive} == {"class.toml": 0o644, "driver.sh": 0o755}
    (tmp_path / "Makefile").write_bytes(made["autograde-Makefile"])
    (tmp_path / "autograde.tar").write_bytes(made["autograde.tar"])
    (tmp_path / "handin.py").write_text(STUB)
    ran = subprocess.run(["make"], cwd=tmp_path, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin"})
    assert json.loads(ran.stdout.splitlines()[-1]) == {"scores": dict.fromkeys(f"p{n:02d}" for n in range(6))}
    assert (tmp_path / "handin/handin.py").read_text() == STUB


def test_a_notebook_for_nbgrader_ends_in_a_locked_cell_that_is_worth_the_points() -> None:
    made = kit("nbgrader", settings(), Asked())
    notebook = nbformat.reads(made["source/tritonpuzzles/p05_flash_attention.ipynb"].decode(), as_version=4)
    nbformat.validate(notebook)
    about = {"grade": True, "grade_id": "p05-score", "locked": True, "points": 10.0, "schema_version": 3}
    assert notebook.cells[-1].metadata == {"nbgrader": {**about, "solution": False, "task": False}}
    assert notebook.cells[-1].source.endswith("tritonpuzzles.check(5).score(points=10.0)")
    assert any(cell.source.startswith("%%puzzle 5") for cell in notebook.cells)
    assert not any(cell.source.startswith(("%bench", "%trace", "%check")) for cell in notebook.cells)


def test_a_test_for_otter_asks_for_all_points() -> None:
    found: dict[str, Any] = {}
    exec(kit("otter", settings(), Asked())["tests/q3.py"], found)
    (case,) = found["test"]["suites"][0]["cases"]
    assert found["OK_FORMAT"]
    assert found["test"]["points"] == 5.0
    assert case["code"] == ">>> import tritonpuzzles\n>>> tritonpuzzles.check(3).score(points=5.0)\n5.0"


def report(*verdicts: Verdict) -> CheckReport:
    file = Submission(Path("x.py"), Path("x.py"))
    finding = Finding("grader-fault", "The judge was ended.")
    results = (PuzzleResult(n, "x", file, verdict, "cpu", 1, (finding,)) for n, verdict in enumerate(verdicts))
    return CheckReport("1", {}, tuple(results))


def test_a_score_is_the_share_that_passes() -> None:
    assert report(Verdict.PASS).score(points=5) == 5.0
    assert [report(verdict).score(5) for verdict in (Verdict.FAIL, Verdict.ERROR, Verdict.UNSOLVED)] == [0.0] * 3
    assert report(Verdict.PASS, Verdict.FAIL, Verdict.PASS, Verdict.ERROR).score(points=8) == 4.0
    assert isinstance(report(Verdict.PASS).score(points=5), float)


@pytest.mark.parametrize("verdict", [Verdict.INFRA_ERROR, Verdict.SKIP])
def test_a_fault_of_the_grader_is_no_score(
    verdict: Verdict, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(FrontError, match="Puzzle 1 could not be graded, and this is no zero") as raised:
        report(Verdict.PASS, verdict).score(points=5)
    assert raised.value.code is ExitCode.FAULT
    monkeypatch.setenv(NBGRADER, "autograde")
    assert report(verdict).score(points=5) > 5.0  # which nbgrader refuses; for an error it gives a zero
    assert "this is no zero" in capsys.readouterr().out


@pytest.mark.slow
def test_one_students_folder_is_reported_by_the_instructors_settings_alone(tmp_path: Path) -> None:
    folder, config, to = tmp_path / "submission", tmp_path / "class.toml", tmp_path / "results/results.json"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep/my square.py").write_text(RIGHT)
    (folder / "class.toml").write_text("[[puzzles]]\nname = 1\npoints = 1000\n")
    config.write_text(
        "seed = 1\ndue = 2026-11-24T23:00:00Z\nlate.percent_a_day = 25\n[[puzzles]]\nname = 1\npoints = 4\n"
    )
    (tmp_path / "submission_metadata.json").write_text('{"created_at": "2026-11-26T00:00:00.000000-08:00"}')
    done("report", folder, "--for", "gradescope", "--config", config, "--to", to, "--device", "cpu")
    (test,) = json.loads(to.read_text())["tests"]
    assert (test["name"], test["score"], test["max_score"], test["status"]) == ("p01 square", 2.0, 4.0, "passed")


def test_a_pack_that_a_student_has_handed_in_is_not_opened(tmp_path: Path) -> None:
    config = tmp_path / "class.toml"
    config.write_text(f'pack = "{tmp_path}/submission"\n')
    subprocess.run(["cp", "-r", str(FIXTURE), str(tmp_path / "submission")], check=True)
    asked = ("report", tmp_path / "submission", "--for", "gradescope", "--config", config)
    assert "lies in the student's folder" in done(*asked, code=2)[1]


@pytest.mark.slow
def test_a_broken_machine_writes_nothing_for_gradescope_and_null_for_autolab(tmp_path: Path) -> None:
    folder, config = hand_in(tmp_path / "class", {"ada": RIGHT}) / "ada", tmp_path / "class.toml"
    hand_in(tmp_path / "mine", {"solutions": RIGHT.replace("x * x", "x")})
    config.write_text('solutions = "mine/solutions"\n[[puzzles]]\nname = 1\n')
    asked = ("report", folder, "--config", config, "--device", "cpu", "--for")
    err = done(*asked, "gradescope", "--to", tmp_path / "results.json", code=3)[1]
    assert "Nothing is written. 1 puzzle of 1 not graded" in err
    assert not (tmp_path / "results.json").exists()
    out, err = done(*asked, "autolab")
    assert json.loads(out.splitlines()[-1]) == {"scores": {"p01": None}}
    assert "the solution of puzzle 1 does not pass on this machine" in err
