"""Files share a card, and what is timed has it alone; nobody waits for ever."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from time import sleep

import pytest

from tritonpuzzles.judge.workers.cards import MOST, Card, card_of


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


def test_a_card_is_one_of_those_that_the_process_sees(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3, 5")
    assert [(card.name, card.device) for card in map(card_of, range(2))] == [("3", "cuda:0"), ("5", "cuda:1")]
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    assert (card_of(1).name, card_of(1).device) == ("1", "cuda:1")
