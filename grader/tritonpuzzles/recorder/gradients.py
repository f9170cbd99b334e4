"""Differentiate what a host function returned, and see each gradient as its backward pass gave it.

autograd converts a gradient of another dtype and sums one of a larger shape, with operations of its own: they would
look like the submission's, and the tensor that comes out is none that a kernel wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import BackwardCFunction

Look = Callable[[Any, Any], Any]


def gradients(
    results: Sequence[Tensor], wanted: Sequence[Tensor], against: Sequence[Tensor], keep: bool = False
) -> tuple[Any, ...]:
    """Return the gradients of `wanted`, worked out on this thread; exceptions of a backward pass go through.

    One that autograd would have to convert comes back as the `torch.autograd.Function` returned it, in its own dtype
    and shape; `None` stands where there is none.

    Args:
        results: that have a gradient function.
        wanted: leaves whose gradients are asked for.
        against: one gradient per result, of its shape and dtype.
        keep: whether the graph is kept for another pass.
    """
    misfits: dict[int, Tensor] = {}

    def look(node: Any, returned: Any) -> Any:
        values = list(returned) if isinstance(returned, tuple) else [returned]
        for place, leaf in _leaves(node):
            number = next((n for n, tensor in enumerate(wanted) if tensor is leaf), None)
            if number is not None and place < len(values) and _is_misfit(values[place], wanted[number]):
                misfits[number], values[place] = values[place], None  # autograd passes None on as it is
        return tuple(values) if isinstance(returned, tuple) else values[0]

    with _seen_by(look), torch.autograd.set_multithreading_enabled(False):
        given = torch.autograd.grad(results, wanted, against, retain_graph=keep, allow_unused=True)
    return tuple(misfits.get(number, gradient) for number, gradient in enumerate(given))


def _leaves(node: Any) -> Iterator[tuple[int, Tensor | None]]:
    """Yield the place among a Function's arguments, and the leaf that stands there, for each that needs a gradient."""
    places = (place for place, needed in enumerate(node.needs_input_grad) if needed)
    edges = (function for function, _ in node.next_functions if function is not None)
    for place, function in zip(places, edges, strict=False):
        yield place, getattr(function, "variable", None)


def _is_misfit(gradient: Any, leaf: Tensor) -> bool:
    return isinstance(gradient, Tensor) and (gradient.dtype, gradient.shape) != (leaf.dtype, leaf.shape)


@contextmanager
def _seen_by(look: Look) -> Iterator[None]:
    """Pass what every backward pass returns through `look`, before autograd has it."""
    original = BackwardCFunction.apply

    def apply(node: Any, *arguments: Any) -> Any:
        return look(node, original(node, *arguments))  # type: ignore[no-untyped-call]

    BackwardCFunction.apply = apply  # type: ignore[method-assign]
    try:
        yield
    finally:
        BackwardCFunction.apply = original  # type: ignore[method-assign]
