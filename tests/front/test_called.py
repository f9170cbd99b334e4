"""Tensors that launches call by one name: each is told of by the host function's name, with its own bytes."""

from __future__ import annotations

from tritonpuzzles.front.pictures.traffic import rows
from tritonpuzzles.front.report.source import moves
from tritonpuzzles.front.report.trace import cache_sentences
from tritonpuzzles.front.text import called, shared_names
from tritonpuzzles.results.traffic import CachedLine, CacheTraffic, LineTraffic, Traffic

LINES = tuple(
    LineTraffic("p.py", 8, "x_ptr", 3200 * times, 0, 0, 3200, tensor) for tensor, times in (("a", 2), ("g", 4))
)
OTHER = LineTraffic("p.py", 9, "y_ptr", 3200, 0, 0, 3200, "b")


def test_one_tensor_keeps_the_kernels_name() -> None:
    shared = shared_names([*LINES, OTHER])
    assert [called(line, shared) for line in (*LINES, OTHER)] == ["x_ptr (a)", "x_ptr (g)", "y_ptr"]
    assert list(moves(LINES[1], shared)) == ["x_ptr (g) read 4.00x"]


def test_what_dram_reads_is_told_of_each() -> None:
    dram = tuple(CachedLine("p.py", 8, "x_ptr", tensor, nbytes, 0) for tensor, nbytes in (("a", 3200), ("g", 6400)))
    told = list(cache_sentences(LINES, CacheTraffic("H200", 1 << 20, (4,), dram)))
    assert [text.split(" from DRAM")[0] for text in told] == [
        "x_ptr (a) read 2.00 times, 1.00 times",
        "x_ptr (g) read 4.00 times, 2.00 times",
    ]


def test_bars_say_whose_they_are() -> None:
    moved = [Traffic("x_ptr", 3200, 0, 1.0, 0.0, 2.0, tensor=tensor, role="input") for tensor in ("a", "g")]
    assert [row.label for row in rows(moved)] == ["x_ptr (a) read", "x_ptr (g) read"]
