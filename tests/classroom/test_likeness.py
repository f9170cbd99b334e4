"""Files that are like another's are noted, and honest ones are not: asked of every right file of the corpora."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.classroom.made_class import PUZZLES, outcome
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front.classroom.model import Outcome
from tritonpuzzles.front.classroom.results.likeness import (
    LIKE_ANOTHER,
    LIKE_SOLUTION,
    Given,
    Part,
    is_like,
    learners_part,
    like_each_other,
    with_likenesses,
)

ROOT = Path(__file__).parents[2]
STEMS = [puzzle.stem for puzzle in load_curriculum().puzzles]
# Most files of puzzle 8 were made from its solution, comments and all: they are alike.
WRITTEN_ALONE = [stem for stem in STEMS if stem != "p08_matmul_autograd"]


def text(folder: str, stem: str) -> bytes:
    return (ROOT / folder / f"{stem}.py").read_bytes()


def given(number: int) -> Given:
    stem = PUZZLES[number].stem
    return Given(text("puzzles", stem), text("solutions", stem))


def renamed(data: bytes) -> bytes:
    """Another name for all that a kernel calls its own, no comments, other docstrings."""
    tree = ast.parse(data)
    own = ("cols", "mask", "row", "m", "l", "m_new", "x", "tile", "offsets", "x_ptr", "n_rows")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in own:
            node.id = f"my_{node.id}"
        if isinstance(node, ast.arg) and node.arg in own:
            node.arg = f"my_{node.arg}"
    return ast.unparse(tree).encode().replace(b"Write the softmax", b"Schreibt die Softmax")


def flags(number: int, texts: dict[str, bytes], verdict: str = "pass", **more: object) -> dict[str, list[str]]:
    outcomes = [outcome(student, PUZZLES[number], verdict, **more) for student in texts]
    named = {(student, number): data for student, data in texts.items()}
    found = with_likenesses(outcomes, named, {number: given(number)})
    return {one.student: [code for code, _ in one.flags] for one in found}


def honest(stem: str) -> Iterator[tuple[str, Part]]:
    """Yield the right files of both corpora, and the odd ones of the attacks."""
    stub = text("puzzles", stem)
    folders = [f"tests/mutants/{stem}/right", f"tests/real_style/{stem}/right", f"tests/attacks/honest/{stem}"]
    for path in (path for folder in folders for path in sorted((ROOT / folder).glob("*.py"))):
        part = learners_part(path.read_bytes(), stub)
        assert part is not None, path
        yield str(path), part


@pytest.mark.parametrize("stem", WRITTEN_ALONE)
def test_no_right_file_of_the_corpora_is_like_the_solution(stem: str) -> None:
    solution = learners_part(text("solutions", stem), text("puzzles", stem))
    assert solution is not None
    assert [path for path, part in honest(stem) if is_like(part, solution)] == []


@pytest.mark.parametrize("stem", WRITTEN_ALONE)
def test_right_files_of_the_corpora_are_not_like_each_other(stem: str) -> None:
    parts = dict(honest(stem))
    assert [pair for pair in itertools.combinations(parts, 2) if is_like(*(parts[path] for path in pair))] == []
    assert like_each_other(parts) == {}


def test_files_that_were_made_from_the_solution_are_like_it() -> None:
    stem = "p08_matmul_autograd"
    solution = learners_part(text("solutions", stem), text("puzzles", stem))
    assert solution is not None
    assert sum(is_like(part, solution) for _, part in honest(stem)) >= 5


def test_a_copy_of_the_solution_is_noted_whatever_its_names_are() -> None:
    solution = text("solutions", PUZZLES[3].stem)
    copy = renamed(solution)
    assert b"my_m" in copy
    assert b"#" not in copy
    assert flags(3, {"ada": copy, "alan": solution}) == {"ada": [LIKE_SOLUTION], "alan": [LIKE_SOLUTION]}


def test_two_who_are_alike_are_noted_with_how_much() -> None:
    honest_file = (ROOT / "tests/mutants/p03_online_softmax/right/exp2.py").read_bytes()
    other = (ROOT / "tests/mutants/p03_online_softmax/right/log_sum_exp.py").read_bytes()
    texts = {("ada", 3): honest_file, ("alan", 3): renamed(honest_file), ("grace", 3): other}
    outcomes = [outcome(student, PUZZLES[3]) for student, _ in texts]
    found = {one.student: one.flags for one in with_likenesses(outcomes, texts, {3: given(3)})}
    assert found["grace"] == ()
    [(code, sentence)] = found["ada"]
    assert code == LIKE_ANOTHER
    assert re.fullmatch(
        r"Like the file of alan: all \d+ statements that the stub does not have are equal after renaming\.", sentence
    )


def test_all_right_vector_adds_look_alike_and_are_not_noted() -> None:
    solution = text("solutions", PUZZLES[0].stem)
    bare = ast.unparse(ast.parse(solution)).encode()
    assert flags(0, {"ada": bare, "alan": renamed(bare)}) == {"ada": [], "alan": []}
    assert flags(0, {"ada": solution})["ada"] == [LIKE_SOLUTION]  # its comments, word for word


def test_a_copy_with_a_line_more_and_its_comments_is_noted() -> None:
    solution = text("solutions", PUZZLES[3].stem)
    edited = solution.replace(
        b"    n_rows, n_cols = x.shape\n", b"    assert x.dim() == 2\n    n_rows, n_cols = x.shape\n"
    )
    assert edited != solution
    assert flags(3, {"ada": edited}) == {"ada": [LIKE_SOLUTION]}


def test_only_what_passes_is_compared_and_a_group_is_no_copy() -> None:
    data = (ROOT / "tests/mutants/p03_online_softmax/right/exp2.py").read_bytes()
    assert flags(3, {"ada": data, "alan": data}, "fail") == {"ada": [], "alan": []}
    assert flags(3, {"ada": data, "alan": data}, file="group 7/p03.py") == {"ada": [], "alan": []}
    assert flags(3, {"ada": data, "alan": data}) == {"ada": [LIKE_ANOTHER], "alan": [LIKE_ANOTHER]}


def test_other_flags_stay_and_a_second_run_notes_nothing_twice() -> None:
    data = text("solutions", PUZZLES[3].stem)
    tried = ("refused-call", "Tried os.system.")
    outcomes: list[Outcome] = [outcome("ada", PUZZLES[3], flags=(tried,)), outcome("alan", PUZZLES[3], flags=(tried,))]
    once = with_likenesses(outcomes, {("ada", 3): data}, {3: given(3)})
    twice = with_likenesses(once, {("ada", 3): data}, {3: given(3)})
    assert once == twice
    assert [code for code, _ in once[0].flags] == ["refused-call", LIKE_SOLUTION]
    assert once[1].flags == (tried,)
    assert with_likenesses(once, {}, {}) == once  # nothing was read: what is noted stays


@pytest.mark.parametrize(
    "data",
    [b"def f(:\n", b"\xff\xfe\x00", b"x = " + b"(" * 5000, b"x = " + b"+".join([b"1"] * 50_000), b"\0" * 9,
     b"#" * ((1 << 20) + 1), b"x = '\\d'\n", b"", b"\xef\xbb\xbfx = 1\r\n", "# é\n".encode("latin-1")],
)  # fmt: skip
def test_what_is_no_program_is_like_nothing(data: bytes, recwarn: pytest.WarningsRecorder) -> None:
    stub = text("puzzles", PUZZLES[0].stem)
    part = learners_part(data, stub)
    assert part is None or len(part.statements) <= 1
    assert flags(0, {"ada": data, "alan": data}) == {"ada": [], "alan": []}
    assert list(recwarn) == []


def test_the_stub_has_nothing_of_its_own() -> None:
    for stem in STEMS:
        stub = text("puzzles", stem)
        part = learners_part(stub, stub)
        assert part == Part((), frozenset())
