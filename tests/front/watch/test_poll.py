"""A save is told once, when the file has come to rest, however often somebody asks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tritonpuzzles.front.watch.checks import SECONDS, Watched


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock that looks are timed by."""
    clock = Clock()
    monkeypatch.setattr("tritonpuzzles.front.watch.checks.time.monotonic", clock)
    return clock


def test_a_save_is_told_once(tmp_path: Path, clock: Clock) -> None:
    file = tmp_path / "p01_square.py"
    file.write_text("one")
    watched = Watched(file)
    told = []
    for look in range(6):
        clock.now += SECONDS
        if look == 1:
            file.write_text("other")
        told.append(watched.was_saved())
    assert told == [False, False, True, False, False, False]


def test_a_file_that_is_being_written_is_waited_for(tmp_path: Path, clock: Clock) -> None:
    """Many questions in one moment are one look: between truncating and writing a file nothing is told."""
    file = tmp_path / "p01_square.py"
    file.write_text("one")
    watched = Watched(file)
    clock.now += SECONDS
    file.write_text("")
    assert not any(watched.was_saved() for _ in range(50))
    file.write_text("other")
    clock.now += SECONDS
    assert not any(watched.was_saved() for _ in range(50))
    clock.now += SECONDS
    assert [watched.was_saved() for _ in range(50)] == [True] + [False] * 49


def test_a_file_that_goes_and_comes_back_is_saved(tmp_path: Path, clock: Clock) -> None:
    file = tmp_path / "p01_square.py"
    watched = Watched(file)
    for write, told in ((True, False), (False, True), (False, False)):
        if write:
            file.write_text("new")
        clock.now += SECONDS
        assert watched.was_saved() is told
