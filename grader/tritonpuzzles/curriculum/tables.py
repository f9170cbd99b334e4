"""Read an author's TOML: what is not understood is refused, with the file and the table that contain it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

from tritonpuzzles.curriculum.expressions import ExpressionError, Multiple, check_names, names_in
from tritonpuzzles.decoding.decoder import Decoder
from tritonpuzzles.decoding.marks import DecodeError, UnknownWordError, nearest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

T = TypeVar("T")
RECORDS = Decoder()


class RecordError(ValueError):
    """A record or a pack is not well formed; the message names the file, the place and what to fix."""


def read_toml(path: Path) -> dict[str, Any]:
    """Return a file's table; raises RecordError if it cannot be read."""
    try:
        data: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise RecordError(f"{path.name}: there is no such file in {path.parent}") from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise RecordError(f"{path.name}: {error}") from error
    return data


def read_record(hint: type[T], path: Path, **given: Any) -> T:
    """Return a file's table, with some given fields, as a dataclass; raises RecordError if it does not fit."""
    data = read_toml(path)
    try:
        return RECORDS.read(hint, data, **given)
    except DecodeError as error:
        raise refused(path.name, data, error) from error


def refused(file: str, data: dict[str, Any], error: DecodeError) -> RecordError:
    """Return the error for a file's table: `p03_online_softmax.toml, case 'late maximum': 'why' is missing`."""
    where, key = [file], ""
    step: str | int = ""
    node: Any = data
    for step in error.place:
        node = node[step]
        key = step if isinstance(step, str) else key
        if isinstance(node, dict):
            name = repr(node["name"]) if "name" in node else str(step + 1 if isinstance(step, int) else "")
            where.append(f"[{key}]" if isinstance(step, str) else f"{key.removesuffix('s')} {name}")
    clause = error.what.startswith("is ")
    if isinstance(node, dict) and not clause:
        return RecordError(f"{', '.join(where)}: {error.what}")
    if isinstance(node, dict):
        where.pop()
    subject = repr(key) if step == key else f"item {int(step) + 1} of {key!r}"
    if isinstance(error, UnknownWordError):
        subject = key
    elif not clause:
        subject += ":"
    return RecordError(f"{', '.join(where)}: {subject} {error.what}")


def check(
    value: Multiple,
    names: Sequence[str],
    *place: str | int,
    draws: bool = False,
    constexprs: bool = False,
    fractions: bool = False,
) -> None:
    """Try an expression of a record.

    With `constexprs` it may also use names in capitals; with `fractions`, numbers must be at least 0. Raises
    DecodeError with the part that is not known.
    """
    if fractions and not isinstance(value, str) and value < 0:
        raise DecodeError(f"is {value!r}; a number of at least 0 or an expression is expected", place)
    try:
        for name in sorted(names_in(value) - set(names)):
            if not (constexprs and name.isupper()):
                raise DecodeError(f"{name!r} in {value!r} is not known.{nearest(name, names)}", place)
        check_names(value, draws, fractions)
    except ExpressionError as error:
        raise DecodeError(str(error), place) from error
