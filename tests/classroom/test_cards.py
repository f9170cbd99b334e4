"""Files share a card, and what is timed has it alone; nobody waits for ever."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from time import sleep

import pytest

from tritonpuzzles.judge.workers.cards import MOST, Card, Cards


def test_a_timing_is_alone_and_others_are_not() -> None:
    card, lock = Card(), Lock()
    running, most, beside = 0, 0, []

    def check(number: int) -> None:
        nonlocal running, most
        with card.shared():
            with lock:
                running += 1
                most = max(most, running)
            sleep(0.001)
            with lock:
                running -= 1
            with card.alone():
                with lock:
                    beside.append(running)
                    running += 1
                sleep(0.001)
                with lock:
                    running -= 1

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(check, range(40)))
    assert beside == [0] * 40
    assert most <= MOST


def test_files_are_spread_over_the_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3,5")
    cards = Cards(2)
    with cards.one() as first, cards.one() as second:
        assert [first.name, second.name] == ["3", "5"]
        with cards.one() as third:
            assert third.name == "3"
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    with Cards(2).one() as first:
        assert first.name == "0"
    with Cards(0).one() as none:
        assert none.name is None
