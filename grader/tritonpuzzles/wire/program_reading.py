"""Read a program from the wire. Nothing is believed: a view lies in its storage, and a storage comes before its use.

Free of torch and triton.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from tritonpuzzles.wire.fields import (
    WireError,
    read_count,
    read_flag,
    read_identifier,
    read_list,
    read_object,
    read_text,
    short,
)
from tritonpuzzles.wire.options import Option, OptionError, read_option
from tritonpuzzles.wire.program import (
    GRID_LIMITS,
    ITEM_SIZES,
    MAX_CALLS,
    VERSION,
    Add,
    Allocate,
    Argument,
    Choose,
    Copy,
    Descriptor,
    Fill,
    Launch,
    Other,
    Program,
    Reinterpreted,
    Several,
    Step,
    View,
    Written,
)
from tritonpuzzles.wire.values import Constant, read_value

MAX_STEPS = 4_096  # which the engine runs in a few seconds
MAX_STORAGES = 4_096
MAX_RESULTS = 16
MAX_DIMENSIONS = 16
MAX_CHOICES = 256
MAX_ARGUMENTS = 512
MAX_SIZE = 1 << 48  # of a dimension, a stride, an offset or a storage
MAX_LINE = 1 << 20


def read_program(data: Any, sizes: Sequence[int], kernels: int, backward: bool = False) -> Program:
    """Read what `Program.to_json` writes.

    Args:
        data: from JSON.
        sizes: bytes of the inputs' storages.
        kernels: how many there are in the table.
        backward: whether the call is differentiated, so that autograd may add gradients.

    Raises:
        WireError: for anything else.
    """
    return ProgramReader(sizes, kernels, backward).program(data)


class ProgramReader:
    """Reads a program; knows the storages that there are so far, and which of them kernels may have written.

    Its arguments are as of `read_program`; its methods raise WireError.
    """

    def __init__(self, sizes: Sequence[int], kernels: int, backward: bool) -> None:
        self._sizes = list(sizes)
        self._kernels, self._backward = kernels, backward
        self._written = Written(len(sizes))
        self._kinds: dict[str, Callable[[Any], Step]] = {
            "allocate": self._allocate,
            "fill": self._fill,
            "copy": self._copy,
            "add": self._add,
            "launch": self._launch,
            "choose": self._choose,
        }

    def input(self, nbytes: int) -> None:
        """Know of one more input's storage, before the first step."""
        self._sizes.append(nbytes)
        self._written = Written(len(self._sizes))

    def program(self, data: Any) -> Program:
        """Read all of a program."""
        fields = read_object(data, "a program", ("version", "steps", "results"))
        if fields["version"] != VERSION:
            raise WireError(f"a program came that is not of version {VERSION}")
        steps = tuple(self.step(item) for item in read_list(fields["steps"], "the steps", MAX_STEPS))
        results = tuple(self.result(item) for item in read_list(fields["results"], "the results", MAX_RESULTS))
        return Program(steps, results)

    def step(self, data: Any) -> Step:
        """Read the next step."""
        kind, inner = _only(data, "a step", self._kinds)
        step = self._kinds[kind](inner)
        self._written.take(step)
        return step

    def result(self, data: Any) -> View | Other:
        """Read something that came back."""
        kind, inner = _only(data, "a result", ("view", "other"))
        if kind == "view":
            return self._view(inner)
        fields = read_object(inner, "a result", ("type", "why"))
        return Other(read_text(fields["type"], 80), read_text(fields["why"], 80))

    def _allocate(self, data: Any) -> Allocate:
        fields = read_object(data, "an allocation", ("nbytes", "dtype", "line"))
        nbytes = read_count(fields["nbytes"], "the size of an allocation", MAX_SIZE)
        self._sizes.append(nbytes)
        if len(self._sizes) > MAX_STORAGES:
            raise WireError(f"there are more than {MAX_STORAGES:,} tensors")
        return Allocate(nbytes, _dtype(fields["dtype"]), _line(fields["line"]))

    def _fill(self, data: Any) -> Fill:
        fields = read_object(data, "a fill", ("target", "value", "line", "name"))
        target, name = self._view(fields["target"]), read_identifier(fields["name"])
        return Fill(target, _number(fields["value"]), _line(fields["line"]), name)

    def _copy(self, data: Any) -> Copy:
        fields = read_object(data, "a copy", ("source", "target", "line"))
        source, target = self._view(fields["source"]), self._view(fields["target"])
        _alike(source, target)
        return Copy(source, target, _line(fields["line"]))

    def _add(self, data: Any) -> Add:
        fields = read_object(data, "a sum", ("left", "right", "target"))
        left, right, target = (self._view(fields[name]) for name in ("left", "right", "target"))
        _alike(left, target)
        _alike(right, target)
        if not self._backward:
            raise WireError("a sum stands in a call that nobody differentiates")
        if left not in self._written or right not in self._written:
            raise WireError("a sum is of memory that no kernel wrote")
        return Add(left, right, target)

    def _choose(self, data: Any) -> Choose:
        fields = read_object(data, "a choice", ("choices", "key"))
        choices = []
        for choice in read_list(fields["choices"], "the choices", MAX_CHOICES):
            steps = []
            for item in read_list(choice, "a choice", 64):
                step = self.step(item)
                if not isinstance(step, (Fill, Launch)):
                    raise WireError("a configuration of an autotuner may fill and launch, and no more")
                steps.append(step)
            choices.append(tuple(steps))
        if not choices:
            raise WireError("an autotuner without a configuration")
        return Choose(tuple(choices), read_text(fields["key"]))

    def _launch(self, data: Any) -> Launch:
        fields = read_object(data, "a launch", ("kernel", "arguments", "grid", "options", "file", "line", "calls"))
        kernel = read_count(fields["kernel"], "the index of a kernel", max(0, self._kernels - 1))
        if not self._kernels:
            raise WireError("a launch of a kernel that is in no table")
        arguments = fields["arguments"]
        if not isinstance(arguments, dict) or len(arguments) > MAX_ARGUMENTS:
            raise WireError("the arguments of a launch are no short object")
        named = {read_identifier(name): self._argument(item) for name, item in arguments.items()}
        file, line = read_text(fields["file"]), _line(fields["line"])
        lines = read_list(fields["calls"], "the calls", MAX_CALLS)
        calls = tuple(read_count(item, "a line", MAX_LINE) for item in lines)
        return Launch(kernel, named, _grid(fields["grid"]), _options(fields["options"]), file, line, calls)

    def _argument(self, data: Any, depth: int = 0) -> Argument:
        kind, inner = _only(data, "an argument", ("view", "descriptor", "reinterpreted", "several", "value"))
        if depth > 4:
            raise WireError("an argument is nested more than 4 deep")
        match kind:
            case "view":
                return self._view(inner)
            case "value":
                return read_value(inner)
            case "descriptor":
                return self._descriptor(inner)
            case "reinterpreted":
                fields = read_object(inner, "a reinterpreted tensor", ("base", "dtype"))
                return Reinterpreted(self._view(fields["base"]), read_identifier(fields["dtype"]))
        fields = read_object(inner, "a tuple", ("items", "fields"))
        items = tuple(self._argument(i, depth + 1) for i in read_list(fields["items"], "a tuple", MAX_ARGUMENTS))
        if fields["fields"] is None:
            return Several(items)
        names = tuple(read_identifier(name) for name in read_list(fields["fields"], "names", len(items)))
        if len(set(names)) != len(items):
            raise WireError("a named tuple does not have one name for each item")
        return Several(items, names)

    def _descriptor(self, data: Any) -> Descriptor:
        keys = ("base", "shape", "strides", "block_shape", "padding", "round_f32_to_tf32")
        fields = read_object(data, "a descriptor", keys)
        if fields["padding"] not in ("zero", "nan"):
            raise WireError(f"a descriptor pads with {short(fields['padding'])}")
        shape, strides, block = (_sizes(fields[name], name) for name in keys[1:4])
        if not len(shape) == len(strides) == len(block):
            raise WireError("a descriptor's shape, strides and block have not the same number of dimensions")
        rounds = read_flag(fields["round_f32_to_tf32"], "round_f32_to_tf32")
        return Descriptor(self._view(fields["base"]), shape, strides, block, fields["padding"], rounds)

    def _view(self, data: Any) -> View:
        fields = read_object(data, "a view", ("storage", "dtype", "shape", "stride", "offset"))
        storage = read_count(fields["storage"], "the number of a storage", len(self._sizes) - 1)
        dtype = _dtype(fields["dtype"])
        shape, stride = _sizes(fields["shape"], "a shape"), _sizes(fields["stride"], "a stride")
        offset = read_count(fields["offset"], "an offset", MAX_SIZE)
        if len(shape) != len(stride):
            raise WireError(f"a view has {len(shape)} sizes and {len(stride)} strides")
        last = offset + sum((size - 1) * step for size, step in zip(shape, stride, strict=True))
        if math.prod(shape) and (last + 1) * ITEM_SIZES[dtype] > self._sizes[storage]:
            end, size = (last + 1) * ITEM_SIZES[dtype], self._sizes[storage]
            raise WireError(f"a view ends at byte {end:,} of a storage of {size:,} bytes")
        return View(storage, dtype, shape, stride, offset)


def _only(data: Any, what: str, kinds: Any) -> tuple[str, Any]:
    """Return the one key of an object, which says what it is, and what stands there."""
    if not isinstance(data, dict) or len(data) != 1 or next(iter(data)) not in kinds:
        shown = sorted(map(str, data)) if isinstance(data, dict) else data
        raise WireError(f"{what} of the kind {short(shown)} is not known")
    ((kind, inner),) = data.items()
    return kind, inner


def _dtype(data: Any) -> str:
    if not isinstance(data, str) or data not in ITEM_SIZES:
        raise WireError(f"{short(data)} is no dtype of a tensor")
    return data


def _line(data: Any) -> int | None:
    return None if data is None else read_count(data, "a line", MAX_LINE)


def _sizes(data: Any, what: str) -> tuple[int, ...]:
    return tuple(read_count(item, what, MAX_SIZE) for item in read_list(data, what, MAX_DIMENSIONS))


def _grid(data: Any) -> tuple[int, int, int]:
    sizes = read_list(data, "a grid", 3)
    if len(sizes) != 3:
        raise WireError(f"a grid has {len(sizes)} sizes, not 3")
    x, y, z = (read_count(n, "a size of a grid", most) for n, most in zip(sizes, GRID_LIMITS, strict=True))
    return x, y, z


def _options(data: Any) -> dict[str, Option]:
    if not isinstance(data, dict):
        raise WireError("the options of a launch are no object")
    try:
        return {name: read_option(name, value) for name, value in data.items()}
    except OptionError as error:
        raise WireError(f"of a launch {error}") from error


def _number(data: Any) -> Constant:
    found = read_value(data)
    if not isinstance(found, Constant) or not isinstance(found.value, (bool, int, float)):
        raise WireError(f"{short(data)} is no number")
    return found


def _alike(source: View, target: View) -> None:
    if source.shape != target.shape or source.dtype != target.dtype:
        raise WireError("a copy goes to a view of another shape or dtype")
    if source.storage == target.storage:
        raise WireError("a copy goes to its own storage")
