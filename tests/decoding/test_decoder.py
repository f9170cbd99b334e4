"""The decoder: what type hints say is read, and anything else is refused where it stands."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tritonpuzzles.decoding.decoder import Decoder
from tritonpuzzles.decoding.marks import Between, Checked, DecodeError, Kinds, Length, OneOf, Only, distinct, identifier


@dataclass(frozen=True)
class Leaf:
    number: int


@dataclass(frozen=True)
class Tree:
    trees: tuple[AnyTree, ...]


AnyTree = Annotated[Leaf | Tree, Kinds(lambda: {"leaf": Annotated[Leaf, Only("number")], "tree": Tree}, deep=3)]


@dataclass(frozen=True)
class Whole:
    name: Annotated[str, Length(8), Checked(identifier)]
    word: Annotated[str, OneOf(("red", "green"))] = "red"
    count: Annotated[int, Between(0, 9)] = 0
    rate: float = 1.0
    flag: bool = False
    maybe: str | None = None
    pair: tuple[int, str] = (1, "x")
    names: Annotated[tuple[str, ...], Length(3, 1), Checked(distinct)] = ("a",)
    inner: dict[Annotated[str, Length(3)], Leaf] | None = None
    tree: AnyTree | None = None
    either: int | str = 0


STRICT = Decoder(text=10, items=4, count=Between(0, 100), whole=False)
FULL: dict[str, Any] = {
    "name": "x",
    "word": "green",
    "count": 9,
    "rate": 2,
    "flag": True,
    "maybe": "y",
    "pair": [2, "z"],
    "names": ["a", "b"],
    "inner": {"k": {"number": 3}},
    "tree": {"tree": {"trees": [{"leaf": 1}, {"tree": {"trees": []}}]}},
    "either": "w",
}


def test_what_the_hints_say_is_read() -> None:
    found = STRICT.read(Whole, FULL)
    tree = Tree((Leaf(1), Tree(())))
    assert found == Whole("x", "green", 9, 2.0, True, "y", (2, "z"), ("a", "b"), {"k": Leaf(3)}, tree, "w")
    assert type(found.rate) is float
    assert STRICT.read(Whole, {"name": "x"}) == Whole("x")
    assert STRICT.read(Leaf, {}, number=7) == Leaf(7)


NESTED: Any = {"tree": {"trees": [{"tree": {"trees": [{"tree": {"trees": [{"tree": {"trees": [{"leaf": 1}]}}]}}]}}]}}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"nam": "x"}, "there is no key 'nam' here. Did you mean 'name'?"),
        ({"name": 1}, "name is 1; text is expected"),
        ({"name": "x" * 9}, "name: a text has 9 characters; the most is 8"),
        ({"name": "__x"}, "name: '__x' is no name that a kernel can use"),
        ({"maybe": "\ud800"}, "maybe: a text holds half of a surrogate pair"),
        ({"word": "rde"}, "word: 'rde' is not known. Did you mean 'red'?"),
        ({"count": True}, "count is True; a whole number is expected"),
        ({"count": 1.0}, "count is 1.0; a whole number is expected"),
        ({"count": 10}, "count is 10, and may be 0 to 9"),
        ({"count": 1 << 20_000}, "count is a number of 20,001 bits, and may be 0 to 9"),
        ({"rate": float("nan")}, "rate is nan; a finite number is expected"),
        ({"rate": 10**400}, "rate is a number of 1,329 bits; a finite number is expected"),
        ({"flag": 1}, "flag is 1; true or false is expected"),
        ({"pair": [1]}, "pair is a list of 1; a list of 2 is expected"),
        ({"pair": ["x", "x"]}, "pair[0] is 'x'; a whole number is expected"),
        ({"names": []}, "names: a list has 0 items; the least is 1, the most is 3"),
        ({"names": ["a", "a"]}, "names: a name stands there twice"),
        ({"names": {"a": 1}}, "names is a table; a list is expected"),
        ({"inner": {"k": {"number": 101}}}, "inner.k.number is 101, and may be 0 to 100"),
        ({"inner": {"k": {}}}, "inner.k: 'number' is missing"),
        ({"inner": {"k": {"numbr": 1}}}, "inner.k: 'number' is missing; there is 'numbr' in its place"),
        ({"inner": {"long": {}}}, "inner: a text has 4 characters; the most is 3"),
        ({"inner": {str(n): {"number": 1} for n in range(5)}}, "inner: a table has 5 items; the most is 4"),
        ({"tree": {"bush": {}}}, "tree is of the kind 'bush', which is not known"),
        ({"tree": {"leaf": 1, "tree": {}}}, "tree is of the kind 'leaf', which is not known"),
        ({"tree": {"tree": {"trees": [{"leaf": "1"}]}}}, "tree.tree.trees[0].leaf is '1'; a whole number is expected"),
        ({"tree": NESTED}, "is nested more than 3 deep"),
        ({"either": None}, "either is None; a whole number or text is expected"),
    ],
)
def test_anything_else_is_refused_with_its_place(change: dict[str, Any], said: str) -> None:
    with pytest.raises(DecodeError) as caught:
        STRICT.read(Whole, {**FULL, **change})
    assert said in str(caught.value)


def test_how_strict_a_decoder_is() -> None:
    with pytest.raises(DecodeError, match="'word' is missing"):
        Decoder(whole=True).read(Whole, {"name": "x"})
    assert Decoder(closed=False).read(Leaf, {"number": 1, "x": 2}) == Leaf(1)
    assert Decoder(text=3, cuts=True, encodable=False).read(list[str], ["abcd\ud800", "\ud800"]) == ["abc", "\ud800"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
)


@given(JSON, st.sampled_from(sorted(FULL)))
def test_no_data_raises_anything_else(data: Any, key: str) -> None:
    for document in (data, {**FULL, key: data}):
        with contextlib.suppress(DecodeError):
            STRICT.read(Whole, document)
