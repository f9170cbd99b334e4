"""A loop that carries nothing can be looked at by its ends; one that sums up or moves on cannot."""

from __future__ import annotations

import ast

import pytest

from tritonpuzzles.engine.interpreter.loops import carries

INDEPENDENT = [
    "for row in rows:\n    x = load(row)\n    store(row, x)",
    "for row in rows:\n    m = start\n    for col in cols:\n        m = larger(m, col)\n    store(row, m)",
    "for row in rows:\n    l = 0.0\n    for col in cols:\n        l += load(col)\n    store(row, l)",
    "for row in rows:\n    row = row + 1\n    store(row, n)",
    "for row in rows:\n    x: int = load(row)\n    store(row, x)",
    "for i in turns:\n    for i in inner:\n        store(i, n)",
    "for k in steps:\n    acc = tl.dot(load(k), load(k), acc)",
    "for k in steps:\n    acc += tl.dot(load(k), load(k))",
    "for k in cols:\n    x = load(k)\n    m_new = larger(m, tl.max(x))\n    l = l * a + tl.sum(x)\n    m = m_new",
    "for k in cols:\n    x = load(k)\n    top = larger(m, tl.max(x))\n    l, m = l + tl.sum(x), top",
]
CARRYING = [
    "for row in rows:\n    pointer += step\n    store(pointer, row)",
    "for row in rows:\n    store(pointer, row)\n    pointer = pointer + step",
    "for col in cols:\n    m_new = larger(m, load(col))\n    l = l * exp(m - m_new)\n    m = m_new",
    "for row in rows:\n    x = upcoming\n    upcoming = load(row + 1)\n    store(row, x)",
    "for row in rows:\n    seen: int = seen + 1",
    "for k in steps:\n    acc = tl.dot(load(p), load(k), acc)\n    p += step",
    "for k in steps:\n    acc, p = tl.dot(load(p), load(k), acc), p + step",
    "for row in rows:\n    for col in cols:\n        l += load(col)",
]


@pytest.mark.parametrize("source", [*INDEPENDENT, *CARRYING])
def test_what_is_read_before_it_is_assigned_is_carried(source: str) -> None:
    (loop,) = ast.parse(source).body
    assert isinstance(loop, ast.For)
    assert isinstance(loop.target, ast.Name)
    assert carries(loop.body, loop.target.id) is (source in CARRYING)
