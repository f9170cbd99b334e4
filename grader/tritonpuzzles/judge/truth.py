"""The truth of a call: what the reference gives in float64, and of a backward call what autograd makes of it.

The reference is the author's: what does not fit its record is refused with a sentence, before anything is graded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from tritonpuzzles.curriculum.call import Call, of_pass
from tritonpuzzles.curriculum.record import Case, Puzzle
from tritonpuzzles.judge.drawn import widened
from tritonpuzzles.judge.resolve import Resolved
from tritonpuzzles.results.words import plural
from tritonpuzzles.wire.authored import AuthorError, called, kind
from tritonpuzzles.wire.job import Value


def truth(
    puzzle: Puzzle,
    resolved: Resolved,
    tensors: Mapping[str, Tensor],
    values: Mapping[str, Value],
    case: Case | None = None,
) -> tuple[Tensor, ...]:
    """Return the outputs, widened: what the reference gives for the exact, already rounded inputs in float64.

    For a backward call these are the gradients that autograd works out from the reference, in float64, and behind them
    what the reference itself gives.

    Args:
        puzzle: whose call it is.
        resolved: what the names in its record stand for.
        tensors: of the call, by name.
        values: arguments that are no tensors.
        case: of a backward call, which says what it is differentiated for, and how often.

    Raises:
        AuthorError: if the reference raises, or gives something else than the record says.
    """
    exact = {name: tensor.double() if tensor.is_floating_point() else tensor for name, tensor in tensors.items()}
    for argument in puzzle.arguments:
        if argument.requires_grad and puzzle.gradients:
            exact[argument.name] = exact[argument.name].detach().clone().requires_grad_()
    everything = {**exact, **values}
    arguments = [everything[argument.name] for argument in puzzle.arguments]
    who = f"the reference {puzzle.reference}"
    given = called(who, puzzle.folder, resolved.reference, *arguments)
    wanted = [made.name for made in puzzle.gradients or puzzle.outputs]
    results = tensors_of(who, given, wanted, "[[gradients]]" if puzzle.gradients else "[[outputs]]")
    if puzzle.gradients:
        results = (*_differentiated(puzzle, case, who, results, exact), *results)
    return tuple(widened(result.detach()) for result in results)


def tensors_of(who: str, given: Any, names: Sequence[str], key: str) -> tuple[Tensor, ...]:
    """Return what an author's function gave as a tuple of tensors.

    Args:
        who: the function, for the sentence.
        given: a tensor, or a tuple of them.
        names: of the tensors that must be there.
        key: of the record, under which these stand.

    Raises:
        AuthorError: if it is anything else.
    """
    found = given if isinstance(given, tuple) else (given,)
    for value in found:
        if not isinstance(value, Tensor):
            inside = f"a tuple with {kind(value)} in it" if isinstance(given, tuple) else kind(value)
            raise AuthorError(f"{who} returns {inside}; {_asked(names)} is expected")
    if len(found) != len(names):
        raise AuthorError(
            f"{who} returns {plural(len(found), 'tensor')}; the record has {len(names)} {key}: {', '.join(names)}"
        )
    return found


def _asked(names: Sequence[str]) -> str:
    return "a tensor" if len(names) == 1 else f"a tuple of {len(names)} tensors ({', '.join(names)})"


def _differentiated(
    puzzle: Puzzle, case: Case | None, who: str, results: Sequence[Tensor], exact: Mapping[str, Tensor]
) -> tuple[Tensor, ...]:
    """Return the gradients of the arguments that require one, of those that a case asks for, of each of its passes."""
    able = [argument.name for argument in puzzle.arguments if argument.requires_grad]
    names = able if case is None else list(Call(puzzle, case).wanted)
    for gradient, result in zip(puzzle.gradients, results, strict=True):
        shape = tuple(exact[gradient.name].shape)
        if tuple(result.shape) != shape:
            raise AuthorError(f"{who} gives shape {tuple(result.shape)}; its gradient {gradient.name} has {shape}")
        if not result.requires_grad:
            raise AuthorError(
                f"{who} gives a result, of gradient {gradient.name}, in which no argument that requires a gradient "
                f"({', '.join(able)}) is used"
            )
    if not names:
        return ()
    found: list[Tensor] = []
    for number in range(1, (1 if case is None else case.passes) + 1):
        against = [exact[of_pass(gradient.name, number)] for gradient in puzzle.gradients]
        wanted = [exact[name] for name in names]
        given = called(f"autograd through {who}", puzzle.folder, _gradients, results, wanted, against)
        for name, tensor in zip(names, given, strict=True):
            if tensor is None:
                raise AuthorError(f"{who} does not use {name}, which requires a gradient")
        found += given
    return tuple(found)


def _gradients(
    results: Sequence[Tensor], wanted: Sequence[Tensor], against: Sequence[Tensor]
) -> Sequence[Tensor | None]:
    return torch.autograd.grad(list(results), list(wanted), list(against), allow_unused=True, retain_graph=True)
