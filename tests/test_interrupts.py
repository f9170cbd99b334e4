"""A stop waits for the end of what it must not cut short, and comes then."""

import signal

import pytest

from tritonpuzzles.interrupts import uninterrupted


def stopped_within(done: list[str]) -> None:
    with uninterrupted():
        signal.raise_signal(signal.SIGINT)
        done.append("the rest")


def test_a_stop_waits_for_the_end_of_the_block() -> None:
    done: list[str] = []
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        stopped_within(done)
    assert done == ["the rest"]
    assert signal.getsignal(signal.SIGINT) is before
