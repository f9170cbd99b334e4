"""Draw the inputs of a case from a seed, lay them out in memory, and compute the golden result.

The golden results stay in this process; a worker gets the storages only, as safetensors.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from tritonpuzzles.curriculum.expressions import evaluate, shape_of
from tritonpuzzles.curriculum.record import CASE_DTYPE, Argument, Case, Puzzle
from tritonpuzzles.curriculum.tables import RecordError
from tritonpuzzles.judge.drawn import DrawnCase, Expected, lay_out
from tritonpuzzles.judge.resolve import Resolved, resolve
from tritonpuzzles.results.check import Finding
from tritonpuzzles.wire.drawing import DrawError, TensorSpec, draw_tensors
from tritonpuzzles.wire.job import Value

GIB = 1 << 30


def draw(puzzle: Puzzle, seed: int, device: str) -> list[DrawnCase]:
    """Draw every case of a puzzle that runs on `device`; the same seed gives the same cases everywhere.

    Raises:
        RecordError: if the record names what there is not, or a family or reference does not fit it.
    """
    resolved = resolve(puzzle)
    return [
        _draw_case(puzzle, case, resolved, f"{seed}/{puzzle.stem}") for case in puzzle.cases if device in case.devices
    ]


class Draws:
    """The cases of a run's seed; those drawn last are kept, for a class hands in one puzzle many times."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._last: tuple[tuple[str, str], list[DrawnCase]] | None = None

    def of(self, puzzle: Puzzle, device: str) -> list[DrawnCase]:
        """Return what `draw` gives."""
        key = puzzle.stem, device
        if self._last is None or self._last[0] != key:
            self._last = None  # the old ones go before the new ones come
            self._last = key, draw(puzzle, self._seed, device)
        return self._last[1]


def _draw_case(puzzle: Puzzle, case: Case, resolved: Resolved, seed: str) -> DrawnCase:
    rng = random.Random(f"{seed}/{case.after or case.name}")
    shape = tuple(evaluate(size, rng=rng) for size in case.shape)
    dims = dict(zip(puzzle.dims, shape, strict=True))
    numbers = random.Random(f"{seed}/{case.after if case.same_numbers else case.name}/numbers")
    generator = torch.Generator().manual_seed(numbers.getrandbits(63))
    specs = tensor_specs(puzzle, dims, case.dtype, resolved)
    try:
        drawn = draw_tensors(resolved.families[case.family], specs, shape, generator, puzzle.folder)
    except DrawError as error:
        raise _misfit(puzzle, case, str(error)) from error
    tensors = {
        argument.name: lay_out(tensor, argument.layout or case.layout, rng, argument.requires_grad)
        for argument, tensor in zip(puzzle.tensors, drawn, strict=True)
    }
    values = {a.name: case.values.get(a.name, rng.choice(a.choices)) for a in puzzle.arguments if not a.is_tensor}
    expected = expected_outputs(puzzle, dims, case.dtype)
    golden = truth(puzzle, resolved, {name: layout.tensor() for name, layout in tensors.items()}, values)
    if [tuple(tensor.shape) for tensor in golden] != [output.shape for output in expected]:
        given = ", ".join(str(tuple(tensor.shape)) for tensor in golden)
        wanted = ", ".join(f"{output.name} {output.shape}" for output in expected)
        raise _misfit(puzzle, case, f"the reference gives {given}; the outputs are {wanted}")
    return DrawnCase(case, shape, dims, tensors, expected, golden, values)


def expected_outputs(puzzle: Puzzle, dims: Mapping[str, int], dtype: str) -> tuple[Expected, ...]:
    """Return what the outputs of a call with these dimensions must be like; `dtype` is the case's."""
    return tuple(
        Expected(output.name, shape_of(output.shape, dims), dtype if output.dtype == CASE_DTYPE else output.dtype)
        for output in puzzle.outputs
    )


def tensor_specs(puzzle: Puzzle, dims: Mapping[str, int], dtype: str, resolved: Resolved) -> list[TensorSpec]:
    """Return what is drawn for a call with these dimensions, in order.

    Args:
        puzzle: whose call it is.
        dims: sizes by name.
        dtype: of the case.
        resolved: what the names in the record stand for.
    """
    return [_spec(argument, dims, dtype, resolved) for argument in puzzle.tensors]


def _spec(argument: Argument, dims: Mapping[str, int], dtype: str, resolved: Resolved) -> TensorSpec:
    family = None if argument.family is None else resolved.families[argument.family]
    own = dtype if argument.dtype == CASE_DTYPE else argument.dtype
    return TensorSpec(argument.name, shape_of(argument.shape, dims), own, family)


def truth(
    puzzle: Puzzle, resolved: Resolved, tensors: Mapping[str, Tensor], values: Mapping[str, Value]
) -> tuple[Tensor, ...]:
    """Return the outputs in float64: what the reference gives for the exact, already rounded inputs.

    For a backward call these are the gradients that autograd works out from the reference, in float64.
    """
    exact = {name: tensor.double() if tensor.is_floating_point() else tensor for name, tensor in tensors.items()}
    for argument in puzzle.arguments:
        if argument.requires_grad and puzzle.gradients:
            exact[argument.name] = exact[argument.name].detach().clone().requires_grad_()
    everything = {**exact, **values}
    given = resolved.reference(*(everything[argument.name] for argument in puzzle.arguments))
    results = given if isinstance(given, tuple) else (given,)
    if puzzle.gradients:
        wanted = [exact[argument.name] for argument in puzzle.arguments if argument.requires_grad]
        against = [exact[gradient.name] for gradient in puzzle.gradients]
        results = torch.autograd.grad(results, wanted, against)
    return tuple(result.detach().double() for result in results)


def _misfit(puzzle: Puzzle, case: Case, what: str) -> RecordError:
    return RecordError(f"{puzzle.stem}.toml, case {case.name!r}: {what}")


def fitting(cases: Sequence[DrawnCase]) -> tuple[list[DrawnCase], list[Finding]]:
    """Return the cases that the GPU has the memory for, and a note on each that it has not."""
    if not any(drawn.case.gpu_gib for drawn in cases):
        return list(cases), []
    present = torch.cuda.get_device_properties(0).total_memory / GIB
    return (
        [drawn for drawn in cases if drawn.case.gpu_gib <= present],
        [_left_out(drawn, present) for drawn in cases if drawn.case.gpu_gib > present],
    )


def _left_out(drawn: DrawnCase, present: float) -> Finding:
    text = f'"{drawn.name}" was left out: it needs a GPU with {drawn.case.gpu_gib} GiB, and this one has {present:.1f}.'
    return Finding("case-left-out", text, case=drawn.name)
