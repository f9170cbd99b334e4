"""`dev names`: what a record may name, the grader's own and what a pack brings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.front.conftest import environment
from tests.program import run_here
from tritonpuzzles.curriculum.families import FAMILIES
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.judge.resolve import resolve
from tritonpuzzles.judge.tolerances import RULES

SECOND = Path(__file__).parents[1] / "second_pack"


def listed(*words: str) -> list[dict[str, object]]:
    done = run_here((*words, "dev", "names", "--json"), Path.cwd(), environment(TRITONPUZZLES_PACK=""))
    assert done.returncode == 0, done.stderr
    names: list[dict[str, object]] = json.loads(done.stdout)["names"]
    return names


def test_every_name_of_the_grader_has_a_line() -> None:
    found = listed()
    assert not any(one["own"] for one in found)
    assert all(str(one["says"]).strip() and "\n" not in str(one["says"]) for one in found)
    of = {kind: [one["name"] for one in found if one["kind"] == kind] for kind in ("family", "tolerance")}
    assert of == {"family": [*FAMILIES], "tolerance": [*RULES]}


def test_every_name_of_a_shipped_record_is_listed() -> None:
    found = {(one["kind"], one["name"]) for one in listed()}
    for puzzle in load_curriculum().puzzles:
        named = {("reference", puzzle.reference), *(("family", case.family) for case in puzzle.cases)}
        named |= {("tolerance", output.tolerance) for output in puzzle.compared}
        named |= {("mistake", mistake.code) for mistake in resolve(puzzle).mistakes}
        named |= {("walk", puzzle.walk)} if puzzle.walk else set()
        assert named <= found, puzzle.slug


def test_those_that_a_pack_brings_stand_first_of_their_kind() -> None:
    found = listed("--pack", str(SECOND))
    own = [one for one in found if one["own"]]
    assert {"family", "reference", "mistake"} <= {one["kind"] for one in own}
    for kind in {one["kind"] for one in own}:
        whose = [one["own"] for one in found if one["kind"] == kind]
        assert whose == sorted(whose, reverse=True), kind
    assert all(one["says"] for one in own)


def test_a_page_of_one_kind() -> None:
    done = run_here(("dev", "names", "tolerance"), Path.cwd(), environment(TRITONPUZZLES_PACK="", COLUMNS="40"))
    assert done.returncode == 0
    assert done.stdout.startswith("tolerance\n  exact")
    assert "family" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 40


@pytest.mark.parametrize("columns", ["60", "80"])
def test_no_name_is_broken(columns: str) -> None:
    done = run_here(("dev", "names"), Path.cwd(), environment(TRITONPUZZLES_PACK="", COLUMNS=columns))
    assert {str(one["name"]) for one in listed()} - set(done.stdout.split()) == set()
    assert max(map(len, done.stdout.splitlines())) <= int(columns)
