"""The model over real kernels, interpreted: what their second passes find, and in which order programs should run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch
import triton
import triton.language as tl

from tests.interpreter.zoo.softmax import one_tile, online, three_passes
from tritonpuzzles.engine.cached import Setting, behind, in_launch_order
from tritonpuzzles.engine.interpreter import LaunchTrace, Tracer
from tritonpuzzles.hardware.l2 import USABLE, USUAL
from tritonpuzzles.results.traffic import CacheTraffic


@triton.jit
def ordered_matmul(a_ptr, b_ptr, c_ptr, N, BLOCK: tl.constexpr, GROUP: tl.constexpr):
    """c = a @ b for (N, N) matrices; tiles of c in groups of GROUP rows of tiles, down the columns of a group."""
    pid = tl.program_id(0)
    tiles = tl.cdiv(N, BLOCK)
    in_group = GROUP * tiles
    first = pid // in_group * GROUP
    pid_m = first + pid % GROUP
    pid_n = pid % in_group // GROUP
    rows = pid_m * BLOCK + tl.arange(0, BLOCK)[:, None]
    cols = pid_n * BLOCK + tl.arange(0, BLOCK)[None, :]
    k = tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK, BLOCK), tl.float32)
    for start in range(0, N, BLOCK):
        a = tl.load(a_ptr + rows * N + start + k[None, :])
        b = tl.load(b_ptr + (start + k[:, None]) * N + cols)
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + rows * N + cols, acc)


@triton.jit
def one_column(x_ptr, y_ptr, n_rows: tl.constexpr, n_cols):
    """Copy column `tl.program_id(0)`, transposed: every element read lies in a sector of its own."""
    rows = tl.arange(0, n_rows)
    pid = tl.program_id(0)
    tl.store(y_ptr + pid * n_rows + rows, tl.load(x_ptr + rows * n_cols + pid))


@triton.jit
def one_tile_of(x_ptr, y_ptr, N: tl.constexpr, BLOCK: tl.constexpr, TURNED: tl.constexpr):
    """Copy tile `tl.program_id(0)` of (N, BLOCK) elements, held as it lies in memory or turned around."""
    rows, cols = tl.arange(0, N), tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    at = rows[None, :] * 4 * BLOCK + cols[:, None] if TURNED else rows[:, None] * 4 * BLOCK + cols[None, :]
    tl.store(y_ptr + at, tl.load(x_ptr + at))


def traced(launch: Callable[[], object]) -> LaunchTrace:
    with Tracer(footprints=True) as tracer:
        launch()
    return tracer.launches[-1]


def of_bytes(nbytes: float, multiprocessors: int = 132) -> Setting:
    """The H200 with a cache of another size, 16 programs of 4 warps on each multiprocessor."""
    return Setting(replace(USUAL, nbytes=nbytes / USABLE, multiprocessors=multiprocessors))


def moved(trace: LaunchTrace, setting: Setting) -> tuple[CacheTraffic, dict[str, tuple[int, int]]]:
    found = behind([trace], setting, {})
    assert found.problem is None
    names = {line.argument for line in found.lines}
    return found, {name: (found.read_bytes(None, name), found.written_bytes(None, name)) for name in names}


def softmax(kernel: object, n_rows: int = 16, n_cols: int = 2048, tile: int = 256) -> LaunchTrace:
    x, y = torch.randn(n_rows, n_cols), torch.empty(n_rows, n_cols)
    return traced(lambda: kernel[(n_rows,)](x, y, n_cols, n_cols, tile))  # type: ignore[index]


@pytest.mark.parametrize(("kernel", "tile"), [(one_tile, 2048), (online, 256), (three_passes, 256)])
def test_a_row_that_the_cache_holds_is_read_once(kernel: object, tile: int) -> None:
    _, bytes_of = moved(softmax(kernel, tile=tile), of_bytes(50 << 20))
    assert bytes_of == {"x_ptr": (16 * 2048 * 4, 0), "y_ptr": (0, 16 * 2048 * 4)}


@pytest.mark.parametrize(("kernel", "tile", "passes"), [(one_tile, 2048, 1), (online, 256, 2), (three_passes, 256, 3)])
def test_without_a_cache_dram_moves_what_the_ledger_counts(kernel: object, tile: int, passes: int) -> None:
    trace = softmax(kernel, tile=tile)
    found, bytes_of = moved(trace, of_bytes(0))
    assert bytes_of == {"x_ptr": (passes * 16 * 2048 * 4, 0), "y_ptr": (0, 16 * 2048 * 4)}
    assert found.dram_bytes == sum(trace.lines.values())


def test_lines_say_which_pass_reads_from_dram() -> None:
    found, _ = moved(softmax(online), of_bytes(50 << 20))
    first, second, store = found.lines
    assert first.line < second.line < store.line
    assert [line.read_bytes for line in found.lines] == [16 * 2048 * 4, 0, 0]
    assert [line.written_bytes for line in found.lines] == [0, 0, 16 * 2048 * 4]


def test_programs_at_once_share_the_cache() -> None:
    trace, room_for_four = softmax(online), 4 * 2 * 2048 * 4  # rows of x and of y
    alone = moved(trace, of_bytes(room_for_four, multiprocessors=1))[0]
    together = moved(
        trace, replace(of_bytes(room_for_four, multiprocessors=1), per_multiprocessor={"online BLOCK=256": 4})
    )[0]
    assert alone.at_once == (16,)
    assert together.at_once == (4,)
    assert together.dram_bytes == 16 * 2048 * 4 * 2 < (alone.dram_bytes or 0)


@pytest.mark.parametrize("nbytes", [0, 2e5, 4e5, 5e5, 6e5, 8e5, 1e6, 2e6])
def test_few_rows_stand_for_many(nbytes: float) -> None:
    setting = of_bytes(nbytes, multiprocessors=2)
    few, many = softmax(online, n_rows=8), softmax(online, n_rows=64)
    expected = moved(many, setting)[0].dram_bytes
    assert expected is not None
    assert moved(few, replace(setting, times=8))[0].dram_bytes == pytest.approx(expected / 8, rel=0.02)


def test_grouped_order_misses_fewer_bytes() -> None:
    n, block = 512, 32  # 16 x 16 tiles of c, 16 programs at once
    matrix = n * n * 4
    a, b, c = torch.randn(n, n), torch.randn(n, n), torch.empty(n, n)
    setting = of_bytes(0.5 * matrix, multiprocessors=1)
    missed = {}
    for group in (1, 4):
        trace = traced(lambda group=group: ordered_matmul[(256,)](a, b, c, n, block, group))  # type: ignore[misc]
        torch.testing.assert_close(c, a @ b, rtol=1e-2, atol=1e-1)  # in TF32
        assert sum(trace.lines.values()) == (16 + 16 + 1) * matrix
        missed[group] = moved(trace, setting)[0].dram_bytes or 0
    # Row-major: 16 programs at once are one row of tiles: a once, and all of b for each. Grouped: 4 x 4 tiles.
    assert missed[1] == (1 + 16 + 1) * matrix
    assert missed[4] == (4 + 4 + 1) * matrix


def test_a_column_takes_a_sector_for_each_element() -> None:
    x, y = torch.randn(64, 64), torch.empty(64, 64)
    trace = traced(lambda: one_column[(64,)](x, y, 64, 64))
    assert moved(trace, of_bytes(0))[1]["x_ptr"] == (8 * 64 * 64 * 4, 0)
    assert moved(trace, of_bytes(1e6))[1]["x_ptr"] == (64 * 64 * 4, 0)  # the neighbours' sectors are the same


def test_launch_order_runs_along_axis_0_first() -> None:
    grid = (3, 2, 2)
    at = [(x, y, z) for x in range(3) for y in range(2) for z in range(2)]  # as the interpreter counts
    order = in_launch_order(np.arange(12), grid)
    assert [at[i] for i in np.argsort(order)] == [(x, y, z) for z in range(2) for y in range(2) for x in range(3)]


def test_a_call_of_too_many_places_is_not_modelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tritonpuzzles.engine.cached.MOST_RUNS", 10)
    found = behind([softmax(online)], of_bytes(0), {})
    assert found.dram_bytes is None
    assert "too many" in (found.problem or "")


def test_what_a_launch_has_left_is_found_by_the_next() -> None:
    x, y, z = torch.randn(16, 2048), torch.empty(16, 2048), torch.empty(16, 2048)
    with Tracer(footprints=True) as tracer:
        one_tile[(16,)](x, y, 2048, 2048, 2048)
        one_tile[(16,)](y, z, 2048, 2048, 2048)
    found = behind(tracer.launches, of_bytes(50 << 20), {})
    assert found.dram_bytes == 3 * x.nbytes  # y is never read from DRAM


def test_a_tile_that_is_loaded_turned_around_has_as_few_runs() -> None:
    x = torch.ones(64, 4 * 128, dtype=torch.float16)
    traces = [
        traced(lambda t=turned: one_tile_of[(4,)](x, torch.empty_like(x), 64, 128, t)) for turned in (False, True)
    ]
    counts = [[len(part.programs) for part in trace.footprints] for trace in traces]
    assert counts == [[4 * 64] * 2] * 2
    assert len({behind([trace], of_bytes(1 << 20), {}).dram_bytes for trace in traces}) == 1
