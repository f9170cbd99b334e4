"""The truth of a call: the reference's result in float64, and for a backward call the gradients from autograd.

The reference is the author's: if its result does not fit the record, a sentence says so before anything is graded.

If a call's inputs are too large to be sent, judge and engine draw the same ones from one seed (`wire/drawing.py`). The
judge then requests some rows: the first, the last and unpredictable ones between, or all rows of an output of at most
16 MiB. That finds a kernel that is wrong at this size in general, in a tail or an offset past 2^31, or that skips work.
A fault in 5 % of the rows escapes once in five times with 32 rows.
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
    resolved: Resolved,  # the objects that the names in its record refer to
    tensors: Mapping[str, Tensor],  # of the call, by name
    values: Mapping[str, Value],  # arguments that are not tensors
    case: Case | None = None,  # of a backward call: names the gradients to compute, and the passes
    # how to call the reference if the arguments in order are not enough: the reference gets it instead, and returns the
    # outputs
    described: Described | None = None,
) -> tuple[Tensor, ...]:
    """Return the outputs, widened: the reference's float64 result for the exact, already rounded inputs.

    For a backward call these are the gradients that autograd computes from the reference in float64, and after them the
    reference's own results. Raises AuthorError if the reference raises, or its results do not fit the record.
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
    """Return the result of an author's function, a tensor or a tuple of tensors, as a tuple of tensors.

    Raises AuthorError unless there is one tensor per name; `key` is the section of the record that lists the names.
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
    """Return the gradients of the arguments that a case requests, for each of its passes."""
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
    # of the sum of products, which is equal: with `grad_outputs`, autograd imports SymPy, which takes a second
    total = torch.stack([(result * gradient).sum() for result, gradient in zip(results, against, strict=True)]).sum()
    return torch.autograd.grad(total, list(wanted), allow_unused=True, retain_graph=True)


def wake(device: str) -> None:
    """Start to use a GPU in a thread, so that this process can draw there when rows arrive.

    Creating a context takes as long as many cases do. If that fails, the code that draws there reports it.
    """

    def use() -> None:
        with contextlib.suppress(RuntimeError):
            torch.zeros(1, device=device)

    Thread(target=use, daemon=True).start()


def rows_looked_at(n_rows: int, row_bytes: int) -> int:
    """Return how many rows of an output are compared."""
    return min(n_rows, MOST_ROWS, max(FEWEST_ROWS, SAMPLE_BYTES // max(1, row_bytes)))


def choose_rows(n_rows: int, row_bytes: int) -> tuple[int, ...]:
    """Choose rows unpredictably: all of a small output, else the first, the last and random ones between."""
    count = rows_looked_at(n_rows, row_bytes)
    if count == n_rows:
        return tuple(range(n_rows))
    unknown = random.Random(secrets.randbits(256))  # one system call in all: threads wait for each other there
    between = unknown.sample(range(1, n_rows - 1), count - 2)
    return (0, *sorted(between), n_rows - 1)


def rows_to_look_at(outputs: Sequence[Expected]) -> tuple[int, ...]:
    """Choose the rows to compare, the same for all outputs of a call."""
    return choose_rows(_n_rows(outputs), max(map(_row_bytes, outputs)))


def sampled_bytes(drawn: DrawnCase) -> int:
    """Return how many bytes those rows of all outputs take."""
    widest = max(map(_row_bytes, drawn.outputs))
    return rows_looked_at(_n_rows(drawn.outputs), widest) * sum(map(_row_bytes, drawn.outputs))


def _n_rows(outputs: Sequence[Expected]) -> int:
    return min(output.shape[0] for output in outputs)


def _row_bytes(output: Expected) -> int:
    return prod(output.shape[1:]) * dtype_of(output.dtype).itemsize


def with_rows(task: Task, drawn: DrawnCase, rows: Sequence[int], place: str) -> tuple[DrawnCase, tuple[Tolerance, ...]]:
    """Return a case with the truth of some rows of its outputs, on the CPU, and the tolerance of each output.

    The case has a `drawing`. Its task has a bench, whose `rows` name the inputs' axes that a row of each output depends
    on. Raises RecordError if a family, the reference or a tolerance does not fit the record at this size.
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
    """Return tensors of which those in `axes` are reduced to some indices along their axis."""
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
    """Return rows of some of the reference's outputs in float64, a chunk at a time; other outputs are left empty.

    The other outputs would be wrong: they depend on other rows of the inputs.
    """
    resolved, pieces = resolve(task), []
    for start in range(0, len(rows), CHUNK):
        found = truth(task, resolved, _picked(tensors, axes, rows[start : start + CHUNK]), values)
        pieces.append([output if number in numbers else output.new_empty(0) for number, output in enumerate(found)])
    return tuple(torch.cat(outputs) for outputs in zip(*pieces, strict=True))
