"""The front half of the compiler, for every choice of constants and types that is launched: each is another program.

What a constant switches off, no compiler has looked at. What comes out says which of them need the other half as well,
which takes ten to a hundred times as long.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from tritonpuzzles.compiler.budget import Budget, CompileTimeoutError
from tritonpuzzles.compiler.build import BuildError, translate
from tritonpuzzles.compiler.compile import Announce, Compiled, compiled_for, distinct, kept, rejected, skipped
from tritonpuzzles.compiler.launch import Launch, Specialised
from tritonpuzzles.compiler.outcome import CompileOutcome, Translation
from tritonpuzzles.hardware.targets import Target
from tritonpuzzles.results.check import CompileResult

_NO_OPERATION = re.compile(r"\s*(?:%\S+ = arith\.constant |tt\.func |tt\.return|module |[{}]*$)")
_QUOTED = re.compile(r'("(?:[^"\\]|\\.)*")')
_NAMES_AND_SIZES = re.compile(
    r"%[\w#:]+"  # values
    r"|\d+(?=x)"  # shapes
    r"|(?<![\w.])-?\d[\d.]*(?:[eE][-+]?\d+)?"  # numbers; those in types follow a letter
)
_TILE = re.compile(r"tensor<((?:\d+x)+)")


def translate_launches(
    launches: Sequence[Launch],
    targets: Sequence[Target],
    cache: Path | None,
    budget: Budget,
    announce: Announce = lambda launch: None,
) -> Iterator[Compiled]:
    """Take every distinct program among some launches through the front half for every target; yield each when done.

    How far numbers can be divided makes no other program.
    """
    for launch in distinct(launches, targets[0], _undivided) if targets else ():
        announce(launch)
        yield compiled_for(launch, targets, lambda launch, target: translate_launch(launch, target, cache, budget))


def translate_launch(
    launch: Launch, target: Target, cache: Path | None = None, budget: Budget | None = None
) -> CompileOutcome:
    """Take a launch through the front half for one target; see `compile_launch`."""

    def made(variant: Specialised) -> CompileOutcome:
        try:
            text, answers = translate(variant, None if budget is None else budget.left)
        except BuildError as error:
            return rejected(variant, error)
        launched = {name: int(variant.options[name]) for name in ("num_warps", "num_stages")}
        result = CompileResult(variant.kernel.__name__, variant.target.name, True, assembled=False, **launched)
        return CompileOutcome(result, translation=translation_of(text), answers=answers)

    try:
        return kept(launch, target, cache, "ttir", made, read=_undivided)
    except CompileTimeoutError:
        return skipped(launch, target, budget)


def _undivided(variant: Specialised) -> Specialised:
    return replace(variant, attributes={})


def translation_of(text: str) -> Translation:
    """Return what TTIR's text says of a program.

    Its constants say nothing: which there are hangs on sizes. What is quoted counts as it stands: assembly is another
    one with another number in it.
    """
    operations = frozenset(_digest(line) for line in text.splitlines() if not _NO_OPERATION.match(line))
    tiles = [math.prod(map(int, sizes.split("x")[:-1])) for sizes in _TILE.findall(text)]
    return Translation(operations, sum(tiles), max(tiles, default=1))


def _digest(line: str) -> str:
    parts = _QUOTED.split(line.strip())
    parts[::2] = [_NAMES_AND_SIZES.sub("", part) for part in parts[::2]]
    return hashlib.sha256("".join(parts).encode()).hexdigest()[:16]
