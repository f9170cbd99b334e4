"""The GPUs' caches: found by name, and how many programs use one at once."""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest

from tritonpuzzles.hardware.gpus import GPUS, TARGETS
from tritonpuzzles.hardware.l2 import L2, L2S, USUAL, l2_named


def test_a_cache_is_found_by_what_a_driver_calls_its_gpu() -> None:
    assert l2_named("NVIDIA H200") is L2S["H200"] is USUAL
    assert l2_named("NVIDIA A100-SXM4-80GB") is L2S["A100"]
    assert l2_named("AMD Instinct MI300X") is None
    assert l2_named(None) is None


def test_every_cache_is_that_of_a_known_gpu() -> None:
    for name, l2 in L2S.items():
        assert name == l2.gpu
        assert name in GPUS
        assert l2.target in TARGETS
        assert L2(**asdict(l2)) == l2


@pytest.mark.parametrize(
    ("num_warps", "room", "programs"),
    [
        (4, None, 132 * 16),
        (16, None, 132 * 4),
        (1, None, 132 * 32),
        (32, None, 132 * 2),
        (32, 1, 132),
        (16, 9, 132 * 4),
    ],
)
def test_warps_and_room_decide_how_many_run_at_once(num_warps: int, room: int | None, programs: int) -> None:
    assert USUAL.at_once(num_warps, room) == programs


def test_a_program_of_more_warps_than_there_are_runs_alone() -> None:
    assert USUAL.at_once(128) == 132


def test_its_speed_over_a_copys() -> None:
    assert USUAL.over_copy == pytest.approx(9300 / 4320)
    assert replace(USUAL, gb_per_s=None).over_copy is None
