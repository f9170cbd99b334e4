"""Draw the inputs of a case from a seed, lay them out in memory, and compute the golden result.

The golden results stay in this process; a worker gets the storages only, as safetensors.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from math import prod

import torch

from tritonpuzzles.curriculum.expressions import shape_of
from tritonpuzzles.curriculum.record import CASE_DTYPE, Argument, Case, Puzzle
from tritonpuzzles.judge.authors import authored, of_case
from tritonpuzzles.judge.drawn import DrawnCase, Expected, lay_out
from tritonpuzzles.judge.resolve import Resolved, resolve
from tritonpuzzles.judge.truth import truth
from tritonpuzzles.results.check import Finding
from tritonpuzzles.wire.authored import AuthorError
from tritonpuzzles.wire.drawing import draw_tensors, dtype_of
from tritonpuzzles.wire.job import Drawing, TensorSpec

GIB = 1 << 30
DRAWING_DEVICES = ("cuda",)  # where an engine draws large cases itself
DRAWN_LAYOUTS = ("contiguous", "padded", "column_slice")  # which it can place
SENT_BYTES = 16 << 20  # of inputs: what is more is not sent


def draw(puzzle: Puzzle, seed: int, device: str, phantoms: bool = False) -> list[DrawnCase]:
    """Draw every case of a puzzle that runs on `device`; the same seed gives the same cases everywhere.

    Args:
        puzzle: whose cases they are.
        seed: of this run.
        device: "cpu", "cuda" or "picture".
        phantoms: also those whose tensors are too large to be there, on the CPU.

    Raises:
        RecordError: if the record names what there is not, or a size, family or reference does not fit it.
    """
    resolved, found = resolve(puzzle), []
    for case in puzzle.cases:
        phantom = case.phantom and device == "cpu"
        if device in case.devices and (phantoms or not phantom):
            with authored(puzzle, of_case(case.name)):
                found.append(_draw_case(puzzle, case, resolved, f"{seed}/{puzzle.stem}", device, phantom))
    return found


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
            self._last = key, draw(puzzle, self._seed, device, phantoms=True)
        return self._last[1]


def _draw_case(puzzle: Puzzle, case: Case, resolved: Resolved, seed: str, device: str, phantom: bool) -> DrawnCase:
    rng = random.Random(f"{seed}/{case.after or case.name}")
    shape = case.drawn_shape(rng)
    dims = dict(zip(puzzle.dims, shape, strict=True))
    numbers = random.Random(f"{seed}/{case.after if case.same_numbers else case.name}/numbers")
    generator = torch.Generator().manual_seed(numbers.getrandbits(63))
    specs = tensor_specs(puzzle, dims, case.dtype, resolved)
    by_engine = not phantom and is_drawn_by_engine(puzzle, case, specs, device)
    if phantom or by_engine:
        drawn = [torch.empty(spec.shape, dtype=dtype_of(spec.dtype), device="meta") for spec in specs]
    else:
        drawn = draw_tensors(resolved.families[case.family], specs, shape, generator, puzzle.folder)
    tensors = {
        argument.name: lay_out(tensor, case.layout_of(argument), rng, argument.requires_grad)
        for argument, tensor in zip(puzzle.tensors, drawn, strict=True)
    }
    values = {a.name: case.values.get(a.name, rng.choice(a.choices)) for a in puzzle.arguments if not a.is_tensor}
    expected = expected_outputs(puzzle, dims, case.dtype)
    if phantom:
        return DrawnCase(case, shape, dims, tensors, expected, (), values, phantom=True)
    if by_engine:
        family, number = resolved.families[case.family], generator.initial_seed()
        drawing = Drawing(family, tuple(specs), shape, number, str(puzzle.folder))
        return DrawnCase(case, shape, dims, tensors, expected, (), values, drawing=drawing, drawn_on=device)
    golden = truth(puzzle, resolved, {name: layout.tensor() for name, layout in tensors.items()}, values)
    if [tuple(tensor.shape) for tensor in golden] != [output.shape for output in expected]:
        given = ", ".join(str(tuple(tensor.shape)) for tensor in golden)
        wanted = ", ".join(f"{output.name} {output.shape}" for output in expected)
        raise AuthorError(f"the reference gives {given}; the outputs are {wanted}")
    shapes = {spec.name: spec.shape for spec in specs} | {output.name: output.shape for output in expected}
    return DrawnCase(case, shape, dims, tensors, expected, golden, values, _matrices(puzzle, shapes, dims))


def is_drawn_by_engine(puzzle: Puzzle, case: Case, specs: Sequence[TensorSpec], device: str) -> bool:
    """Return whether a case is too large to be sent, and may be looked at in part.

    Args:
        puzzle: whose case it is.
        case: of its record.
        specs: its tensors.
        device: that it is run on.
    """
    if device not in DRAWING_DEVICES or puzzle.benchmark is None or puzzle.benchmark.bench is None:
        return False
    alone = case.after is None and all(other.after != case.name for other in puzzle.cases)
    alike = not case.layouts and not any(argument.layout for argument in puzzle.tensors)
    laid_out = case.layout in DRAWN_LAYOUTS and alike
    nbytes = sum(prod(spec.shape) * dtype_of(spec.dtype).itemsize for spec in specs)
    return alone and laid_out and not puzzle.gradients and nbytes > SENT_BYTES


def _matrices(
    puzzle: Puzzle, shapes: Mapping[str, tuple[int, ...]], dims: Mapping[str, int]
) -> dict[str, tuple[int, int]]:
    """Return as which matrices tensors and outputs are drawn, of those of which the record says so."""
    asked = {argument.name: argument.picture for argument in puzzle.tensors}
    asked |= {output.name: output.picture for output in puzzle.outputs}
    return {name: spec.size(name, shapes[name], dims) for name, spec in asked.items() if spec is not None}


def expected_outputs(puzzle: Puzzle, dims: Mapping[str, int], dtype: str) -> tuple[Expected, ...]:
    """Return what the outputs of a call with these dimensions must be like; `dtype` is the case's.

    Raises:
        ExpressionError: if a size has no value, or is negative.
    """
    wanted = [argument.name for argument in puzzle.arguments if argument.requires_grad and puzzle.gradients]
    names = [*wanted, *("" for _ in puzzle.compared)]
    return tuple(
        Expected(output.name, shape_of(output.shape, dims), dtype if output.dtype == CASE_DTYPE else output.dtype, of)
        for output, of in zip(puzzle.compared, names, strict=False)
    )


def tensor_specs(puzzle: Puzzle, dims: Mapping[str, int], dtype: str, resolved: Resolved) -> list[TensorSpec]:
    """Return what is drawn for a call with these dimensions, in order.

    Args:
        puzzle: whose call it is.
        dims: sizes by name.
        dtype: of the case.
        resolved: what the names in the record stand for.

    Raises:
        ExpressionError: if a size has no value, or is negative.
    """
    return [_spec(argument, dims, dtype, resolved) for argument in puzzle.tensors]


def _spec(argument: Argument, dims: Mapping[str, int], dtype: str, resolved: Resolved) -> TensorSpec:
    family = None if argument.family is None else resolved.families[argument.family]
    own = dtype if argument.dtype == CASE_DTYPE else argument.dtype
    return TensorSpec(argument.name, shape_of(argument.shape, dims), own, family)


def fitting(cases: Sequence[DrawnCase]) -> tuple[list[DrawnCase], list[Finding]]:
    """Return the cases that the GPU has the memory for, and a note on each that it has not."""
    if not any(drawn.case.gpu_gib and not drawn.phantom for drawn in cases):
        return list(cases), []
    present = torch.cuda.get_device_properties(0).total_memory / GIB
    return (
        [drawn for drawn in cases if drawn.case.gpu_gib <= present],
        [_left_out(drawn, present) for drawn in cases if drawn.case.gpu_gib > present],
    )


def _left_out(drawn: DrawnCase, present: float) -> Finding:
    text = f'"{drawn.name}" was left out: it needs a GPU with {drawn.case.gpu_gib} GiB, and this one has {present:.1f}.'
    return Finding("case-left-out", text, case=drawn.name)
