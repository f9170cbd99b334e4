"""`dev new`, followed literally: from an empty folder to a puzzle that `dev check` finds nothing wrong with."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.front.conftest import environment
from tests.program import run_here
from tritonpuzzles.front.dev.skeleton import TODO

pytestmark = pytest.mark.slow


def program(folder: Path, *arguments: str) -> tuple[int, str]:
    done = run_here(arguments, folder, environment(TRITONPUZZLES_PACK=""))
    return done.returncode, " ".join((done.stdout + done.stderr).split())


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    folder = tmp_path / "my_pack"
    folder.mkdir()
    assert program(folder, "dev", "new", "twice")[0] == 0
    return folder


def test_a_new_puzzle_passes_but_for_the_words(pack: Path) -> None:
    code, said = program(pack, "dev", "check", "1", "--jobs", "1")
    assert code == 1
    assert said.count("✗") == 1
    assert f"✗ nothing says {TODO} any more: it stands in the record, hints, stub, solution" in said


def test_followed_literally_it_is_a_puzzle(pack: Path) -> None:
    for path in pack.rglob("*"):
        if path.suffix in (".py", ".toml", ".md"):
            path.write_text(path.read_text().replace(TODO, "Said"))
    code, said = program(pack, "dev", "check", "1", "--jobs", "1")
    assert (code, said.count("✗")) == (0, 0)
    code, said = program(pack, "list")
    assert (code, "My pack" in said, "Twice" in said) == (0, True, True)
    code, said = program(pack, "check", "1", "--solution", "--device", "cpu")
    assert (code, said.startswith("✓ pass p01 twice")) == (0, True)
    code, said = program(pack, "check", "1", "--device", "cpu")
    assert (code, "unsolved" in said) == (1, True)


def test_a_second_one_like_the_first(pack: Path) -> None:
    code, said = program(pack, "dev", "new", "thrice", "--like", "1")
    assert (code, "Each is p01_twice's until you change it" in said) == (0, True)
    assert 'slug = "thrice"' in (pack / "records" / "p02_thrice.toml").read_text()
    assert "# # 2. Twice" in (pack / "puzzles" / "p02_thrice.py").read_text()
    code, said = program(pack, "dev", "check", "all", "--jobs", "1")
    assert (code, said.count("✗")) == (1, 2)
    assert said.count(f"✗ nothing says {TODO} any more: it stands in the record, hints, stub, solution") == 2
    assert said.count("✓ 1 of 1 wrong kernels rejected") == said.count("✓ 1 of 1 right kernels pass") == 2


def test_a_second_one_like_a_shipped_one(pack: Path) -> None:
    code, said = program(pack, "dev", "new", "mine", "--like", "3")
    assert (code, "Each is p03_online_softmax's until you change it" in said) == (0, True)
    assert "begun as a copy of p03_online_softmax" in (pack / "records/p02_mine.toml").read_text()
    code, said = program(pack, "check", "2", "--solution", "--device", "cpu")
    assert (code, said.startswith("✓ pass p02 mine")) == (0, True)
    code, said = program(pack, "dev", "new", "other", "--like", "nowhere")
    assert (code, "There is no puzzle 'nowhere'. The puzzles: 0 (vector_add), 1 (softmax)" in said) == (2, True)


@pytest.mark.parametrize(
    ("name", "words"), [("Twice Upon", "is no name"), ("twice", "There is a puzzle twice already")]
)
def test_names_that_will_not_do(name: str, words: str, pack: Path) -> None:
    before = sorted(pack.rglob("*"))
    code, said = program(pack, "dev", "new", name)
    assert code == 2
    assert words in said
    assert sorted(pack.rglob("*")) == before


def test_a_workspace_does_not_become_a_pack(tmp_path: Path) -> None:
    (tmp_path / "puzzles").mkdir()
    code, said = program(tmp_path, "dev", "new", "mine")
    assert (code, "holds puzzles and is no pack" in said) == (2, True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["puzzles"]


def test_a_workspace_remembers_its_pack(pack: Path, tmp_path: Path) -> None:
    assert program(tmp_path, "--pack", str(pack), "init", "course")[0] == 0
    course = tmp_path / "course"
    code, said = program(course, "list")
    assert (code, "My pack" in said) == (0, True)
    code, said = program(course, "check", "1", "--device", "cpu")
    assert (code, "· unsolved p01 twice" in said) == (1, True)
    (course / "tritonpuzzles.toml").write_text('pack = "nowhere"\n')
    code, said = program(course, "list")
    assert (code, "nowhere is no folder with a curriculum.toml" in said) == (3, True)
