"""What a picture rests on: every access of a small case, from a real worker; frames that no worker of ours sends."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import FIXTURE
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front.report.trace import trace_data
from tritonpuzzles.judge.evidence.memory import MAX_ELEMENTS, launch_accesses
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.judge.trace import trace
from tritonpuzzles.judge.verdict import showcase
from tritonpuzzles.results.check import Verdict
from tritonpuzzles.results.cover import named_case
from tritonpuzzles.results.trace import Access, Outcome, Trace
from tritonpuzzles.wire.frames import Frame
from tritonpuzzles.wire.observed import MAX_TILES

Solution = Callable[[int], Trace]


def times(accesses: list[Access], size: int) -> set[int]:
    return set(np.bincount(np.concatenate([access.elements for access in accesses]), minlength=size).tolist())


def test_every_element_of_online_softmax_is_read_twice_by_its_row(solution: Solution) -> None:
    picture = solution(3).picture
    assert picture is not None
    (launch,) = picture.launches
    n_rows, n_cols = picture.shape
    assert (launch.kernel, launch.programs, launch.grid) == ("softmax_kernel", n_rows, (n_rows, 1, 1))
    assert [(tensor.name, tensor.role, tensor.shape) for tensor in launch.tensors] == [
        ("x_ptr", "x", picture.shape),
        ("y_ptr", "y", picture.shape),
    ]
    for access in launch.accesses:
        assert (access.elements // n_cols == access.programs).all()
    by_tensor = [[access for access in launch.accesses if access.tensor == number] for number in (0, 1)]
    assert [times(accesses, n_rows * n_cols) for accesses in by_tensor] == [{2}, {1}]
    assert {access.operation for access in by_tensor[1]} == {"store"}
    lines = [access.line for access in launch.accesses]
    tiles = -(-n_cols // 4096)
    assert lines[:tiles] == [lines[0]] * tiles  # the first pass comes first
    assert lines[tiles:] == lines[tiles : tiles + 2] * tiles
    assert picture.outcomes is None


def test_every_program_of_attention_reads_every_key(solution: Solution) -> None:
    picture = solution(5).picture
    assert picture is not None
    (launch,) = picture.launches
    assert [tensor.role for tensor in launch.tensors] == ["q", "k", "v", "o"]
    n, d = picture.shape
    sizes = [times([access for access in launch.accesses if access.tensor == number], n * d) for number in range(4)]
    assert sizes == [{1}, {launch.programs}, {launch.programs}, {1}]


def test_a_case_with_wrong_values_is_shown_with_where_they_lie(unmasked: Trace) -> None:
    picture = unmasked.picture
    assert picture is not None
    assert picture.outcomes is not None
    _, n_cols = picture.shape
    spilled = -n_cols % 1024  # columns of the next row that the last tile overwrites
    wrong = np.zeros(picture.shape, dtype=bool)
    wrong[1:, :spilled] = True
    assert ((picture.outcomes != Outcome.RIGHT) == wrong).all()
    assert set(picture.outcomes[wrong].tolist()) == {Outcome.TOO_SMALL}


def test_a_picture_only_case_is_small_and_never_checked(solution: Solution) -> None:
    found = solution(1)
    assert found.picture is not None
    assert found.case == found.picture.case == "a handful of rows"
    assert 5 <= found.picture.shape[0] <= 7
    assert "a handful of rows" not in {case.name for case in found.result.cases}


@pytest.mark.slow
def test_a_trace_speaks_of_the_case_that_a_report_names(last_maximum: Trace) -> None:
    """It is right but for one case of 40, which is neither the largest nor the one with the clearest picture."""
    assert last_maximum.result.verdict is Verdict.FAIL
    assert last_maximum.picture is not None
    assert named_case(last_maximum.result) == last_maximum.case == last_maximum.picture.case == "early maximum"
    assert last_maximum.shape == last_maximum.picture.shape
    size = prod(last_maximum.shape) * 4
    assert {row.loaded_bytes / size for row in last_maximum.result.traffic} == {3.0, 0.0}
    assert last_maximum.instead is None


def test_what_is_too_large_for_a_picture_is_told(
    square: Puzzle, tmp_path: Path, square_source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, asked = tmp_path / "p01_square.py", CheckOptions("cpu", seed=3, timeout=20, case="ordinary numbers")
    path.write_text(square_source.replace("x * x", "x + x"))
    named = trace(square, path, asked, picture=True)
    assert named.case == "ordinary numbers"
    lanes = 2 * prod(named.shape)
    monkeypatch.setattr(showcase, "MAX_LANES", lanes - 1)
    other = trace(square, path, asked, picture=True)
    large = f'"ordinary numbers" moves {lanes:,} elements, and a picture shows {{}} at most'
    assert other.picture is not None
    assert other.case == other.picture.case != named.case
    assert other.instead == f'{large.format(f"{lanes - 1:,}")}: this is "{other.case}".'
    monkeypatch.setattr(showcase, "MAX_LANES", 0)
    none = trace(square, path, asked, picture=True)
    assert (none.picture, none.case) == (None, named.case)
    assert none.no_picture == f"There is no picture: {large.format(0)}."


def test_a_case_that_is_asked_for_is_shown(square: Puzzle, tmp_path: Path, square_source: str) -> None:
    path = tmp_path / "p01_square.py"
    path.write_text(square_source)
    for case in square.cases:
        if "cpu" in case.devices and not case.phantom:
            found = trace(square, path, CheckOptions("cpu", seed=3, timeout=20, case=case.name.upper()), picture=True)
            assert found.picture is not None
            assert found.case == found.picture.case
            why = '"nothing" reads and writes nothing: this is "ordinary numbers".' if case.name == "nothing" else None
            assert (found.case == case.name, found.instead) == (why is None, why)


def test_json_has_no_lanes(solution: Solution) -> None:
    data = json.loads(json.dumps(trace_data(solution(3))))
    assert not {"picture", "no_picture"} & data.keys()


@pytest.fixture
def picture_of(square: Puzzle, tmp_path: Path) -> Callable[[str], Trace]:
    def run(source: str) -> Trace:
        path = tmp_path / "p01_square.py"
        path.write_text(source)
        return trace(square, path, CheckOptions("cpu", seed=3, timeout=20), picture=True)

    return run


def test_elements_that_nobody_writes(picture_of: Callable[[str], Trace], square_source: str) -> None:
    found = picture_of(square_source.replace("x * x, mask=mask", "x * x, mask=offsets < n_elements - 1"))
    assert found.result.verdict is Verdict.FAIL
    assert found.picture is not None
    assert found.picture.outcomes is not None
    assert found.picture.outcomes[-1] == Outcome.UNWRITTEN
    assert not found.picture.outcomes[:-1].any()


def test_a_stub_and_a_file_that_ends_have_no_picture(picture_of: Callable[[str], Trace], square_source: str) -> None:
    stub = picture_of((FIXTURE / "puzzles" / "p01_square.py").read_text())
    assert (stub.picture, stub.no_picture) == (None, "There is no picture: no case reads or writes anything yet.")
    ended = picture_of(square_source + "\nraise SystemExit\n")
    assert ended.picture is None
    assert "did not get to the end" in str(ended.no_picture)


def frame(payload: bytes | None = None, **changes: Any) -> Frame:
    """Return an honest frame, 2 lanes of a (2, 2) view with gaps, with some of its fields changed."""
    tensor = {"name": "x_ptr", "role": "x", "shape": [2, 2], "stride": [3, 1]}
    access = {"operation": "load", "tensor": 0, "file": "f.py", "line": 7, "lanes": 2}
    launch: dict[str, Any] = {"kernel": "k", "grid": [2, 1, 1], "programs": 2}
    for part in (tensor, access, launch):
        part |= {key: value for key, value in changes.items() if key in part}
    tiles = {"operation": "load", "tensor": 0, "access": 0, "size": [1, 4], "count": 1}
    tiles |= changes.get("tile", {})
    launch |= {"tensors": changes.get("tensors", [tensor]), "accesses": changes.get("accesses", [access])}
    launch["tiles"] = [tiles] if "tile" in changes else changes.get("tiles", [])
    data = np.array([1, 3, 0, 1], dtype="<i4").tobytes() if payload is None else payload
    return Frame({"kind": "picture", "launches": changes.get("launches", [launch])}, data)


def test_memory_order_becomes_the_tensors_own() -> None:
    (launch,) = launch_accesses(frame())
    (access,) = launch.accesses
    assert access.elements.tolist() == [1, 2]  # [0, 1] and [1, 0]; element 2 in memory is a gap
    assert access.programs.tolist() == [0, 1]
    (gap,) = launch_accesses(frame(np.array([1, 2, 0, 1], dtype="<i4").tobytes()))
    assert gap.accesses[0].elements.tolist() == [1]


def ints(*values: int) -> bytes:
    return np.array(values, dtype="<i4").tobytes()


LANES = ints(1, 3, 0, 1)
TILE = LANES + ints(1, 0, -2, 4)


def test_tiles_of_a_frame() -> None:
    (launch,) = launch_accesses(frame(TILE, tile={}))
    (told,) = launch.tiles
    assert (told.operation, told.tensor, told.access, told.size) == ("load", 0, 0, (1, 4))
    assert told.found.tolist() == [[1, 0, -2, 4]]


@pytest.mark.parametrize(
    "hostile",
    [
        frame(b""),
        frame(ints(1, 3, 0)),
        frame(ints(1, 9, 0, 1)),
        frame(ints(1, -1, 0, 1)),
        frame(ints(1, 3, 0, 2)),
        frame(ints(1, 3, -1, 0)),
        frame(operation="run"),
        frame(operation=None),
        frame(tensor=1),
        frame(tensor=-1),
        frame(lanes=3),
        frame(lanes="2"),
        frame(lanes=True),
        frame(programs=-1),
        frame(shape=[2]),
        frame(shape=[2, 2, 2]),
        frame(shape=[-2, 2]),
        frame(shape=[2**40, 2**40], stride=[0, 0]),
        frame(shape=[2, 2], stride=[2**62, 1]),
        frame(shape=[1] * 9, stride=[1] * 9),
        frame(name=3),
        frame(file=None),
        frame(launches=None),
        frame(launches=[None]),
        frame(accesses=None),
        frame(accesses=[{}]),
        frame(b"", accesses=[{"operation": "load", "tensor": 0, "file": "", "line": 1, "lanes": 0}] * 10_001),
        frame(tensors=[{"name": "x", "role": "x", "shape": [MAX_ELEMENTS // 2], "stride": [1]}] * 3),
        frame(TILE, tiles=None),
        frame(TILE, tile={"operation": "run"}),
        frame(TILE, tile={"tensor": 1}),
        frame(TILE, tile={"access": 1}),
        frame(TILE, tile={"access": -1}),
        frame(TILE, tile={"size": [0, 4]}),
        frame(TILE, tile={"size": [2**12, 2**12]}),
        frame(TILE, tile={"size": [1, 1, 4]}),
        frame(TILE, tile={"count": 2}),
        frame(TILE[:-4], tile={}),
        frame(LANES + ints(2, 0, 0, 0), tile={}),
        frame(LANES + ints(-1, 0, 0, 0), tile={}),
        frame(LANES + ints(0, 2**30, 0, 0), tile={}),
        frame(LANES + ints(0, 0, -(2**31), 0), tile={}),
        frame(LANES + ints(0, 0, 0, 5), tile={}),
        frame(b"", accesses=[], tile={"access": None, "count": MAX_TILES + 1}),
        frame(
            b"",
            accesses=[],
            tiles=[{"operation": "load", "tensor": 0, "access": None, "size": [1, 1], "count": 0}] * 10_001,
        ),
    ],
)
def test_frames_that_no_worker_of_ours_sends(hostile: Frame) -> None:
    tracemalloc.start()
    with pytest.raises((ValueError, TypeError, KeyError)):
        launch_accesses(hostile)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 16 << 20


def test_names_are_cut() -> None:
    (launch,) = launch_accesses(frame(kernel="k" * 10_000, name="x" * 10_000))
    assert len(launch.kernel) == len(launch.tensors[0].name) == 80
