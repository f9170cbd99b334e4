"""What both sides of the wire hold to: the bounds of names, texts and lines, and how strictly all of it is read."""

from __future__ import annotations

import re
from typing import Annotated

from tritonpuzzles.decoding.decoder import Decoder
from tritonpuzzles.decoding.marks import Between, Checked, Length, identifier, short

MAX_TEXT = 4096  # characters of a string
MAX_NAME = 200  # characters of a name, dotted ones too
MAX_LINE = 1 << 20
MAX_SIZE = 1 << 48  # of a dimension, a stride, an offset or a storage
MAX_DIMENSIONS = 16
RECORDED = Decoder(text=MAX_TEXT, whole=True)  # what a recorder writes: nothing in it is believed
COMMANDED = Decoder(whole=True, encodable=False)  # what the judge tells its workers


def _dotted(name: str) -> str:
    for part in name.split("."):
        identifier(part)
    return name


def matching(pattern: str, words: str) -> Checked:
    """Return the mark of a text that a pattern matches as a whole; `words` say what another one is not."""
    fits = re.compile(pattern).fullmatch

    def checked(text: str) -> str:
        if not fits(text):
            raise ValueError(f"{short(text)} is no {words}")
        return text

    return Checked(checked)


Name = Annotated[str, Length(MAX_NAME), Checked(identifier)]
Dotted = Annotated[str, Length(MAX_NAME), Checked(_dotted)]
Line = Annotated[int, Between(0, MAX_LINE)]
Size = Annotated[int, Between(0, MAX_SIZE)]
Sizes = Annotated[tuple[Size, ...], Length(MAX_DIMENSIONS)]
