"""Mistakes of a second backward pass: memory, sums or answers that are kept from the first."""

from __future__ import annotations

from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Tile
from tritonpuzzles.curriculum.mistakes.dot.common import BACK_A, CALL, MISTAKES, SAVE, Inputs, emulated

KEPT = r"ctx\.\w*(d[abxy]|grad|buffer|kept|out)\w*"
OWN = "Allocate da and db in backward, in each pass anew: what it has returned belongs to the caller."


def _by_pass(inputs: Inputs, tile: Tile) -> tuple[list[tuple[Tensor, ...]], Tensor]:
    """Return the right gradients of each pass, and the result."""
    *gradients, c = emulated(inputs, tile)
    each = len(tile.gradients)
    return [tuple(gradients[start : start + each]) for start in range(0, len(gradients), each or 1)], c


@MISTAKES.add(
    "passes-share-memory",
    "A second backward pass writes into the memory that the first one has returned, and overwrites its gradients.",
    OWN,
    KEPT,
    SAVE,
    BACK_A,
    host=True,
)
def passes_share_memory(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
    """The last pass's gradients in each."""
    passes, c = _by_pass(inputs, tile)
    return (*(gradient for _ in passes for gradient in passes[-1]), c)


@MISTAKES.also("passes-share-memory")
def passes_share_the_first(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
    """The last pass's first gradient in each; the others are each pass's own."""
    return _one_shared(inputs, tile, 0)


@MISTAKES.also("passes-share-memory")
def passes_share_the_last(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
    """The last pass's last gradient in each; the others are each pass's own."""
    return _one_shared(inputs, tile, len(tile.gradients) - 1)


def _one_shared(inputs: Inputs, tile: Tile, which: int) -> tuple[Tensor, ...]:
    passes, c = _by_pass(inputs, tile)
    return (*(passes[-1][n] if n == which else one for own in passes for n, one in enumerate(own)), c)


@MISTAKES.add(
    "passes-added",
    "A second backward pass adds to what the first one has returned: who wants a sum of gradients adds them up, "
    "and a backward pass gives its own alone.",
    OWN,
    KEPT,
    SAVE,
    BACK_A,
    host=True,
)
def passes_added(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
    """The sum of all passes, in each."""
    passes, c = _by_pass(inputs, tile)
    total = tuple(sum(parts[1:], parts[0]) for parts in zip(*passes, strict=True))
    return (*(gradient for _ in passes for gradient in total), c)


@MISTAKES.add(
    "first-pass-kept",
    "A second backward pass returns the gradients of the first: it has a g of its own.",
    "Launch in every backward pass: g is another one.",
    KEPT,
    SAVE,
    CALL,
    host=True,
)
def first_pass_kept(inputs: Inputs, tile: Tile) -> tuple[Tensor, ...]:
    """The first pass's gradients in each."""
    passes, c = _by_pass(inputs, tile)
    return (*(gradient for _ in passes for gradient in passes[0]), c)
