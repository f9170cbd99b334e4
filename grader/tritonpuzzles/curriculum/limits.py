"""A record's requirements on a correct kernel: limits on bytes, tiles and programs, and the speed that earns stars.

Also what is timed, against which baselines and over which sizes. Needs no torch, no processes and no screens.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from tritonpuzzles.curriculum.expressions import Expression, Multiple, evaluate
from tritonpuzzles.decoding.marks import OneOf, Only, nearest

TRAFFIC = "traffic"
UNITS = ("GB/s", "TFLOP/s")
NAIVE, LIBRARY, BEST = "naive", "library", "best"
RUNGS = (NAIVE, LIBRARY, BEST)  # the naive version, PyTorch's own, the best that is known


@dataclass(frozen=True)
class Bound:
    """One limit."""

    # over the dimensions, `itemsize`, `largest_tile`, `gradients`, `passes` and the kernels' constexprs by name
    limit: Expression
    says: str = ""  # the puzzle's requirement, for the sentence: "every program covers at least 2 rows"
    next_step: str = ""  # what to do about it, if the puzzle has better advice than the grader


Limit = Annotated[Bound, Only("limit", always=False)]  # an expression alone, or a table with its words


@dataclass(frozen=True)
class AtOnce:
    """Requires a grid that fits on the GPU at once and keeps every multiprocessor busy."""

    work: Expression  # units that the programs divide, over the dimensions; fewer may leave multiprocessors idle
    called: str  # the word for them, in the plural: "rows"


@dataclass(frozen=True)
class Limits:
    """The most that a solution may use; `None` for no limit."""

    # loads, stores: argument or output -> multiples of its size, perhaps fractions
    loads: dict[str, Multiple] = field(default_factory=dict)
    stores: dict[str, Multiple] = field(default_factory=dict)
    loads_next_step: str = ""  # what to do about too many loads, if the puzzle has better advice than the grader
    # elements of the largest block value; the tiles of one tuple may have 8 times as many in all
    tile: Limit | None = None
    programs_at_most: Limit | None = None  # and programs_at_least: of all launches together that write one tensor
    programs_at_least: Limit | None = None
    at_once: AtOnce | None = None  # whether all programs of a launch must fit on the GPU at once, and fill it
    launches: Limit | None = None  # of kernels, in one call
    bytes: Limit | None = None  # read and written in all, of all tensors
    dram_reads: Limit | None = None  # bytes that DRAM reads behind an L2 cache, by a model; for cases that are `cached`
    scratch: Limit | None = None  # elements of all tensors that the host function may allocate besides the outputs
    scratch_bytes: Limit | None = None  # of those tensors, and of all that kernels write to them
    copies: Limit | None = None  # of its tensors, that the host function may make


@dataclass(frozen=True)
class StarsSpec:
    """The shares of a yardstick that earn a correct kernel two and three stars; the first star is for correctness."""

    # "traffic", the rate that a copy's bandwidth and the puzzle's traffic allow, or the name of a baseline
    of: str = TRAFFIC
    two: float = 0.80  # and three: shares of it
    three: float = 0.92
    # GPU -> the baseline's measured rate on the timed shape, in the benchmark's unit
    reached: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class BenchSpec:
    """The sizes that `bench` times."""

    axis: str  # the dimension that varies
    sizes: tuple[int, ...]  # of it, in order
    shape: tuple[Expression, ...]  # one expression per dimension, over the axis
    # a shape with the same traffic in multiples of the tensors' sizes, small enough for the interpreter
    ledger: tuple[Expression, ...]
    # output -> {argument: axis}: row i of the output needs only index i of the argument along that axis, and all of
    # the other arguments
    rows: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def shape_at(self, size: int) -> tuple[int, ...]:
        """Return the shape of one size."""
        return tuple(evaluate(length, {self.axis: size}) for length in self.shape)

    def ledger_shape_at(self, size: int) -> tuple[int, ...]:
        """Return the shape at which the traffic of one size is counted."""
        return tuple(evaluate(length, {self.axis: size}) for length in self.ledger)


@dataclass(frozen=True)
class Baseline:
    """A function that a puzzle's speed is compared with."""

    name: str  # in the report
    function: str  # name, or "module:function", called with the same arguments
    rung: Annotated[str, OneOf(RUNGS)] = LIBRARY  # its rank, which decides its look in plots: one of `RUNGS`


@dataclass(frozen=True)
class BenchmarkSpec:
    """What is timed on a GPU, and the baselines."""

    case: str  # name of the case, on "cuda", that `check` times
    unit: Annotated[str, OneOf(UNITS)]  # "GB/s" or "TFLOP/s"
    work: Expression  # bytes (for GB/s) or operations (for TFLOP/s) of one call, over the dimensions and `itemsize`
    moved: Expression  # bytes that the puzzle's own traffic moves, over the same names
    baselines: tuple[Baseline, ...] = ()  # that it is compared with
    stars: StarsSpec = field(default_factory=StarsSpec)  # what earns two and three stars
    bench: BenchSpec | None = None  # what `bench` times; `None` for a puzzle without a bench

    @property
    def memory_bound(self) -> bool:
        """Whether bytes decide the speed, and not arithmetic."""
        return self.unit == "GB/s"

    @property
    def minimum(self) -> Expression:
        """The least bytes of any kernel: every input read once, every output written once.

        A rate in GB/s counts only these; for an arithmetic puzzle its own traffic is the least.
        """
        return self.work if self.memory_bound else self.moved


def speed_problems(spec: BenchmarkSpec) -> Iterator[str]:
    """Yield problems of a benchmark's stars and baselines, as clauses."""
    stars = spec.stars
    names = [baseline.name for baseline in spec.baselines]
    if stars.of != TRAFFIC and stars.of not in names:
        yield f"stars are given for a share of {stars.of!r}, which is neither {TRAFFIC!r} nor a baseline"
    if stars.of == TRAFFIC and not spec.memory_bound:
        yield "stars are given for a share of the traffic's limit, which does not bind a puzzle in TFLOP/s"
    if not 0 < stars.two < stars.three:
        yield f"two stars at {stars.two} and three at {stars.three} are not in order"


def bench_problems(bench: BenchSpec, dims: Sequence[str], tensors: Mapping[str, int]) -> Iterator[str]:
    """Yield problems of the sizes that `bench` times, as clauses.

    `tensors` maps each tensor of a call, gradients included, to its number of axes.
    """
    sizes = bench.sizes
    if sorted(set(sizes)) != list(sizes) or not sizes or sizes[0] < 1:
        yield "the sizes are not positive and rising"
    if len(bench.shape) != len(dims) or len(bench.ledger) != len(dims):
        yield f"shape has {len(bench.shape)} and ledger {len(bench.ledger)} sizes; dims names {len(dims)}"
    for output, axes in bench.rows.items():
        if not axes:
            yield f"rows names no tensor for {output}"
        for name, axis in axes.items():
            if name not in tensors:
                yield f"rows: there is no tensor {name!r}.{nearest(name, tensors)}"
            elif not 0 <= axis < tensors[name]:
                yield f"rows: {name} has {tensors[name]} axes, and {output} asks for axis {axis}"
