"""Messages hold no addresses, and no place in our own code."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tritonpuzzles.results.words import without_addresses


class _Hidden:
    def method(self) -> None: ...


def _local() -> Callable[[], int]:
    return lambda: 1


@pytest.mark.parametrize(
    ("value", "name"),
    [(_Hidden(), "Hidden"), (_local, "local"), (_local(), "lambda"), ([].append, "append")],
)
def test_an_object_is_its_name(value: object, name: str) -> None:
    assert "0x" in repr(value)
    assert without_addresses(f"what is {value!r} to do here?") == f"what is {name} to do here?"


def test_other_brackets_stay() -> None:
    text = "tl.load(x_ptr) at 0x10 of <[64], fp32> and <b> < 3"
    assert without_addresses(text) == text
