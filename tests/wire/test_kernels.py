"""The reader of descriptions takes what a recorder writes and nothing else."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.mutated import mutated
from tritonpuzzles.decoding.marks import DecodeError
from tritonpuzzles.wire.fields import RECORDED
from tritonpuzzles.wire.kernels import MAX_KERNELS, KernelText, Parameter, read_kernels
from tritonpuzzles.wire.values import (
    MAX_DEPTH,
    Constant,
    Constexpr,
    Dtype,
    Items,
    KernelAt,
    Language,
    Module,
    Python,
    TupleClass,
    Unknown,
    Value,
    value_to_json,
)

IDENTIFIERS = st.from_regex(r"[a-zA-Z][a-zA-Z0-9_]{0,9}", fullmatch=True)
PLAIN = st.one_of(
    st.builds(
        Constant,
        st.none()
        | st.booleans()
        | st.integers(-(2**100), 2**100)
        | st.floats(allow_nan=False)
        | st.text(st.characters(codec="utf-8"), max_size=20),
    ),
    st.builds(Dtype, st.sampled_from(["fp32", "*fp16", "int1"])),
    st.builds(Language, st.just("triton.language.core.load")),
    st.builds(Python, st.just("math.log2")),
    st.builds(KernelAt, st.just(0)),
    st.builds(TupleClass, IDENTIFIERS, st.lists(IDENTIFIERS, unique=True, max_size=3).map(tuple)),
    st.builds(Unknown, IDENTIFIERS, st.just("") | IDENTIFIERS, st.booleans()),
)


def _larger(inner: st.SearchStrategy[Value]) -> st.SearchStrategy[Value]:
    return st.one_of(
        st.builds(Items, st.lists(inner, max_size=3).map(tuple)),
        st.builds(Constexpr, inner),
        st.builds(Module, IDENTIFIERS, st.dictionaries(IDENTIFIERS, inner, max_size=3)),
    )


VALUES = st.recursive(PLAIN, _larger, max_leaves=6)
PARAMETERS = st.builds(
    Parameter,
    IDENTIFIERS,
    st.sampled_from(["", "constexpr", "*ki32"]),
    st.none() | VALUES,
    st.booleans(),
    st.booleans(),
)
KERNELS = st.builds(
    KernelText,
    file=st.just("/home/learner/p03.py"),
    name=IDENTIFIERS,
    line=st.integers(1, 10_000),
    kind=st.sampled_from(["kernel", "constexpr-function"]),
    parameters=st.lists(PARAMETERS, max_size=4, unique_by=lambda parameter: parameter.name).map(tuple),
    noinline=st.booleans(),
    debug=st.booleans(),
    names=st.dictionaries(IDENTIFIERS, VALUES, max_size=4),
)
GARBAGE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["tuple", "module", "name", "attributes", "kernel", "float"]), inner, max_size=3
        )
    ),
    max_leaves=12,
)


@settings(max_examples=60, deadline=None)
@given(st.lists(KERNELS, min_size=1, max_size=3))
def test_what_is_written_is_read(kernels: list[KernelText]) -> None:
    data = json.loads(json.dumps([kernel.to_json() for kernel in kernels]))
    assert read_kernels(data) == tuple(kernels)


def test_floats_that_json_lacks_travel() -> None:
    for number in (math.inf, -math.inf):
        assert RECORDED.read(
            Value, json.loads(json.dumps(value_to_json(Constant(number)), allow_nan=False))
        ) == Constant(number)
    nan = RECORDED.read(Value, value_to_json(Constant(math.nan)))
    assert isinstance(nan, Constant)
    assert isinstance(nan.value, float)
    assert math.isnan(nan.value)


def refusal(reading: Callable[[], Any]) -> str | None:
    """Return why something is refused, if it is."""
    try:
        reading()
    except DecodeError as error:
        return str(error)
    return None


@settings(max_examples=200, deadline=None)
@given(GARBAGE)
def test_garbage_is_a_value_or_an_error_of_one_sentence(data: Any) -> None:
    why = refusal(lambda: RECORDED.read(Value, data))
    if why is None:
        value = RECORDED.read(Value, data)
        assert RECORDED.read(Value, value_to_json(value)) == value or "nan" in repr(value)
    else:
        assert "\n" not in why
        assert len(why) < 200


GOOD = KernelText("/a.py", "k", 3, parameters=(Parameter("x"),), names={"tl": Language("triton.language")}).to_json()


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(sorted(GOOD)), GARBAGE)
def test_one_field_of_garbage_is_refused_or_harmless(field: str, garbage: Any) -> None:
    data = [{**GOOD, field: garbage}]
    why = refusal(lambda: read_kernels(data))
    if why is None:
        (kernel,) = read_kernels(data)
        assert read_kernels([kernel.to_json()]) == (kernel,) or "nan" in repr(kernel)
    else:
        assert "\n" not in why


@settings(max_examples=200, deadline=None)
@given(mutated([GOOD, {**GOOD, "names": {"a": {"tuple": [{"kernel": 0}, {"dtype": "fp32"}]}}}]))
def test_a_table_with_something_wrong_is_read_or_refused(data: Any) -> None:
    why = refusal(lambda: read_kernels(data))
    assert why is None or ("\n" not in why and len(why) < 300)


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = {"tuple": [value]}
    return value


BAD: dict[str, tuple[Any, str]] = {
    "no list": ({"kernels": []}, "is a table; a list is expected"),
    "too many kernels": ([GOOD] * (MAX_KERNELS + 1), "the most is 256"),
    "an unknown key": ([{**GOOD, "code": "import os"}], "code"),
    "a missing key": ([{key: GOOD[key] for key in GOOD if key != "line"}], "line"),
    "a kernel that is text": (["k"], "[0] is 'k'; a table is expected"),
    "a relative path": ([{**GOOD, "file": "a.py"}], "absolute path"),
    "a path with a null": ([{**GOOD, "file": "/a\0.py"}], "absolute path"),
    "half a surrogate": ([{**GOOD, "file": "/\ud800.py"}], "surrogate"),
    "a name that is code": ([{**GOOD, "name": "k(x): import os"}], "no name"),
    "a dunder name": ([{**GOOD, "name": "__init__"}], "no name"),
    "a long name": ([{**GOOD, "name": "k" * 300}], "300 characters"),
    "line 0": ([{**GOOD, "line": 0}], "line is 0, and may be 1 to"),
    "a negative line": ([{**GOOD, "line": -1}], "-1"),
    "line true": ([{**GOOD, "line": True}], "line"),
    "a line of 5,000 digits": ([{**GOOD, "line": 10**5000}], "line is a number of 16,610 bits"),
    "another kind": ([{**GOOD, "kind": "class"}], "kind: 'class' is not known"),
    "a flag that is a number": ([{**GOOD, "debug": 1}], "debug"),
    "names in a list": ([{**GOOD, "names": []}], "names is a list; a table"),
    "a dunder in the names": ([{**GOOD, "names": {"__builtins__": 1}}], "no name"),
    "2,000 names": ([{**GOOD, "names": {f"a{i}": 1 for i in range(2000)}}], "a table has 2,000 items"),
    "an integer of 5,000 digits": ([{**GOOD, "names": {"a": 10**5000}}], "16,610 bits"),
    "a long text": ([{**GOOD, "names": {"a": "a" * 5000}}], "5,000 characters"),
    "NaN without a tag": ([{**GOOD, "names": {"a": math.nan}}], "names.a is nan; a finite"),
    "an odd float": ([{**GOOD, "names": {"a": {"float": "1e999"}}}], "no float"),
    "a value of two kinds": ([{**GOOD, "names": {"a": {"dtype": "fp32", "kernel": 0}}}], "not known"),
    "a value of no kind": ([{**GOOD, "names": {"a": {}}}], "not known"),
    "a value of another kind": ([{**GOOD, "names": {"a": {"eval": "1"}}}], "not known"),
    "a value that is too deep": ([{**GOOD, "names": {"a": nested(MAX_DEPTH + 1)}}], "deep"),
    "5,000 items": ([{**GOOD, "names": {"a": {"tuple": [0] * 5000}}}], "5,000 items"),
    "a dtype that is code": ([{**GOOD, "names": {"a": {"dtype": "fp32; import os"}}}], "no dtype"),
    "a dotted dunder": ([{**GOOD, "names": {"a": {"language": "triton.__loader__"}}}], "no name"),
    "an empty dotted name": ([{**GOOD, "names": {"a": {"language": ""}}}], "no name"),
    "a kernel that is not there": ([{**GOOD, "names": {"a": {"kernel": 1}}}], "table of 1"),
    "a kernel inside that is not there": ([{**GOOD, "names": {"a": {"constexpr": {"tuple": [{"kernel": 7}]}}}}], "7"),
    "a kernel before the first": ([{**GOOD, "names": {"a": {"kernel": -1}}}], "-1"),
    "a field twice": ([{**GOOD, "names": {"a": {"namedtuple": {"name": "P", "fields": ["x", "x"]}}}}], "twice"),
    "a parameter twice": ([{**GOOD, "parameters": GOOD["parameters"] * 2}], "one name"),
    "an annotation that is code": ([{**GOOD, "parameters": [{**GOOD["parameters"][0], "annotation": "f()"}]}], "f()"),
    "a default of two": (
        [{**GOOD, "parameters": [{**GOOD["parameters"][0], "default": [1, 2]}]}],
        "is a list of 2; a list of 1",
    ),
    "a default of none": (
        [{**GOOD, "parameters": [{**GOOD["parameters"][0], "default": []}]}],
        "is a list of 0; a list of 1",
    ),
    "too many parameters": ([{**GOOD, "parameters": [{}] * 300}], "300 items"),
}


@pytest.mark.parametrize(("data", "words"), BAD.values(), ids=BAD)
def test_what_no_recorder_writes_is_refused_with_one_sentence(data: Any, words: str) -> None:
    with pytest.raises(DecodeError) as caught:
        read_kernels(data)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200
