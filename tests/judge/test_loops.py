"""What the text of a kernel says of its loops: which stand still, and which alone decide who stores what."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tritonpuzzles.curriculum.mistakes import Mistake
from tritonpuzzles.judge.verdict.advice import line_of, rules_out, still_loops
from tritonpuzzles.judge.verdict.kernels import at_the_loop
from tritonpuzzles.results.check import Finding
from tritonpuzzles.source import Source, source_of

ROWS = """
@triton.jit
def kernel(x_ptr, y_ptr, n_rows, n_cols, stride, BLOCK: tl.constexpr):
    first = tl.program_id(0).to(tl.int64)
    share = tl.cdiv(n_rows, tl.num_programs(0))
    cols = tl.arange(0, BLOCK)
    for row in RANGE:
        x = tl.load(x_ptr + row * stride + cols)
        tl.store(y_ptr + row * stride + cols, x)
"""
STORE = 9


def is_left_where_it_is(finding: Finding, file: Source) -> bool:
    """Return whether nothing is blamed on the loop around a finding: at most its range is told."""
    told = at_the_loop(finding, file)
    return told.message.startswith(finding.message) and replace(told, message=finding.message) == finding


def walk(before: str, body: str, over: str = "range(0, n, BLOCK)") -> Source:
    lines = ["@triton.jit", "def kernel(x_ptr, n, BLOCK: tl.constexpr):", "    offs = tl.arange(0, BLOCK)"]
    lines += [f"    {before}", f"    for start in {over}:", *(f"        {line}" for line in body.split("; "))]
    return Source("\n".join(lines))


@pytest.mark.parametrize(
    ("before", "body", "still"),
    [
        ("m = 0.0", "x = tl.load(x_ptr + offs); m = tl.maximum(m, x)", True),
        ("m = 0.0", "cols = tl.arange(0, BLOCK); x = tl.load(x_ptr + cols, mask=cols < n)", True),
        ("m = 0.0", "cols = start + offs; x = tl.load(x_ptr + offs, mask=cols < n)", True),
        ("m = 0.0", "cols = start + offs; x = tl.load(x_ptr + cols)", False),
        ("ptrs = x_ptr + offs", "x = tl.load(ptrs); ptrs += BLOCK", False),
        ("ptrs = x_ptr + offs", "x = tl.load(ptrs); ptrs = ptrs + BLOCK", False),
        ("ptrs = x_ptr + offs", "x = tl.load(ptrs); other = ptrs + BLOCK", True),
        ("m = 0.0", "m += 1", None),
    ],
)
def test_which_loop_stands_still(before: str, body: str, still: bool | None) -> None:
    file = walk(before, body)
    assert [loop.is_still for loop in file.walks] == ([] if still is None else [still])
    overlap = Mistake("tiles-overlap", "It is.", "Mend it.", (), (), moving=True)
    assert rules_out(file, overlap) == bool(still)
    sentence = " No address in the loop of line 5 depends on start." if still else ""
    assert still_loops(file) == sentence


@pytest.mark.parametrize(
    ("before", "over", "early"),
    [
        ("m = 0.0", "range(0, tl.cdiv(n, BLOCK), BLOCK)", True),
        ("tiles = (n + BLOCK - 1) // BLOCK", "range(0, tiles, BLOCK)", True),
        ("m = 0.0", "range(0, tl.cdiv(n, BLOCK))", False),  # iterations are counted
        ("m = 0.0", "range(0, tl.cdiv(n, BLOCK) * BLOCK, BLOCK)", False),  # columns are
        ("m = 0.0", "range(0, n, BLOCK)", False),
        ("pid = tl.program_id(0)", "range(pid, tl.cdiv(n, BLOCK), tl.num_programs(0))", False),  # tiles are shared out
        ("tiles = tiles", "range(0, tiles, BLOCK)", False),
    ],
)
def test_a_loop_that_ends_at_a_number_of_tiles_has_none_that_overlap(before: str, over: str, early: bool) -> None:
    file = walk(before, "cols = start + offs; x = tl.load(x_ptr + cols)", over)
    assert [loop.ends_early for loop in file.walks] == [early]
    overlap = Mistake("tiles-overlap", "It is.", "Mend it.", (), (), moving=True)
    assert rules_out(file, overlap) == early


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("cols = tl.arange(0, BLOCK); x = tl.load(x_ptr + cols)", 9),  # in the loop that stands still
        ("tl.store(x_ptr + offs, 0.0)", 8),  # its `for`, where nothing in it looks like the mistake
        ("cols = start + offs; x = tl.load(x_ptr + offs); tl.store(y_ptr + cols, x)", 10),  # a load that stays
        ("cols = start + offs; x = tl.load(x_ptr + cols)", 7),  # nothing does: the first load
    ],
)
def test_a_loop_that_stands_still_is_pointed_at(body: str, line: int) -> None:
    file = walk("m = 0.0", "cols = start + offs; x = tl.load(x_ptr + cols)")
    text = file.text + "\n    for start in range(0, n, BLOCK):"
    file = Source("\n".join([text, *(f"        {part}" for part in body.split("; "))]))
    patterns = (r"^\s{8,}\w+\s*=\s*tl\.arange\(", r"tl\.load\(")
    still = Mistake("first-tile-only", "It is.", "Mend it.", patterns, (), still=True)
    assert line_of(file, still) == line


def test_a_variable_without_a_name_is_not_spoken_of() -> None:
    file = walk("m = 0.0", "x = tl.load(x_ptr + offs)", "range(0, n, BLOCK)")
    assert still_loops(Source(file.text.replace("for start", "for _"))) == " No address in the loop of line 5 changes."


def test_a_file_that_python_cannot_read_has_no_loops() -> None:
    assert Source("def (").loops == []
    assert Source("x = '\0'").loops == []
    assert source_of(b"\xff").loops == []
    assert Source(f"def f(x: {'a.' * 2000}a): pass").functions == []  # too deep to be spelled


@pytest.mark.parametrize(
    ("over", "why", "step"),
    [
        ("range(first, n_rows)", "has the step 1.", "range(first, n_rows, tl.num_programs(0))"),
        ("range(first, n_rows, BLOCK)", "has the step BLOCK.", "range(first, n_rows, tl.num_programs(0))"),
        (
            "range(0, n_rows, tl.num_programs(0))",
            "has the same iterations in every program.",
            "range(tl.program_id(0), n_rows, tl.num_programs(0))",
        ),
    ],
)
def test_who_stores_what_is_told_of_at_the_range(over: str, why: str, step: str) -> None:
    file = Source(ROWS.replace("RANGE", over))
    found = Finding("written-twice", "Twice.", line=STORE, next_step="Check.", details={"other_program": [1, 0, 0]})
    placed = at_the_loop(found, file)
    assert placed.line == 7
    assert why in placed.message
    assert placed.message.endswith(" Twice.")
    assert placed.next_step is not None
    assert step in placed.next_step


@pytest.mark.parametrize(
    "finding",
    [
        Finding("written-twice", "Twice.", line=STORE, details={}),  # by one program
        Finding("written-twice", "Twice.", line=STORE - 1, details={"other_program": [1, 0, 0]}),  # another line
        Finding("too-many-stores", "Too many.", line=STORE, details={"other_program": [1, 0, 0]}),
    ],
)
def test_what_the_range_does_not_decide_stays_where_it_is(finding: Finding) -> None:
    assert is_left_where_it_is(finding, Source(ROWS.replace("RANGE", "range(first, n_rows)")))


@pytest.mark.parametrize(
    "over",
    [
        "range(first, n_rows, tl.num_programs(0))",  # the columns may reach into other rows
        "range(first, n_rows, n_programs)",
        "range(first * share, n_rows)",
    ],
)
def test_a_range_that_may_be_right_is_not_blamed(over: str) -> None:
    found = Finding("written-twice", "Twice.", line=STORE, details={"other_program": [1, 0, 0]})
    assert is_left_where_it_is(found, Source(ROWS.replace("RANGE", over)))


@pytest.mark.parametrize(
    ("over", "begins"),
    [
        ("range(first, n_rows)", True),
        ("range(first * BLOCK, n_rows, BLOCK)", True),
        ("range(first * share, n_rows, BLOCK)", False),
        ("range(first + 1, n_rows)", False),
        ("range(first + BLOCK, n_rows, BLOCK)", False),
    ],
)
def test_a_loop_begins_at_the_programs_number_as_it_is_or_times_the_step(over: str, begins: bool) -> None:
    (loop,) = Source(ROWS.replace("RANGE", over)).walks
    assert loop.at_program is begins


def test_a_while_loop_begins_at_no_programs_number() -> None:
    text = ROWS.replace("for row in RANGE:", "row = first\n    while row < n_rows:")
    loops = [loop for loop in Source(text).loops if not loop.bounds]
    assert [loop.at_program for loop in loops] == [False]


def test_a_loop_over_columns_does_not_share_rows_out() -> None:
    inner = """
    for row in range(first, n_rows, tl.num_programs(0)):
        for start in range(0, n_cols, BLOCK):
            tl.store(y_ptr + row * stride + start + cols, 0.0)
"""
    file = Source(ROWS.split("    for")[0].rstrip() + inner)
    line = len(file.text.splitlines())
    assert [loop.rules for loop in file.walks] == [frozenset({line}), frozenset()]
    found = Finding("written-twice", "Twice.", line=line, details={"other_program": [1, 0, 0]})
    assert is_left_where_it_is(found, file)


def test_a_store_that_depends_on_the_program_otherwise_stays_where_it_is() -> None:
    text = ROWS.replace("RANGE", "range(first, n_rows)").replace("y_ptr + row", "y_ptr + (row + first)")
    found = Finding("written-twice", "Twice.", line=STORE, details={"other_program": [1, 0, 0]})
    assert is_left_where_it_is(found, Source(text))


@pytest.mark.parametrize("code", ["out-of-bounds-load", "written-twice"])
def test_the_range_that_shares_rows_out_is_told(code: str) -> None:
    file = Source(ROWS.replace("RANGE", "range(first, n_cols, tl.num_programs(0))"))
    told = at_the_loop(Finding(code, "Outside.", line=STORE), file)
    shared = "range(tl.program_id(0).to(tl.int64), n_cols, tl.num_programs(0))"
    assert told.message == f"Outside. The loop around it, in line {STORE - 2}, is {shared}."
    assert told.line == STORE


def test_rows_that_nothing_writes_are_told_of_at_that_loop() -> None:
    file = Source(ROWS.replace("RANGE", "range(first, n_rows - 1, tl.num_programs(0))"))
    told = at_the_loop(Finding("unwritten-elements", "Row 8.", line=STORE), file)
    assert told.line == STORE - 2
    assert "n_rows - 1" in told.message


def test_programs_of_an_axis_that_the_grid_has_not() -> None:
    file = Source(ROWS.replace("RANGE", "range(tl.program_id(0), n_rows, tl.num_programs(1))"))
    told = at_the_loop(Finding("written-twice", "Twice.", line=STORE, details={"other_program": [1, 0, 0]}), file)
    assert "along another axis there is one program" in told.message
    assert told.line == STORE - 2
