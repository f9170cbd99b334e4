"""Advice names what the file names, and what the stories do where the file does not tell."""

from __future__ import annotations

from pathlib import Path

import pytest

from tritonpuzzles.curriculum.mistakes import WORDS, in_words
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.judge.resolve import resolve
from tritonpuzzles.judge.verdict.advice import spoken
from tritonpuzzles.source import Source

ONLINE = """
@triton.jit
def kernel(src, dst, stride, width, CHUNK: tl.constexpr):
    top = -3.4e38
    total = 0.0
    for at in range(0, width, CHUNK):
        where = at + tl.arange(0, CHUNK)
        piece = tl.load(src + where, mask=where < width, other=-float("inf"))
        higher = tl.maximum(top, tl.max(piece, axis=0))
        total = total * tl.exp(top - higher) + tl.sum(tl.exp(piece - higher), axis=0)
        top = higher
"""
IN_PLACE = """
@triton.jit
def kernel(src, width):
    top = tl.maximum(top, tl.max(piece, 0))
    total += tl.sum(tl.exp(piece - top), 0)
"""
TURNED = """
@triton.jit
def kernel(q_ptr, n, WIDE: tl.constexpr):
    for first in range(0, n, WIDE):
        ks = first + tl.arange(0, WIDE)
        st = tl.dot(tl.load(q_ptr + ks), q)
        hi = tl.maximum(m, tl.max(st, axis=0))
        w = tl.exp(st - hi[None, :])
        o = o * a + tl.dot(v, w)
"""
IN_A_HELPER = """
@triton.jit
def absorb(top, total, piece):
    higher = tl.maximum(top, tl.max(piece, axis=0))
    fade = tl.exp(top - higher)
    part = tl.sum(tl.exp(piece - higher), axis=0)
    return higher, (total + part) * fade
"""
BY_LANES = """
@triton.jit
def kernel(s, n):
    new = tl.maximum(m, tl.max(s, 1))
    w = tl.exp(s - new[:, None])
    lanes = lanes * tl.exp(m - new)[:, None] + w
    acc = acc + tl.dot(w, v)
    total = tl.sum(lanes, 1)
"""
TILED = """
@triton.jit
def kernel(x_ptr, n_cols, BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr):
    for start in range(0, n_cols, BLOCK_COLS):
        offs = start + tl.arange(0, BLOCK_COLS)[None, :]
        tile = tl.load(x_ptr + offs)
        big = tl.max(tile, axis=1)
"""

GROUPED = """
@triton.jit
def kernel(c_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr, GROUP: tl.constexpr):
    number = tl.program_id(0)
    high, wide = 0, 0
    high = tl.cdiv(M, BM)
    wide = tl.cdiv(N, BN)
"""
COUNTED = """
@triton.jit
def kernel(x_ptr, n, n_rows, WIDE: tl.constexpr, STEP: tl.constexpr):
    for row in range(0, n_rows, STEP):
        for start in range(0, n, WIDE):
            total += tl.sum(tl.load(x_ptr + start + tl.arange(0, WIDE)))
        tiles = n // WIDE
        for i in range({}):
            tl.store(x_ptr + i * WIDE + tl.arange(0, WIDE), total)
"""


@pytest.mark.parametrize(
    ("source", "text", "said"),
    [
        (ONLINE, "{m} = tl.maximum({m}, tl.max({x}, {axis}))", "top = tl.maximum(top, tl.max(piece, axis=0))"),
        (ONLINE, "{l} by exp({m_old} - {m_new})", "total by exp(top - higher)"),
        (ONLINE, "range(0, {n_cols}, {BLOCK}), {cols} = {start} + ...", "range(0, width, CHUNK), where = at + ..."),
        (IN_PLACE, "{m} of {x}, {l}; exp({m_old} - {m_new})", "top of piece, total; exp(old top - top)"),
        (TURNED, "{p} = exp({s} - {m_new}{column}); {acc}", "w = exp(st - hi[None, :]); o"),
        (TURNED, "tl.where({key_mask}, {s}, ...)", "tl.where(ks[:, None] < n, st, ...)"),
        (TURNED, "{max_axis}, {sum_axis}", "axis=0, the axis of tl.sum"),
        (IN_A_HELPER, "{l} and {alpha}", "total and fade"),
        (BY_LANES, "{l} and {p}", "lanes and w"),
        (TILED, "tl.max({x}, {axis}), {BLOCK}, {cols}", "tl.max(tile, axis=1), BLOCK_COLS, offs"),
        (GROUPED, "{pid} // {tiles_n}, {tiles_m} by {GROUP_M}", "number // wide, high by GROUP"),
        (COUNTED.format("n // WIDE"), "{all_tiles}", "range(0, tl.cdiv(n, WIDE))"),
        (COUNTED.format("tiles"), "{all_blocks}", "range(0, tl.cdiv(n, WIDE))"),
        (COUNTED.format("1, tl.cdiv(n, WIDE) - 1"), "{all_turns}", "range(1, tl.cdiv(n, WIDE))"),
        (ONLINE.replace("width, CHUNK)", "width // CHUNK * CHUNK, CHUNK)"), "{all_tiles}", "range(0, width, CHUNK)"),
        (ONLINE.replace("width, CHUNK)", "width - CHUNK, CHUNK)"), "{all_tiles}", "range(0, width, CHUNK)"),
        (IN_PLACE, "{all_tiles}, {all_turns}", "tl.cdiv(n_cols, BLOCK_SIZE), tl.cdiv(K, BLOCK_K)"),
        ("def f(:", "{m}, {axis}, {BLOCK}", "m, axis=0, BLOCK_SIZE"),
    ],
)
def test_advice_is_in_the_words_of_the_file(source: str, text: str, said: str) -> None:
    assert spoken(text, Source(source)) == said


def test_two_candidates_are_none() -> None:
    source = f"{ONLINE}\n        other = tl.maximum(second, tl.max(piece, axis=0))\n"
    assert spoken("{m} and {m_new}", Source(source)) == "m and m_new"


def test_braces_that_name_nothing_stay() -> None:
    assert in_words("{m} and {nothing} and {}") == "m and {nothing} and {}"


def test_every_name_in_the_shipped_texts_is_known() -> None:
    mistakes = [mistake for puzzle in load_curriculum().puzzles for mistake in resolve(puzzle).mistakes]
    texts = [f"{mistake.says} {mistake.next_step}" for mistake in mistakes]
    texts += [f"{form.says} {form.next_step}" for mistake in mistakes for form in mistake.forms.values()]
    assert sum("{" in text for text in texts) > 50
    assert not [text for text in texts if "{" in in_words(text)]
    assert all(any(f"{{{word}}}" in text for text in texts) for word in WORDS)


@pytest.mark.parametrize(
    ("puzzle", "start"), [("p01", "-inf;"), ("p02", "-inf;"), ("p03", "float32"), ("p04", "float32")]
)
def test_a_maximum_starts_at_minus_infinity_where_that_is_right(puzzle: str, start: str) -> None:
    """It is not where differences of the running maximum are taken while all that was seen is -inf."""
    (file,) = (Path(__file__).parents[2] / "solutions").glob(f"{puzzle}_*.py")
    assert start in spoken("Start the maximum at {lowest}; give masked lanes -inf.", Source(file.read_text()))
