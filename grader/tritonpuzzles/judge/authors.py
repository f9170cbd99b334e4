"""What goes wrong in an author's records and modules becomes the author's sentence: file, place and cause."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tritonpuzzles.curriculum.expressions import ExpressionError
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.tables import RecordError
from tritonpuzzles.wire.authored import AuthorError


@contextmanager
def authored(puzzle: Puzzle, place: str) -> Iterator[None]:
    """Say of what an author's functions and expressions do wrong in this block where it happens.

    Args:
        puzzle: whose record and modules are meant.
        place: in the record: "case 'late maximum'".

    Raises:
        RecordError: in place of `AuthorError` and `ExpressionError`.
    """
    try:
        yield
    except (AuthorError, ExpressionError) as error:
        raise RecordError(f"{puzzle.stem}.toml, {place}: {error}") from error


def of_case(name: str) -> str:
    """Return a case as a place in its record."""
    return f"case {name!r}"


def of_mistake(code: str) -> str:
    """Return a mistake as a place in its record."""
    return f"mistake {code!r}"


def of_shape(shape: Sequence[int]) -> str:
    """Return a size that is timed as a place in its record."""
    return f"[benchmark.bench], shape {'x'.join(map(str, shape))}"


def of_walk(name: str) -> str:
    """Return a walk as a place in its record."""
    return f"walk {name!r}"
