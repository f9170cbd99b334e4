"""Changes of launches and of lines: what is tried, for which names, in which lines, and where it is told."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tritonpuzzles.judge.diagnosis.arguments import LaunchEdit
from tritonpuzzles.judge.diagnosis.kerneltext import NameKind, kinds_of
from tritonpuzzles.judge.diagnosis.launches import launch_edits, parameters
from tritonpuzzles.judge.workers.lanes import CaseProgram
from tritonpuzzles.source import Source
from tritonpuzzles.source.passing import argument_line, grid_line
from tritonpuzzles.source.slices import slice_of

TEXT = """
@triton.jit
def kernel(x_ptr, y_ptr, x_stride, y_stride, n_rows, n_cols, scale, BLOCK: tl.constexpr):
    first = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    ok = cols < n_cols
    if first >= n_rows:
        return
    ptrs = x_ptr + first * x_stride + cols
    x = tl.load(ptrs, mask=ok) * scale
    total = tl.sum(x, axis=0)
    tl.store(y_ptr + first * y_stride + cols, x / total, mask=ok)


def launch(x, y, strides, rows):
    grid = (rows,)
    kernel[grid](x, y, *strides, rows, x.shape[1], 0.5, BLOCK=64)


def scaled(x):
    y = torch.empty_like(x)
    launch(x, y, (y.stride(0), x.stride(0)), x.shape[0])
    return y
"""
SOURCE = Source(TEXT)
INNER, OUTER = (
    number for number, line in enumerate(TEXT.splitlines(), 1) if "kernel[grid]" in line or "launch(x, y, (" in line
)


def program(rows: int, cols: int, x_stride: int, index: int = 0) -> CaseProgram:
    """Return a launch whose row strides are exchanged, and whose tile has 64 columns whatever a row has."""
    views = {"x_ptr": (rows, cols, x_stride), "y_ptr": (rows, cols, cols)}
    arguments: dict[str, Any] = {
        name: {"view": {"storage": 0, "dtype": "float32", "shape": [m, n], "stride": [step, 1], "offset": 0}}
        for name, (m, n, step) in views.items()
    }
    numbers = {"x_stride": cols, "y_stride": x_stride, "n_rows": rows, "n_cols": cols, "scale": 0.5, "BLOCK": 64}
    arguments |= {name: {"value": value} for name, value in numbers.items()}
    launch = {"kernel": 0, "arguments": arguments, "grid": [rows, 1, 1], "line": INNER, "calls": [INNER, OUTER]}
    told = {"program": {"steps": [{"launch": launch}]}, "kernels": [{"name": "kernel"}]}
    return CaseProgram(index, json.dumps(told).encode(), {"file.py": TEXT})


PROGRAMS = [program(3, 100, 110), program(5, 70, 90), program(2, 130, 131)]


def changed(edit: LaunchEdit, case: CaseProgram) -> dict[str, Any]:
    (step,) = json.loads(edit.of(case).payload)["program"]["steps"]
    found: dict[str, Any] = step["launch"]
    return found


def values(launch: dict[str, Any], *names: str) -> list[Any]:
    return [launch["arguments"][name]["value"] for name in names]


def test_each_argument_may_get_what_another_case_shows_to_be_meant() -> None:
    edits = launch_edits(PROGRAMS, SOURCE)
    assert any(
        all(
            values(changed(edit, case), "x_stride", "y_stride") == [x_stride, cols]
            for case, x_stride, cols in zip(PROGRAMS, (110, 90, 131), (100, 70, 130), strict=True)
        )
        for edit in edits
    ), "exchanged strides"
    assert any([values(changed(edit, case), "BLOCK") for case in PROGRAMS] == [[128], [128], [256]] for edit in edits)
    assert any([changed(edit, case)["grid"][0] for case in PROGRAMS] == [2, 2, 3] for edit in edits), "tiles of columns"


TURNED = """
@triton.jit
def kernel(x_ptr, stride_m, stride_k, m, k):
    rows, cols = tl.arange(0, 16), tl.arange(0, 16)
    x = tl.load(x_ptr + rows[:, None] * stride_k + cols[None, :] * stride_m)


def launch(x):
    kernel[1,](x, *x.stride(), *x.shape)
"""


def turned(strides: list[int]) -> CaseProgram:
    """Return a launch with a matrix whose rows lie apart, and with these numbers for its two strides."""
    view = {"storage": 0, "dtype": "float32", "shape": [30, 20], "stride": [21, 1], "offset": 0}
    numbers = dict(zip(("stride_m", "stride_k", "m", "k"), (*strides, 30, 20), strict=True))
    arguments = {"x_ptr": {"view": view}, **{name: {"value": value} for name, value in numbers.items()}}
    launch = {"kernel": 0, "arguments": arguments, "grid": [1, 1, 1], "line": 9, "calls": [9]}
    told = {"program": {"steps": [{"launch": launch}]}, "kernels": [{"name": "kernel"}]}
    return CaseProgram(0, json.dumps(told).encode(), {"file.py": TURNED})


def test_two_strides_of_a_tensor_are_exchanged_where_they_are_taken_for_each_other() -> None:
    """Passed in the order of the axes, it is the kernel that exchanges them; passed in another, the launch."""
    for strides, line in (([21, 1], 5), ([1, 21], 9)):
        edits = launch_edits([turned(strides)], Source(TURNED))
        (edit,) = (
            one
            for one in edits
            if "stride_m and stride_k are exchanged" in one.says or "stride_m in place of stride_k" in one.says
        )
        assert (edit.line, edit.cost < 1) == (line, True)


def test_two_strides_of_another_tensor_or_of_a_contiguous_one_become_the_tensors_own() -> None:
    says = "the strides of x_ptr"
    (edit,) = (one for one in launch_edits([turned([21, 1]), turned([20, 1])], Source(TURNED)) if says in one.says)
    assert values(changed(edit, turned([20, 1])), "stride_m", "stride_k") == [21, 1]
    assert edit.says == "stride_m and stride_k are not always the strides of x_ptr"
    assert not any(says in one.says for one in launch_edits([turned([20, 1])], Source(TURNED)))


def test_a_constant_that_a_loop_walks_by_stays_as_it_is() -> None:
    """As large as the row it would make one iteration of the loop, and hide what goes wrong in later ones."""
    walked = TEXT.replace(
        "    first = tl.program_id(0)\n",
        "    first = tl.program_id(0)\n    for start in range(0, n_cols, BLOCK): pass\n",
    )
    assert any(edit.name == "BLOCK" for edit in launch_edits(PROGRAMS, SOURCE))
    assert not any(edit.name == "BLOCK" for edit in launch_edits(PROGRAMS, Source(walked)))


def test_no_two_changes_are_alike_and_none_changes_nothing() -> None:
    edits = launch_edits(PROGRAMS, SOURCE)
    made = [tuple(edit.of(case).payload for case in PROGRAMS) for edit in edits]
    assert len(set(made)) == len(made)
    same = tuple(json.dumps(json.loads(case.payload)).encode() for case in PROGRAMS)
    assert same not in made


def test_a_change_leaves_other_launches_alone() -> None:
    edit = launch_edits(PROGRAMS, SOURCE)[0]
    elsewhere = json.loads(PROGRAMS[0].payload)
    elsewhere["program"]["steps"][0]["launch"] |= {"calls": [1], "line": 1}
    other = CaseProgram(0, json.dumps(elsewhere).encode(), {})
    assert json.loads(edit.of(other).payload) == elsewhere


def test_an_argument_is_followed_to_the_call_that_passes_it() -> None:
    assert argument_line(SOURCE, (INNER, OUTER), "x_stride") == OUTER
    assert argument_line(SOURCE, (INNER, OUTER), "scale") == INNER
    assert TEXT.splitlines()[grid_line(SOURCE, (INNER, OUTER)) - 1].strip() == "grid = (rows,)"


STARRED = """
@triton.jit
def kernel(x_ptr, x_rs, x_cs, y_ptr, y_rs, y_cs):
    tl.store(y_ptr + y_rs * 0 + y_cs, tl.load(x_ptr + x_rs * 0 + x_cs))


def launch(x, xs, y, ys):
    kernel[(1,)](x, *xs, y, *ys)


def host(x, y):
    taken = (y.stride(0), 1)
    launch(x, x.stride(), y, taken)
    launch(y, taken, x, x.stride())
"""


def test_starred_arguments_are_taken_as_equally_long() -> None:
    texts = ("kernel[", "taken = (", "launch(x, x.")
    inner, made, outer = (1 + STARRED[: STARRED.index(text)].count("\n") for text in texts)
    source = Source(STARRED)
    assert argument_line(source, (inner, outer), "x_cs") == outer
    assert argument_line(source, (inner, outer), "y_rs") == outer
    assert argument_line(source, (inner, outer), "y_rs", everywhere=True) == made
    assert argument_line(source, (inner, outer + 1), "x_rs", everywhere=True) == made


@pytest.mark.parametrize(
    ("host", "line"),
    [
        ("def host(x):\n    if x.shape not in KEPT:\n        KEPT[x.shape] = x.stride()", 3),
        ("def host(x):\n    key = x.shape\n    KEPT[key] = x.stride()", 2),
        ("@functools.lru_cache\ndef plan(shape):\n    return 1", 2),
        ("def host(x):\n    return x.stride()", None),
        ("def host(x):\n    KEPT[x.shape] = 1\n    MORE[x.dtype] = 2", None),
    ],
)
def test_where_the_host_keeps_values_by_a_key(host: str, line: int | None) -> None:
    assert Source(host).host.kept_at == line


def test_what_names_stand_for() -> None:
    (kernel,) = SOURCE.kernels
    kinds = kinds_of(kernel, parameters(PROGRAMS)["kernel"])
    pointers = {name for name, kind in kinds.items() if kind is NameKind.POINTER}
    assert pointers == {"x_ptr", "y_ptr", "ptrs"}
    assert {kinds[name] for name in ("first", "cols", "x_stride", "n_cols", "BLOCK")} == {NameKind.WHOLE}
    assert {kinds[name] for name in ("x", "total", "scale")} == {NameKind.NUMBER}
    assert kinds["ok"] is NameKind.MASK


def test_a_place_depends_on_no_number_that_is_stored() -> None:
    lines = TEXT.splitlines()
    store = next(number for number, line in enumerate(lines, 1) if "tl.store" in line)
    suspects = {lines[number - 1].strip() for number in slice_of(SOURCE, store)}
    assert {"first = tl.program_id(0)", "cols = tl.arange(0, BLOCK)", "ok = cols < n_cols"} <= suspects
    assert "if first >= n_rows:" in suspects, "a program that returns stores nothing"
    assert not any("tl.sum" in line or "tl.load" in line for line in suspects)
    assert slice_of(SOURCE, 1) == frozenset()
