"""Hidden cases: read as a record's are, graded as they are, and to a student a name and nothing more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.classroom.test_class_command import done
from tests.classroom.test_running import HOST, KERNEL, RIGHT, hand_in
from tests.classroom.trial_texts import notebook
from tests.conftest import FIXTURE
from tritonpuzzles.curriculum.pack import PACK_VARIABLE
from tritonpuzzles.front.classroom.intake.config import class_settings
from tritonpuzzles.front.classroom.intake.take_in import take_in
from tritonpuzzles.front.errors import FrontError

pytestmark = pytest.mark.slow

SIZE = 4099
HIDDEN = f"""\
[[square.cases]]
name = "a size of the instructor's"
why = "{SIZE} elements."
family = "normal"
shape = [{SIZE}]
"""
ONLY_THERE = f"    if x.numel() == {SIZE}:\n"
FILES = {
    "right": RIGHT,
    "values": RIGHT.replace("x * x, mask", f"x * x + tl.where(n_elements == {SIZE}, 1.0, 0.0), mask"),
    "raises": RIGHT.replace(HOST, f"{HOST}{ONLY_THERE}        raise ValueError(f'{{x.shape}} {{x.numel()}}')\n"),
    "endless": RIGHT.replace(HOST, f"{HOST}{ONLY_THERE}        while True: pass\n"),
    "shape": RIGHT.replace(
        "BLOCK_SIZE=256)\n    return y", f"BLOCK_SIZE=256)\n{ONLY_THERE}        return y.view(1, -1)\n    return y"
    ),
    "constant": RIGHT.replace(HOST, f"{HOST}{ONLY_THERE}        assert int(x.numel()) == {SIZE} + 1, x\n"),
    "beyond": RIGHT.replace(KERNEL, "    x = tl.load(x_ptr + offsets)\n" + KERNEL),
}
"""A right file, and files that are wrong in the hidden case alone, or there too."""


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of a class of these."""
    folder = hand_in(tmp_path_factory.mktemp("hidden") / "class", FILES)
    (folder / "class.toml").write_text('timeout = 4\ncases = "hidden.toml"\nseed = 1\n')
    (folder / "hidden.toml").write_text(HIDDEN)
    done("grade", folder, "--device", "cpu", "--jobs", "2")
    return folder.with_name("class-graded")


def test_a_hidden_case_decides_like_any_other(graded: Path) -> None:
    found = [json.loads(line) for line in (graded / "results.jsonl").read_text().splitlines()]
    verdicts = {one["student"]: one["verdict"] for one in found}
    assert verdicts.pop("right") == "pass"
    assert set(verdicts.values()) <= {"fail", "error"}
    (right,) = (one for one in found if one["student"] == "right")
    assert right["passed_cases"] == right["cases"]


@pytest.mark.parametrize("student", [name for name in FILES if name != "right"])
def test_a_student_reads_its_name_and_no_number_of_it(graded: Path, student: str) -> None:
    page = (graded / f"feedback/{student}.html").read_text()
    for number in (str(SIZE), f"{SIZE:,}", "4098", "4,098"):
        assert number not in page
        assert number not in (graded / "junit.xml").read_text()
    if student != "beyond":  # which is wrong elsewhere, too
        assert "The hidden case &#34;a size of the instructor&#39;s&#34; does not pass." in page


def test_the_instructor_reads_what_was_found(graded: Path) -> None:
    page = (graded / "class.html").read_text()
    assert "Hidden case &#34;a size of the instructor&#39;s&#34;:" in page
    assert "4,099" in page or "4099" in page


SLIPS = {
    "there is no puzzle 'sqare'": HIDDEN.replace("square", "sqare"),
    "puzzle 1 stands there under two names": HIDDEN + HIDDEN.replace("square", "1"),
    "'why' is missing": HIDDEN.replace("why", "wy"),
    "case \"a size of the instructor's\": 'shape' has 2 of 1 sizes": HIDDEN.replace("[4099]", "[4099, 2]"),
    "layout 'paded' is not known. Did you mean 'padded'?": HIDDEN + 'layout = "paded"',
    "two cases are called 'ordinary numbers'": HIDDEN.replace("a size of the instructor's", "ordinary numbers"),
    "'cases' is missing; there is 'case' in its place": HIDDEN.replace("square.cases", "square.case"),
    "there is no such file": "",
}  # fmt: skip


@pytest.mark.parametrize("said", SLIPS)
def test_a_slip_is_said_with_its_place(tmp_path: Path, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PACK_VARIABLE, str(FIXTURE))
    (tmp_path / "class.toml").write_text('cases = "hidden.toml"')
    if SLIPS[said]:
        (tmp_path / "hidden.toml").write_text(SLIPS[said])
    with pytest.raises(FrontError) as caught:
        class_settings(None, tmp_path)
    assert said.lower() in caught.value.message.lower()
    assert "hidden.toml" in caught.value.message


def test_a_notebook_for_a_puzzle_with_hidden_cases_is_graded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PACK_VARIABLE, str(FIXTURE))
    (tmp_path / "hidden.toml").write_text(HIDDEN)
    (tmp_path / "class/ada").mkdir(parents=True)
    (tmp_path / "class/ada/homework.ipynb").write_bytes(notebook({1: RIGHT}))
    intake = take_in(tmp_path / "class", class_settings(None, tmp_path, tmp_path / "hidden.toml"))
    (file,) = intake.files
    assert [case.name for case in file.puzzle.cases if case.hidden] == ["a size of the instructor's"]
    assert "square_kernel" in file.file.read_text()


def test_a_family_that_is_not_there_is_said_before_anybody_is_graded(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", {"ada": RIGHT})
    (tmp_path / "hidden.toml").write_text(HIDDEN.replace('"normal"', '"nromal"'))
    err = done("grade", folder, "--cases", tmp_path / "hidden.toml", "--device", "cpu", code=3)[1]
    assert "hidden case \"a size of the instructor's\": family: there is no 'nromal'. Did you mean 'normal'?" in err
