"""The line and the next step of slips that learners make: what a report says first of a solution with one of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.judge.slips import checked, first_finding
from tests.turns import part
from tritonpuzzles.results.codes import Severity

pytestmark = pytest.mark.slow

LAST_PASS = """    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        mask ="""
SECOND_SUM = """  # reads MN
        l += tl.sum("""
BACKWARDS = """    for number in range(tl.cdiv(n_cols, BLOCK_SIZE)):
        cols = (tl.cdiv(n_cols, BLOCK_SIZE) - number) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
        mask ="""
FIRST_PASS = """    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_row_ptr + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)  # reads MN
        m_new = tl.maximum(m, tl.max(x, axis=0))
        alpha = tl.exp(m - m_new)  # re-expresses the old terms relative to the new maximum
        l = l * alpha + tl.sum(tl.exp(x - m_new), axis=0)
        m = m_new
"""
COUNTED = "for i in range(0, n_cols // BLOCK_SIZE):\n        cols = i * BLOCK_SIZE + "
COUNTED_PASS = FIRST_PASS.replace("for start in range(0, n_cols, BLOCK_SIZE):\n        cols = start + ", COUNTED)
STALE = """    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_row_ptr + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        here = tl.max(x, axis=0)
        m_new = tl.maximum(m, here)
        part = tl.sum(tl.exp(x - here), axis=0)
        l = l * tl.exp(m - m_new) + part * tl.exp(here - m_new)
        m = here
"""
STORED_TILES = """        cols = (start + tl.arange(0, BLOCK_COLS))[None, :]
"""
TWO_TILES = """    for start in range(0, n_cols, 2 * BLOCK_SIZE):
        c0 = start + tl.arange(0, BLOCK_SIZE)
        c1 = c0 + BLOCK_SIZE
        x0 = tl.load(x_row_ptr + c0, mask=c0 < n_cols, other=-float("inf")).to(tl.float32)
        x1 = tl.load(x_row_ptr + c1, mask=c1 < n_cols, other=-float("inf")).to(tl.float32)
        n0 = tl.maximum(m0, tl.max(x0, axis=0))
        n1 = tl.maximum(m1, tl.max(x1, axis=0))
        l0 = l0 * tl.exp(m0 - n0) + tl.sum(tl.exp(x0 - n0), axis=0)
        l1 = l1 * tl.exp(m1 - n1) + tl.sum(tl.exp(x1 - n1), axis=0)
        m0, m1 = n0, n1
    m = tl.maximum(m0, m1)
    l = l0 * tl.exp(m0 - m) + l1
"""
ROWS = "    for row in range(first, n_rows, tl.num_programs(0)):\n        x = tl.load(x_ptr + row"
POINTERS = """    to = y_ptr + first * y_row_stride + cols
    for row in range(first, n_rows, tl.num_programs(0)):
        x = tl.load(x_ptr + row"""


@dataclass(frozen=True)
class Slip:
    """A piece of a solution that is another one, and what a report must say first.

    Attributes:
        number: of the puzzle.
        pairs: what stands there, and what is put in its place.
        code: of the finding.
        line: a piece of the line that it names.
        step: a piece of its next step.
        case: the only one that is run; all for `None`.
    """

    number: int
    pairs: tuple[tuple[str, str], ...]
    code: str
    line: str
    step: str
    case: str | None = None


DIVISION = "o = acc / l[:, None]"
STORE = "tl.store(y_ptr + row * y_row_stride + cols, y, mask=mask)"
FLOAT32 = "        x = x.to(tl.float32)\n"
TOP = "        m = tl.maximum(m, tl.max(x, axis=0))\n"
M, N = "triton.cdiv(M, BLOCK_M)", "triton.cdiv(N, BLOCK_N)"
BACK_Y = "(b.T if ctx.transpose_b else b)"
DA = "multiply(g, y.T, da.T if ctx.transpose_a else da)"
FIRST, SECOND = "if ctx.needs_input_grad[0]:", "if ctx.needs_input_grad[1]:"
AGAIN = '        x = tl.load(x_row_ptr + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)\n'
Y_MASK = "        y = tl.load(y_ptrs, mask=(ks[:, None] < left) & (cols[None, :] < N)"
INSIDE = """        inside = (ks[:, None] < left) & (cols[None, :] < M)
        y = tl.load(y_ptrs, mask=inside"""
HEAD = "    for start in range(0, n_cols, BLOCK_SIZE):\n        cols"
MOVED_FIRST = "    start = 0\n    while start < n_cols:\n        start += BLOCK_SIZE\n        cols"
SLIPS = {
    "programs counted along an axis that has one": Slip(
        6,
        (("n_rows, tl.num_programs(0)):", "n_rows, tl.num_programs(1)):"),),
        "written-twice",
        "tl.num_programs(1)",
        "Ask how many there are along axis 0",
    ),
    "two gradients for four arguments": Slip(
        8,
        (("return da, db, None, None", "return da, db"),),
        "runtime-error",
        "return da, db",
        "Return one value from backward for each argument",
    ),
    "one question for both gradients": Slip(
        8,
        (
            ("        if ctx.needs_input_grad[0]:", "        need = any(ctx.needs_input_grad)\n        if need:"),
            ("if ctx.needs_input_grad[1]:", "if need:"),
        ),
        "needless-gradient",
        "need = any(",
        "Ask ctx.needs_input_grad",
    ),
    "offsets that move before they are used": Slip(
        3,
        ((FIRST_PASS, FIRST_PASS.replace(HEAD, MOVED_FIRST)),),
        "first-tile-skipped",
        "start += BLOCK_SIZE",
        "Check up to which line the old start is needed.",
    ),
    "no warp for a short row": Slip(
        1,
        (("num_warps = min(max(BLOCK_SIZE // 512, 1), 16)", "num_warps = BLOCK_SIZE // 512"),),
        "kernel-error",
        "num_warps = BLOCK_SIZE // 512",
        "Let num_warps be 1 or more",
    ),
    "a tile loaded for the maximum, and again for the sum": Slip(
        3,
        (("        alpha = tl.exp(m - m_new)  # re", f"{AGAIN}        alpha = tl.exp(m - m_new)  # re"),),
        "too-many-loads",
        AGAIN.strip(),
        "Keep the tile of line",
    ),
    "eight queries for each program": Slip(
        5,
        (("(64, 64) if q.element_size() == 2 else (32, 32)", "(8, 64) if q.element_size() == 2 else (8, 32)"),),
        "too-many-loads",
        "(8, 64) if",
        "Make BLOCK_M larger",
    ),
    "no rows without columns": Slip(
        1,
        (
            ("if y.numel() == 0:", "if n_rows == 0:"),
            ("E = triton.next_power_of_2(n_cols)", "E = triton.next_power_of_2(n_cols) * (n_cols // n_cols)"),
        ),
        "runtime-error",
        "return y",
        "n_cols is 0: return the empty result before",
    ),
    "a sum in the dtype of x, by name": Slip(
        2,
        (
            ('    m = -float("inf")\n', '    ACC: tl.constexpr = x_ptr.dtype.element_ty\n    m = -float("inf")\n'),
            ("        l += tl.sum(tl.exp(x - m), axis=0)", "        l = (l + tl.sum(tl.exp(x - m), axis=0)).to(ACC)"),
            ("    l = 0.0\n", "    l = tl.full((), 0.0, ACC)\n"),
            ("tl.exp(x - m) / l,", "tl.exp(x - m) / l.to(tl.float32),"),
        ),
        "low-precision",
        ".to(ACC)",
        "round once, at the store",
    ),
    "a mask by the rows of another matrix": Slip(
        8,
        ((Y_MASK, INSIDE),),
        "out-of-bounds-load",
        "inside = (ks",
        "Use the size of y_ptr along that axis",
    ),
    "both gradients, whatever is asked for": Slip(
        8,
        ((FIRST, "if True:"), (SECOND, "if True:")),
        "needless-gradient",
        "",
        "Ask ctx.needs_input_grad",
    ),
    "exponentials rounded before their sum": Slip(
        1,
        (("tl.exp(x - tl.max(x, axis=0))", "tl.exp(x - tl.max(x, axis=0)).to(y_ptr.dtype.element_ty)"),),
        "low-precision",
        ".to(y_ptr.dtype",
        "Leave that conversion out",
    ),
    "masked lanes low and not low enough": Slip(
        1,
        (('mask=mask, other=-float("inf")', "mask=mask, other=-1e9"),),
        "masked-lanes-too-high",
        "other=-1e9",
        "no value is lower",
    ),
    "the last pass backwards, one tile late": Slip(
        3, ((LAST_PASS, BACKWARDS),), "wrong-values", "cols = (tl.cdiv", "Work out its first and its last value"
    ),
    "a guard that no NaN passes": Slip(
        5,
        ((DIVISION, "o = tl.where(l[:, None] > 0, acc / l[:, None], 0.0)"),),
        "nan-hidden",
        "tl.where(l[:, None] > 0",
        "NaN in, NaN out",
    ),
    "rounded before the division": Slip(
        5, ((DIVISION, "o = acc.to(q.dtype) / l[:, None]"),), "low-precision", "acc.to(q.dtype)", "let the store round"
    ),
    "one of two products in TF32": Slip(
        5,
        (('acc * alpha[:, None], input_precision="ieee")', "acc * alpha[:, None])"),),
        "tf32",
        "acc = tl.dot(p",
        'input_precision="ieee"',
    ),
    "the mask of the queries for the values": Slip(
        5,
        (("v_row_stride + dims[None, :], mask=key_mask", "v_row_stride + dims[None, :], mask=row_mask"),),
        "out-of-bounds-load",
        "mask=row_mask",
        "Check that `row_mask` tests the indices that the offsets use.",
    ),
    "a maximum kept from row to row": Slip(
        6,
        ((ROWS, f'    m = -float("inf")\n{ROWS}'), ("x - tl.max(x, axis=0)", "x - m"), (FLOAT32, f"{FLOAT32}{TOP}")),
        "state-kept-across-rows",
        'm = -float("inf")',
        "inside the loop over the rows",
    ),
    "a pointer moved on by one row": Slip(
        6,
        ((ROWS, POINTERS), (STORE, "tl.store(to, y, mask=mask)\n        to += y_row_stride")),
        "race-write-write",
        "to += y_row_stride",
        "to += tl.num_programs(0) * y_row_stride",
    ),
    "a last group as high as the others": Slip(
        7,
        (("height = min(tiles_m - first_m, GROUP_M)", "height = GROUP_M"),),
        "last-group-not-lowered",
        "height = GROUP_M",
        "",
    ),
    "a pointer moved on by columns": Slip(
        7,
        (("a_ptrs += step * stride_ak", "a_ptrs += step"),),
        "out-of-bounds-load",
        "a_ptrs += step",
        "from one tile of a_ptrs to the next",
    ),
    "truth values exchanged": Slip(
        8,
        ((FIRST, "if SECOND:"), (SECOND, FIRST), ("if SECOND:", SECOND)),
        "wrong-type",
        "if ctx.needs_input_grad[1]:",
        "place 0 is a's",
    ),
    "flags where every call overwrites them": Slip(
        8,
        (
            ("ctx.transpose_a, ctx.transpose_b = ", "Dot.transpose_a, Dot.transpose_b = "),
            ("if ctx.transpose_a else a)", "if Dot.transpose_a else a)"),
            ("if ctx.transpose_b else b)", "if Dot.transpose_b else b)"),
            ("da.T if ctx.transpose_a", "da.T if Dot.transpose_a"),
            ("db.T if ctx.transpose_b", "db.T if Dot.transpose_b"),
        ),
        "kept-outside-ctx",
        "Dot.transpose_a, Dot.transpose_b",
        "in ctx, a new object in every call",
    ),
    "a program for at most 65,535 tiles": Slip(
        0,
        (("triton.cdiv(n_elements, BLOCK_SIZE)", "min(triton.cdiv(n_elements, BLOCK_SIZE), 65535)"),),
        "unwritten-elements",
        "grid = (min(",
        "Check that the grid has programs for every tile",
    ),
    "y loaded from x": Slip(
        0, (("y = tl.load(y_ptr", "y = tl.load(x_ptr"),), "operand-taken-twice", "y = tl.load(x_ptr", "y from y_ptr"
    ),
    "terms relative to the maximum before": Slip(
        3,
        (("tl.sum(tl.exp(x - m_new), axis=0)", "tl.sum(tl.exp(x - m), axis=0)"),),
        "terms-relative-to-old-max",
        "tl.sum(tl.exp(x - m)",
        "m_new",
    ),
    "an activation by another name": Slip(
        7,
        (('if ACTIVATION == "leaky_relu"', 'if ACTIVATION == "relu"'),),
        "activation-missing",
        'if ACTIVATION == "relu"',
        "leaky_relu",
    ),
    "a state of every other tile, joined unscaled": Slip(
        3,
        (
            ("    l = 0.0\n", "    m0, m1, l0, l1 = m, m, 0.0, 0.0\n"),
            (FIRST_PASS, TWO_TILES),
        ),
        "wrong-values",
        "l = l0 * tl.exp(m0 - m) + l1",
        "Check what each term is relative to.",
    ),
    "two names at once": Slip(3, (("    l = 0.0\n", "    l = total = 0.0\n"),), "kernel-error", "l = total = 0.0", ""),
    "one of four formulas": Slip(
        8,
        ((DA, f"{DA} if not ctx.transpose_a else multiply(b, g.T, da)"),),
        "transposition-ignored",
        "multiply(b, g.T, da)",
        "by which flag",
    ),
    "a tile as long as the vector": Slip(
        0,
        (("    BLOCK_SIZE = 1024", "    BLOCK_SIZE = min(n_elements, 1024)"),),
        "kernel-error",
        "tl.arange",
        "power_of_2",
    ),
    "a sum that is kept above zero": Slip(
        3, (("tl.exp(x - m) / l,", "tl.exp(x - m) / tl.maximum(l, 1e-30),"),), "nan-hidden", "tl.maximum(l,", "NaN in"
    ),
    "one flag for both": Slip(
        8,
        ((BACK_Y, BACK_Y.replace("ctx.transpose_b", "ctx.transpose_a")),),
        "transposition-ignored",
        "multiply(g, y.T",
        "by which flag",
    ),
    "an if on the accumulator": Slip(
        7,
        (("        acc = tl.where(acc > 0, acc, 0.01 * acc)", "        if acc < 0:\n            acc = acc * 0.01"),),
        "kernel-error",
        "if acc < 0:",
        "tl.where(condition, a, b)",
    ),
    "whole tiles alone, by their number": Slip(
        3,
        ((FIRST_PASS, COUNTED_PASS),),
        "tail-skipped",
        "for i in range(0, n_cols // BLOCK_SIZE)",
        "up: range(0, tl.cdiv(n_cols, BLOCK_SIZE)).",
    ),
    "whole tiles alone, by their columns": Slip(
        3,
        ((FIRST_PASS, FIRST_PASS.replace("n_cols, BLOCK_SIZE)", "n_cols // BLOCK_SIZE * BLOCK_SIZE, BLOCK_SIZE)")),),
        "tail-skipped",
        "for start in range(0, n_cols // BLOCK_SIZE",
        "up: range(0, n_cols, BLOCK_SIZE).",
    ),
    "whole tiles of keys alone": Slip(
        5,
        (
            ("for start in range(0, n, BLOCK_N):", "for i in range(0, n // BLOCK_N):"),
            ("keys = start + tl", "keys = i * BLOCK_N + tl"),
        ),
        "last-block-skipped",
        "for i in range(0, n // BLOCK_N)",
        "up: range(0, tl.cdiv(n, BLOCK_N)), and mask",
    ),
    "whole tiles along K alone": Slip(
        7,
        (
            ("for start in range(0, K, BLOCK_K):", "for i in range(0, K // BLOCK_K):"),
            ("left = K - start", "left = K - i * BLOCK_K"),
        ),
        "last-turn-left-out",
        "for i in range(0, K // BLOCK_K)",
        "up: range(0, tl.cdiv(K, BLOCK_K)), and mask",
    ),
    "a gradient viewed in the other shape": Slip(
        8,
        (("da.T if ctx.transpose_a else da", "da.view(x.shape)"),),
        "gradient-not-turned",
        "da.view(x.shape)",
        "da or da.T, by which flag",
    ),
    "the largest of the lanes' sums": Slip(
        2,
        (
            ("    l = 0.0\n", "    lane_l = tl.zeros((BLOCK_SIZE,), tl.float32)\n"),
            ("l += tl.sum(tl.exp(x - m), axis=0)\n", "lane_l += tl.exp(x - m)\n    l = tl.max(lane_l, axis=0)\n"),
        ),
        "wrong-values",
        "l = tl.max(lane_l, axis=0)",
        "Check which function belongs there.",
    ),
    "a grid of other tiles": Slip(
        7,
        (('(M, meta["BLOCK_M"])', '(M, meta["BLOCK_N"])'), ('(N, meta["BLOCK_N"])', '(N, meta["BLOCK_M"])')),
        "unwritten-elements",
        'return (triton.cdiv(M, meta["BLOCK_N"])',
        "Check that the grid has programs for every tile",
    ),
    "tiles counted along the wrong side": Slip(
        7,
        (
            ("pid_m, pid_n = first_m + within % height, within // height", "pid_m, pid_n = SWIZZLED"),
            ("SWIZZLED", "tl.swizzle2d(pid // tiles_m, pid % tiles_m, tiles_m, tiles_n, GROUP_M)"),
        ),
        "tiles-left-out",
        "tl.swizzle2d(pid // tiles_m",
        "pid // tiles_n",
    ),
    "a grid with its axes exchanged": Slip(
        8, ((f"grid = ({M}, {N})", f"grid = ({N}, {M})"),), "unwritten-elements", "grid = (", "Exchange the axes"
    ),
    "rows that begin by the width of a tile": Slip(
        4,
        (("rows = (pid * BLOCK_ROWS +", "rows = (pid * BLOCK_COLS +"),),
        "unwritten-elements",
        "rows = (pid * BLOCK_COLS",
        "Begin at BLOCK_ROWS times",
    ),
    "a size in bytes, over four": Slip(
        0,
        (("n_elements = x.numel()", "n_elements = x.nbytes // 4"),),
        "unwritten-elements",
        "n_elements = x.nbytes // 4",
        "Follow n_elements",
    ),
    "a sum that begins anew in every iteration": Slip(
        2,
        (("        l += tl.sum(", "        l = 0.0\n        l += tl.sum("),),
        "sum-of-last-tile",
        "        l = 0.0",
        "before the loop, not in it",
    ),
    "an output in float32": Slip(
        0,
        (("z = torch.empty_like(x)", "z = torch.empty(x.shape, device=x.device)"),),
        "wrong-dtype",
        "z = torch.empty(x.shape",
        "torch.empty_like",
    ),
    "the maximum left at that of the tile": Slip(
        3, ((FIRST_PASS, STALE),), "wrong-values", "        m = here", "Check which variable belongs in place of here."
    ),
    "a last pass that begins at the number of tiles": Slip(
        2,
        ((LAST_PASS, LAST_PASS.replace("in range(0,", "in range(n_cols // BLOCK_SIZE,")),),
        "unwritten-elements",
        "range(n_cols // BLOCK_SIZE,",
        "Work out what start is in the first iteration",
    ),
    "one maximum for all queries": Slip(
        5,
        (("tl.max(s, axis=1))", "tl.max(s))"),),
        "one-max-for-the-tile",
        "m_new = tl.maximum(m, tl.max(s))",
        "Reduce along the keys only",
    ),
    "a grid over columns": Slip(
        4,
        (("triton.cdiv(n_rows, BLOCK_ROWS)", "triton.cdiv(n_cols, BLOCK_ROWS)"),),
        "unwritten-elements",
        "grid = (triton.cdiv(n_cols",
        "Check that the grid has programs for every row",
        case="1823 x 781",  # thousands of programs without a row keep a whole check until its seconds are over
    ),
    "zeros past the end in the second pass": Slip(
        2,
        (('other=-float("inf")).to(tl.float32)' + SECOND_SUM, "other=0.0).to(tl.float32)" + SECOND_SUM),),
        "masked-lanes-in-the-sum",
        "other=0.0",
        "Keep masked lanes at -inf",
    ),
    "rows along the second axis": Slip(
        1,
        (("= tl.program_id(0)", "= tl.program_id(1)"), ("grid = (n_rows,)", "grid = (1, n_rows)")),
        "grid-too-large",
        "grid = (1, n_rows)",
        "Put the rows on axis 0",
    ),
    "a truth value in the place of a text": Slip(
        7,
        (("ACTIVATION=activation)", 'ACTIVATION=activation == "leaky_relu")'),),
        "activation-missing",
        'ACTIVATION=activation == "leaky_relu")',
        "Pass the text itself as ACTIVATION",
    ),
    "columns that begin with the program's number": Slip(
        4,
        ((STORED_TILES, STORED_TILES.replace("start +", "start + tl.program_id(0) * BLOCK_COLS +")),),
        "unwritten-elements",
        "start + tl.program_id(0) * BLOCK_COLS",
        "Work out the line without it.",
    ),
}


def test_a_program_that_ends_early_is_told_of(tmp_path: Path) -> None:
    rows = "    rows = (pid * BLOCK_ROWS"
    text = "    if (pid + 1) * BLOCK_ROWS > n_rows:\n        return\n"
    finding, _ = first_finding(tmp_path, 4, (rows, f"{text}{rows}"))
    assert finding.code == "unwritten-elements"
    number = int(finding.message.partition(" Line ")[2].partition(" ")[0])
    assert (tmp_path / "slip.py").read_text().splitlines()[number - 1] == "        return"


def test_what_reads_too_often_does_not_explain_wrong_values(tmp_path: Path) -> None:
    first = """    lanes = tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_row_ptr + lanes, mask=lanes < n_cols, other=-float("inf")).to(tl.float32)
    m = tl.maximum(tl.max(x, axis=0), -3.4028234663852886e38)
    l = tl.sum(tl.exp(x - m), axis=0)
"""
    findings, lines = checked(tmp_path, 3, ("    m = -3.4028234663852886e38\n    l = 0.0\n", first))
    told = {finding.code: finding for finding in findings}
    assert told.keys() == {"too-many-loads", "wrong-values"}
    assert "leaves out" not in told["wrong-values"].message  # the loop behind that tile reads the row
    assert "with the first tile counted twice" in told["wrong-values"].message
    assert "for start in range(0, n_cols" in lines[(told["wrong-values"].line or 0) - 1]


@pytest.mark.parametrize("call", ["tl.softmax(x)", "x.softmax()"])
def test_a_pass_with_all_of_a_softmax_ready_made_has_a_note(call: str, tmp_path: Path) -> None:
    pairs = (
        ("numerator = tl.exp(x - tl.max(x, axis=0))", f"y = {call}"),
        ("    y = numerator / tl.sum(numerator, axis=0)\n", ""),
    )
    ((finding,), lines) = checked(tmp_path, 1, *pairs)
    assert (finding.code, finding.severity) == ("ready-made", Severity.NOTE)
    assert call in lines[(finding.line or 0) - 1]
    assert "tl.max, tl.exp and tl.sum" in (finding.next_step or "")


PRODUCTS = {
    "a flag of b for a": (
        DA.replace("ctx.transpose_a", "ctx.transpose_b"),
        "da is g @ b.T, the transpose of b @ g.T, ",
    ),
    "another gradient, turned": (DA.replace("g, y.T", "g.T, x"), "da is g.T @ a; g @ b.T belongs there."),
    "a factor as it is": (DA.replace("y.T", "y"), "da is g @ b; g @ b.T belongs there."),
}


@pytest.mark.parametrize("product", PRODUCTS)
def test_a_product_is_told_for_what_it_is_at_the_call_that_writes_it(product: str, tmp_path: Path) -> None:
    written, told = PRODUCTS[product]
    finding, line = first_finding(tmp_path, 8, (DA, written))
    assert told in finding.message
    assert written in line


DB = "multiply(x.T, g, db.T if ctx.transpose_b else db)"
ORDERS = {
    "the gradient of b, transposed": (
        DB,
        "g.T, x",
        "multiplies G^T X, which is (N, K), exchange its factors.",
    ),
    "the gradient of b": (DB, "g, x.T", "Exchange the factors of that launch."),
    "the gradient of a, transposed": (
        DA,
        "y, g.T",
        "multiplies Y G^T, which is (K, M), exchange its factors.",
    ),
    "the gradient of a": (DA, "y.T, g", "Exchange the factors of that launch."),
}


@pytest.mark.parametrize("order", ORDERS)
def test_factors_in_the_wrong_order_are_to_be_exchanged_as_their_shapes_tell(order: str, tmp_path: Path) -> None:
    right, factors, step = ORDERS[order]
    there = "x.T, g" if right == DB else "g, y.T"
    finding, line = first_finding(tmp_path, 8, (right, right.replace(there, factors)))
    assert factors in line
    assert "Shapes tell which factor is first: " in (finding.next_step or "")
    assert step in (finding.next_step or "")


@pytest.mark.corpus
@pytest.mark.parametrize("slip", part(list(SLIPS), in_ci=6, otherwise=1))
def test_slips_are_told_at_their_line_with_the_next_step(slip: str, tmp_path: Path) -> None:
    made = SLIPS[slip]
    finding, line = first_finding(tmp_path, made.number, *made.pairs, case=made.case)
    assert finding.code == made.code, finding.message
    assert made.line in line
    assert made.step in (finding.next_step or "")
