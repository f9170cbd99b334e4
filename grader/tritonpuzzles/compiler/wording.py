"""Say Triton's types and messages in plain words."""

from __future__ import annotations

import re

from tritonpuzzles.results.words import without_addresses

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
