"""Static code gets the same answers from interpreter and compiler, and where it does not, that is an error."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from triton.runtime import driver

from tritonpuzzles.compiler import TARGETS, Compiled, Launch
from tritonpuzzles.compiler.answers import Answers, difference
from tritonpuzzles.compiler.compile import translate_launch
from tritonpuzzles.compiler.launch import current_target
from tritonpuzzles.engine.compiled import Interpretations
from tritonpuzzles.engine.interpreter import LaunchTrace, Tracer
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.codes import Severity

from .texts import HEAD, TL, built, described, parameter, text_of

HELPERS = f"""\
def is_number(v):
    return isinstance(v, int)


{HEAD.splitlines()[-1]}
def is_tensor(v, w=3):
    return isinstance(v, tl.tensor)


@triton.jit
def gathered(*items):
    return isinstance(items, tl.tuple)


@triton.jit
def chosen(a, b):
    c = 2.0
    if a == b:
        c = 1.0
    return c


"""
LINE = HELPERS.count("\n") + HEAD.count("\n") + 1  # of the kernel's `def`
NAMES = {
    **TL,
    "C": {"constexpr": 7},
    "T": {"constexpr": {"tuple": [1, 2]}},
    "Pair": {"namedtuple": {"name": "Pair", "fields": ["first", "second"]}},
    "is_number": {"kernel": 0},
    "is_tensor": {"kernel": 1},
    "gathered": {"kernel": 2},
    "chosen": {"kernel": 3},
}
BLOCK = "tl.zeros((B,), tl.float32)"

SAME = f"""
isinstance((1, 2), tl.tuple)
isinstance([1, 2], tl.tuple)
isinstance([v for v in (1, 2)], tl.tuple)
isinstance((1, 2) + (3,), tl.tuple)
isinstance((3, 4, 5)[1:], tl.tuple)
isinstance((1, 2) * 2, tl.tuple)
isinstance(B, tl.constexpr)
isinstance(B, int)
isinstance(C, tl.constexpr)
isinstance(T, tl.tuple)
isinstance(T[0], tl.constexpr)
isinstance(n, tl.tensor)
isinstance(n, int)
isinstance(x.dtype, tl.dtype)
isinstance(x.shape, tl.tuple)
isinstance({BLOCK}.shape, tl.tuple)
isinstance({BLOCK}.shape[0], tl.constexpr)
isinstance({BLOCK}.type.shape, tl.tuple)
isinstance({BLOCK}.numel, tl.constexpr)
isinstance(tl.split(tl.zeros((B, 2), tl.float32)), tl.tuple)
isinstance(tl.max({BLOCK}, axis=0, return_indices=True), tl.tuple)
isinstance(max(n, 2), tl.tensor)
len({BLOCK}.shape)
len(T)
hasattr(C, "value")
hasattr((1, 2), "type")
(1, 2) == [1, 2]
T == (1, 2)
tl.target_info.is_cuda()
tl.target_info.is_hip()
tl.target_info.cuda_capability_geq(9, 0)
tl.target_info.current_target() is None
is_number(B)
is_number(n)
is_number((1, 2))
is_tensor(1)
is_tensor(x)
not B
B is None
x.dtype.element_ty == tl.float32
(n + 1).dtype == tl.int32
C and B
""".strip().splitlines()

DIFFERENT = {
    "the text of a constant": 'f"{T}" == "(1, 2)"',
    "a NamedTuple": "isinstance(Pair(1, 2), tl.tuple)",
    "starred arguments": "gathered(1, 2)",
    "a number that the compiler takes for a constant": "isinstance(one, int)",
    "what an argument of 1 makes of a comparison": "-one // 2 == 0",
    "the condition of an expression": '2.0 if f"{T}" == "(1, 2)" else 1.0',
    "a value that no branch depends on": '(f"{T}" == "(1, 2)") * 1.0',
}


@pytest.fixture(autouse=True)
def _ampere() -> Iterator[None]:
    with current_target(TARGETS["sm_80"]):
        yield


def kernel_of(body: str) -> Any:
    text = HEAD.replace("@triton.jit\n", "") + HELPERS + "\n@triton.jit\n"
    lines = text.splitlines()
    helpers = [
        described(name=name, line=lines.index(f"def {name}({signature}):") + 1, kind=kind, parameters=parameters)
        for name, signature, kind, parameters in (
            ("is_number", "v", "constexpr-function", [parameter("v")]),
            ("is_tensor", "v, w=3", "kernel", [parameter("v"), parameter("w", default=[3])]),
            ("gathered", "*items", "kernel", [parameter("items")]),
            ("chosen", "a, b", "kernel", [parameter("a"), parameter("b")]),
        )
    ]
    text += f"def k(x, y, n, one, B: tl.constexpr):\n{textwrap.indent(textwrap.dedent(body).strip(), '    ')}\n"
    parameters = [parameter(name) for name in ("x", "y", "n", "one")] + [parameter("B", "constexpr")]
    kernel = described(line=len(lines) + 1, parameters=parameters, names=NAMES)
    return built(text, *helpers, kernel)[len(helpers)]


def arguments(n: int = 100) -> dict[str, Any]:
    return {"x": torch.zeros(64), "y": torch.zeros(64), "n": n, "one": 1, "B": 64}


def run(kernel: Any, **given: Any) -> list[LaunchTrace]:
    with Tracer() as tracer:
        kernel[(1,)](**{**arguments(), **given})
    return tracer.launches


def interpreted(kernel: Any) -> Answers:
    return run(kernel)[0].answers


def compared(kernel: Any, target: str = "sm_80") -> Finding | None:
    """Return where interpreter and compiler differ, or why the compiler of this version takes no such kernel."""
    outcome = translate_launch(Launch(kernel, arguments()), TARGETS[target])
    if outcome.answers is None:
        return outcome.findings[0]
    return difference(kernel, interpreted(kernel), outcome.answers, target)


@pytest.mark.parametrize("question", SAME)
def test_both_answer_alike(question: str) -> None:
    kernel = kernel_of(f"a = {question}\ntl.store(y, 1.0)")
    assert interpreted(kernel).given
    assert compared(kernel) is None


@pytest.mark.parametrize("question", DIFFERENT.values(), ids=DIFFERENT)
def test_what_they_answer_differently_is_an_error(question: str) -> None:
    kernel = kernel_of(f"a = {question}\ntl.store(y, a)")
    found = compared(kernel)
    assert found is not None
    assert found.severity is Severity.ERROR
    if "gathered" not in question:  # which Triton 3.6 and 3.7 do not compile
        assert (found.code, found.line) == ("compiled-differently", kernel.starting_line_number + 1)
        assert "for the compiler" in found.message


TWICE = {  # each question is also asked where both answer it alike, one way and the other
    "another call": """
        chosen("(1, 2)", "(1, 2)")
        chosen("", "(1, 2)")
        tl.store(y, chosen({}, "(1, 2)"))
    """,
    "a call of which a running kernel knows the answer": """
        chosen(n, tl.program_id(0))
        tl.store(y, chosen({}, "(1, 2)"))
    """,
    "another turn of a loop": """
        for i in tl.static_range(3):
            tl.store(y, chosen("(1, 2)" if i == 0 else "" if i == 1 else {}, "(1, 2)"))
    """,
    "another item of a comprehension": """
        several = [i + 1 if ("(1, 2)" if i == 0 else "" if i == 1 else {}) == "(1, 2)" else i for i in (0, 1, 2)]
        tl.store(y, several[2])
    """,
    "a turn of an outer loop": """
        for i in range(n):
            for j in tl.static_range(3):
                if ("(1, 2)" if j == 0 else "" if j == 1 else {}) == "(1, 2)":
                    tl.store(y, 1.0)
    """,
}


@pytest.mark.parametrize("body", TWICE.values(), ids=TWICE)
def test_each_call_is_compared_with_the_same_one(body: str) -> None:
    found = compared(kernel_of(textwrap.dedent(body).format('f"{T}"')))
    assert found is not None
    assert found.code == "compiled-differently", found.message
    for same in ('f"{C}"', '"(1, 2)"'):
        kernel = kernel_of(textwrap.dedent(body).format(same))
        assert compared(kernel) is None
        assert len(interpreted(kernel).given) > 1


@pytest.mark.parametrize("statement", ["if {}:", "for i in tl.static_range({} + 1):", "for i in range(1, {} + 2):"])
def test_what_decides_where_a_text_leads_is_compared(statement: str) -> None:
    found = compared(kernel_of(f"{statement.format('-one // 2')}\n    tl.store(y, 2.0)"))
    assert found is not None
    assert found.code == "compiled-differently"
    assert compared(kernel_of(f"{statement.format('one * 3 // 2')}\n    tl.store(y, 2.0)")) is None


def test_what_only_one_target_has_is_an_error_for_that() -> None:
    kernel = kernel_of(
        "if tl.target_info.cuda_capability_geq(9, 0):\n    tl.store(y, 2.0)\nelse:\n    tl.store(y, 1.0)"
    )
    assert compared(kernel, "sm_80") is None
    found = compared(kernel, "sm_90")
    assert found is not None
    assert found.details["target"] == "sm_90"


def test_the_driver_is_what_it_was_after_a_compile() -> None:
    before = dict(vars(driver))
    translate_launch(Launch(kernel_of("tl.store(y, 1.0)"), arguments()), TARGETS["sm_90"])
    assert vars(driver) == before


def test_a_function_that_the_compiler_leaves_out_is_an_error() -> None:
    kernel = kernel_of("tl.store(y, 1.0)")
    alone, both = Answers({"k": "k"}, {}, {}), Answers({"k": "k", "other": "other"}, {}, {})
    found = difference(kernel, both, alone, "sm_80")
    assert found is not None
    assert "leaves out" in found.message
    assert difference(kernel, alone, both, "sm_80") is None


def test_what_runs_alone_decide_is_no_difference() -> None:
    kernel = kernel_of(
        """
        if n > 1000:
            if B > 3:
                tl.store(y, 2.0)
        for i in tl.static_range(3):
            tl.static_assert(i < 3, "wrong" + f"{B}")
        for i in range(n):
            if one == 1 and C == 7:
                tl.store(y + i % 64, 1.0)
        """
    )
    assert compared(kernel) is None


def test_answers_survive_the_cache(tmp_path: Path) -> None:
    launch = Launch(kernel_of("tl.store(y, 1.0 if isinstance((1, 2), tl.tuple) else 0.0)"), arguments())
    first, second = (translate_launch(launch, TARGETS["sm_80"], tmp_path).answers for _ in range(2))
    assert first is not None
    assert first == second
    assert len(list(tmp_path.glob("*.json"))) == 1


def test_a_question_that_another_launch_has_come_to_counts() -> None:
    kernel = kernel_of(f"if n > 50:\n    if {DIFFERENT['a NamedTuple']}:\n        tl.store(y, 2.0)\ntl.store(y, 1.0)")
    short, long = (Launch(kernel, arguments(n)) for n in (30, 90))
    compiled = Compiled(short, (translate_launch(short, TARGETS["sm_80"]),))
    runs = Interpretations()
    runs.add([short], run(kernel, n=30))
    assert not runs.compared(compiled).findings
    runs.add([long], run(kernel, n=90))
    (found,) = runs.compared(compiled).findings
    assert found.code == "compiled-differently"


def test_a_launch_that_another_process_has_run_is_run_when_it_is_compiled() -> None:
    kernel = kernel_of(f"tl.store(y, 1.0 * ({DIFFERENT['a NamedTuple']}))")
    launch = Launch(kernel, arguments())
    compiled = Compiled(launch, (translate_launch(launch, TARGETS["sm_80"]),))
    runs, calls = Interpretations(), list[int]()
    runs.later([launch], lambda: calls.append(1) or run(kernel))  # type: ignore[func-returns-value]
    assert not calls
    assert [found.code for found in runs.compared(compiled).findings] == ["compiled-differently"]
    assert [found.code for found in runs.compared(compiled).findings] == ["compiled-differently"]
    assert calls == [1]


STATEMENTS = {
    "a default is what was described": ("tl.store(y, defaulted())", 3.0),
    "numbers assigned together are rounded as one is": ("a, b = -7, 2\ntl.store(y, a // b)", -3.0),
    "a number with an annotation is rounded as one without": ("a: tl.int32 = -7\ntl.store(y, a // 2)", -3.0),
    "a constexpr is Python's": ("a: tl.constexpr = -7\ntl.store(y, a // 2)", -4.0),
}


@pytest.mark.parametrize(("body", "stored"), STATEMENTS.values(), ids=STATEMENTS)
def test_the_interpreter_assigns_as_the_compiler_does(body: str, stored: float) -> None:
    text = f"def defaulted(v=W):\n    return v\n\n\n{text_of(body)}"
    names = {**TL, "W": 4, "defaulted": {"kernel": 0}}
    helper = described(name="defaulted", line=1, parameters=[parameter("v", default=[3])], names={"W": 4})
    kernel = built(text, helper, described(line=text[: text.index("def k(")].count("\n") + 1, names=names))[1]
    y = torch.zeros(64)
    with Tracer() as tracer:
        kernel[(1,)](torch.zeros(64), y, 100, B=64)
    assert not tracer.facts
    assert y[0].item() == stored
