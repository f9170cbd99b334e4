"""A file finds its puzzle by its name or its text, says how, and is left open rather than given to another puzzle."""

from __future__ import annotations

import re

import pytest

from tests.classroom.making import RIGHT, settings
from tests.classroom.trial_texts import ROOT, stub
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front.classroom.intake.matching import Finder, NotTaken
from tritonpuzzles.front.classroom.intake.naming import said, without_copy
from tritonpuzzles.front.story import split, text_of

FINDER = Finder(settings())
PUZZLES = load_curriculum().puzzles
BY_NAME = {
    "p03_online_softmax.py": (3, "by its name"),
    "P03_Online_Softmax.PY": (3, "by its name"),
    "p03_online_softmax (1).py": (3, "by its name"),
    "p03_online_softmax-1.py": (3, "by its name"),
    "p03_online_softmax - Copy (2).py": (3, "by its name"),
    "p03_online_softmax-Copy1.ipynb": (3, "by its name"),
    "Copy of p03_online_softmax.py": (3, "by its name"),
    "p3.py": (3, "by its name"),
    "3.py": (3, "by its name"),
    "online_softmax.py": (3, "by its name"),
    "softmax.py": (1, "by its name"),
    "My Online-Softmax final.py": (3, "by 'online-softmax' in its name"),
    "hw2 OnlineSoftmax v2.py": (3, "by 'onlinesoftmax' in its name"),
    "softmax puzzle 3.py": (3, "by 'puzzle 3' in its name"),
    "p03_softmax.py": (3, "by 'p03' in its name"),
    "matrix product.py": (7, "by 'matrix product' in its name"),
}


@pytest.mark.parametrize("name", BY_NAME)
def test_by_its_name(name: str) -> None:
    found = FINDER.find(name, "")
    assert (found.puzzle.number, found.how) == BY_NAME[name]


@pytest.mark.parametrize("stem", [puzzle.stem for puzzle in PUZZLES])
def test_every_stub_and_solution_is_found_by_its_text(stem: str) -> None:
    for folder in ("puzzles", "solutions"):
        text = (ROOT / folder / f"{stem}.py").read_text(encoding="utf-8")
        assert FINDER.find("homework.py", text).puzzle.stem == stem
        without_story = split(text).code
        assert FINDER.find("homework.py", without_story).puzzle.stem == stem


@pytest.mark.parametrize("corpus", ["mutants", "real_style", "trials", "attacks/hostile", "attacks/honest"])
def test_no_kernel_of_the_corpora_is_given_to_another_puzzle(corpus: str) -> None:
    """Most of them have neither story nor docstrings: what says too little is left open."""
    decided = 0
    for path in (ROOT / "tests" / corpus).rglob("*.py"):
        number = re.search(r"/p(\d\d)_[a-z_]+/", path.as_posix())
        if number is None:
            continue
        try:
            found = FINDER.find("homework.py", text_of(path.read_bytes()))
        except NotTaken:
            continue
        assert found.puzzle.number == int(number[1]), (path, found.how)
        decided += 1
    assert decided or "honest" in corpus


def test_how_says_what_decided() -> None:
    assert FINDER.find("a.py", RIGHT[5]).how == "by its host function flash_attention"
    assert FINDER.find("a.py", RIGHT[3]).how == "by its host function softmax and its stub's own words"
    bare = "def softmax_kernel(x_ptr, BLOCK_ROWS, BLOCK_COLS): ...\ndef softmax(x): ...\n"
    assert FINDER.find("a.py", bare).how == (
        "by its host function softmax and its parameters BLOCK_COLS and BLOCK_ROWS"
    )


def test_a_syntax_error_does_not_hide_the_puzzle() -> None:
    assert FINDER.find("a.py", RIGHT[3].replace("row = ", "row == = ")).puzzle.number == 3


def test_what_stays_open_says_between_which() -> None:
    bare = "def softmax_kernel(x_ptr): ...\ndef softmax(x): ...\n"
    with pytest.raises(NotTaken, match=r"^is for puzzle 1 or 2 or 3 or 4 or 6, and neither its name nor its text"):
        FINDER.find("a.py", bare)
    with pytest.raises(NotTaken, match=r"^is for puzzle 2 or 3, and"):
        FINDER.find("p02_online_softmax.py", bare)
    assert FINDER.find("p02_online_softmax.py", RIGHT[2]).puzzle.number == 2
    assert FINDER.find("softmax.py", RIGHT[4]).puzzle.number == 4  # "softmax" is in every name
    assert Finder(settings(3)).find("a.py", bare).puzzle.number == 3  # the only one that the class has
    with pytest.raises(NotTaken, match=r"defines no function of the name add or softmax: name it as"):
        Finder(settings(0, 3)).find("utils.py", "x = 1\n")


def test_a_stub_is_known_in_a_file_and_in_a_cell() -> None:
    puzzle = PUZZLES[3]
    assert FINDER.is_stub(puzzle, stub(3))
    assert FINDER.is_stub(puzzle, f"\n{split(stub(3)).code}")
    assert not FINDER.is_stub(puzzle, RIGHT[3])
    assert not FINDER.is_stub(PUZZLES[2], stub(3))


@pytest.mark.parametrize(
    ("name", "stem", "number"),
    [
        ("a.py", "a", 0), ("a (2).py", "a", 2), ("a(1)(1).py", "a", 2), ("a-3.ipynb", "a", 3), ("a copy.py", "a", 1),
        ("a copy 4.py", "a", 4), ("Copy (2) of a.py", "a", 2), ("(1).py", "", 1), ("a-2026.py", "a-2026", 0),
    ],
)  # fmt: skip
def test_marks_of_copies(name: str, stem: str, number: int) -> None:
    assert without_copy(name) == (stem, number)


def test_long_names_take_no_time() -> None:
    assert without_copy(" " * 120 + "(1)" * 40 + ".py")[1] == 40


def test_a_name_of_other_bytes_can_be_written() -> None:
    assert said("caf\udce9/ä.py") == "caf\\xe9/ä.py"
