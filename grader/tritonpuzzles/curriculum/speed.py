"""What a record says of speed: what is timed, beside what, over which sizes, and what earns the learner stars.

Knows nothing of torch, processes or screens.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tritonpuzzles.curriculum.expressions import Expression, ExpressionError, evaluate

TRAFFIC = "traffic"
UNITS = ("GB/s", "TFLOP/s")


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
class SweepSpec:
    """The sizes that `bench` times.

    Attributes:
        axis: the dimension that varies.
        sizes: of it, in order.
        shape: one expression per dimension, over the axis.
        ledger: a shape with the same traffic in multiples of the tensors' sizes, small enough for the interpreter.
        rows: arguments of which row i alone decides, with the others, row i of the output.
    """

    axis: str
    sizes: tuple[int, ...]
    shape: tuple[Expression, ...]
    ledger: tuple[Expression, ...]
    rows: tuple[str, ...]

    def shape_at(self, size: int) -> tuple[int, ...]:
        """Return the shape of one size."""
        return tuple(evaluate(length, {self.axis: size}) for length in self.shape)

    def ledger_shape_at(self, size: int) -> tuple[int, ...]:
        """Return the shape at which the traffic of one size is counted."""
        return tuple(evaluate(length, {self.axis: size}) for length in self.ledger)


@dataclass(frozen=True)
class BenchmarkSpec:
    """What is timed on a GPU, and against what.

    Attributes:
        case: name of the case, on "cuda", that `check` times.
        unit: "GB/s" or "TFLOP/s".
        work: bytes (for GB/s) or operations (for TFLOP/s) of one call, over the dimensions and `itemsize`.
        moved: bytes that the puzzle's own traffic moves, over the same names.
        baselines: name in the report -> "module:function" on the same inputs.
        stars: what earns two and three of them.
        sweep: what `bench` times; nothing where the puzzle has no sweep.
    """

    case: str
    unit: str
    work: Expression
    moved: Expression
    baselines: dict[str, str]
    stars: StarsSpec = field(default_factory=StarsSpec)
    sweep: SweepSpec | None = None

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


def benchmark_spec(data: dict[str, Any]) -> BenchmarkSpec:
    """Read the `[benchmark]` table of a record.

    Raises:
        TypeError, KeyError: for fields that do not exist or are missing.
    """
    fields = dict(data)
    fields["stars"] = StarsSpec(**fields.get("stars", {}))
    sweep = fields.pop("sweep", None)
    if sweep is not None:
        lists = {name: tuple(sweep[name]) for name in ("sizes", "shape", "ledger", "rows")}
        fields["sweep"] = SweepSpec(**{**sweep, **lists})
    return BenchmarkSpec(**fields)


def speed_problems(spec: BenchmarkSpec, dims: Sequence[str], arguments: Sequence[str]) -> Iterator[str]:
    """Yield what is wrong with a `[benchmark]` table, as sentences."""
    if spec.unit not in UNITS:
        yield f"the benchmark's unit {spec.unit!r} is not one of {', '.join(UNITS)}"
    stars = spec.stars
    if stars.of != TRAFFIC and stars.of not in spec.baselines:
        yield f"stars are given for a share of {stars.of!r}, which is neither {TRAFFIC!r} nor a baseline"
    if stars.of == TRAFFIC and not spec.memory_bound:
        yield "stars are given for a share of the traffic's limit, which does not bind a puzzle in TFLOP/s"
    if not 0 < stars.two < stars.three:
        yield f"two stars at {stars.two} and three at {stars.three} are not in order"
    if spec.sweep is not None:
        yield from _sweep_problems(spec.sweep, dims, arguments)


def _sweep_problems(sweep: SweepSpec, dims: Sequence[str], arguments: Sequence[str]) -> Iterator[str]:
    if sweep.axis not in dims:
        yield f"the sweep runs over {sweep.axis!r}, which is none of {', '.join(dims)}"
        return
    if not sweep.sizes or sorted(set(sweep.sizes)) != list(sweep.sizes) or sweep.sizes[0] < 1:
        yield "the sweep's sizes are not positive and rising"
    if len(sweep.shape) != len(dims) or len(sweep.ledger) != len(dims):
        yield f"the sweep's shapes do not have {len(dims)} dimensions"
    if not sweep.rows or not set(sweep.rows) <= set(arguments):
        yield f"the sweep's rows {', '.join(sweep.rows)} are not arguments"
    try:
        sweep.shape_at(1), sweep.ledger_shape_at(1)
    except ExpressionError as error:
        yield f"the sweep's shape: {error}"
