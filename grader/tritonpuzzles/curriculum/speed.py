"""What a record says of speed: what is timed, beside what, over which sizes, and what earns the learner stars.

Knows nothing of torch, processes or screens.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from tritonpuzzles.curriculum.expressions import Expression, evaluate
from tritonpuzzles.decoding.marks import OneOf, nearest

TRAFFIC = "traffic"
UNITS = ("GB/s", "TFLOP/s")
NAIVE, LIBRARY, BEST = "naive", "library", "best"
RUNGS = (NAIVE, LIBRARY, BEST)  # the first thing one writes, what PyTorch has, the best that is known


@dataclass(frozen=True)
class StarsSpec:
    """From which share of a yardstick on a right kernel has two and three stars; one is for being right.

    Attributes:
        of: "traffic", the rate that a copy's bandwidth and the puzzle's traffic allow, or the name of a baseline.
        two, three: shares of it.
    """

    of: str = TRAFFIC
    two: float = 0.80
    three: float = 0.92


@dataclass(frozen=True)
class BenchSpec:
    """The sizes that `bench` times.

    Attributes:
        axis: the dimension that varies.
        sizes: of it, in order.
        shape: one expression per dimension, over the axis.
        ledger: a shape with the same traffic in multiples of the tensors' sizes, small enough for the interpreter.
        rows: for each output, the arguments of which index i alone decides, with the others, row i of it: name -> axis
            along which that index runs.
    """

    axis: str
    sizes: tuple[int, ...]
    shape: tuple[Expression, ...]
    ledger: tuple[Expression, ...]
    rows: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def shape_at(self, size: int) -> tuple[int, ...]:
        """Return the shape of one size."""
        return tuple(evaluate(length, {self.axis: size}) for length in self.shape)

    def ledger_shape_at(self, size: int) -> tuple[int, ...]:
        """Return the shape at which the traffic of one size is counted."""
        return tuple(evaluate(length, {self.axis: size}) for length in self.ledger)


@dataclass(frozen=True)
class Baseline:
    """Something to compare with.

    Attributes:
        name: in the report.
        function: name, or "module:function", called with the same arguments.
        rung: its place on the ladder and its look in plots: one of `RUNGS`.
    """

    name: str
    function: str
    rung: Annotated[str, OneOf(RUNGS)] = LIBRARY


@dataclass(frozen=True)
class BenchmarkSpec:
    """What is timed on a GPU, and against what.

    Attributes:
        case: name of the case, on "cuda", that `check` times.
        unit: "GB/s" or "TFLOP/s".
        work: bytes (for GB/s) or operations (for TFLOP/s) of one call, over the dimensions and `itemsize`.
        moved: bytes that the puzzle's own traffic moves, over the same names.
        baselines: what it stands beside.
        stars: what earns two and three of them.
        bench: what `bench` times; nothing where the puzzle has no bench.
    """

    case: str
    unit: Annotated[str, OneOf(UNITS)]
    work: Expression
    moved: Expression
    baselines: tuple[Baseline, ...] = ()
    stars: StarsSpec = field(default_factory=StarsSpec)
    bench: BenchSpec | None = None

    @property
    def memory_bound(self) -> bool:
        """Whether bytes decide the speed, and not arithmetic."""
        return self.unit == "GB/s"

    @property
    def minimum(self) -> Expression:
        """The bytes that no kernel can do without: every input read once, every output written once.

        A rate in GB/s counts just these; an arithmetic puzzle's own traffic is the least there is.
        """
        return self.work if self.memory_bound else self.moved


def speed_problems(spec: BenchmarkSpec) -> Iterator[str]:
    """Yield what is wrong with what is timed, as clauses."""
    stars = spec.stars
    names = [baseline.name for baseline in spec.baselines]
    if stars.of != TRAFFIC and stars.of not in names:
        yield f"stars are given for a share of {stars.of!r}, which is neither {TRAFFIC!r} nor a baseline"
    if stars.of == TRAFFIC and not spec.memory_bound:
        yield "stars are given for a share of the traffic's limit, which does not bind a puzzle in TFLOP/s"
    if not 0 < stars.two < stars.three:
        yield f"two stars at {stars.two} and three at {stars.three} are not in order"


def bench_problems(bench: BenchSpec, dims: Sequence[str], tensors: Mapping[str, int]) -> Iterator[str]:
    """Yield what is wrong with the sizes that `bench` times, as clauses.

    Args:
        bench: as the record has it.
        dims: names of the dimensions.
        tensors: how many axes each tensor has that goes into a call, gradients among them.
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
