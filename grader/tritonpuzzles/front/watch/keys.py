"""The keys: one letter each, no Enter."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Key:
    """A letter, and what it does in one word."""

    letter: str
    word: str


NEXT = Key("n", "next")
PREVIOUS = Key("p", "previous")
HINT = Key("h", "hint")
DIFF = Key("d", "diff")
TRACE = Key("t", "trace")
BENCH = Key("b", "bench")
LIST = Key("l", "list")
RESET = Key("r", "reset")
QUIT = Key("q", "quit")
KEYS = (NEXT, PREVIOUS, HINT, DIFF, TRACE, BENCH, LIST, RESET, QUIT)
MORE = " "  # of a page that is longer than the terminal, which says so itself
YES = "y"
