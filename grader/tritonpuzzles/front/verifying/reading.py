"""What `verify` is given on a command line: calls, limits and a tolerance, as Python would have them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.verifier.written import Call, NotReadError, Written, argument

EXAMPLE = "--arg a=5x700:bf16 --arg n=3"


def read_calls(arguments: Sequence[str], calls: Sequence[str]) -> list[Call]:
    """Return the calls that are asked for.

    Args:
        arguments: `NAME=VALUE`, of every call.
        calls: several of those in one text, of one call; without any there is one call, if it has arguments.

    Raises:
        FrontError: for what cannot be read.
    """
    common = _call(arguments)
    if calls:
        return [{**common, **_call(_words(call))} for call in calls]
    return [common] if common else []


def _call(arguments: Sequence[str]) -> dict[str, Written]:
    found: dict[str, Written] = {}
    for text in arguments:
        try:
            name, value = argument(text)
        except NotReadError as error:
            raise FrontError(str(error), EXAMPLE) from error
        if name in found:
            raise FrontError(f"{name} is given twice in one case.", '--args "a=5x700" --args "a=1x64" are two cases')
        found[name] = value
    return found


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise FrontError(f"{text!r} cannot be read: {error}.", '--args "a=5x700 mode=str:relu"') from error


def read_limits(limits: Sequence[str]) -> dict[str, Any]:
    """Return limits as a record has them: `loads.a=1` is `{"loads": {"a": 1.0}}`.

    Raises:
        FrontError: for what is not of the form KEY=N.
    """
    found: dict[str, Any] = {}
    for text in limits:
        key, equals, value = text.partition("=")
        if not equals or not value:
            raise FrontError(f"{text!r} is not of the form KEY=N.", "--limit loads.a=1 --limit tile=4096")
        of, dot, name = key.partition(".")
        if dot and isinstance(found.setdefault(of, {}), dict):
            found[of][name] = number(value)
        else:
            found[key] = number(value)
    return found


def number(text: str) -> int | float | str:
    """Return a number, whole where it can be; what is none stays as it is: a name, or an expression."""
    for read in (int, float):
        try:
            found: int | float = read(text)
        except ValueError:
            continue
        return found
    return text
