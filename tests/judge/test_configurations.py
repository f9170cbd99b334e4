"""An autotuner's configurations: each that computes in another way is run, and each must be right."""

from __future__ import annotations

import pytest
import torch

from tests.conftest import FIXTURE, Check
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.engine.program import different, words
from tritonpuzzles.judge.inputs import draw
from tritonpuzzles.judge.verdict import alternatives
from tritonpuzzles.judge.workers import trial
from tritonpuzzles.judge.workers.job import telling_cases
from tritonpuzzles.results.check import PuzzleResult, Verdict
from tritonpuzzles.results.codes import Severity
from tritonpuzzles.wire.program import Allocate, Choose, Launch, Program
from tritonpuzzles.wire.values import Constant

LARGEST_TILE = 256  # of a side, in the limits of matrix products

SOLUTION = (FIXTURE / "solutions" / "p01_square.py").read_text()
JIT, BODY = "@triton.jit\n", "    offsets = tl.program_id"
LAUNCH = "square_kernel[(triton.cdiv(x.numel(), 256),)](x, y, x.numel(), BLOCK_SIZE=256)"
FIXED, FUNCTION = "(triton.cdiv(x.numel(), 256),)", 'lambda META: (triton.cdiv(x.numel(), META["BLOCK_SIZE"]),)'


def tuned(configurations: str, grid: str = FUNCTION, first: str = "") -> str:
    """Return the solution with an autotuner, another grid, and a first line of its kernel."""
    source = SOLUTION
    for old, new in (
        (JIT, f'@triton.autotune([{configurations}], key=["n_elements"])\n{JIT}'),
        (BODY, f"{first}{BODY}"),
        (LAUNCH, f"square_kernel[{grid}](x, y, x.numel())"),
    ):
        assert source.count(old) == 1
        source = source.replace(old, new)
    return source


def config(size: int, more: str = "") -> str:
    return f'triton.Config({{"BLOCK_SIZE": {size}}}{more})'


def errors(result: PuzzleResult) -> list[tuple[str, str]]:
    return [(found.code, found.message) for found in result.findings if found.severity is Severity.ERROR]


def notes(result: PuzzleResult) -> list[str]:
    return [found.message for found in result.findings if found.code == "configurations-tried"]


def test_every_configuration_that_is_right_passes(check_source: Check) -> None:
    result = check_source(tuned(f"{config(256)}, {config(64)}, {config(64, ', num_warps=8')}, {config(1024)}"))
    assert (result.verdict, errors(result)) == (Verdict.PASS, [])
    (note,) = notes(result)
    assert note.startswith("3 configurations of the autotuner were tried: one on every case, the others on ")


def test_a_fixed_grid_is_wrong_with_a_smaller_tile(check_source: Check) -> None:
    result = check_source(tuned(f"{config(256)}, {config(64)}", FIXED))
    assert result.verdict is Verdict.FAIL
    assert all(case.verdict is Verdict.PASS for case in result.cases)
    ((code, message),) = errors(result)
    assert code == "unwritten-elements"
    assert message.startswith("With the configuration BLOCK_SIZE=64: ")


def test_a_configuration_that_stops_is_wrong(check_source: Check) -> None:
    result = check_source(tuned(f"{config(256)}, {config(192)}"))
    ((code, message),) = errors(result)
    assert (result.verdict, code) == (Verdict.FAIL, "kernel-error")
    assert message.startswith("With the configuration BLOCK_SIZE=192: The kernel stops: ")


@pytest.mark.parametrize("sizes", [(1024, 256), (256, 1024), (1024, 2048, 256)])
def test_what_a_static_assert_rules_out_is_left_out(sizes: tuple[int, ...], check_source: Check) -> None:
    first = "    tl.static_assert(BLOCK_SIZE < 1000)\n"
    result = check_source(tuned(", ".join(map(config, sizes)), first=first))
    assert (result.verdict, errors(result)) == (Verdict.PASS, [])


def test_where_a_static_assert_rules_out_all_it_is_said(check_source: Check) -> None:
    first = '    tl.static_assert(BLOCK_SIZE < 100, "too wide")\n'
    result = check_source(tuned(f"{config(256)}, {config(512)}", first=first))
    assert result.verdict is Verdict.ERROR
    assert any("tl.static_assert fails: too wide" in message for _, message in errors(result))


def test_more_than_there_is_time_for_are_an_error(check_source: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (trial, alternatives):
        monkeypatch.setattr(module, "MOST_CONFIGURATIONS", 2)
    result = check_source(tuned(", ".join(config(1 << n) for n in range(5, 11))))
    ((code, message),) = errors(result)
    assert (result.verdict, code) == (Verdict.FAIL, "too-many-configurations")
    assert message == "The autotuner has 6 configurations that compute in different ways: more than are tried."


def launch(size: int, warps: int) -> Launch:
    return Launch(0, {"BLOCK": Constant(size), "n": Constant(7)}, (size, 1, 1), {"num_warps": Constant(warps)})


def test_warps_alone_make_no_difference_and_words_name_what_does() -> None:
    choose = Choose(tuple((launch(size, warps),) for size, warps in ((64, 4), (64, 8), (128, 4), (64, 1))))
    program = Program((Allocate(4, "float32"), choose), ())
    assert different(program) == [0, 2]
    assert words(program, [0, 2]) == ["BLOCK=64", "BLOCK=128"]


def test_a_program_without_a_tuner_has_one_configuration() -> None:
    assert different(Program((launch(64, 4),), ())) == [0]


@pytest.mark.parametrize("number", ["7", "8"])
def test_other_configurations_run_a_case_whose_limits_excuse_no_small_tile(number: str) -> None:
    cases = draw(load_curriculum().find(number), 1, "cpu")
    shapes = [cases[index].outputs[0].shape for index in telling_cases(cases)]
    assert any(all(size % LARGEST_TILE == 0 for size in shape) for shape in shapes)


def test_other_configurations_run_cases_of_each_kind_of_strides_and_dtype() -> None:
    cases = draw(load_curriculum().find("7"), 1, "cpu")
    told = [cases[index] for index in telling_cases(cases)]
    assert {case.name for case in told} >= {"a transposed", "b transposed", "every other column", "aligned rows, apart"}
    assert {case.dtype for case in told} == {torch.float16, torch.bfloat16}
