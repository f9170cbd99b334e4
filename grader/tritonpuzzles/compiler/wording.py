"""Put Triton's types and messages into plain words: rows of a table of messages, and the words in their sentences."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tritonpuzzles.compiler.faults import Fault
from tritonpuzzles.results.words import without_addresses

Words = Mapping[str, Any]
Look = Callable[[Fault, Words], Words | None]

_DTYPES = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64", "int1": "bool"}
_BLOCK = re.compile(r"<\[([^\]]*)\], ([^<>\[\],]+(?:<[^>]*>)?)>")
_SUFFIXED = re.compile(r"\b(u?int\d+|fp\d+|bf16|pointer<\w+>)\[((?:constexpr\[\d+\](?:, )?)*)\]")
_CONSTEXPR = re.compile(r"constexpr\[([^\]]*)\]")
_DTYPE = re.compile(r"\b(?:pointer<[^<>]*>|fp16|bf16|fp32|fp64)(?!\w)")


def dtype_name(name: str) -> str:
    """Return PyTorch's name of a Triton dtype: `fp32` is `float32`, `pointer<fp16>` a pointer to float16."""
    name = name.strip().removeprefix("triton.language.")
    pointer = re.fullmatch(r"pointer<([^,>]*).*>", name)
    if pointer:
        return f"pointer to {dtype_name(pointer[1])}"
    return _DTYPES.get(name, name)


def type_name(text: str) -> str:
    """Return a type in words: `<['64', '32'], fp32>` is "float32 tile of 64 x 32", `fp32` "float32 scalar"."""
    block = _BLOCK.fullmatch(text.strip())
    if block:
        return _block(block[1], block[2])
    suffixed = _SUFFIXED.fullmatch(text.strip())
    return _block(suffixed[2], suffixed[1]) if suffixed else _block("", text)


def _block(sizes: str, dtype: str) -> str:
    numbers, name = re.findall(r"\d+", sizes), dtype_name(dtype)
    if name.startswith("pointer to "):
        return f"tile of {' x '.join(numbers)} {name.replace('pointer', 'pointers', 1)}" if numbers else name
    return f"{name} tile of {' x '.join(numbers)}" if numbers else f"{name} scalar"


def an(noun: str) -> str:
    """Return a noun with its article: "an int32 scalar"."""
    return f"{'an' if noun[:1] in 'aeio' else 'a'} {noun}"


class Word(str):
    """A part of a message, formatted in a sentence: `{name:type}`, `{name:dtype}`, `{name:number}`, or unchanged.

    For a type, `{name:sizes}` gives only the sizes of the tile, "64 x 32", and `{name:element}` its dtype;
    `{name:clean}` gives a message without Triton's notation.
    """

    def __format__(self, form: str) -> str:
        match form:
            case "type":
                return an(type_name(self))
            case "dtype":
                return dtype_name(self)
            case "element":
                return type_name(self).split()[0]
            case "sizes":
                return type_name(self).partition(" tile of ")[2]
            case "number":
                return f"{int(self):,}"
            case "clean":
                return clean(self)
        return str(self)


def clean(text: str) -> str:
    """Return the first line of a message without Triton's notation, memory addresses or a final stop."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "the compiler gives no reason")
    line = line.replace("triton.language.", "")
    line = _BLOCK.sub(lambda found: _block(found[1], found[2]), line)
    line = _SUFFIXED.sub(lambda found: _block(found[2], found[1]), line)
    line = _CONSTEXPR.sub(lambda found: found[1], line)
    line = _DTYPE.sub(lambda found: dtype_name(found[0]), line)
    line = without_addresses(line)
    return re.sub(r"\s+", " ", line).rstrip(". ")


@dataclass(frozen=True)
class Reason:
    """Why a kernel does not compile, and what to do; `file` and `line` are set if more precise than the fault's."""

    cause: str
    step: str | None = None
    line: int | None = None
    file: str | None = None


@dataclass(frozen=True)
class Row:
    """A message of Triton's, and what it means."""

    pattern: str  # is searched in the message
    # cause, step: contain the pattern's named groups and the words of the look as `{name}`: see `Word`
    cause: str
    step: str | None
    # inspects the source: returns more words, perhaps `line` and `file`, or `None` if this row does not apply
    look: Look | None = None
    kind: str = ""  # of the exception; any if it is empty

    def reason(self, text: str, fault: Fault | None) -> Reason | None:
        """Return the reason if the row matches a message, else `None`; a row with a look or a kind needs the fault."""
        words = self._words(text, fault)
        if words is None:
            return None
        spoken = {name: Word(word) for name, word in words.items()}
        step = None if self.step is None else self.step.format(**spoken)
        return Reason(self.cause.format(**spoken), step, words.get("line"), words.get("file"))

    def _words(self, text: str, fault: Fault | None) -> Words | None:
        found = re.search(self.pattern, text)
        if found is None or (self.kind and (fault is None or fault.kind != self.kind)):
            return None
        groups = {name: group or "" for name, group in found.groupdict().items()}
        if self.look is None:
            return groups
        seen = None if fault is None else self.look(fault, groups)
        return None if seen is None else {**groups, **seen}


def reason_of(rows: Sequence[Row], text: str, fault: Fault | None = None) -> Reason | None:
    """Return the reason of the first row that matches a message, or `None`."""
    return next(filter(None, (row.reason(text, fault) for row in rows)), None)
