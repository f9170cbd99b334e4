"""Words, numbers and foreign text as the report prints them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from typing import TYPE_CHECKING

from tritonpuzzles.results.words import plural

if TYPE_CHECKING:
    from tritonpuzzles.results.traffic import CachedLine, LineTraffic, Traffic

    Moved = Traffic | LineTraffic | CachedLine  # have the bytes of one tensor behind a kernel's parameter

NO_BREAK = "\u00a0"  # a space at which no line ends

_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours, cursor
    r"|\x9b[0-?]*[ -/]*[@-~]"  # the same, in one byte
    r"|\x1b\][^\x07\x1b]*(\x07|\x1b\\)?"  # window titles, links
    r"|\x1b[PX^_][^\x1b]*(\x1b\\)?"  # strings to the device
    r"|\x1b[@-Z\\-_]"
)
_ASCII = str.maketrans(
    {
        "\u2713": "+", "\u2717": "x", "\u2026": ".", "\u00d7": "x", "\u00b7": ".", "\u2022": "*", "\u2502": "|",
        "\u2503": "|", "\u258c": "|", "\u2500": "-", "\u2501": "=", "\u2550": "=", "\u2588": "#", "\u2591": ".",
        "\u2605": "*", "\u2606": "o",
        "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2013": "-", "\u2014": "-", "\u2192": "->",
        "\u2190": "<-", "\u2264": "<=", "\u2265": ">=", "\u2212": "-", "\u00a0": " ",
        "α": "alpha", "β": "beta", "γ": "gamma", "ε": "epsilon", "∑": "sum", "∏": "prod", "∞": "inf", "∈": "in",
        "√": "sqrt ", "≈": "~", "≠": "!=", "≡": "==", "±": "+-", "↦": "->", "∪": "U", "⌈": "ceil(", "⌉": ")",
        "⌊": "floor(", "⌋": ")", "é": "e",
    }
)  # fmt: skip


def harmless(text: str) -> str:
    r"""Return foreign text without anything that a terminal obeys.

    Escape sequences vanish; other control and invisible characters are written out, as in `\x07` and `\u202e`.
    Newlines stay, tabs become spaces.
    """
    text = _ESCAPES.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).expandtabs(4)
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)


def one_line(text: str) -> str:
    """Return foreign text, harmless, on one line."""
    return " ".join(harmless(text).split())


def first_line(error: BaseException) -> str:
    """Return the beginning of an error's message, or its class name if there is none."""
    return str(error).splitlines()[0][:120] if str(error) else type(error).__name__


def to_ascii(error: UnicodeError) -> tuple[str, int]:
    """Write what an encoding cannot carry, as `codecs` asks for it: `+` for a tick, `|` for a line, else `?`."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    replaced = error.object[error.start : error.end].translate(_ASCII)
    return "".join(c if ord(c) < 128 else "?" for c in replaced), error.end


def dimensions(shape: Sequence[int]) -> str:
    """Return `33 x 781`."""
    return " x ".join(str(n) for n in shape) if shape else "scalar"


def sized(shape: Sequence[int], dtype: str) -> str:
    """Return `33 x 781 float32`; the dtype is empty where nothing has it."""
    return " ".join(word for word in (dimensions(shape), one_line(dtype)) if word)


def significant(value: float, digits: int = 3) -> str:
    """Return a number with `digits` significant digits, and thousands separated: `2,960`, `0.0123`."""
    if not math.isfinite(value):
        return str(value)
    if value and not 1e-4 <= abs(value) < 1e9:
        return f"{value:.{digits}g}"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value)))) if value else 0
    return f"{value:,.{decimals}f}"


def two_values(expected: float, got: float) -> tuple[str, str]:
    """Return two numbers with enough digits to tell them apart, up to 17; integers unchanged."""
    if isinstance(expected, int) and isinstance(got, int):
        return str(expected), str(got)
    for digits in (6, 9, 17):
        texts = f"{expected:.{digits}g}", f"{got:.{digits}g}"
        if texts[0] != texts[1]:
            break
    return texts


def six_digits(value: float) -> str:
    """Return a number with nearly as many digits as float32 has."""
    return f"{value:.6g}"


def percent(share: float) -> str:
    """Return `76 %`."""
    return f"{100 * share:.0f} %" if math.isfinite(share) else str(share)


def compared(text: bytes, other: bytes) -> str:
    """Return `81 lines, +3 -2` of a text beside another."""
    mine, there = Counter(text.splitlines()), Counter(other.splitlines())
    return f"{plural(mine.total(), 'line')}, +{(mine - there).total()} -{(there - mine).total()}"


def some(names: Sequence[str], most: int = 5) -> str:
    """Return `ada, alan and 3 more`: the first of some names, and how many others there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def shared_names(rows: Iterable[Moved]) -> frozenset[str]:
    """Return the parameters that stand for several of the host function's tensors, in different launches."""
    tensors: dict[str, set[str | None]] = {}
    for row in rows:
        tensors.setdefault(row.argument, set()).add(row.tensor)
    return frozenset(name for name, found in tensors.items() if len(found) > 1)


def called(row: Moved, shared: Container[str] = ()) -> str:
    """Return a kernel's name for a tensor, with the host function's where it stands for several: `x_ptr (a)`."""
    name = one_line(row.argument)
    return f"{name} ({one_line(row.tensor)})" if row.tensor and row.argument in shared else name
