"""Where a kernel leaves the right track, in this process: right kernels of many styles never do, wrong ones where they
are wrong, whatever their variables are called and however they scale them.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from tests.divergence.proof import mistaken
from tests.divergence.watched import ROOT, diverged
from tritonpuzzles.curriculum.quantities import walks
from tritonpuzzles.judge.verdict.divergence.first import First
from tritonpuzzles.judge.verdict.divergence.roles import What, Why

SOFTMAX, ATTENTION = ("m", "l"), ("m", "l", "acc")
RIGHT_SOFTMAX = (
    "solutions/p02_blocked_softmax.py",
    "solutions/p03_online_softmax.py",
    "tests/mutants/p03_online_softmax/right/exp2.py",
    "tests/mutants/p03_online_softmax/right/lane_accumulators.py",
    "tests/mutants/p03_online_softmax/right/log_sum_exp.py",
    "tests/mutants/p03_online_softmax/right/merge_by_reduce.py",
    "tests/mutants/p03_online_softmax/right/persistent_rows.py",
    "tests/mutants/p04_tiled_softmax/right/transposed_tile.py",
    "tests/real_style/p03_online_softmax/right/peeled_masked_tail.py",
    "tests/real_style/p03_online_softmax/right/scan_of_states.py",
    "tests/real_style/p03_online_softmax/right/split_rows_two_kernels.py",
    "tests/mutants/p02_blocked_softmax/right/backwards.py",
)
RIGHT_ATTENTION = (
    "solutions/p05_flash_attention.py",
    "tests/mutants/p05_flash_attention/right/keys_loaded_transposed.py",
    "tests/mutants/p05_flash_attention/right/scale_in_the_exponent.py",
    "tests/mutants/p05_flash_attention/right/scores_transposed_on_purpose.py",
    "tests/mutants/p05_flash_attention/right/while_loop.py",
)
WRONG = (
    ("p02_blocked_softmax", "max_of_the_last_tile", What.VARIABLE, None),
    ("p03_online_softmax", "factor_upside_down", What.UNKNOWN, None),
    ("p03_online_softmax", "lanes_not_rescaled", What.UNKNOWN, None),
    ("p03_online_softmax", "never_divides", What.STORE, None),
    ("p03_online_softmax", "no_max_subtraction", What.VARIABLE, None),
    ("p03_online_softmax", "sum_never_rescaled", What.VARIABLE, None),
    ("p03_online_softmax", "sum_starts_at_one", What.VARIABLE, Why.START),
    ("p03_online_softmax", "whole_tiles_only", What.UNREAD, None),
    ("p03_online_softmax", "zero_padding", What.VARIABLE, Why.PADDING),
    ("p04_tiled_softmax", "one_factor_for_the_tile", What.VARIABLE, None),
)
WRONG_ATTENTION = (
    ("acc_never_rescaled", What.VARIABLE, None),
    ("divides_in_the_loop", What.VARIABLE, Why.CARRIED),
    ("no_key_mask", What.VARIABLE, Why.PADDING),
    ("no_scale", What.VARIABLE, Why.FACTOR),
    ("pointers_never_moved", What.AGAIN, None),
    ("scores_transposed", What.UNKNOWN, Why.TURNED),
    ("values_one_late", What.APART, None),
)
RIGHT_PRODUCT = (
    "solutions/p07_matmul.py",
    "tests/mutants/p07_matmul/right/operands_transposed.py",
    "tests/mutants/p07_matmul/right/persistent.py",
    "tests/mutants/p07_matmul/right/product_added.py",
    "tests/mutants/p07_matmul/right/wrapped_around.py",
)
WRONG_PRODUCT = (
    ("accumulator_starts_at_one", What.UNKNOWN, Why.START),
    ("first_columns_loaded", What.ELSEWHERE, None),
    ("first_rows_loaded", What.ELSEWHERE, None),
    ("sums_in_float16", What.VARIABLE, None),
)


def softmax_divergence(path: Path) -> First | None:
    x = torch.randn(5, 9001, generator=torch.Generator().manual_seed(2))
    x[:, 5000] += 5  # the maximum grows late, in the second of three tiles
    first, _ = diverged(path, "softmax", walks.softmax, SOFTMAX, torch.softmax(x.double(), dim=1), x=x)
    return first


def attention_divergence(path: Path) -> First | None:
    generator = torch.Generator().manual_seed(2)
    q, k, v = (torch.randn(101, 32, generator=generator) for _ in range(3))
    truth = torch.softmax(q.double() @ k.double().T * 32**-0.5, dim=1) @ v.double()
    first, _ = diverged(path, "flash_attention", walks.attention, ATTENTION, truth, q=q, k=k, v=v)
    return first


def product_divergence(path: Path) -> First | None:
    generator = torch.Generator().manual_seed(2)
    a, b = (torch.randn(*shape, generator=generator) for shape in ((300, 150), (150, 200)))

    first, _ = diverged(path, "matmul", walks.matmul, ("acc",), a.double() @ b.double(), a=a, b=b)
    return first


@pytest.mark.slow
@pytest.mark.parametrize("name", RIGHT_SOFTMAX, ids=lambda name: Path(name).stem)
def test_right_softmax_never_strays(name: str) -> None:
    assert softmax_divergence(ROOT / name) is None


@pytest.mark.slow
@pytest.mark.parametrize("name", RIGHT_ATTENTION, ids=lambda name: Path(name).stem)
def test_right_attention_never_strays(name: str) -> None:
    assert attention_divergence(ROOT / name) is None


@pytest.mark.slow
@pytest.mark.parametrize(("puzzle", "name", "what", "why"), WRONG, ids=lambda value: str(value))
def test_wrong_softmax_strays_where_it_is_wrong(puzzle: str, name: str, what: What, why: Why | None) -> None:
    path = ROOT / "tests" / "mutants" / puzzle / "wrong" / f"{name}.py"
    found = softmax_divergence(path)
    assert found is not None
    assert {found.line, found.line - 1} & set(mistaken(path))
    assert (found.what, found.cause.why if found.cause else None) == (what, why)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "what", "why"), WRONG_ATTENTION, ids=lambda value: str(value))
def test_wrong_attention_strays_where_it_is_wrong(name: str, what: What, why: Why | None) -> None:
    path = ROOT / "tests" / "mutants" / "p05_flash_attention" / "wrong" / f"{name}.py"
    found = attention_divergence(path)
    assert found is not None
    assert {found.line, found.line - 1} & set(mistaken(path))
    assert (found.what, found.cause.why if found.cause else None) == (what, why)


@pytest.mark.parametrize("name", RIGHT_PRODUCT, ids=lambda name: Path(name).stem)
def test_right_product_never_strays(name: str) -> None:
    assert product_divergence(ROOT / name) is None


@pytest.mark.parametrize(("name", "what", "why"), WRONG_PRODUCT, ids=lambda value: str(value))
def test_wrong_product_strays_where_it_is_wrong(name: str, what: What, why: Why | None) -> None:
    path = ROOT / "tests" / "mutants" / "p07_matmul" / "wrong" / f"{name}.py"
    found = product_divergence(path)
    assert found is not None
    assert {found.line, found.line - 1} & set(mistaken(path))
    assert (found.what, found.cause.why if found.cause else None) == (what, why)


def test_the_loop_that_leaves_a_tile_out_is_told_and_not_the_one_after_it(tmp_path: Path) -> None:
    text = (ROOT / "solutions" / "p02_blocked_softmax.py").read_text(encoding="utf-8")
    loop = "range(0, n_cols, BLOCK_SIZE)"
    *before, second, third = text.split(loop)
    path = tmp_path / "second_tile_first.py"
    path.write_text(loop.join(before) + "range(BLOCK_SIZE, n_cols, BLOCK_SIZE)" + second + loop + third)
    found = softmax_divergence(path)
    assert found is not None
    assert found.what is What.UNREAD
    assert "range(BLOCK_SIZE, n_cols" in path.read_text().splitlines()[found.line - 1]


def test_rows_that_a_mask_leaves_out_are_the_loads_fault(tmp_path: Path) -> None:
    text = (ROOT / "solutions" / "p07_matmul.py").read_text(encoding="utf-8")
    right = "mask=(rows[:, None] < M) & (ks"
    assert right in text
    path = tmp_path / "masked.py"
    path.write_text(text.replace(right, "mask=(rows[:, None] < 130) & (ks"))
    found = product_divergence(path)
    assert found is not None
    assert found.elsewhere is not None
    assert not found.elsewhere.loaded.size
    assert "a = tl.load" in path.read_text().splitlines()[found.line - 1]


def test_rows_that_are_loaded_right_and_stored_wrong_are_the_stores_fault(tmp_path: Path) -> None:
    text = (ROOT / "solutions" / "p07_matmul.py").read_text(encoding="utf-8")
    right = "c_ptr + rows[:, None]"
    assert right in text
    path = tmp_path / "moved.py"
    path.write_text(text.replace(right, "c_ptr + ((rows + BLOCK_M) % (tiles_m * BLOCK_M))[:, None]"))
    found = product_divergence(path)
    assert found is not None
    assert found.what is What.ELSEWHERE
    assert "tl.store" in path.read_text().splitlines()[found.line - 1]
