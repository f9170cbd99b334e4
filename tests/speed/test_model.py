"""The model of speed: each limit holds where it should, and more work never takes less time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tritonpuzzles.results.inspect import Code, Work
from tritonpuzzles.speed.cost import Cost
from tritonpuzzles.speed.machine import machine_named
from tritonpuzzles.speed.model import FITTED, call_us, fastest, launch_times

H100, H200, T4 = machine_named("H100"), machine_named("H200"), machine_named("T4")
ROWS, COLUMNS = 4096, 8192
BYTES = 4.0 * ROWS * COLUMNS
# One row for each program, in one tile: 16 warps, 64 bytes of loads and stores for each thread.
ROW = Cost(
    kernel="softmax_kernel",
    programs=ROWS,
    warps=16,
    per_multiprocessor=4,
    loads=1.0,
    asked_bytes=BYTES,
    loaded_bytes=BYTES,
    stored_bytes=BYTES,
    own_bytes=BYTES,
    lines=2 * BYTES / 128,
    read_bytes=BYTES,
    written_bytes=BYTES,
    code=Code(
        Work(instructions=200, load_bytes=64, loads=4, store_bytes=64, stores=4, special=17, barriers=3, shuffles=18)
    ),
)

# A product of 4096 x 4096 x 4096 in tiles of 128 x 128 x 64, 8 warps, as Triton compiles it for Hopper.
PRODUCT = Cost(
    kernel="matmul_kernel",
    programs=1024,
    warps=8,
    per_multiprocessor=2,
    loads=128.0,
    asked_bytes=2.1e9,
    loaded_bytes=2.1e9,
    stored_bytes=3.3e7,
    own_bytes=2.1e9,
    lines=2.1e9 / 128,
    read_bytes=1e8,
    written_bytes=0.0,
    code=Code(
        Work(instructions=568, load_bytes=256, loads=16, store_bytes=128, stores=8, barriers=3),
        (
            Work(
                instructions=123, load_bytes=128, loads=8, barriers=2, tensor_operations=262_144, tensor_time=262_144,
                queued=True, ahead=True,
            ),
        ),
    ),
    shared_bytes=98_304,
    operations=2 * 4096.0**3,
)  # fmt: skip


def test_a_product_takes_at_least_what_its_tensor_cores_need() -> None:
    times = launch_times(PRODUCT, H100)
    least = PRODUCT.operations / H100.tensor_tflop_per_s / 1e6
    assert least <= times.all <= 3 * least
    assert times.by_limit["tensor"] == pytest.approx(least, rel=0.05)


def test_a_product_of_32_bits_takes_twice_as_long_on_tensor_cores() -> None:
    (loop,) = PRODUCT.code.loops
    wide = replace(PRODUCT, code=Code(PRODUCT.code.once, (replace(loop, tensor_time=2 * loop.tensor_time),)))
    times = launch_times(wide, H100)
    assert times.by_limit["tensor"] == pytest.approx(2 * launch_times(PRODUCT, H100).by_limit["tensor"])


def test_of_the_configurations_of_an_autotuner_the_fastest_counts() -> None:
    slow = replace(PRODUCT, programs=20)
    assert fastest([(slow, PRODUCT), (ROW,)], H100) == (PRODUCT, ROW)


def test_a_row_that_moves_once_takes_the_time_of_a_copy() -> None:
    times = launch_times(ROW, H100)
    copy = 2 * BYTES / H100.copy_gb_per_s / 1e3
    assert times.limit == "dram"
    assert copy <= times.all <= 1.1 * copy


def test_a_gpu_with_more_bandwidth_is_faster_by_that() -> None:
    fast, slow = call_us([ROW], H200)[0], call_us([ROW], T4)[0]
    assert slow / fast == pytest.approx(4800 / 320, rel=0.25)


@pytest.mark.parametrize(
    ("changed", "limit"),
    [
        (replace(ROW, lines=16 * ROW.lines), "lines"),
        (replace(ROW, programs=8), "lines"),
        (replace(ROW, code=Code(replace(ROW.code.once, instructions=20_000))), "issue"),
        (replace(ROW, code=Code(replace(ROW.code.once, special=2000))), "special"),
        (replace(ROW, stack_bytes=9000, code=Code(replace(ROW.code.once, local_bytes=20_000))), "dram"),
    ],
)
def test_what_is_asked_too_much_of_is_the_limit(changed: Cost, limit: str) -> None:
    times = launch_times(changed, H100)
    assert times.limit == limit
    assert times.all > 1.5 * launch_times(ROW, H100).all


def test_a_wave_that_is_nearly_empty_takes_as_long_as_its_program() -> None:
    room = H100.multiprocessors * ROW.per_multiprocessor
    full = replace(ROW, programs=room, code=Code(Work(instructions=20_000, load_bytes=64)))
    one_more = replace(full, programs=room + 20)
    assert launch_times(one_more, H100).all > launch_times(full, H100).all + 0.9 * launch_times(full, H100).program_us


def test_rows_that_are_read_again_from_the_first_level_cache_pass_the_second_once() -> None:
    again = replace(ROW, loaded_bytes=3 * BYTES, asked_bytes=3 * BYTES)
    assert launch_times(again, H100).by_limit["l2"] == pytest.approx(launch_times(ROW, H100).by_limit["l2"])
    long = replace(again, programs=ROWS // 32)  # 32 times as much for each: the first level holds it no more
    assert launch_times(long, H100).by_limit["l2"] > 1.9 * launch_times(ROW, H100).by_limit["l2"]


def test_of_very_many_launches_the_host_decides() -> None:
    piece = replace(ROW, programs=1, read_bytes=1e3, written_bytes=1e3, lines=16.0)
    assert call_us([piece] * 1000, H100)[0] >= 1000 * FITTED.host_us


more = st.floats(1.0, 64.0)


@settings(deadline=None)
@given(read=more, lines=more, loaded=more, instructions=st.integers(1, 200))
def test_more_work_never_takes_less_time(read: float, lines: float, loaded: float, instructions: int) -> None:
    changed = replace(
        ROW,
        read_bytes=read * ROW.read_bytes,
        lines=lines * ROW.lines,
        loaded_bytes=loaded * ROW.loaded_bytes,
        code=Code(replace(ROW.code.once, instructions=ROW.code.once.instructions + instructions)),
    )
    assert launch_times(changed, H100).all >= launch_times(ROW, H100).all
