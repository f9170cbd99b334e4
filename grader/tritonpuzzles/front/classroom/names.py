"""Names of people as they are compared: whichever way round they stand, and however they are joined."""

from __future__ import annotations


def spellings(name: str) -> set[str]:
    """Return "adalovelace" and "lovelaceada" of "Ada Lovelace", and of "Lovelace, Ada"."""
    last, comma, first = name.partition(",")
    words = [first, last] if comma else name.rsplit(maxsplit=1)
    return {compact("".join(words)), compact("".join(reversed(words)))}


def compact(name: str) -> str:
    """Return the letters and digits of a name, in small letters."""
    return "".join(filter(str.isalnum, name.casefold()))
