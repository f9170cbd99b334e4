"""Strict readers of single JSON fields: each returns what it was told to expect, or raises with one sentence."""

from __future__ import annotations

from typing import Any

MAX_TEXT = 4096  # characters of a string
MAX_NAME = 200  # characters of a name, dotted ones too


class WireError(ValueError):
    """A description that is not what a recorder writes; the message is one sentence."""


def short(data: Any) -> str:
    """Return something from the wire for a message: at most 60 characters, whatever it is."""
    shown = repr(data) if isinstance(data, (str, bool, float, type(None))) else type(data).__name__
    return shown if len(shown) <= 60 else shown[:57] + "..."


def read_object(data: Any, what: str, keys: tuple[str, ...]) -> dict[str, Any]:
    """Return a JSON object that has exactly these keys."""
    if not isinstance(data, dict):
        raise WireError(f"{what} is a {type(data).__name__} and no object")
    if set(data) != set(keys):
        odd = sorted(map(str, set(data) ^ set(keys)))
        raise WireError(f"{what} lacks or has too much: {short(odd[0])}")
    return data


def read_list(data: Any, what: str, at_most: int) -> list[Any]:
    """Return a JSON list of bounded length."""
    if not isinstance(data, list):
        raise WireError(f"{what} is a {type(data).__name__} and no list")
    if len(data) > at_most:
        raise WireError(f"{what} has {len(data):,} items; the most is {at_most:,}")
    return data


def read_text(data: Any, at_most: int = MAX_TEXT) -> str:
    """Return a string of bounded length that can be written as UTF-8."""
    if not isinstance(data, str):
        raise WireError(f"a {type(data).__name__} stands where a text is expected")
    if len(data) > at_most:
        raise WireError(f"a text has {len(data):,} characters; the most is {at_most:,}")
    if any("\ud800" <= letter <= "\udfff" for letter in data):
        raise WireError("a text holds half of a surrogate pair")
    return data


def read_identifier(data: Any) -> str:
    """Return a Python name; names with two leading underscores are no one's to use."""
    name = read_text(data, MAX_NAME)
    if not name.isidentifier() or name.startswith("__"):
        raise WireError(f"{short(name)} is no name that a kernel can use")
    return name


def read_dotted(data: Any) -> str:
    """Return names joined by dots."""
    name = read_text(data, MAX_NAME)
    for part in name.split("."):
        read_identifier(part)
    return name


def read_count(data: Any, what: str, at_most: int) -> int:
    """Return a whole number from 0 to a limit."""
    if not isinstance(data, int) or isinstance(data, bool) or not 0 <= data <= at_most:
        shown = data if isinstance(data, int) and data.bit_length() < 64 else type(data).__name__
        raise WireError(f"{what} is {shown}, and may be 0 to {at_most:,}")
    return data


def read_flag(data: Any, what: str) -> bool:
    """Return a truth value."""
    if not isinstance(data, bool):
        raise WireError(f"{what} is a {type(data).__name__} and neither true nor false")
    return data
