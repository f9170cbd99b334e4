"""Records with something wrong in them: a puzzle comes out, or one sentence with the file's name, and nothing else."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.mutated import GARBAGE, mutated
from tritonpuzzles.curriculum.reading import puzzle_of
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.tables import RecordError

pytestmark = pytest.mark.slow

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TESTS = Path(__file__).parents[1]
FILES = [*TESTS.glob("*_pack/records/*.toml"), *TESTS.parent.glob("grader/tritonpuzzles/curriculum/records/*.toml")]
RECORDS = {path.name: tomllib.loads(path.read_text()) for path in FILES}
TOML: list[Any] = [value for value in GARBAGE if value is not None]  # which has no such value
SWISH = "p03_swish_backward.toml"
MATMUL = "p08_matmul_autograd.toml"


def read(data: Any, file: str) -> Puzzle:
    return puzzle_of(data, file, hints=("a", "b", "c"), answers={}, folder=Path())


def refusal(data: Any, file: str) -> str | None:
    try:
        read(data, file)
    except RecordError as error:
        return str(error)
    return None


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_a_record_is_read_or_refused(data: st.DataObject) -> None:
    file = data.draw(st.sampled_from(sorted(RECORDS)))
    said = refusal(data.draw(mutated(RECORDS[file], TOML)), file)
    assert said is None or said.startswith(file)


# file, keys that lead to a value, the value, what is said after the file's name
REFUSALS: list[tuple[str, tuple[Any, ...], Any, str]] = [
    (
        SWISH,
        ("cases", 1, "shape"),
        "n",
        ", case 'other numbers in the same memory': 'shape' is 'n'; a list is expected",
    ),
    (SWISH, ("cases", 1, "shape"), [1, 1.5], ": item 2 of 'shape' is 1.5; a whole number or an expression is expected"),
    (SWISH, ("cases", 1), 3, ": item 2 of 'cases' is 3; a table is expected"),
    (SWISH, ("cases", 1, "devices"), ["cpu", 1], ": item 2 of 'devices' is 1; text is expected"),
    (SWISH, ("cases", 1, "layouts"), {"z": "padded"}, ", [layouts]: there is no key 'z' here."),
    (SWISH, ("limits", "loads"), [], ", [limits]: 'loads' is a list; a table is expected"),
    (SWISH, ("limits", "tile"), {"limit": 8, "say": ""}, ", [limits], [tile]: there is no key 'say' here. Did you"),
    (SWISH, ("limits", "tile"), {"limit": "m"}, ", [limits], [tile]: 'm' in 'm' is not known."),
    (SWISH, ("arguments", 0, "value"), 1, ", argument 'x': there is no key 'value' here."),
    (SWISH, ("limits", "stores"), {"z": 1}, ", [limits], [stores]: there is no tensor 'z'."),
    (SWISH, ("number",), 1 << 80, ": number and slug say"),
    (
        MATMUL,
        ("arguments", 2),
        {"name": "t", "kind": "bool", "choices": [True, 1]},
        ": item 2 of 'choices' is 1; true or false is expected",
    ),
    (
        MATMUL,
        ("arguments", 2),
        {"name": "t", "kind": "bool", "choices": [True], "value": True},
        ": 'choices' stands beside",
    ),
    (MATMUL, ("arguments", 2, "shape"), ["n"], ", argument 'transpose_a': there is no key 'shape' here."),
    (MATMUL, ("cases", 0, "values"), {"transpose_a": 1}, ", [values]: 'transpose_a' is 1; true or false is expected"),
    (MATMUL, ("benchmark", "bench", "axis"), "q", ", [benchmark], [bench]: axis 'q' is not known."),
    (MATMUL, ("benchmark", "stars", "two"), "x", ", [benchmark], [stars]: 'two' is 'x'; a number is expected"),
]


@pytest.mark.parametrize(("file", "place", "value", "said"), REFUSALS)
def test_what_is_said(file: str, place: tuple[Any, ...], value: Any, said: str) -> None:
    data = tomllib.loads(next(path for path in FILES if path.name == file).read_text())
    node: Any = data
    for key in place[:-1]:
        node = node[key]
    node[place[-1]] = value
    with pytest.raises(RecordError) as caught:
        read(data, file)
    assert said in str(caught.value)
    assert str(caught.value).startswith(file)
