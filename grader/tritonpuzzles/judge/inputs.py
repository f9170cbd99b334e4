"""Draw the inputs of a case from a seed, lay them out in memory, and compute the golden result.

The golden results stay in this process; a worker gets only the storages, as safetensors.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from threading import Lock

import torch

from tritonpuzzles.curriculum.call import Call
from tritonpuzzles.curriculum.expressions import shape_of
from tritonpuzzles.curriculum.record import CASE_DTYPE, FAR_LAYOUTS, Argument, Case, Task
from tritonpuzzles.judge.drawn import DrawnCase, Expected, lay_out
from tritonpuzzles.judge.resolve import Resolved, authored, resolve
from tritonpuzzles.judge.truth import truth
from tritonpuzzles.results.check import Finding
from tritonpuzzles.wire.authored import AuthorError
from tritonpuzzles.wire.drawing import draw_tensors, dtype_of
from tritonpuzzles.wire.job import Drawing, TensorSpec, Value

GIB = 1 << 30
DRAWING_DEVICES = ("cuda",)  # where an engine draws large cases itself
DRAWN_LAYOUTS = ("contiguous", "padded", "column_slice")  # the layouts that it can make
SENT_BYTES = 16 << 20  # of inputs: a larger case is not sent


def draw(task: Task, seed: int, device: str, phantoms: bool = False) -> list[DrawnCase]:
    """Draw every case of a puzzle that runs on `device`; the same seed gives the same cases everywhere.

    With `phantoms`, include the CPU cases that only a check runs: tensors that are too large, and cases behind a cache.
    Raises RecordError if the record names something unknown, or a size, family or reference does not fit it.
    """
    resolved, found = resolve(task), []
    for case in task.cases:
        phantom = case.phantom and device == "cpu"
        if device in case.devices and (phantoms or not (phantom or case.cached)):
            with authored(task, f"case {case.name!r}"):
                # a case that is large only by the gaps between its rows or columns has few numbers
                phantom = phantom and not any(case.layout_of(one) in FAR_LAYOUTS for one in Call(task, case).tensors)
                found.append(_draw_case(task, case, resolved, f"{seed}/{task.stem}", device, phantom))
    return found


class Draws:
    """The cases of a run's seed, for several threads; a puzzle's cases are drawn once and kept until `let_go`."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._kept: dict[tuple[str, str], list[DrawnCase]] = {}
        self._drawing: dict[tuple[str, str], Lock] = {}

    def of(self, task: Task, device: str) -> list[DrawnCase]:
        """Return what `draw` returns; nobody may change it."""
        key = task.stem, device
        with self._drawing.setdefault(key, Lock()):  # a GPU's cases take seconds, and the CPU must not wait for them
            if key not in self._kept:
                self._kept[key] = draw(task, self._seed, device, phantoms=True)
            return self._kept[key]

    def let_go(self, task: Task) -> None:
        """Forget the cases of a puzzle whose files are all checked."""
        for key in [key for key in list(self._kept) if key[0] == task.stem]:
            del self._kept[key]


def _draw_case(task: Task, case: Case, resolved: Resolved, seed: str, device: str, phantom: bool) -> DrawnCase:
    rng = random.Random(f"{seed}/{case.after or case.name}")
    shape = case.drawn_shape(rng)
    dims = dict(zip(task.dims, shape, strict=True))
    numbers = random.Random(f"{seed}/{case.after if case.same_numbers else case.name}/numbers")
    generator = torch.Generator().manual_seed(numbers.getrandbits(63))
    values = _values(task, case, random.Random(f"{seed}/{case.after or case.name}/values"))
    call = Call(task, case)
    arguments = call.tensors
    specs = tensor_specs(arguments, dims, case.dtype, resolved, values)
    by_engine = not phantom and is_drawn_by_engine(task, case, specs, device)
    if phantom or by_engine:
        drawn = [torch.empty(spec.shape, dtype=dtype_of(spec.dtype), device="meta") for spec in specs]
    else:
        drawn = draw_tensors(resolved.families[case.family], specs, shape, generator, task.folder)
    tensors = {
        argument.name: lay_out(tensor, case.layout_of(argument), rng, argument.requires_grad)
        for argument, tensor in zip(arguments, drawn, strict=True)
    }
    expected = expected_outputs(task, case, dims, values)
    against = tuple(argument.name for argument in call.against)
    made = DrawnCase(case, shape, dims, tensors, expected, (), values, against=against, able=call.able)
    if phantom:
        return replace(made, phantom=True)
    if by_engine:
        family, number = resolved.families[case.family], generator.initial_seed()
        drawing = Drawing(family, tuple(specs), shape, number, str(task.folder))
        return replace(made, drawing=drawing, drawn_on=device)
    golden = truth(task, resolved, {name: layout.tensor() for name, layout in tensors.items()}, values, case)
    if [tuple(tensor.shape) for tensor in golden] != [output.shape for output in expected]:
        given = ", ".join(str(tuple(tensor.shape)) for tensor in golden)
        wanted = ", ".join(f"{output.name} {output.shape}" for output in expected)
        raise AuthorError(f"the reference gives {given}; the outputs are {wanted}")
    shapes = {spec.name: spec.shape for spec in specs} | {output.name: output.shape for output in expected}
    pictures = {one.name: one.picture for one in task.tensors} | {one.name: one.picture for one in task.outputs}
    matrices = {name: spec.size(name, shapes[name], dims) for name, spec in pictures.items() if spec is not None}
    graded = call.wanted if case.graded else ()  # what an earlier pass may have left: any numbers will do
    grads = {f"{name}.grad": lay_out(tensors[name].tensor().clone(), "contiguous", rng) for name in graded}
    return replace(made, golden=golden, matrices=matrices, beside=grads)


def _values(task: Task, case: Case, rng: random.Random) -> dict[str, Value]:
    """Return a case's arguments that are not tensors, drawn where the record does not fix them."""
    plain = [argument for argument in task.arguments if not argument.is_tensor]
    return {argument.name: case.values.get(argument.name, rng.choice(argument.choices)) for argument in plain}


def is_drawn_by_engine(task: Task, case: Case, specs: Sequence[TensorSpec], device: str) -> bool:
    """Return whether a case is too large to be sent and may be compared in part."""
    if device not in DRAWING_DEVICES or task.benchmark is None or task.benchmark.bench is None:
        return False
    alone = case.after is None and all(other.after != case.name for other in task.cases)
    alike = not case.layouts and not any(argument.layout for argument in task.tensors)
    laid_out = case.layout in DRAWN_LAYOUTS and alike
    nbytes = sum(prod(spec.shape) * dtype_of(spec.dtype).itemsize for spec in specs)
    return alone and laid_out and not task.gradients and nbytes > SENT_BYTES


def expected_outputs(
    task: Task, case: Case, dims: Mapping[str, int], values: Mapping[str, Value]
) -> tuple[Expected, ...]:
    """Return the forms of a call's outputs; raises ExpressionError if a size has no value or is negative."""
    call, flags = Call(task, case), flags_of(values)
    outputs = call.compared
    names = [*call.wanted * case.passes, *("" for _ in outputs)]
    dtypes = [case.dtype if output.dtype == CASE_DTYPE else output.dtype for output in outputs]
    return tuple(
        Expected(output.name, shape_of(output.shape, dims, flags), dtype, of, output.contiguous)
        for output, dtype, of in zip(outputs, dtypes, names, strict=False)
    )


def tensor_specs(
    arguments: Sequence[Argument],  # the tensors, and after them the gradients
    dims: Mapping[str, int],  # sizes by name
    dtype: str,  # of the case
    resolved: Resolved,  # the objects that the record's names refer to
    values: Mapping[str, Value],  # arguments that are not tensors
) -> list[TensorSpec]:
    """Return the specifications of a call's tensors, in order; raises ExpressionError as `expected_outputs` does."""
    return [
        TensorSpec(
            argument.name,
            shape_of(argument.shape, dims, flags_of(values)),
            dtype if argument.dtype == CASE_DTYPE else argument.dtype,
            None if argument.family is None else resolved.families[argument.family],
        )
        for argument in arguments
    ]


def flags_of(values: Mapping[str, Value]) -> dict[str, int]:
    """Return the boolean arguments: shapes may depend on them."""
    return {name: value for name, value in values.items() if isinstance(value, bool)}


def fitting(cases: Sequence[DrawnCase], device: str) -> tuple[list[DrawnCase], list[Finding]]:
    """Return the cases that fit into a device's memory, and a note on each that does not; on the CPU all fit."""
    if device == "cpu" or not any(drawn.case.gpu_gib for drawn in cases):
        return list(cases), []
    present = torch.cuda.get_device_properties(0).total_memory / GIB
    left_out = []
    for drawn in (drawn for drawn in cases if drawn.case.gpu_gib > present):
        needed = f"it needs a GPU with {drawn.case.gpu_gib} GiB, and this one has {present:.1f}"
        left_out.append(Finding("case-left-out", f'"{drawn.name}" was left out: {needed}.', case=drawn.name))
    return [drawn for drawn in cases if drawn.case.gpu_gib <= present], left_out
