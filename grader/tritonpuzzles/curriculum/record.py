"""The definition of a puzzle: number, host function, arguments, outputs, cases, limits, hints. Plain data.

Does not depend on torch, processes or screens, so that `list` and `hint` answer at once. `reading` makes these objects
from a record; the judge resolves the names in them (a family, a reference).
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Annotated, Any

from tritonpuzzles.curriculum.expressions import Expression, ExpressionError, size_of
from tritonpuzzles.curriculum.limits import BenchmarkSpec, Limits
from tritonpuzzles.decoding.marks import Checked, OneOf

DTYPES = ("float32", "float16", "bfloat16")  # of a case
FLOATS = (*DTYPES, "float64")
FIXED_DTYPES = (*FLOATS, "int8", "int16", "int32", "int64", "uint8", "bool")
CASE_DTYPE = "case"  # an argument or output that has the case's dtype
FAR_LAYOUTS = ("far_apart", "columns_far_apart", "apart", "columns_apart")
LAYOUTS = (
    "contiguous", "padded", "aligned_gaps", "column_slice", "every_other_column",
    "transposed", "broadcast", "broadcast_column", "broadcast_number", *FAR_LAYOUTS,
)  # fmt: skip
KINDS = ("tensor", "scalar", "bool", "string")
CALLS = ("forward", "backward")
HINTS = 3

NAME = re.compile(r"[a-z_][a-z0-9_]*")

Value = bool | int | float | str


def _name(value: str) -> str:
    if not NAME.fullmatch(value) or value == "scratch":
        raise ValueError(f"{value!r} is no name: lower-case letters, digits and _, and not 'scratch'")
    return value


Name = Annotated[str, Checked(_name)]
Kind = Annotated[str, OneOf(KINDS)]
Dtype = Annotated[str, OneOf(DTYPES)]
AnyDtype = Annotated[str, OneOf((CASE_DTYPE, *FIXED_DTYPES))]
Layout = Annotated[str, OneOf(LAYOUTS)]


@dataclass(frozen=True)
class MatrixSpec:
    """The matrix that shows a tensor's elements in their order, for pictures: expressions over the dimensions."""

    rows: Expression
    columns: Expression

    def size(self, name: str, shape: Sequence[int], dims: Mapping[str, int]) -> tuple[int, int]:
        """Return both for a tensor; raises ExpressionError if they do not multiply to its number of elements."""
        rows, columns = size_of(self.rows, dims), size_of(self.columns, dims)
        elements = prod(shape)
        if rows * columns != elements:
            raise ExpressionError(f"the picture of {name} has {rows} x {columns} elements, and {name} has {elements}")
        return rows, columns


@dataclass(frozen=True)
class PairsSpec:
    """A kernel that computes a value for each pair of rows of two tensors, tile by tile."""

    rows: str  # and columns: the two tensors, by name
    columns: str
    row: str  # and column: the word for a row of each: "query", "key"
    column: str
    rows_in_words: str  # and values_in_words: the plural of the first, and of the values: "queries", "scores"
    values_in_words: str


@dataclass(frozen=True)
class Argument:
    """One argument of the host function, or one gradient that its result is differentiated against."""

    name: Name
    kind: Kind = "tensor"  # one of `KINDS`
    # of a tensor: one expression per dimension, over the case's; `None` for the case's own shape
    shape: tuple[Expression, ...] | None = None
    dtype: AnyDtype = CASE_DTYPE  # of a tensor: "case", or one of `FIXED_DTYPES`
    layout: Layout | None = None  # of a tensor, in place of the case's
    family: str | None = None  # of a tensor, in place of the case's
    requires_grad: bool = False  # whether autograd tracks it
    picture: MatrixSpec | None = None  # of a tensor: the matrix that shows it
    choices: tuple[Value, ...] = ()  # of a scalar, bool or string: each case has one of them, drawn from the seed

    @property
    def is_tensor(self) -> bool:
        """Whether it is a tensor."""
        return self.kind == "tensor"


@dataclass(frozen=True)
class OutputSpec:
    """One value that is compared: a result of the host function, or in a backward call also a gradient."""

    name: Name  # for reports
    tolerance: str  # name of a rule, or "module:function"
    # one expression per dimension, over the case's; `None` for the case's own shape
    shape: tuple[Expression, ...] | None = None
    dtype: AnyDtype = CASE_DTYPE  # "case", or one of `FIXED_DTYPES`
    contiguous: bool = False  # whether it must be
    picture: MatrixSpec | None = None  # the matrix that shows it


@dataclass(frozen=True)
class Case:
    """One thing that a kernel must get right."""

    name: str  # what a learner reads: "late maximum"
    why: str  # which mistake it catches, one sentence
    family: str  # name of an input family, or "module:function"
    shape: tuple[Expression, ...]  # one expression per dimension; drawn anew from the seed of each run
    dtype: Dtype = "float32"  # one of `DTYPES`
    # `contiguous`, `padded` (a row stride larger than the row), `aligned_gaps` (larger by a multiple of 16 bytes, so
    # that rows keep their alignment), `column_slice` (of a wider matrix), `every_other_column` (of a matrix twice as
    # wide), `transposed` (the last two strides swapped), `broadcast` (one row, with stride 0), `broadcast_column` (one
    # column of a matrix, with stride 0), `broadcast_number` (one number, strides 0), `far_apart` (rows 2^30 elements
    # apart, so that the third begins beyond 32 bits), `apart` (rows so far apart that only the last ones begin there),
    # `columns_far_apart` or `columns_apart` (the same for columns, each of which is contiguous)
    layout: Layout = "contiguous"
    layouts: dict[str, Layout] = field(default_factory=dict)  # of single tensors by name, in place of `layout`
    values: dict[str, Value] = field(default_factory=dict)  # of arguments that are not tensors, in place of a choice
    # where it runs: large shapes only on "cuda". A case for "picture" is drawn only for `trace --plot`, for puzzles
    # whose other cases have too many programs and tiles for a clear picture
    devices: tuple[str, ...] = ("cpu", "cuda")
    # name of an earlier case whose shape and memory this one reuses, to find answers kept from a call
    after: str | None = None
    same_numbers: bool = False  # whether it also reuses that case's numbers
    gpu_gib: int = 0  # memory that the GPU must have; a smaller one leaves the case out
    # whether it is too large for the CPU: there only the addresses of its programs are judged. If tensors have no
    # memory, the first, last and boundary programs run. If 64 MiB hold them, all programs run, with the first
    # iterations of loops that store nothing. If only gaps make it large, it is judged like any other
    phantom: bool = False
    # the GPU that the host function sees on the CPU: one that kernels are compiled for, "sm_90", or, if the programs at
    # once or its L2 cache are judged, one of `hardware.examples`, "RTX 3050 Laptop"; empty for the usual one
    gpu: str = ""
    # whether the L2 cache of `gpu` is modelled over all accesses of the programs, and the DRAM reads are compared with
    # the limit
    cached: bool = False
    # the arguments whose gradients a backward call requests; `None` for all that require one. If it is empty, the call
    # is not differentiated
    gradients_of: tuple[str, ...] | None = None
    passes: int = 1  # how often the results are differentiated, each time against different gradients
    # whether the arguments of a backward call have a `.grad` already, which the call must not change
    graded: bool = False
    # the plain arguments of another call, on empty tensors, between the forward and the backward pass
    between: dict[str, Value] = field(default_factory=dict)
    mixed: bool = False  # whether its numbers mix all kinds: it shows that a kernel is wrong, other cases show why
    # why it is kept although it is never the only case that catches a kernel of the corpus; for authors
    kept_for: str = ""
    # whether an instructor hides it from students: a class's pages show only its name, and a student edition does not
    # contain it
    hidden: bool = False

    def layout_of(self, argument: Argument) -> str:
        """Return the layout of a tensor."""
        return self.layouts.get(argument.name, argument.layout or self.layout)

    @property
    def layout_in_words(self) -> str:
        """The layouts of its tensors, for a result: "contiguous", or "b transposed" if they differ."""
        alone = [f"{name} {layout.replace('_', ' ')}" for name, layout in self.layouts.items()]
        return ", ".join(alone) if alone else self.layout

    def drawn_shape(self, rng: random.Random) -> tuple[int, ...]:
        """Return the shape of this case for a run's seed.

        Raises ExpressionError if a size has no value, or is negative.
        """
        return tuple(size_of(size, {}, rng) for size in self.shape)


@dataclass(frozen=True, kw_only=True)
class Task:
    """What a host function must do: how it is called, its inputs, and the requirements. A judge needs no more."""

    host: str  # name of the function that the file defines
    arguments: tuple[Argument, ...]  # in the order of the call
    outputs: tuple[OutputSpec, ...]  # in the order in which they are returned
    dims: tuple[str, ...]  # names of the dimensions of a case's shape, for the expressions
    # name, or "module:function", of the function that computes the truth of a forward call from float64 inputs; empty
    # if there is none, and then everything but the values is judged
    reference: str
    limits: Limits
    cases: tuple[Case, ...]
    benchmark: BenchmarkSpec | None
    # against which the results of a backward call are differentiated, one for each; none for a forward call. The
    # outputs are then the gradients of the arguments that require one, in order
    gradients: tuple[Argument, ...] = ()
    # what the host function returns in a backward call, one for each gradient, of its shape and dtype
    results: tuple[OutputSpec, ...] = ()
    mistakes_module: str = ""  # where the named mistakes are defined
    mistakes: tuple[str, ...] = ()  # codes of those that apply here, the likeliest first
    walk: str = ""  # name, or "module:function", of what knows the right values of a kernel's variables, tile by tile
    quantities: tuple[str, ...] = ()  # those of the walk that every right kernel keeps in some form
    # functions of triton.language that do the task's whole work, with what to write in their place
    taught: dict[str, str] = field(default_factory=dict)
    operations: Expression = ""  # that the definition needs, for the roofline; what a kernel does twice counts once
    operations_in_words: str = ""  # the same for people: "4 n² d"
    pairs: PairsSpec | None = None  # two tensors whose rows a kernel combines in pairs, for a picture
    folder: Path = Path()  # of its pack, where the pack's modules are found
    # functions by name, if they are available as objects and need no module
    given: Mapping[str, Callable[..., Any]] = field(default_factory=dict, compare=False)
    # arguments that the host function changes; their contents afterwards are compared like results
    mutates: tuple[str, ...] = ()
    computes: bool = False  # whether PyTorch may do work in the host function
    shares: bool = False  # whether an element may be stored several times, if the values are the same
    fills: bool = False  # whether fills by the host function count as written: no kernel need store to all of it
    number: int | None = None  # in a course; `None` if it belongs to none
    slug: str = ""  # its short name

    @property
    def stem(self) -> str:
        """Its file name, without the ending."""
        return self.slug

    @property
    def place(self) -> str:
        """Its place in error messages for its author."""
        return self.stem

    @property
    def tensors(self) -> tuple[Argument, ...]:
        """The tensors to draw: the tensor arguments, and the gradients."""
        return (*(argument for argument in self.arguments if argument.is_tensor), *self.gradients)

    @property
    def compared(self) -> tuple[OutputSpec, ...]:
        """Everything that is compared with the truth, in order: the outputs, then a backward call's results."""
        return (*self.outputs, *self.results)

    @property
    def functions(self) -> list[tuple[str, str]]:
        """The kind and the name of each function that the record names: ("family", "normal")."""
        timed = self.benchmark.baselines if self.benchmark is not None else ()
        return [
            *(("family", case.family) for case in self.cases),
            *(("family", tensor.family) for tensor in self.tensors if tensor.family),
            ("reference", self.reference),
            *(("tolerance", output.tolerance) for output in self.compared),
            ("walk", self.walk),
            *(("baseline", base.function) for base in timed),
        ]

    @property
    def call(self) -> str:
        """The host function as messages name it: "softmax(x)"."""
        return f"{self.host}({', '.join(argument.name for argument in self.arguments)})"


@dataclass(frozen=True, kw_only=True)
class Puzzle(Task):
    """One puzzle of a pack: a task with texts for learners."""

    number: int = field()
    slug: str = field()
    title: str
    idea: str
    hints: tuple[str, ...]  # three, from nudge to almost code, in Markdown
    # finding code -> text that `hint` shows first if the last check found it, in Markdown
    answers: dict[str, str] = field(default_factory=dict)

    @property
    def stem(self) -> str:
        """File name without its ending: `p03_online_softmax`."""
        return f"p{self.number:02d}_{self.slug}"

    @property
    def label(self) -> str:
        """Name for people: `p03 online_softmax`."""
        return f"p{self.number:02d} {self.slug}"

    @property
    def place(self) -> str:
        """Its record."""
        return f"{self.stem}.toml"
