"""The right values behind each tile, whatever its width and order, against a plain softmax of what was seen."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest
import torch

from tritonpuzzles.curriculum.quantities import walks
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.judge.resolve import resolve
from tritonpuzzles.judge.verdict import divergence

ORDERS = ([[0, 1, 2, 3], [4, 5, 6, -1]], [[6, 5], [4, 3], [2, 1], [0, -1]], [[3], [0, 1, 2], [4, 5, 6]])


@pytest.mark.parametrize("order", ORDERS, ids=str)
def test_running_values_are_those_of_the_columns_seen(order: list[list[int]]) -> None:
    x = torch.randn(3, 7, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    state, seen = walks.softmax(x).begin(np.array([2, 0])), list[int]()
    for tile in order:
        state.add(np.array(tile))
        seen += [column for column in tile if column >= 0]
        part, right = x[[2, 0]][:, seen], state.right()
        assert np.allclose(right["m"], part.amax(dim=1))
        assert np.allclose(right["l"], (part - part.amax(dim=1, keepdim=True)).exp().sum(dim=1))
        assert np.allclose(right["lse"], part.logsumexp(dim=1))
    assert np.allclose(right["l"], right["whole"])


@pytest.mark.parametrize("order", ORDERS, ids=str)
def test_an_accumulator_over_its_sum_is_attention_over_the_keys_seen(order: list[list[int]]) -> None:
    q, k, v = (torch.randn(7, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(n)) for n in range(3))
    state, seen = walks.attention(q, k, v).begin(np.arange(7)), list[int]()
    for tile in order:
        state.add(np.array(tile))
        seen += [key for key in tile if key >= 0]
        weights = torch.softmax(q @ k[seen].T * 4**-0.5, dim=1)
        assert np.allclose(state.right()["o"], weights @ v[seen])


def test_a_hidden_start_has_no_sum_and_a_hidden_row_stands_for_none() -> None:
    x = torch.tensor([[-torch.inf, -torch.inf, 1.0, 2.0]], dtype=torch.float64)
    state = walks.softmax(x).begin(np.array([0]))
    state.add(np.array([0, 1]))
    assert np.isnan(state.right()["l"]).all()
    state.add(np.array([2, 3]))
    assert np.allclose(state.right()["l"], 1 + np.exp(-1.0))


def test_every_quantity_of_a_record_is_one_of_its_walk() -> None:
    walked = [puzzle for puzzle in load_curriculum().puzzles if puzzle.walk]
    assert {puzzle.number for puzzle in walked} >= {1, 2, 3, 4, 5}  # an elementwise puzzle has nothing to walk along
    for puzzle in walked:
        make = resolve(puzzle).walk
        assert make is not None
        tensors = [torch.zeros(2, 16, dtype=torch.float64) for _ in puzzle.arguments]
        assert set(puzzle.quantities) <= {quantity.name for quantity in make(*tensors).quantities}


@pytest.mark.parametrize("order", ORDERS, ids=str)
@pytest.mark.parametrize("activation", ["", "leaky_relu"])
def test_sums_are_those_of_the_products_seen_at_the_columns_of_the_program(
    order: list[list[int]], activation: str
) -> None:
    a, b = (
        torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
        for shape in ((3, 7), (7, 5))
    )
    state, seen = walks.matmul(a, b, activation).begin(np.array([2, 0])), list[int]()
    state.add(np.array(order[0]))
    assert state.right() == {}  # no columns yet
    state = walks.matmul(a, b, activation).begin(np.array([2, 0]))
    state.see(np.array([3, 4, -1]))
    for tile in order:
        state.add(np.array(tile))
        part = [product for product in tile if product >= 0]
        seen += part
        right = state.right()
        sums = (a[[2, 0]][:, seen] @ b[seen])[:, [3, 4]]
        assert np.allclose(right["acc"][:, :2], sums)
        assert np.allclose(right["part"][:, :2], (a[[2, 0]][:, part] @ b[part])[:, [3, 4]])
        assert np.isnan(right["acc"][:, 2]).all()
        assert ("activated" in right) == bool(activation)
    if activation:
        assert np.allclose(right["activated"][:, :2], torch.nn.functional.leaky_relu(sums, 0.01))


def test_elements_of_a_and_b_tell_of_rows_products_and_columns() -> None:
    walk = walks.matmul(torch.zeros(3, 7), torch.zeros(7, 5), "")
    places = np.array([8, 20])
    rows, items = walk.rows_and_items("a", places)
    assert rows is not None
    assert items is not None
    assert (rows.tolist(), items.tolist()) == ([1, 2], [1, 6])
    none, items = walk.rows_and_items("b", places)
    columns = walk.columns("b", places)
    assert none is None
    assert items is not None
    assert columns is not None
    assert (items.tolist(), columns.tolist()) == ([1, 4], [3, 0])
    assert walk.columns("a", places) is None


def test_which_part_of_an_algorithm_a_quantity_is_the_walk_tells_and_the_judge_names_none() -> None:
    a, b = torch.zeros(2, 3, dtype=torch.float64), torch.zeros(3, 2, dtype=torch.float64)
    made = walks.softmax(a), walks.attention(a, a, a), walks.matmul(a, b, "leaky_relu")
    names = {quantity.name for walk in made for quantity in walk.quantities}
    texts = [path.read_text(encoding="utf-8") for path in Path(divergence.__file__).parent.glob("*.py")]
    nodes = [node for text in texts for node in ast.walk(ast.parse(text))]
    strings = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    assert not strings & names
