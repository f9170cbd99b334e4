"""Spellings of the language that few kernels have: each is interpreted as the compiler compiles it."""

from __future__ import annotations

import pytest

from tests.conftest import Check
from tests.judge.test_survival import SOLUTION
from tritonpuzzles.results.check import Verdict

LARGER = "@triton.jit\ndef larger(a, b):\n    return tl.maximum(a, b)\n\n\n"
TUNED = (
    "@triton.autotune(configs=[triton.Config({}, num_warps=w) for w in (2, 4)], key=['n_elements'], "
    "warmup=25, rep=100)\n@triton.jit\ndef square_kernel("
)
HALVES = "(BLOCK_SIZE // 2, 2)"
RIGHT = [
    *(f"x * x + 0 * tl.{name}(offsets, axis=0, keep_dims=True)" for name in ("max", "min", "sum", "argmax", "argmin")),
    "x * x + 0 * tl.max(offsets, axis=0, return_indices=True, keep_dims=True)[1]",
    "x * x + 0 * tl.max(offsets, keep_dims=True)",
    "x * x + 0 * offsets.sum(0, keep_dims=True)",
    "x * x + 0 * tl.reduce(offsets, 0, larger, keep_dims=True)",
    "tl.where(offsets + 1, x * x, 0.0)",
    "tl.where(-0.5 - offsets.to(tl.float32), x * x, 0.0)",
    "tl.where(offsets % 2, 0.0, x * x) + tl.where(offsets % 2, x * x, 0.0)",
    "tl.where(n_elements, x * x, 0.0)",
    f"tl.reshape(tl.reshape(x * x, {HALVES}, can_reorder=False), BLOCK_SIZE)",
]
UNORDERED = {
    f"x * x + 0 * tl.sum(tl.reshape(offsets, {HALVES}, can_reorder=True))": Verdict.PASS,
    "tl.view(x * x, (1, BLOCK_SIZE)).reshape(BLOCK_SIZE)": Verdict.PASS,  # only an axis of 1 comes
    f"tl.reshape(tl.reshape(x * x, {HALVES}, can_reorder=True), (BLOCK_SIZE,))": Verdict.FAIL,
    f"tl.reshape((x * x).view({HALVES}), (BLOCK_SIZE,))": Verdict.FAIL,
    "x * x + 0 * tl.max(tl.cat(offsets, offsets, can_reorder=True))": Verdict.PASS,
    "tl.split(tl.trans(tl.reshape(tl.cat(x * x, x, can_reorder=True), (2, BLOCK_SIZE))))[0]": Verdict.FAIL,
}


def kernel(value: str) -> str:
    """Return the solution of the square with this in place of its product."""
    text = SOLUTION.replace("@triton.jit\n", f"{LARGER}@triton.jit\n", 1)
    return text.replace("tl.store(y_ptr + offsets, x * x,", f"tl.store(y_ptr + offsets, {value},")


@pytest.mark.slow
@pytest.mark.parametrize("value", RIGHT)
def test_what_is_right_passes(value: str, check_source: Check) -> None:
    result = check_source(kernel(value))
    assert (result.verdict, result.findings) == (Verdict.PASS, ()), result
    assert value in kernel(value)


@pytest.mark.parametrize("value", UNORDERED)
def test_an_order_that_is_the_compiler_s_is_said(value: str, check_source: Check) -> None:
    """Where it matters, the file does not pass: the interpreter takes the elements backwards."""
    text = kernel(value)
    result = check_source(text)
    (note,) = (finding for finding in result.findings if finding.code == "may-reorder")
    assert result.verdict is UNORDERED[value], result
    assert note.line is not None
    assert "tl.store(" in text.splitlines()[note.line - 1]


def test_older_options_of_the_autotuner_are_taken(check_source: Check) -> None:
    result = check_source(SOLUTION.replace("@triton.jit\ndef square_kernel(", TUNED))
    assert result.verdict is Verdict.PASS, result


def test_a_kernel_without_a_tile_passes_with_a_note(check_source: Check) -> None:
    tile = SOLUTION[SOLUTION.index("    offsets = ") : SOLUTION.index("# %%\ndef square(")]
    single = "    for i in range(n_elements):\n        x = tl.load(x_ptr + i)\n        tl.store(y_ptr + i, x * x)\n\n\n"
    result = check_source(SOLUTION.replace(tile, single).replace("(triton.cdiv(x.numel(), 256),)", "(1,)"))
    assert result.verdict is Verdict.PASS, result
    assert [finding.code for finding in result.findings] == ["no-tile"]


def test_a_warning_of_triton_s_says_first_what_it_warns_of(check_source: Check) -> None:
    result = check_source(kernel("tl.where(offsets + 1, x * x, 0.0)"))
    assert result.output.startswith("UserWarning: tl.where with a non-boolean condition is deprecated")
    assert len(set(result.output.splitlines())) == 1
