"""Traffic is exact: every number here was worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from hypothesis import given, settings
from hypothesis import strategies as st

from tritonpuzzles.engine.interpreter import ArgumentTrace, LaunchTrace, Tracer

from .zoo.arithmetic import add
from .zoo.atomics import scattered_add
from .zoo.control import triangle
from .zoo.matrix import attention, matmul
from .zoo.movement import copy_rows, device_descriptor, host_descriptor
from .zoo.softmax import one_tile, online, three_passes, tiled


def traced(launch: object, **options: bool) -> LaunchTrace:
    with Tracer(**options) as tracer:
        launch()  # type: ignore[operator]
    assert tracer.facts == []
    return tracer.launches[-1]


def by_name(trace: LaunchTrace) -> dict[str, ArgumentTrace]:
    return {argument.name: argument for argument in trace.arguments}


def test_vector_add() -> None:
    x, y, z = torch.randn(100), torch.randn(100), torch.empty(100)
    trace = traced(lambda: add[(4,)](x, y, z, 100, BLOCK=32))
    arguments = by_name(trace)
    assert {name: (a.loaded_bytes, a.stored_bytes) for name, a in arguments.items()} == {
        "x_ptr": (400, 0),
        "y_ptr": (400, 0),
        "z_ptr": (0, 400),
    }
    assert (trace.kernel, trace.grid, trace.programs, trace.largest_tile) == ("add", (4, 1, 1), 4, 32)
    assert trace.file == __file__
    assert trace.fallback is None
    assert trace.function is add
    assert arguments["x_ptr"].nbytes == 400
    assert arguments["x_ptr"].storage == x.untyped_storage().data_ptr()
    assert arguments["x_ptr"].stride == (1,)


@pytest.mark.parametrize(("kernel", "loads", "tile"), [(one_tile, 1.0, 64), (three_passes, 3.0, 16), (online, 2.0, 16)])
def test_softmax_reads_as_often_as_it_passes(kernel: object, loads: float, tile: int) -> None:
    x, y = torch.randn(9, 45), torch.empty(9, 45)
    trace = traced(lambda: kernel[(9,)](x, y, 45, 45, tile))  # type: ignore[index]
    arguments = by_name(trace)
    assert arguments["x_ptr"].loaded_times == loads
    assert arguments["y_ptr"].stored_times == 1.0
    assert arguments["y_ptr"].loaded_bytes == arguments["x_ptr"].stored_bytes == 0
    assert trace.largest_tile == tile


def test_tiled_softmax_of_padded_rows() -> None:
    x, y = torch.randn(9, 60)[:, :45], torch.empty(9, 45)
    trace = traced(lambda: tiled[(5,)](x, y, 60, 9, 45, 2, 16))
    arguments = by_name(trace)
    assert arguments["x_ptr"].loaded_times == 2.0
    assert arguments["x_ptr"].nbytes == 9 * 45 * 4
    assert trace.largest_tile == 32


def test_matmul_reads_each_operand_once_per_tile_of_the_other() -> None:
    a, b, c = torch.randn(70, 50), torch.randn(50, 40), torch.zeros(70, 40)
    arguments = by_name(traced(lambda: matmul[(3, 2)](a, b, c, 70, 40, 50, 32, 32, 16)))
    assert arguments["a_ptr"].loaded_times == 2  # cdiv(40, 32)
    assert arguments["b_ptr"].loaded_times == 3  # cdiv(70, 32)
    assert arguments["c_ptr"].stored_times == 1


@pytest.mark.parametrize("causal", [False, True])
def test_attention(causal: bool) -> None:
    n, d, heads, tile = 70, 16, 2, 16
    q, k, v, o = (torch.randn(heads, n, d) for _ in range(4))
    trace = traced(lambda: attention[(5, heads)](q, k, v, o, n, d, tile, tile, causal))
    arguments = by_name(trace)
    full = [min(n, (i + 1) * tile) if causal else n for i in range(5)]
    rows = sum(min(n, tile * math.ceil(hi / tile)) for hi in full)
    assert arguments["q_ptr"].loaded_times == 1
    assert arguments["k_ptr"].loaded_bytes == arguments["v_ptr"].loaded_bytes == heads * rows * d * 4
    assert arguments["o_ptr"].stored_times == 1
    assert trace.splits == 0


def test_finished_programs_move_nothing() -> None:
    x, y = torch.randn(12 * 16), torch.zeros(12 * 16)
    trace = traced(lambda: triangle[(12,)](x, y, 16))
    assert by_name(trace)["x_ptr"].loaded_bytes == sum(range(1, 13)) * 16 * 4
    assert trace.splits == 0


def test_atomics_are_counted_apart() -> None:
    x, y = torch.ones(130), torch.zeros(9)
    arguments = by_name(traced(lambda: scattered_add[(9,)](x, y, 130, 16)))
    assert arguments["y_ptr"].atomic_bytes == 130 * 4 + 9 * 4
    assert (arguments["y_ptr"].loaded_bytes, arguments["y_ptr"].stored_bytes) == (0, 0)


def test_descriptors_move_nothing_outside_the_tensor() -> None:
    x, y = torch.randn(50, 60), torch.zeros(50, 60)
    arguments = by_name(traced(lambda: device_descriptor[(2, 2)](x, y, 50, 60, 32, 32)))
    assert arguments["x_ptr"].loaded_times == arguments["y_ptr"].stored_times == 1
    x, y = torch.randn(48, 64), torch.zeros(48, 64)
    from triton.tools.tensor_descriptor import TensorDescriptor

    blocks = [TensorDescriptor.from_tensor(tensor, [32, 32]) for tensor in (x, y)]
    arguments = by_name(traced(lambda: host_descriptor[(2, 2)](*blocks, 32, 32)))
    assert arguments["x"].loaded_times == arguments["y"].stored_times == 1


@pytest.mark.parametrize(
    ("kind", "size"), [(torch.float16, 2), (torch.bfloat16, 2), (torch.float64, 8), (torch.int8, 1)]
)
def test_bytes_follow_the_element_size(kind: torch.dtype, size: int) -> None:
    x, y, z = (torch.ones(100).to(kind) for _ in range(3))
    arguments = by_name(traced(lambda: add[(4,)](x, y, z, 100, BLOCK=32)))
    assert arguments["x_ptr"].loaded_bytes == arguments["z_ptr"].stored_bytes == 100 * size


def test_lines() -> None:
    x, y = torch.randn(9, 45), torch.empty(9, 45)
    trace = traced(lambda: online[(9,)](x, y, 45, 45, 16))
    assert sorted((argument, operation, count) for (_, _, argument, operation), count in trace.lines.items()) == [
        ("x_ptr", "load", 9 * 45 * 4),
        ("x_ptr", "load", 9 * 45 * 4),
        ("y_ptr", "store", 9 * 45 * 4),
    ]
    assert all(file.endswith("softmax.py") for file, *_ in trace.lines)


@triton.jit
def same_for_all(x_ptr, y_ptr, B: tl.constexpr):
    pid = tl.program_id(0)
    s = tl.sum(tl.load(x_ptr + tl.arange(0, B)))
    if pid % 2 == 0:
        s += tl.load(x_ptr)
    tl.store(y_ptr + pid, s)


def counts(trace: LaunchTrace, argument: str, shape: tuple[int, ...]) -> np.ndarray:
    """Return how often each element of an argument was loaded or stored."""
    elements = np.concatenate([access.elements for access in trace.accesses if access.argument == argument])
    return np.bincount(elements, minlength=math.prod(shape)).reshape(shape)


def test_a_shared_load_counts_for_every_program() -> None:
    x, y = torch.randn(16), torch.empty(5)
    trace = traced(lambda: same_for_all[(5,)](x, y, 16), element_counts=True)
    arguments = by_name(trace)
    assert arguments["x_ptr"].loaded_bytes == 5 * 64 + 3 * 4
    assert counts(trace, "x_ptr", (16,)).tolist() == [8] + [5] * 15


def test_element_counts_and_accesses() -> None:
    x, y = torch.randn(5, 50)[:, :37], torch.zeros(5, 37)
    trace = traced(lambda: copy_rows[(5,)](x, y, 50, 37, 37, 64), element_counts=True)
    assert (counts(trace, "x_ptr", (5, 50))[:, :37] == 1).all()
    assert (counts(trace, "y_ptr", (5, 37)) == 1).all()
    load, store = trace.accesses
    assert (load.operation, load.argument, store.operation, store.argument) == ("load", "x_ptr", "store", "y_ptr")
    assert load.time < store.time
    assert sorted(set(load.programs.tolist())) == [0, 1, 2, 3, 4]
    assert load.elements[load.programs == 3].tolist() == [150 + i for i in range(37)]


def test_an_empty_grid_and_empty_tensors() -> None:
    x = torch.empty(0)
    trace = traced(lambda: add[(0,)](x, x.clone(), x.clone(), 0, BLOCK=32))
    assert (trace.programs, trace.lines) == (0, {})
    trace = traced(lambda: add[(2,)](x, x.clone(), x.clone(), 0, BLOCK=32))
    assert trace.programs == 2
    assert all(argument.loaded_bytes == 0 and argument.loaded_times == 0.0 for argument in trace.arguments)


@settings(deadline=None, max_examples=30)
@given(
    n_rows=st.integers(1, 12),
    n_cols=st.integers(1, 70),
    padding=st.integers(0, 5),
    block=st.sampled_from([1, 2, 16, 64]),
    batch=st.sampled_from([1, 100, 1 << 18]),
)
def test_online_softmax_of_any_shape(n_rows: int, n_cols: int, padding: int, block: int, batch: int) -> None:
    """Right values, two loads and one store, nothing unwritten, whatever the shape and the batch."""
    x = torch.randn(n_rows, n_cols + padding)[:, :n_cols]
    y = torch.empty(n_rows, n_cols)
    with Tracer(batch=batch) as tracer:
        online[(n_rows,)](x, y, x.stride(0), n_cols, block)
    torch.testing.assert_close(y, torch.softmax(x, 1))
    arguments = by_name(tracer.launches[0])
    assert (arguments["x_ptr"].loaded_times, arguments["y_ptr"].stored_times) == (2.0, 1.0)
    assert tracer.check_written(y) is None
    assert tracer.facts == []
