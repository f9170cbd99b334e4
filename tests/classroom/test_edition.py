"""The student edition: nothing in it gives an answer away, and what students do works in it."""

from __future__ import annotations

import io
import os
import re
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.classroom.making import settings
from tests.conftest import FIXTURE
from tests.front.test_shipped import program
from tritonpuzzles.curriculum.pack import PACK_VARIABLE
from tritonpuzzles.curriculum.tables import tomllib
from tritonpuzzles.front.classroom.edition import pack_files, toml, wheel
from tritonpuzzles.front.classroom.intake.config import class_settings
from tritonpuzzles.front.errors import FrontError

ROOT = Path(__file__).parents[2]
SECOND = ROOT / "tests/second_pack"
TELLING = 12  # characters of a line, from which on it says something
PYTHON = {"import functools", "@functools.cache"}  # lines of tuned files that the grader itself has


@pytest.fixture(autouse=True)
def shipped_pack(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PACK_VARIABLE, "")


@pytest.fixture(scope="module")
def edition() -> dict[str, bytes]:
    """The files of a wheel with all puzzles."""
    with zipfile.ZipFile(io.BytesIO(wheel(pack_files(settings())))) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def lines(paths: list[Path]) -> set[str]:
    found = {line.strip() for path in paths for line in path.read_text(encoding="utf-8").splitlines()}
    return {line for line in found if len(line) >= TELLING}


def test_no_line_of_a_solution_is_in_it(edition: dict[str, bytes]) -> None:
    known = [*ROOT.glob("puzzles/*.py"), *ROOT.glob("grader/tritonpuzzles/curriculum/hints/*.md"), *ROOT.glob("docs/*")]
    told = "\n".join(path.read_text(encoding="utf-8") for path in known if path.suffix in (".py", ".md"))
    secret = {line for line in lines([*ROOT.glob("solutions/**/*.py")]) if line not in told} - PYTHON
    assert len(secret) > 500
    texts = {name: data.decode("utf-8", "replace") for name, data in edition.items()}
    found = [(name, line) for name, text in texts.items() for line in secret if line in text]
    assert found == []


def test_emulations_authors_words_and_paths_of_this_machine_are_not_in_it(edition: dict[str, bytes]) -> None:
    folders = {Path(name).parts[3] for name in edition if name.startswith("tritonpuzzles/curriculum/mistakes/")}
    assert folders == {"__init__.py", "machines.py"}
    assert not [name for name in edition if re.search("solutions|tuned|mutants|__pycache__", name)]
    for name, data in edition.items():
        assert str(ROOT).encode() not in data, name
        if "/records/" in name:
            record = tomllib.loads(data.decode())
            assert not {"mistakes", "mistakes_module"} & record.keys()
            assert not [case for case in record["cases"] if "kept_for" in case]


def test_a_class_gets_its_own_puzzles_under_their_own_numbers(tmp_path: Path) -> None:
    files = pack_files(settings(1, 3))
    assert tomllib.loads(files["curriculum.toml"].decode()) == {
        "format": 1,
        "title": "A class",
        "puzzles": ["p01_softmax", "p03_online_softmax"],
        "solutions": False,
    }
    assert sorted(files) == sorted(
        ["curriculum.toml"]
        + [f"{kind}/p01_softmax.{end}" for kind, end in (("hints", "md"), ("records", "toml"), ("puzzles", "py"))]
        + [
            f"{kind}/p03_online_softmax.{end}"
            for kind, end in (("hints", "md"), ("records", "toml"), ("puzzles", "py"))
        ]
    )
    assert wheel(files) == wheel(dict(reversed(files.items())))
    assert len([name for name in pack_files(settings()) if name.startswith("notebooks/")]) == 10


def test_a_pack_brings_the_modules_that_its_records_name_and_not_its_mistakes(tmp_path: Path) -> None:
    shutil.copytree(SECOND, tmp_path / "pack")
    (tmp_path / "class.toml").write_text('pack = "pack"')
    files = pack_files(class_settings(None, tmp_path))
    assert {name for name in files if name.endswith(".py") and "/" not in name} == {"answers.py", "inputs.py"}
    record = tmp_path / "pack/records/p01_rms_norm.toml"
    record.write_text(record.read_text().replace('mistakes_module = "mistakes"', 'mistakes_module = "answers"'))
    (tmp_path / "pack/curriculum.toml").touch()
    os.utime(tmp_path / "pack/curriculum.toml", (1, 1))
    with pytest.raises(FrontError, match=r"answers\.py holds the mistakes of puzzle 1"):
        pack_files(class_settings(None, tmp_path))


VALUES = st.recursive(
    st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=8), VALUES, max_size=4))
def test_what_is_written_as_toml_is_read_as_the_same(data: dict[str, Any]) -> None:
    assert tomllib.loads(toml(data)) == data


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with the fixture's pack and a hidden case; an edition of it by the command, and that installed."""
    course = tmp_path_factory.mktemp("course")
    shutil.copytree(FIXTURE, course / "pack")
    (course / "class.toml").write_text('pack = "pack"\ncases = "hidden.toml"\n')
    case = '[[square.cases]]\nname = "eleven of them"\nwhy = "Few."\nfamily = "normal"\nshape = [11]\n'
    (course / "hidden.toml").write_text(case)
    done = program(course, "class", "release", "edition", path=str(ROOT / "grader"))
    assert done.returncode == 0, done.stderr
    assert "1 puzzle, 1 hidden case left out; each solution passes in it." in done.stdout
    with zipfile.ZipFile(next((course / "edition").glob("*.whl"))) as archive:
        assert not [name for name in archive.namelist() if b"eleven of them" in archive.read(name)]
        archive.extractall(course / "site")
    assert student(course, "init", "w")
    return course


def student(course: Path, *words: str, code: int = 0) -> str:
    """Return what a command says to a student who has the wheel."""
    folder = course / "w" if (course / "w").exists() else course
    done = program(folder, *words, path=str(course / "site"))
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.slow
def test_another_installation_lends_it_nothing(course: Path) -> None:
    """The clone's own copies of notebooks and solutions stand on the path of these tests."""
    assert not (course / "w/notebooks").exists()
    assert "notebooks/" not in (course / "w/README.md").read_text()


@pytest.mark.slow
def test_a_student_is_graded_without_the_pack(course: Path) -> None:
    shutil.rmtree(course / "pack", ignore_errors=True)
    assert "unsolved" in student(course, "check", "1", "--device", "cpu", code=1)
    file = course / "w/puzzles/p01_square.py"
    file.write_text((FIXTURE / "solutions/p01_square.py").read_text())
    assert "pass" in student(course, "check", "1", "--device", "cpu")
    assert "the stub of puzzle 1: unsolved, as it should be" in student(course, "doctor")


@pytest.mark.parametrize(
    "words",
    [
        ("solution", "1"),
        ("solution", "1", "--force"),
        ("solution", "1", "--tuned"),
        ("swap", "1"),
        ("check", "1", "--solution"),
        ("trace", "1", "--solution"),
    ],
)
def test_what_needs_a_solution_says_in_a_sentence_that_there_is_none(course: Path, words: tuple[str, ...]) -> None:
    said = student(course, *words, code=2)
    assert said.startswith("tritonpuzzles: This is a student edition: it has no solutions.\n")
    assert "Next: tritonpuzzles hint 1" in said


@pytest.mark.slow
def test_an_edition_goes_into_a_new_folder_and_only_with_right_solutions(course: Path) -> None:
    shutil.copytree(FIXTURE, course / "other")
    file = course / "other/solutions/p01_square.py"
    file.write_text(file.read_text().replace("x * x", "x * x * x"))
    (course / "other.toml").write_text('pack = "other"')
    words = ("class", "release", "--config", "other.toml")
    before = program(course, *words, "edition", path=str(ROOT / "grader"))
    assert (before.returncode, "is there already, and not empty" in before.stderr) == (2, True)
    done = program(course, *words, "new", path=str(ROOT / "grader"))
    assert done.returncode == 3
    assert "In the edition the solution of puzzle 1 does not pass: " in done.stderr
    assert not (course / "new").exists()
