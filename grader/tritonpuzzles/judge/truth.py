"""The truth of a call: what the reference gives in float64, and of a backward call what autograd makes of it.

The reference is the author's: what does not fit its record is refused with a sentence, before anything is graded.

Where a call has too many numbers to be sent, judge and engine draw the same ones from one seed (`wire/drawing.py`), and
the judge asks for rows that nobody could know before, the first and the last among them; for an output of at most
16 MiB it asks for all. That finds a kernel that is wrong in general at this size, in a tail or an offset past 2^31, or
that leaves out work. A fault in 5 % of the rows slips through once in five times where 32 rows are looked at.
"""

from __future__ import annotations

import contextlib
import random
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from threading import Thread
from typing import Any

import torch
from torch import Tensor

from tritonpuzzles.curriculum.call import Call, of_pass
from tritonpuzzles.curriculum.record import Case, Task
from tritonpuzzles.judge.drawn import DrawnCase, Expected, Layout, widened
from tritonpuzzles.judge.resolve import Resolved, authored, resolve, tolerance_of
from tritonpuzzles.judge.tolerances import Tolerance
from tritonpuzzles.results.words import plural
from tritonpuzzles.wire.authored import AuthorError, called, kind
from tritonpuzzles.wire.drawing import drawn_on, dtype_of
from tritonpuzzles.wire.given import Described
from tritonpuzzles.wire.job import Value

SAMPLE_BYTES = 16 << 20
FEWEST_ROWS, MOST_ROWS = 32, 2048
CHUNK = 256  # rows whose truth is computed at once, in float64


def truth(
    task: Task,  # whose call it is
    resolved: Resolved,  # what the names in its record stand for
    tensors: Mapping[str, Tensor],  # of the call, by name
    values: Mapping[str, Value],  # arguments that are no tensors
    case: Case | None = None,  # of a backward call, which says what it is differentiated for, and how often
    # how the call is put together, where it is more than the arguments in order: the reference is asked with that, and
    # gives the outputs
    described: Described | None = None,
) -> tuple[Tensor, ...]:
    """Return the outputs, widened: what the reference gives for the exact, already rounded inputs in float64.

    For a backward call these are the gradients that autograd works out from the reference, in float64, and behind them
    what the reference itself gives. Raises AuthorError if the reference raises, or gives something else than the record
    says.
    """
    exact = {name: tensor.double() if tensor.is_floating_point() else tensor for name, tensor in tensors.items()}
    for argument in task.arguments:
        if argument.requires_grad and task.gradients:
            exact[argument.name] = exact[argument.name].detach().clone().requires_grad_()
    who = f"the reference {task.reference}"
    if described is not None:
        answers: tuple[Tensor, ...] = called(who, task.folder, resolved.reference, described, exact, values)
        return tuple(widened(answer) for answer in answers)
    everything = {**exact, **values}
    arguments = [everything[argument.name] for argument in task.arguments]
    given = called(who, task.folder, resolved.reference, *arguments)
    wanted = [made.name for made in task.gradients or task.outputs]
    results = tensors_of(who, given, wanted, "[[gradients]]" if task.gradients else "[[outputs]]")
    if task.gradients:
        results = (*_differentiated(task, case, who, results, exact), *results)
    return tuple(widened(result.detach()) for result in results)


def tensors_of(who: str, given: Any, names: Sequence[str], key: str) -> tuple[Tensor, ...]:
    """Return what an author's function gave, a tensor or a tuple of them, as a tuple of tensors.

    Raises AuthorError if it is anything else than those with these names, which stand under `key` in the record.
    """
    found = given if isinstance(given, tuple) else (given,)
    for value in found:
        if not isinstance(value, Tensor):
            inside = f"a tuple with {kind(value)} in it" if isinstance(given, tuple) else kind(value)
            asked = "a tensor" if len(names) == 1 else f"a tuple of {len(names)} tensors ({', '.join(names)})"
            raise AuthorError(f"{who} returns {inside}; {asked} is expected")
    if len(found) != len(names):
        raise AuthorError(
            f"{who} returns {plural(len(found), 'tensor')}; the record has {len(names)} {key}: {', '.join(names)}"
        )
    return found


def _differentiated(
    task: Task, case: Case | None, who: str, results: Sequence[Tensor], exact: Mapping[str, Tensor]
) -> tuple[Tensor, ...]:
    """Return the gradients of the arguments that require one, of those that a case asks for, of each of its passes."""
    able = [argument.name for argument in task.arguments if argument.requires_grad]
    names = able if case is None else list(Call(task, case).wanted)
    for gradient, result in zip(task.gradients, results, strict=True):
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
        against = [exact[of_pass(gradient.name, number)] for gradient in task.gradients]
        wanted = [exact[name] for name in names]
        given = called(f"autograd through {who}", task.folder, _gradients, results, wanted, against)
        for name, tensor in zip(names, given, strict=True):
            if tensor is None:
                raise AuthorError(f"{who} does not use {name}, which requires a gradient")
        found += given
    return tuple(found)


def _gradients(
    results: Sequence[Tensor], wanted: Sequence[Tensor], against: Sequence[Tensor]
) -> Sequence[Tensor | None]:
    # of their sum of products, which is the same: given `against`, autograd imports SymPy, which takes a second
    total = torch.stack([(result * gradient).sum() for result, gradient in zip(results, against, strict=True)]).sum()
    return torch.autograd.grad(total, list(wanted), allow_unused=True, retain_graph=True)


def wake(device: str) -> None:
    """Begin to use a GPU in a thread, so that this process can draw there by the time that rows have come.

    A context takes as long as many cases do. Where none is to be had, whoever draws there will say why.
    """

    def use() -> None:
        with contextlib.suppress(RuntimeError):
            torch.zeros(1, device=device)

    Thread(target=use, daemon=True).start()


def rows_looked_at(n_rows: int, row_bytes: int) -> int:
    """Return how many rows of an output are looked at."""
    return min(n_rows, MOST_ROWS, max(FEWEST_ROWS, SAMPLE_BYTES // max(1, row_bytes)))


def choose_rows(n_rows: int, row_bytes: int) -> tuple[int, ...]:
    """Return which rows to look at, unpredictably: all of a small output, else the first, the last and some between."""
    count = rows_looked_at(n_rows, row_bytes)
    if count == n_rows:
        return tuple(range(n_rows))
    unknown = random.Random(secrets.randbits(256))  # the system is asked once: for each number, threads would queue up
    between = unknown.sample(range(1, n_rows - 1), count - 2)
    return (0, *sorted(between), n_rows - 1)


def rows_to_look_at(outputs: Sequence[Expected]) -> tuple[int, ...]:
    """Return which rows of the outputs of a call to look at, of each the same."""
    return choose_rows(_n_rows(outputs), max(map(_row_bytes, outputs)))


def sampled_bytes(drawn: DrawnCase) -> int:
    """Return how many bytes those rows of all outputs have."""
    widest = max(map(_row_bytes, drawn.outputs))
    return rows_looked_at(_n_rows(drawn.outputs), widest) * sum(map(_row_bytes, drawn.outputs))


def _n_rows(outputs: Sequence[Expected]) -> int:
    return min(output.shape[0] for output in outputs)


def _row_bytes(output: Expected) -> int:
    return prod(output.shape[1:]) * dtype_of(output.dtype).itemsize


def with_rows(task: Task, drawn: DrawnCase, rows: Sequence[int], place: str) -> tuple[DrawnCase, tuple[Tolerance, ...]]:
    """Return a case with the truth of some rows of its outputs, on the CPU, and how far they may be from it.

    The case has a `drawing`, and its task a bench, which says what decides about a row of each output. Raises
    RecordError if a family, the reference or a tolerance does not fit the record at this size.
    """
    assert drawn.drawing is not None
    assert task.benchmark is not None
    assert task.benchmark.bench is not None
    needs = [task.benchmark.bench.rows[output.name] for output in drawn.outputs]
    some = tuple(replace(output, shape=(len(rows), *output.shape[1:])) for output in drawn.outputs)
    known: dict[int, tuple[Tensor, Tolerance]] = {}
    with authored(task, place):
        tensors = drawn_on(torch.device(drawn.drawn_on), drawn.drawing)
        for axes in [axes for number, axes in enumerate(needs) if axes not in needs[:number]]:
            numbers = [number for number, other in enumerate(needs) if other == axes]
            golden = _truth(task, tensors, drawn.values, rows, axes, numbers)
            laid_out = {name: Layout.of(tensor) for name, tensor in _picked(tensors, axes, rows).items()}
            there = replace(drawn, tensors=laid_out, outputs=some, golden=golden, rows=tuple(rows))
            known |= {number: (golden[number], tolerance_of(task, there, number)) for number in numbers}
    found = [known[number] for number in range(len(needs))]
    here = replace(drawn, outputs=some, golden=tuple(golden.cpu() for golden, _ in found), rows=tuple(rows))
    return here, tuple(tolerance for _, tolerance in found)


def _picked(tensors: Mapping[str, Tensor], axes: Mapping[str, int], rows: Sequence[int]) -> dict[str, Tensor]:
    """Return tensors with some indices alone along an axis of their own."""
    return {
        name: tensor.index_select(axes[name], torch.tensor(rows, device=tensor.device)) if name in axes else tensor
        for name, tensor in tensors.items()
    }


def _truth(
    task: Task,
    tensors: Mapping[str, Tensor],
    values: Mapping[str, Value],
    rows: Sequence[int],
    axes: Mapping[str, int],
    numbers: Sequence[int],
) -> tuple[Tensor, ...]:
    """Return rows of some of the reference's outputs in float64, a few at a time, and nothing of the others.

    Where the outputs need different rows of the inputs, those of the others are not what they are for all of them.
    """
    resolved, pieces = resolve(task), []
    for start in range(0, len(rows), CHUNK):
        found = truth(task, resolved, _picked(tensors, axes, rows[start : start + CHUNK]), values)
        pieces.append([output if number in numbers else output.new_empty(0) for number, output in enumerate(found)])
    return tuple(torch.cat(outputs) for outputs in zip(*pieces, strict=True))
