"""Call what the author of a pack wrote, and say in a sentence where it does something else than it should.

Shared by both sides: the judge calls references, tolerances and emulations, judge and worker call families.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tritonpuzzles.results.words import article

MOST_LETTERS = 300  # of an exception's own words


class AuthorError(ValueError):
    """A function of a pack raises, or gives something else than it is asked for.

    The message says which function and what; whoever knows the record and the case says where.
    """


def called(what: str, folder: Path | str | None, function: Callable[..., Any], *arguments: Any) -> Any:
    """Return what an author's function gives.

    Args:
        what: the function, for the sentence: "the reference answers:square".
        folder: of the pack, whose lines are named.
        function: to be called.
        arguments: for it.

    Raises:
        AuthorError: if it raises.
    """
    try:
        return function(*arguments)
    except Exception as error:
        raise AuthorError(f"{what} raises {described(error, folder)}") from error


def described(error: Exception, folder: Path | str | None) -> str:
    """Return `ValueError: too few rows (answers.py, line 12)`, the line only where one of the pack's own is known."""
    text = " ".join(traceback.format_exception_only(type(error), error)[-1].split())[:MOST_LETTERS].rstrip(".")
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_within(frame.filename, folder)]
    return f"{text} ({Path(own[-1].filename).name}, line {own[-1].lineno})" if own else text


def kind(value: object) -> str:
    """Return what a value is, with its article: "a list"."""
    return article(type(value).__name__)


def _is_within(filename: str, folder: Path | str | None) -> bool:
    return folder is not None and Path(folder).resolve() in Path(filename).resolve().parents
