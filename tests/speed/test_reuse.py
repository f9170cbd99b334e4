"""What a cache has lost before another program reads it again."""

import pytest

from tritonpuzzles.speed.reuse import missed_share

MB = 1e6


@pytest.mark.parametrize(
    ("reuse", "cache", "share"),
    [
        (((1, 0.5), (128, 0.5), (200, 0.0)), 35 * MB, 0.5),  # a column of 128 tiles takes in 129 MB
        (((1, 0.5), (128, 0.5), (200, 0.0)), 130 * MB, 0.0),
        (((1, 0.4), (8, 0.5), (100, 0.0)), 35 * MB, 0.0),  # the rest is new, and might be read once
        (((1, 0.4), (8, 0.5), (200, 0.0)), 35 * MB, 0.1),
        (((1, 1.0), (100, 0.0)), 35 * MB, 0.0),
        ((), 35 * MB, 0.0),
    ],
)
def test_the_working_set_grows_by_what_no_nearer_program_has_read(
    reuse: tuple[tuple[int, float], ...], cache: float, share: float
) -> None:
    assert missed_share(reuse, 2 * MB, cache) == pytest.approx(share)
