"""Numbers and types in words, for every sentence that the grader says."""

from __future__ import annotations

import re
from collections.abc import Sequence

ANY_STRIDES = "Compute pointers with tl.arange: they take any base and any strides."
PASS_FAILS = "What usually avoids it: other tile sizes, fewer num_stages, other num_warps, no warp_specialize."
COMPILES_FASTER = "Smaller tiles, or more warps that share them, compile faster; --timeout 120 gives each launch 120 s."
DEVICES = {"cpu": "CPU", "cuda": "GPU"}

_NAME = r"(?:\w+|<locals>|<lambda>)"
_OBJECT = re.compile(rf"<(?:[a-z-]+ )*?({_NAME}(?:\.{_NAME})*)(?: object)?(?: of \S+(?: object)?)? at 0x[0-9a-f]+>")


def without_addresses(text: str) -> str:
    """Return one of Python's messages with each object's representation reduced to its name.

    `<tritonpuzzles.recorder.modes._Operations object at 0x7f2c>` becomes "Operations".
    """
    return _OBJECT.sub(lambda found: found[1].rsplit(".", 1)[-1].strip("_<>"), text)


def plural(count: int, noun: str) -> str:
    """Return `1 case`, `2 cases`, `12,000 elements`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def distinct(value: float, limit: float) -> str:
    """Return a number with two decimals, or as many as distinguish it from a limit: "2.004" instead of "2.00"."""
    digits = next((n for n in range(2, 9) if f"{value:.{n}f}" != f"{limit:.{n}f}"), 2)
    return f"{value:,.{digits}f}"


def listed(names: Sequence[str]) -> str:
    """Return `q`, `q and k`, `q, k and v`."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def are(count: float) -> str:
    """Return "is" or "are", which agrees with a number."""
    return "is" if count == 1 else "are"


def article(kind: str) -> str:
    """Return the name of a type with its article: "a list", "an int", and "None" for NoneType."""
    if kind == "NoneType":
        return "None"
    return f"{'an' if kind[:1].lower() in 'aeiou' else 'a'} {kind}"


def first_sentence(text: str) -> str:
    """Return a text up to the first full stop, question mark or exclamation mark that is followed by a space."""
    return re.split(r"(?<=[.?!]) ", text, maxsplit=1)[0]


def sentence(text: str) -> str:
    """Return a text with a full stop, unless it ends with a punctuation mark already."""
    return text if text.endswith((".", "?", "!")) else f"{text}."
