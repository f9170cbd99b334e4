"""A kernel goes over the wire as text and a description, and comes back as the same kernel."""

from __future__ import annotations

import dataclasses
import importlib.util
import math
import sys
from collections import namedtuple
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from triton.runtime.jit import JITFunction

from tests.compiler import elsewhere as rejected_elsewhere
from tests.compiler import rejected
from tests.interpreter.zoo import CASES as ZOO
from tests.interpreter.zoo.case import Case, randn, zeros
from tests.worded import said
from tritonpuzzles.compiler import Launch
from tritonpuzzles.engine.interpreter import Tracer
from tritonpuzzles.engine.text.kernels import Refused
from tritonpuzzles.judge.workers.job import example
from tritonpuzzles.recorder.kernels import KernelTable, UndescribedError
from tritonpuzzles.recorder.stand_ins import present
from tritonpuzzles.wire.values import Constant, Constexpr, Items, Language, Module, Python, Unknown

from . import elsewhere, starred, styles
from .travel import all_travelled, build, compiled, described, interpreted, read, travelled

ROOT = Path(__file__).parents[2]
STYLES = [*styles.CASES, Case("starred", starred.starred, (1,), lambda: (randn(64), zeros(64), 60, 64))]


def imported(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"recorded_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize("case", STYLES, ids=lambda case: case.name)
def test_every_style_runs_and_compiles_as_before(case: Case) -> None:
    other = travelled(case.kernel)
    assert isinstance(other, JITFunction), other
    before, after = (interpreted(kernel, case.grid, case.arguments()) for kernel in (case.kernel, other))
    assert before == after
    assert before[0] == []
    given = dict(zip(case.kernel.arg_names, case.arguments(), strict=False))
    assert compiled(case.kernel, given) == compiled(other, given)
    assert compiled(other, given)[1]


@pytest.mark.slow
@pytest.mark.parametrize("case", ZOO, ids=lambda case: case.name)
def test_the_zoo_runs_as_before(case: Case) -> None:
    other = travelled(case.kernel)
    assert isinstance(other, JITFunction), other
    before, after = (interpreted(kernel, case.grid, case.arguments()) for kernel in (case.kernel, other))
    assert before == after


REJECTED = sorted(name for name, value in vars(rejected).items() if isinstance(value, JITFunction))


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in REJECTED if "B" in getattr(rejected, name).arg_names])
def test_the_compiler_says_what_it_said(name: str) -> None:
    kernel = getattr(rejected, name)
    other = travelled(kernel)
    function = other.function if isinstance(other, Refused) else other
    x = torch.zeros(4096, dtype=torch.float16 if name.startswith("dot") else torch.float32)
    given = {"x": x, "y": torch.empty(4096), "n": 100, "B": 64}
    assert compiled(function, given) == compiled(kernel, given)
    assert not compiled(function, given)[1]


@triton.jit
def keeps(x, kept=[[1, 2], 3]):  # noqa: B006
    tl.store(x, len(kept) + len(LISTS))


LISTS = [[1, 2], 3]


def test_what_was_a_list_arrives_as_a_tuple() -> None:
    kernel = travelled(keeps)
    assert kernel.fn.__defaults__ == (((1, 2), 3),)
    assert kernel.fn.__globals__["LISTS"] == ((1, 2), 3)


def test_most_of_what_the_compiler_rejects_is_interpreted_as_before() -> None:
    refused = {name for name in REJECTED if isinstance(travelled(getattr(rejected, name)), Refused)}
    assert refused == {
        "tries",
        "torch_exp",
        "torch_softmax",
        "functional_softmax",
        "python_helper",
        "appends_to_list",
    }
    assert isinstance(travelled(rejected_elsewhere.outer), JITFunction)


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["solutions", "puzzles", "tests/mutants", "tests/second_pack"])
def test_every_kernel_of_the_courses_is_accepted(folder: str) -> None:
    refused, count = set(), 0
    for path in sorted((ROOT / folder).rglob("p0*/**/*.py" if "tests" in folder else "*.py")):
        if path.stem.startswith(("exits_", "test_")):
            continue
        with present(example("sm_90")):  # some ask for a GPU when they are imported
            module = imported(path)
        built = all_travelled(vars(module))
        if any(isinstance(item, Refused) for item in built.values()):
            refused.add(path.stem)
        count += len(built)
    assert refused <= {"python_helper", "torch_in_the_kernel"}
    assert count >= 5


def test_no_graph_is_captured() -> None:
    with present(example("sm_90")):
        assert torch.cuda.is_current_stream_capturing() is False


@pytest.mark.parametrize("name", ["p01_softmax", "p02_blocked_softmax", "p03_online_softmax", "p04_tiled_softmax"])
def test_solutions_compute_as_before(name: str) -> None:
    module = imported(ROOT / "solutions" / f"{name}.py")
    vars(module).update(all_travelled(vars(module)))
    x = torch.randn(7, 300)
    with Tracer() as tracer:
        y = module.softmax(x)
    assert not tracer.facts
    torch.testing.assert_close(y, torch.softmax(x, -1))


# What is said of a kernel


def test_a_description_says_what_names_stand_for() -> None:
    names = described(styles.constants).names
    assert names["BLOCK"] == Constexpr(Constant(64))
    assert names["SCALES"] == Constexpr(Items((Constant(1.0), Constant(2.0), Constant(3.0))))
    assert names["INFINITY"] == Constexpr(Constant(math.inf))
    assert names["tl"] == Language("triton.language")
    assert names["load_again"] == Language("triton.language.core.load")
    assert "B" not in names
    assert "cols" not in names
    assert "float" not in names
    assert KernelTable().value(min) == Python("builtins.min")


def test_a_module_travels_with_what_is_used_of_it() -> None:
    names = described(styles.helpers).names
    other, tests = names["other"], names["tests"]
    assert isinstance(other, Module)
    assert isinstance(tests, Module)
    assert set(other.attributes) == {"doubled"}
    assert set(tests.attributes) == {"recorder"}


def test_options_and_annotations_travel() -> None:
    kernel = travelled(styles.options)
    assert [parameter.annotation for parameter in kernel.params] == [
        parameter.annotation for parameter in styles.options.params
    ]
    assert [parameter.do_not_specialize for parameter in kernel.params] == [False, False, True, False]
    assert [parameter.do_not_specialize_on_alignment for parameter in kernel.params] == [False, True, False, False]
    assert kernel.debug
    table = KernelTable()
    table.add(styles.calls_far_away)
    assert [item.noinline for item in read(table)] == [False, True]


def test_two_kernels_of_one_factory_keep_their_own_values() -> None:
    table = KernelTable()
    indices = [table.add(styles.twice_doubled), table.add(styles.once_halved)]
    built = build(read(table))
    for index, factor in zip(indices, (6.0, 2.5), strict=True):
        x, y = torch.ones(64), torch.zeros(64)
        with Tracer():
            built[index][(1,)](x, y, 60, 64)
        assert y.tolist() == [factor] * 64


def test_a_kernel_is_in_the_table_once() -> None:
    table = KernelTable()
    assert table.add(styles.helpers) == table.add(styles.helpers) == 0
    names = [item["name"] for item in table.described()]
    assert sorted(names) == ["doubled", "halved", "helpers", "positive"]


def test_a_kernel_that_calls_itself_travels() -> None:
    (text,) = read_all(rejected.factorial)
    assert "factorial" in text.names


def read_all(function: Any) -> tuple[Any, ...]:
    table = KernelTable()
    table.add(function)
    return read(table)


def test_odd_annotations_and_module_names_are_sent_as_they_are_read() -> None:
    module = ModuleType("my-helpers")
    assert KernelTable().value(module) == Module("module", {})
    names = {parameter.name: parameter.annotation for parameter in described(styles.odd_annotations).parameters}
    assert names == {"x": "", "y": "*ki32", "B": "constexpr"}


def test_too_many_kernels_are_said_in_a_sentence() -> None:
    table = KernelTable()
    while len(table.described()) < 256:
        table.add(styles.made(1.0, elsewhere.doubled))
    with pytest.raises(UndescribedError, match="more than 256 functions"):
        table.add(styles.made(1.0, elsewhere.doubled))


class Config:
    BLOCK = 64


UNABLE = {
    "a dict": ({"a": 1}, "dict", False),
    "an array": (torch.zeros(3), "Tensor", False),
    "a lambda": (lambda v: v, "function", True),
    "a class": (Config, "type", True),
    "an instance": (Config(), "Config", False),
    "an integer of 10,000 bits": (1 << 10_000, "int", False),
    "a long text": ("a" * 10_000, "str", False),
    "half a surrogate pair": ("\ud800", "str", False),
    "an odd type": (type("a b", (), {})(), "object", False),
    "many fields": (namedtuple("Many", [f"f{i}" for i in range(100)]), "type", True),
    "an infinite list": (infinite := [], "list", False),
}
infinite.append(infinite)


@pytest.mark.parametrize(("value", "kind", "called"), UNABLE.values(), ids=UNABLE)
def test_what_cannot_travel_is_unknown(value: Any, kind: str, called: bool) -> None:
    found = KernelTable().value(value)
    while isinstance(found, Items):
        (found,) = found.items
    assert isinstance(found, Unknown)
    assert (found.type, found.callable) == (kind, called)


table = {"a": 1}


@triton.jit
def reads_a_dict(x, y, n, B: tl.constexpr):
    tl.store(y, table["a"])


def test_the_compiler_words_what_did_not_travel() -> None:
    other = travelled(reads_a_dict)
    given = {"x": torch.zeros(4), "y": torch.zeros(4), "n": 1, "B": 4}
    assert isinstance(other, Refused)
    (finding,) = said([other.fact])
    assert finding.line == reads_a_dict.starting_line_number + 2
    assert "table" in finding.message
    assert compiled(other.function, given) == compiled(reads_a_dict, given)


def test_a_launch_is_keyed_by_what_names_stand_for() -> None:
    """The compiler keeps outcomes by source: two kernels of one text that mean different things are two."""
    from tritonpuzzles.compiler import TARGETS
    from tritonpuzzles.compiler.launch import specialise

    given = {"x": torch.zeros(64), "y": torch.zeros(64), "n": 60, "B": 64}
    keys = {
        specialise(Launch(travelled(kernel), given), TARGETS["sm_90"]).key
        for kernel in (styles.twice_doubled, styles.once_halved, styles.twice_doubled)
    }
    assert len(keys) == 2


def test_replacing_the_kernel_of_a_case_is_what_the_zoo_needs() -> None:
    case = dataclasses.replace(STYLES[0], kernel=travelled(STYLES[0].kernel))
    with Tracer() as tracer:
        case.run()
    assert len(tracer.launches) == 1
