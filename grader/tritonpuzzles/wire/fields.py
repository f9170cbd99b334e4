"""Limits shared by both sides of the wire, for names, texts and lines; and how strictly data is read."""

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
RECORDED = Decoder(text=MAX_TEXT, whole=True)  # for a recorder's output, which is untrusted
COMMANDED = Decoder(whole=True, encodable=False)  # for the judge's commands to its workers


def _dotted(name: str) -> str:
    for part in name.split("."):
        identifier(part)
    return name


def matching(pattern: str, words: str) -> Checked:
    """Return the mark of a text that must match a pattern completely; `words` name it in the error."""
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
