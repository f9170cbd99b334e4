"""A program from the wire: what a recorder writes is read back, and anything else is refused in one sentence."""

from __future__ import annotations

import copy
import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.mutated import mutated
from tritonpuzzles.decoding.marks import DecodeError
from tritonpuzzles.wire.launching import LaunchError, check_parameters, check_registers
from tritonpuzzles.wire.program import (
    ITEM_SIZES,
    Add,
    Allocate,
    Choose,
    Copy,
    Descriptor,
    Fill,
    Launch,
    Other,
    Program,
    Reinterpreted,
    Several,
    View,
)
from tritonpuzzles.wire.reading import read_program
from tritonpuzzles.wire.values import Constant, Constexpr, Dtype

X = View(0, "float32", (3, 3), (4, 1), 1)
Y = View(1, "float32", (3, 3), (3, 1))
NOTHING = View(1, "float32", (0, 3), (3, 1))
LAUNCH = Launch(
    0,
    {
        "x_ptr": X,
        "y_desc": Descriptor(Y, (3, 3), (3, 1), (2, 2), "nan", True),
        "bits": Reinterpreted(Y, "fp8e5"),
        "pair": Several((Y, Constant(2)), ("a", "b")),
        "scale": Constant(-math.inf),
        "kind": Dtype("fp16"),
        "BLOCK": Constexpr(Constant(256)),
    },
    (3, 1, 1),
    {"num_warps": 4, "launch_pdl": True},
    "/p.py",
    7,
)
PROGRAM = Program(
    (
        Allocate(36, "float32", 3),
        Fill(Y, Constant(math.nan), 4, "full"),
        Copy(X, Y, 5),
        LAUNCH,
        Choose(((Fill(Y, Constant(0)), LAUNCH), (LAUNCH,)), "key", tunes=True),
        Allocate(36, "float32"),
        Add(NOTHING, NOTHING, View(2, "float32", (0, 3), (3, 1))),
    ),
    (Y, Other("NoneType"), View(1, "uint8", (36,), (1,))),
)
SIZES = [48]


def written(program: Program = PROGRAM) -> Any:
    return json.loads(json.dumps(program.to_json()))


def test_what_is_written_is_read() -> None:
    read = read_program(written(), SIZES, 1, backward=True)
    assert repr(read) == repr(PROGRAM)  # NaN is not equal to itself


def changed(path: str, value: Any) -> Any:
    data = written()
    place = data
    *keys, last = path.split(".")
    for key in keys:
        place = place[int(key) if key.isdigit() else key]
    place[int(last) if last.isdigit() else last] = value
    return data


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("version", 2, "not of version 1"),
        ("steps", {}, "steps is a table; a list is expected"),
        ("steps.0", {"free": {}}, "of the kind"),
        ("steps.0.allocate.nbytes", -1, "may be 0 to"),
        pytest.param("steps.0.allocate.nbytes", 1 << 20_000, "nbytes is a number of 20,001 bits", id="20,000 bits"),
        ("steps.0.allocate.nbytes", True, "nbytes is True; a whole number"),
        ("steps.0.allocate.nbytes", 35, "a view ends at byte 36 of a storage of 35 bytes"),
        ("steps.0.allocate.dtype", "object", "no dtype of a tensor"),
        ("steps.1.fill.value", "1", "is no number"),
        ("steps.1.fill.name", "__class__", "no name"),
        ("steps.2.copy.source.storage", 2, "a view is of storage 2, and there are 2"),
        ("steps.2.copy.source.offset", 2, "a view ends at byte 52 of a storage of 48 bytes"),
        ("steps.2.copy.source.stride", [4, -1], "copy.source.stride[1] is -1, and may be 0 to"),
        ("steps.2.copy.source.shape", [3, 2], "another shape"),
        ("steps.2.copy.target.storage", 0, "its own storage"),
        ("steps.3.launch.kernel", 1, "a launch is of kernel 1, and there are 1"),
        ("steps.3.launch.grid", [1, 70000, 1], "grid[1] is 70000, and may be 0 to 65,535"),
        ("steps.3.launch.grid", [1], "grid is a list of 1; a list of 3"),
        ("steps.3.launch.arguments", {"__x__": {}}, "no name"),
        ("steps.3.launch.arguments.pair.several.fields", ["a", "a"], "one name for each"),
        ("steps.3.launch.options", {"num_warps": {"python": "os.system"}}, "a whole number from 1"),
        ("steps.3.launch.options", {"num_warps": True}, "a whole number from 1"),
        ("steps.3.launch.options", {"num_warps": 2**64}, "a whole number from 1"),
        ("steps.3.launch.options", {"launch_pdl": "yes"}, "may be True or False"),
        ("steps.3.launch.options", {"ptx_options": "--version"}, "are taken"),
        ("steps.3.launch.options", ["num_warps"], "options is a list; a table"),
        ("steps.4.choose.choices", [], "choices: a list has 0 items; the least is 1"),
        (
            "steps.4.choose.choices.0.0",
            {"allocate": {"nbytes": 1, "dtype": "uint8", "line": None}},
            "of the kind 'allocate'",
        ),
        ("results", [{}] * 17, "the most is 16"),
        ("results.1.other.type", "x" * 100, "characters"),
    ],
)
def test_anything_else_is_refused(path: str, value: Any, said: str) -> None:
    with pytest.raises(DecodeError) as error:
        read_program(changed(path, value), SIZES, 1, backward=True)
    assert said in str(error.value)
    assert len(str(error.value)) < 200


ALLOCATE = Allocate(36, "float32")
SECOND = View(2, "float32", (3, 3), (3, 1))
THIRD = View(3, "float32", (3, 3), (3, 1))


@pytest.mark.parametrize(
    "steps",
    [
        (ALLOCATE, LAUNCH, ALLOCATE, Add(Y, Y, SECOND)),
        (ALLOCATE, Choose(((LAUNCH,), (LAUNCH,)), ""), ALLOCATE, Add(Y, Y, SECOND)),
        (ALLOCATE, LAUNCH, ALLOCATE, Add(Y, Y, SECOND), ALLOCATE, Add(SECOND, Y, THIRD)),
    ],
)
def test_a_backward_call_adds_what_kernels_wrote(steps: Any) -> None:
    data = written(Program(steps, (Y,)))
    read_program(data, SIZES, 1, backward=True)
    with pytest.raises(DecodeError, match="no backward pass"):
        read_program(data, SIZES, 1)


@pytest.mark.parametrize(
    "steps",
    [
        (ALLOCATE, ALLOCATE, Add(Y, Y, SECOND)),
        (ALLOCATE, ALLOCATE, Add(Y, Y, SECOND), LAUNCH),
        (ALLOCATE, LAUNCH, ALLOCATE, Add(X, Y, SECOND)),
        (ALLOCATE, LAUNCH, ALLOCATE, Add(Y, X, SECOND)),
        (ALLOCATE, Copy(X, Y), LAUNCH, ALLOCATE, Add(Y, Y, SECOND)),
        (ALLOCATE, ALLOCATE, Copy(X, SECOND), Copy(SECOND, Y), LAUNCH, ALLOCATE, Add(Y, Y, THIRD)),
    ],
)
def test_it_adds_nothing_else(steps: Any) -> None:
    with pytest.raises(DecodeError, match="memory that no kernel wrote"):
        read_program(written(Program(steps, (Y,))), SIZES, 1, backward=True)


def test_the_launches_of_every_configuration_are_among_a_program_s() -> None:
    assert list(PROGRAM.launches) == [LAUNCH] * 3


def test_a_parameter_sets_no_option_that_is_not_taken() -> None:
    known = {"num_warps", "ir_override"}
    check_parameters(["x_ptr", "num_warps"], known)
    with pytest.raises(LaunchError, match="the parameter ir_override") as refused:
        check_parameters(["x_ptr", "ir_override"], known)
    assert refused.value.code == "unsupported-operation"


def test_a_block_has_its_registers_and_no_more() -> None:
    for warps, most in {8: 1024, 16: 128, 32: 64}.items():
        check_registers({}, {"num_warps": warps, "maxnreg": most})
    for arguments, options in (({}, {"num_warps": 32, "maxnreg": 65}), ({"num_warps": 32}, {"maxnreg": 65})):
        with pytest.raises(LaunchError, match=r"1,024 threads .* need 66,560, and a block has 65,536"):
            check_registers(arguments, options)


def test_no_kernel_is_launched_that_is_in_no_table() -> None:
    with pytest.raises(DecodeError):
        read_program(written(), SIZES, 0)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@st.composite
def damaged(draw: st.DrawFn) -> Any:
    """Draw an honest program with something else in one place."""
    data = copy.deepcopy(written())
    place, key = data, draw(st.sampled_from(sorted(data)))
    while isinstance(place[key], (dict, list)) and place[key] and draw(st.integers(0, 4)):
        place = place[key]
        key = draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
    place[key] = draw(JSON)
    return data


@settings(max_examples=300, deadline=None)
@given(damaged() | mutated(written()) | JSON)
def test_whatever_comes_is_read_or_refused(data: Any) -> None:
    try:
        program = read_program(data, SIZES, 1, backward=True)
    except DecodeError:
        return
    sizes = [*SIZES, *(step.nbytes for step in program.steps if isinstance(step, Allocate))]
    for view in (item for item in program.results if isinstance(item, View)):
        last = view.offset + sum((n - 1) * step for n, step in zip(view.shape, view.stride, strict=True))
        assert not math.prod(view.shape) or (last + 1) * ITEM_SIZES[view.dtype] <= sizes[view.storage]
