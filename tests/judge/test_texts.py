"""What a file's text explains beside what was seen of its run: host code, constants, what moves a pointer."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.judge.verdict.grids import of_needless_programs
from tritonpuzzles.judge.verdict.host import in_the_host_code
from tritonpuzzles.judge.verdict.judged import JudgedCase
from tritonpuzzles.judge.verdict.kernels import misspelt
from tritonpuzzles.results.check import Finding
from tritonpuzzles.source import Source

PUZZLE = load_curriculum().puzzles[0]
HOST = """
def run(x):
    if x.numel() == 0:
        return x
    sms = 108
    per = 16
    programs = sms * per
    grid = (programs,)
    kernel[grid](x)
    return x
"""


def test_a_return_before_the_launch_is_told_where_a_few_calls_launch_nothing() -> None:
    source = Source(HOST)
    seldom = Finding("no-launch", "It launches nothing.", case="k = 0")
    (told,) = in_the_host_code([seldom], PUZZLE, source)
    assert told.line == 4
    assert "Line 4 returns before the launch" in told.message
    never = Finding("no-launch", "It launches nothing.")
    assert in_the_host_code([never], PUZZLE, source) == [never]


def test_of_two_returns_none_is_blamed() -> None:
    finding = Finding("no-launch", "It launches nothing.", case="k = 0")
    source = Source(HOST.replace("    sms", "    if x is None:\n        return 0\n    sms"))
    assert in_the_host_code([finding], PUZZLE, source) == [finding]


def test_a_number_of_another_gpu_is_told_where_it_stands() -> None:
    finding = Finding("more-programs-than-fit", "Too many.", line=8, details={"programs": 1728})
    (told,) = in_the_host_code([finding], PUZZLE, Source(HOST))
    assert (told.line, "sms is 108 on every GPU" in told.message) == (5, True)
    small = HOST.replace("sms = 108", "sms = properties.multi_processor_count")
    assert in_the_host_code([finding], PUZZLE, Source(small)) == [finding]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a = 1.44629504", "log2(e)"),
        ("x = 1\nLOG2E: tl.constexpr = 1.4426950408889634", None),
        ("LOG2E = 1.44269504", None),
        ("LOG2E = 1.443", None),  # so few digits are meant
        ("LN2 = 0.69413", "ln(2)"),
        ("m = -3.4208234e38", "the largest finite float32"),
        ("m = -3.4e38", None),
        ("half = 0.7", None),
    ],
)
def test_digits_of_a_constant_that_are_wrong(text: str, name: str | None) -> None:
    found = misspelt(Source(text))
    assert (found is None) == (name is None)
    assert found is None or f", and {name} is " in found[1]


LOOP = """
@triton.jit
def kernel(p, n, stride, BLOCK: tl.constexpr):
    for i in range(0, n, BLOCK):
        x = tl.load(p)
        p += stride
        i += 0
"""


def test_what_moves_a_load_on() -> None:
    moved = Source(LOOP).moving(5)
    assert moved is not None
    assert (moved.line, moved.name, moved.text) == (6, "p", "stride")
    assert Source(LOOP.replace("i += 0", "p += 1")).moving(5) is None
    assert Source(LOOP).moving(4) is None


def case(**launch: Any) -> JudgedCase:
    """Return a case of a product: b is (5, 7) of a wider matrix, c is (300, 200)."""
    made = SimpleNamespace(kernel="kernel", line=12, grid=(20, 1, 1), programs=20, constants={}, numbers={}, **launch)
    drawn = SimpleNamespace(
        name="ordinary",
        able=False,
        dims={"m": 300, "n": 7, "k": 5},
        tensors={"b": SimpleNamespace(shape=(5, 7), stride=(9, 1))},
        outputs=[SimpleNamespace(name="c", shape=(300, 200))],
    )
    return cast(JudgedCase, SimpleNamespace(drawn=drawn, evidence=SimpleNamespace(launches=[made])))


def test_programs_without_a_tile_are_told_with_their_number() -> None:
    one = case()
    one.evidence.launches[0].constants.update(BLOCK_M=64, BLOCK_N=128, GROUP_M=8)
    details = {"program": [19, 0, 0], "kernel": "kernel"}
    finding = Finding("out-of-bounds-load", "b is read outside.", case="ordinary", details=details)
    (told,) = of_needless_programs([finding], [one])
    assert "20 programs are launched, and c has 10 tiles of 64 x 128." in told.message
    assert told.line == 12
    early = Finding(
        "out-of-bounds-load", "b is read outside.", case="ordinary", details={**details, "program": [3, 0, 0]}
    )
    assert of_needless_programs([early], [one]) == [early]
