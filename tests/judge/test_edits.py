"""What edits can make of a kernel, and what they leave alone."""

from __future__ import annotations

import ast

import pytest

from tritonpuzzles.judge.diagnosis.edits import edits
from tritonpuzzles.judge.diagnosis.kerneltext import NameKind
from tritonpuzzles.source import Source

RIGHT = """
@triton.jit
def kernel(x_ptr, w_ptr, y_ptr, stride, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = 0.0
    m = 0.0
    x_ptrs = x_ptr + row * stride + tl.arange(0, BLOCK)
    w_ptrs = w_ptr + tl.arange(0, BLOCK)
    for k in range(0, tl.cdiv(n, BLOCK)):
        cols = k * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptrs, mask=cols < n)
        w = tl.load(w_ptrs, mask=cols < n)
        m = tl.maximum(m, tl.max(x))
        total += tl.sum(x * w - w * w)
        x_ptrs += BLOCK
        w_ptrs += BLOCK
    tl.store(y_ptr + row, tl.sqrt(total + eps) + m)
"""
GIVEN = {"kernel": dict.fromkeys(("x_ptr", "w_ptr", "y_ptr"), NameKind.POINTER)}
LACKS = [
    ("total + eps)", "total)", "`eps` is never used"),
    ("total + eps)", "total + 1e-6)", "a number is in its place"),
    ("tl.sqrt(total + eps) + m", "tl.sqrt(total) + eps + m", "is outside of"),
    ("total += ", "total = ", "each iteration overwrites `total`"),
    ("tl.maximum(m, tl.max(x))", "tl.max(x)", "the value of `m` from before line 13 is lost"),
    ("        w_ptrs += BLOCK\n", "", "`w_ptrs` does not move"),
    ("tl.cdiv(n, BLOCK)", "n // BLOCK", "the remainder of the division"),
    ("x * w - w * w", "w * x - x * x", "are exchanged"),
    ("eps) + m", "eps)", "lacks a term"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("right", "wrong", "says"), LACKS, ids=[says for _, _, says in LACKS])
def test_what_is_wrong_can_be_put_right_and_is_said(right: str, wrong: str, says: str) -> None:
    assert RIGHT.count(right) == 1
    text = RIGHT.replace(right, wrong)
    found = [edit for edit in edits(Source(text), GIVEN) if _form(edit.of(text)) == _form(RIGHT)]
    assert any(says in edit.says for edit in found), [edit.says for edit in found]


WALKING = """
@triton.jit
def kernel(x_ptr, y_ptr, stride, n_rows, n_cols, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    tiles = tl.cdiv(n_cols, BLOCK)
    first = pid * GROUP
    height = tl.minimum(GROUP, tiles - first)
    best = tl.full((BLOCK,), float("-inf"), tl.float32)
    for row in range(pid, n_rows, (1) * tl.num_programs(0)):
        for half in range(2):
            cols = (tl.cast(height, tl.int64) * 2) + half
            x_row = (x_ptr + (row * stride))
            offsets = ((tl.cast(cols, tl.int64) * BLOCK) + tl.arange(0, BLOCK))
            x = tl.load((x_ptr + (row * stride)) + offsets)
            best = tl.maximum(best, tl.where(offsets < n_cols, x, float("-inf")))
            tl.store(y_ptr + row, min(tl.max(best), 1))
"""
WALKS = [
    ("tl.minimum(GROUP, tiles - first)", "GROUP", "every group has GROUP"),
    ('tl.full((BLOCK,), float("-inf"), tl.float32)', "tl.zeros((BLOCK,), tl.float32)", "starts at 0"),
    ("n_rows, (1) * tl.num_programs(0))", "n_rows, 1)", "is the part of one program"),
    ("(tl.cast(height, tl.int64) * 2) + half", "height + half", "is added to offsets of 2 numbers"),
    ("(tl.cast(cols, tl.int64) * BLOCK) + tl", "cols + tl", "is added to offsets of BLOCK numbers"),
    ('x, float("-inf")))', "x, 0.0))", "lanes that tl.where leaves out"),
    ("min(tl.max", "max(tl.max", "is the wrong function"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("right", "wrong", "says"), WALKS, ids=[says for _, _, says in WALKS])
def test_how_a_kernel_walks_can_be_put_right(right: str, wrong: str, says: str) -> None:
    assert WALKING.count(right) == 1
    text = WALKING.replace(right, wrong)
    given = {"kernel": dict.fromkeys(("x_ptr", "y_ptr"), NameKind.POINTER)}
    found = [edit for edit in edits(Source(text), given) if _form(edit.of(text)) == _form(WALKING)]
    assert any(says in edit.says for edit in found), [edit.says for edit in found]


VALUES = """
@triton.jit
def kernel(x_ptr, w_ptr, b_ptr, y_ptr, k_ptr, n, eps, BLOCK: tl.constexpr):
    best = -float("inf")
    k = 0
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols, mask=cols < n, other=-float("inf"))
        top, place = tl.max(x, axis=0, return_indices=True)
        k = tl.where(top > best, (start + place), k)
        best = tl.maximum(best, top)
    lanes = tl.arange(0, BLOCK)
    w = tl.load(w_ptr + lanes, mask=lanes < n)
    b = tl.load(b_ptr + lanes, mask=lanes < n)
    mean = tl.sum(tl.where(lanes < n, w - best, 0.0)) / n
    y = w * tl.exp(-(b)) / (tl.sqrt((mean / n + (eps))))
    tl.store(y_ptr + lanes, y, mask=lanes < n)
    tl.store(k_ptr, k)
"""
OF_VALUES = [
    ("(start + place)", "place", "counts from the start of its tile"),
    ("top > best", "top >= best", "the comparison in"),
    ("tl.where(lanes < n, w - best, 0.0)", "w - best", "masked-off lanes enter"),
    ("tl.exp(-(b))", "tl.exp(b)", "the sign of `b` is wrong"),
    ("tl.sqrt((mean / n + (eps)))", "(mean / n + (eps))", "lacks its square root"),
    ("mean / n + (eps)", "(mean + eps) / n", "applies to both terms"),
    ("mean / n + (eps)", "tl.maximum(mean / n, eps)", "adds nothing"),
    ("(mean / n + ", "(mean / (BLOCK * BLOCK) + ", "is the wrong size"),
    ("b_ptr + lanes", "b_ptr + cols", "is used where line"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("right", "wrong", "says"), OF_VALUES, ids=[says for _, _, says in OF_VALUES])
def test_what_a_kernel_computes_can_be_put_right(right: str, wrong: str, says: str) -> None:
    assert VALUES.count(right) == 1
    text = VALUES.replace(right, wrong)
    kinds = dict.fromkeys(("x_ptr", "w_ptr", "b_ptr", "y_ptr", "k_ptr"), NameKind.POINTER)
    given = {"kernel": {**kinds, "n": NameKind.WHOLE, "BLOCK": NameKind.WHOLE, "eps": NameKind.NUMBER}}
    found = [edit for edit in edits(Source(text), given) if _form(edit.of(text)) == _form(VALUES)]
    assert any(says in edit.says for edit in found), [edit.says for edit in found]


TILED = """
@triton.jit
def kernel(x_ptr, y_ptr, out_ptr, stride_xm, stride_xk, stride_yk, stride_yn, m, n, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    row, last = tl.program_id(0), tl.num_programs(0) - 1
    tile_m, tile_n = tl.swizzle2d(row, row, m, n, 4)
    xs = x_ptr + tile_m * stride_xm + lanes * stride_xk
    ys = y_ptr + lanes * stride_yk + tile_n * stride_yn
    for t in range(0, n):
        near = row + (tl.cast(t, tl.int64) * BLOCK) + lanes
        far = near + BLOCK
        x = tl.load(xs + near, mask=near < n)
        y = tl.load(ys + far, mask=far < n)
        top = tl.max(x[None, :] + y[:, None])
        tl.store(out_ptr + (row + tl.num_programs(0)) * stride_xm + near, x - top, mask=near < n)
        xs += BLOCK * stride_xk
        ys += BLOCK * stride_yk
"""
OF_TILES = [
    ("m, n, 4)", "n, m, 4)", "are exchanged in"),
    ("(tl.cast(t, tl.int64) * BLOCK)", "t", "`t` is added to offsets of BLOCK numbers"),
    ("mask=far < n", "mask=near < n", "the mask compares `near`, and the address has `far`"),
    ("tl.max(x[None, :] + y[:, None])", "tl.max(x[None, :] + y[:, None], axis=0)[None, :]", "is along one axis only"),
    ("row + tl.num_programs(0)", "row + 1", "is the next program's part"),
    ("ys += BLOCK * stride_yk", "ys += BLOCK * stride_yn", "`ys` does not move as `xs` does"),
]


@pytest.mark.parametrize(("right", "wrong", "says"), OF_TILES, ids=[says for _, _, says in OF_TILES])
def test_where_tiles_lie_can_be_put_right(right: str, wrong: str, says: str) -> None:
    assert TILED.count(right) == 1
    text = TILED.replace(right, wrong)
    numbers = dict.fromkeys(("stride_xm", "stride_xk", "stride_yk", "stride_yn", "m", "n", "BLOCK"), NameKind.WHOLE)
    given = {"kernel": {**dict.fromkeys(("x_ptr", "y_ptr", "out_ptr"), NameKind.POINTER), **numbers}}
    found = [edit for edit in edits(Source(text), given) if _form(edit.of(text)) == _form(TILED)]
    assert any(says in edit.says for edit in found), [edit.says for edit in found]


def test_addresses_and_masks_are_no_terms() -> None:
    given = {"kernel": dict.fromkeys(("x_ptr", "w_ptr", "b_ptr", "y_ptr", "k_ptr"), NameKind.POINTER)}
    added = [edit.new for edit in edits(Source(VALUES), given) if edit.says.endswith("lacks a term")]
    assert added
    assert not any("_ptr)" in text or text.endswith(("_ptr", "lanes", "cols")) for text in added)


def test_a_place_that_adds_up_is_given_another_name_in_all_that_follows() -> None:
    text = """
@triton.jit
def kernel(x_ptr, y_ptr, stride, n_rows):
    for row in range(tl.program_id(0), n_rows, tl.num_programs(0)):
        x_ptr += row * stride
        x = tl.load(x_ptr)
        tl.store(y_ptr + row, x + tl.load(x_ptr + 1))
"""
    given = {"kernel": dict.fromkeys(("x_ptr", "y_ptr"), NameKind.POINTER)}
    (edit,) = (edit for edit in edits(Source(text), given) if "continues from its value" in edit.says)
    changed = edit.of(text)
    assert edit.line == 5
    assert "pass" in changed
    assert "tl.load((x_ptr + (row * stride)))" in changed
    assert "tl.load((x_ptr + (row * stride)) + 1)" in changed


def test_what_stands_too_early_is_done_at_the_end() -> None:
    text = """
@triton.jit
def kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    m = -float("inf")
    l = 0.0
    for start in range(0, n, BLOCK):
        x = tl.load(x_ptr + start + tl.arange(0, BLOCK))
        new = tl.maximum(m, tl.max(x))
        m = new
        p = tl.exp(x - new)
        l = l * tl.exp(m - new) + tl.sum(p)
    tl.store(y_ptr, l)
"""
    (edit,) = (edit for edit in edits(Source(text)) if "before line 11 has read the old one" in edit.says)
    changed = edit.of(text).splitlines()
    assert (edit.line, edit.order) == (9, True)
    assert changed[8] == "        pass"
    assert changed[10].endswith("+ tl.sum(p); m = new")
    assert len(changed) == len(text.splitlines())


def test_a_pointer_may_begin_where_another_one_does() -> None:
    text = """
@triton.jit
def kernel(x_ptr, y_ptr, stride, BLOCK: tl.constexpr):
    first = x_ptr + tl.program_id(0) * stride
    out = y_ptr + tl.program_id(0) * stride
    second = x_ptr
    tl.store(out, tl.load(first) + tl.load(second))
"""
    given = {"kernel": dict.fromkeys(("x_ptr", "y_ptr"), NameKind.POINTER)}
    found = [edit for edit in edits(Source(text), given) if edit.says == "`second` does not start where `first` starts"]
    assert [edit.of(text).splitlines()[5] for edit in found] == ["    second = x_ptr + tl.program_id(0) * stride"]
    assert not any("`out` does not start" in edit.says for edit in edits(Source(text), given))


def test_programs_that_share_rows_take_what_the_division_leaves_over() -> None:
    text = """
@triton.jit
def kernel(y_ptr, n_rows):
    me = tl.program_id(0)
    for turn in range(n_rows // tl.num_programs(0)):
        tl.store(y_ptr + me + turn * tl.num_programs(0), 1.0)
"""
    found = [edit.new for edit in edits(Source(text)) if "the remainder" in edit.says]
    assert found == ["tl.cdiv(n_rows, tl.num_programs(0))", "tl.cdiv(n_rows - me, tl.num_programs(0))"]


SEVERAL = """
@triton.jit
def turned(x_ptr, stride, n, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, BLOCK)[:, None] * stride + tl.arange(0, BLOCK)[None, :])
    return tl.trans(x)


@triton.jit
def kernel(x_ptr, y_ptr, x_stride, y_stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    part = tl.program_id(1)
    x_ptrs = x_ptr + row * x_stride
    y_ptrs = y_ptr + row * y_stride
    a = tl.load(x_ptrs)
    b = tl.load(x_ptrs + part)
    m = tl.max(tl.load(x_ptrs), axis=0)
    if part > 0:
        m = tl.maximum(m, tl.max(b, axis=0))
    for k in range(n):
        tl.store(y_ptrs, m)
        x_ptrs += part * x_stride
        y_ptrs += part * y_stride
    of_a = tl.exp(a - m)
    of_b = tl.exp(b - m)
    l = a * of_a + b * of_b
    tl.store(y_ptr, l)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("right", "wrong", "says", "order"),
    [
        ("row = tl.program_id(0)\n    part = tl.program_id(1)", "row = tl.program_id(1)\n    part = tl.program_id(0)",
         "the axes of tl.program_id are exchanged", False),
        ("tl.trans(x)", "tl.reshape(x, (BLOCK, BLOCK))", "`tl.reshape` keeps the order of the elements", False),
        ("tl.load(x_ptrs + part)", "tl.trans(tl.load(x_ptrs + part))", "`tl.trans` should not be in", False),
        ("m = tl.maximum(m, tl.max(b, axis=0))", "m = tl.max(b, axis=0)", "the value of `m` from before", True),
        ("y_ptrs += part * y_stride", "y_ptrs += y_stride", "`y_ptrs` does not move as `x_ptrs` does", False),
        ("a * of_a + b * of_b", "a + b", "the terms of `a + b` lack their factors", False),
    ],
)  # fmt: skip
def test_what_is_wrong_beside_another_line_can_be_put_right(right: str, wrong: str, says: str, order: bool) -> None:
    assert SEVERAL.count(right) == 1
    text = SEVERAL.replace(right, wrong)
    given = {"kernel": dict.fromkeys(("x_ptr", "y_ptr"), NameKind.POINTER)}
    found = [edit for edit in edits(Source(text), given) if _form(edit.of(text)) == _form(SEVERAL)]
    assert any(says in edit.says and edit.order is order for edit in found), [edit.says for edit in found]
    lines = range(*(text[: text.index(wrong) + size].count("\n") + 1 for size in (0, len(wrong))))
    assert {edit.line for edit in found} <= {*lines, lines.stop}


PASSES = """
@triton.jit
def kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    block = tl.num_programs(0) - tl.program_id(0) - 1
    rows = tl.program_id(0) + tl.arange(0, BLOCK) * tl.num_programs(0)
    m = -float("inf")
    l = 0.0
    start = 0
    while start < n:
        x = tl.load(x_ptr + rows + start)
        tile = tl.max(x)
        if tile > m:
            m = tile
        start += BLOCK
    start = 0
    while start < n:
        l += tl.sum(tl.exp(tl.load(x_ptr + block + start) - m))
        start += BLOCK
    tl.store(y_ptr + rows, l)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("right", "wrong", "says"),
    [
        (" - tl.program_id(0) - 1", " - tl.program_id(0)", "begins one too late"),
        ("BLOCK) * tl.num_programs(0)", "BLOCK) * BLOCK", "not as many as there are programs"),
        ("tile > m:", "tile > l:", "is the wrong variable in the condition"),
        (
            "    start = 0\n    while start < n:\n        l",
            "    while start < n:\n        l",
            "is not set back to its start",
        ),
    ],
)
def test_passes_and_programs_can_be_put_right(right: str, wrong: str, says: str) -> None:
    assert PASSES.count(right) == 1
    text = PASSES.replace(right, wrong)
    found = [edit for edit in edits(Source(text), GIVEN) if _form(edit.of(text)) == _form(PASSES)]
    assert any(says in edit.says for edit in found), [edit.says for edit in found]


PARTS = """
@triton.jit
def kernel(x_ptr, y_ptr, n, tiles):
    for tile in range(tl.program_id(0), n, tl.num_programs(0)):
        m = -float("inf")
        row, col = tile // tiles, tile % tiles
        m = tl.maximum(m, tl.load(x_ptr + row * tiles + col))
        tl.store(y_ptr + tile, m)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("right", "wrong", "says"),
    [
        ("tile // tiles, tile % tiles", "tile % tiles, tile // tiles", "are exchanged"),
        ("    for tile in range(tl.program_id(0), n, tl.num_programs(0)):\n        m = -float(\"inf\")\n",
         "    m = -float(\"inf\")\n    for tile in range(tl.program_id(0), n, tl.num_programs(0)):\n",
         "and not again in each iteration"),
    ],
)  # fmt: skip
def test_the_parts_of_a_program_can_be_put_right(right: str, wrong: str, says: str) -> None:
    assert PARTS.count(right) == 1
    found = [edit for edit in edits(Source(PARTS.replace(right, wrong)), GIVEN) if says in edit.says]
    texts = [edit.of(PARTS.replace(right, wrong)) for edit in found]
    begun = 'm = -float("inf"); row, col'  # set again in the loop
    assert any(begun in text or _form(text) == _form(PARTS) for text in texts), texts


def test_what_is_stored_is_no_place() -> None:
    stores = [edit for edit in edits(Source(RIGHT), GIVEN) if "tl.sqrt(total" in RIGHT.splitlines()[edit.line - 1]]
    inside = [edit for edit in stores if "total" in RIGHT[edit.start : edit.end]]
    assert inside
    assert not any(edit.place for edit in inside if "y_ptr" not in RIGHT[edit.start : edit.end])


def test_pointers_and_what_is_not_known_yet_stand_for_no_other_name() -> None:
    for edit in edits(Source(RIGHT), GIVEN):
        old = RIGHT[edit.start : edit.end]
        assert old not in ("x_ptr", "w_ptr", "y_ptr") or edit.new.endswith(("_ptr", "_ptrs")), edit
        assert edit.new != "total" or edit.line > RIGHT.splitlines().index("    total = 0.0") + 1, edit


def _form(text: str) -> str:
    """Return a text without what it does not mean: parentheses, and the order of terms and factors."""
    return str(_sorted(ast.parse(text)))


def _sorted(node: object) -> object:
    if isinstance(node, list):
        return [_sorted(one) for one in node]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mult):
        return type(node.op), sorted(str(_sorted(one)) for one in (node.left, node.right))
    return (type(node), [_sorted(value) for _, value in ast.iter_fields(node)]) if isinstance(node, ast.AST) else node
