"""The recorded actions of a host function: memory, views of it, and the launches on them, without tensor values.

A recorder writes it and an engine runs it; `reading` reads it. Does not import torch or triton.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any

from tritonpuzzles.decoding.marks import As, Between, Checked, Kinds, Length, OneOf
from tritonpuzzles.wire.fields import Line, Name, Size, Sizes, matching
from tritonpuzzles.wire.launching import GRID_LIMITS, Option, read_options
from tritonpuzzles.wire.values import Constant, Value, value_to_json

VERSION = 1
MAX_CALLS = 32  # that led to a launch, in a report
MAX_PROGRAM_BYTES = 16 << 20  # of one call, with its kernels
MAX_STEPS = 8_192  # which the engine runs in a few seconds
MAX_RESULTS = 16
MAX_CHOICES = 256
MAX_CHOSEN = 64  # steps of one configuration
MAX_ARGUMENTS = 512
MAX_NESTED = 4  # depth of tuples of arguments
MAX_WORD = 80  # characters of why a returned value is no tensor
MAX_ALLOCATED = 16 << 30  # bytes that one call may allocate: an output of 2^31 elements and two numbers for each row
ITEM_SIZES = {
    "bool": 1, "uint8": 1, "int8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "int64": 8, "uint64": 8,
    "float8_e4m3fn": 1, "float8_e5m2": 1, "float8_e4m3fnuz": 1, "float8_e5m2fnuz": 1,
    "float16": 2, "bfloat16": 2, "float32": 4, "float64": 8,
}  # fmt: skip

Word = Annotated[str, Length(MAX_WORD)]
OnX = Annotated[int, Between(0, GRID_LIMITS[0])]
OnYZ = Annotated[int, Between(0, GRID_LIMITS[1])]


def _number(value: Value) -> Constant:
    if not isinstance(value, Constant) or not isinstance(value.value, (bool, int, float)):
        raise ValueError("what fills a tensor is no number")
    return value


Dtype = Annotated[str, matching("|".join(ITEM_SIZES), "dtype of a tensor")]


@dataclass(frozen=True)
class View:
    """A strided tensor in a storage, in elements."""

    storage: Size  # its number: the inputs' storages first, in order, then the allocated ones
    dtype: Dtype  # "float16"
    shape: Sizes
    stride: Sizes
    offset: Size = 0


@dataclass(frozen=True)
class Descriptor:
    """A tensor descriptor that the host function made."""

    base: View
    shape: Sizes
    strides: Sizes
    block_shape: Sizes
    padding: Annotated[str, OneOf(("zero", "nan"))] = "zero"
    round_f32_to_tf32: bool = False


@dataclass(frozen=True)
class Reinterpreted:
    """A tensor that `triton.reinterpret` gives another dtype, by Triton's short name."""

    base: View
    dtype: Name


@dataclass(frozen=True)
class Several:
    """A tuple of arguments; `fields` are the names of a NamedTuple's."""

    items: Annotated[tuple[Argument, ...], Length(MAX_ARGUMENTS)]
    fields: Annotated[tuple[Name, ...], Length(MAX_ARGUMENTS)] | None = None


Argument = Annotated[
    View | Descriptor | Reinterpreted | Several | Value,
    Kinds(
        lambda: {
            "view": View,
            "descriptor": Descriptor,
            "reinterpreted": Reinterpreted,
            "several": Several,
            "value": Value,
        },
        MAX_NESTED,
    ),
]


@dataclass(frozen=True)
class Allocate:
    """Fresh memory: the next storage, for elements of a dtype."""

    nbytes: Size
    dtype: Dtype
    line: Line | None = None


@dataclass(frozen=True)
class Fill:
    """Set every element of a view to one number; `name` is PyTorch's operation."""

    target: View
    value: Annotated[Constant, As(Value), Checked(_number)]
    line: Line | None = None
    name: Name = "fill_"


@dataclass(frozen=True)
class Copy:
    """Copy the elements of one view to another of the same shape and dtype, in another storage."""

    source: View
    target: View
    line: Line | None = None


@dataclass(frozen=True)
class Add:
    """Add two gradients of one tensor, as autograd does in a backward call; kernels wrote both."""

    left: View
    right: View
    target: View


@dataclass(frozen=True)
class Launch:
    """One kernel launch."""

    kernel: Size  # its index in the table of kernels
    arguments: Annotated[dict[Name, Argument], Length(MAX_ARGUMENTS)]  # by parameter, defaults left out
    grid: tuple[OnX, OnYZ, OnYZ]  # programs along x, y and z
    # `num_warps` etc.
    options: Annotated[dict[str, Option], As(dict[str, Any]), Checked(read_options)] = field(default_factory=dict)
    # file, line: of the launch
    file: str = ""
    line: Line | None = None
    # lines of the submission in the call stack, the innermost first
    calls: Annotated[tuple[Line, ...], Length(MAX_CALLS)] = ()


@dataclass(frozen=True)
class Choose:
    """A choice of an autotuner: the steps of each of its configurations."""

    choices: Annotated[tuple[Annotated[tuple[Chosen, ...], Length(MAX_CHOSEN)], ...], Length(MAX_CHOICES, 1)]
    key: str = ""  # configurations are chosen once for each key of a kernel
    tunes: bool = False  # whether it is timed in this call: on a GPU each choice runs many times, on the same memory


Chosen = Annotated[Fill | Launch, Kinds(lambda: {"fill": Fill, "launch": Launch})]
Step = Annotated[
    Allocate | Fill | Copy | Add | Launch | Choose,
    Kinds(lambda: {"allocate": Allocate, "fill": Fill, "copy": Copy, "add": Add, "launch": Launch, "choose": Choose}),
]


@dataclass(frozen=True)
class Other:
    """A returned value that is no tensor of this call: its type's name, and why it is none."""

    type: Word
    why: Word = ""


Result = Annotated[View | Other, Kinds(lambda: {"view": View, "other": Other})]


@dataclass(frozen=True)
class Program:
    """One call of a host function."""

    steps: Annotated[tuple[Step, ...], Length(MAX_STEPS)]  # in order
    # returned values, in order; for a backward call the gradients, and after them the results
    results: Annotated[tuple[Result, ...], Length(MAX_RESULTS)]

    @property
    def launches(self) -> Iterator[Launch]:
        """All launches, those of every configuration of an autotuner too."""
        for step in self.steps:
            steps = step.choices if isinstance(step, Choose) else ((step,),)
            yield from (inner for choice in steps for inner in choice if isinstance(inner, Launch))

    def to_json(self) -> dict[str, Any]:
        """Return JSON-ready data for `read_program`."""
        results = [{type(item).__name__.lower(): vars(item)} for item in self.results]
        return {"version": VERSION, "steps": [step_to_json(step) for step in self.steps], "results": results}


def step_to_json(step: Step) -> dict[str, Any]:
    """Return JSON-ready data of a step."""
    told = {name: vars(item) if isinstance(item, View) else item for name, item in vars(step).items()}
    match step:
        case Fill(value=value):
            told["value"] = value_to_json(value)
        case Choose(choices):
            told["choices"] = [[step_to_json(inner) for inner in choice] for choice in choices]
        case Launch(arguments=arguments):
            told["arguments"] = {name: argument_to_json(item) for name, item in arguments.items()}
    return {type(step).__name__.lower(): told}


def views(arguments: Iterable[Argument]) -> Iterator[View]:
    """Yield the tensors among arguments, those in tuples and descriptors too."""
    for argument in arguments:
        match argument:
            case View():
                yield argument
            case Descriptor(base) | Reinterpreted(base):
                yield base
            case Several(items):
                yield from views(items)


def argument_to_json(argument: Argument) -> dict[str, Any]:
    """Return JSON-ready data of an argument."""
    match argument:
        case View():
            return {"view": vars(argument)}
        case Descriptor() | Reinterpreted():
            return {type(argument).__name__.lower(): {**vars(argument), "base": vars(argument.base)}}
        case Several(items, fields):
            return {"several": {"items": [argument_to_json(item) for item in items], "fields": fields}}
        case value:
            return {"value": value_to_json(value)}
