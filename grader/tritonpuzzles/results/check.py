"""The vocabulary that engine, judge and front share: findings, cases, traffic, reports.

Plain data, no torch, no triton. `to_dict` gives the JSON of the report, whose schema is `report.schema.json`.
"""

from __future__ import annotations

import dataclasses
import enum
import math
from dataclasses import dataclass, field
from typing import Any

from tritonpuzzles.results.codes import Kind, Severity, code_named
from tritonpuzzles.results.speed import Benchmark, GridOccupancy
from tritonpuzzles.results.states import RowStates
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.results.traffic import DramReads, LineTraffic, Traffic

REPORT_VERSION = 2
FREE_SHARE = 0.01  # share by which bytes may exceed a limit: too little for any clock to measure


class Verdict(enum.Enum):
    """The result of a check. There is no default: `PASS` needs positive evidence from every case."""

    PASS = "pass"
    FAIL = "fail"
    ERROR = "error"  # does not import, compile or finish
    UNSOLVED = "unsolved"  # the stub: nothing was written
    SKIP = "skip"  # needs hardware that is not here
    INFRA_ERROR = "infra_error"  # the grader's own fault, never the learner's


@dataclass(frozen=True)
class Finding:
    """One thing that was seen, with a stable code and a sentence for the learner."""

    code: str  # stable, kebab-case, for scripts: `out-of-bounds-load`; one of `results.codes`, or a named mistake's
    message: str  # plain sentences with numbers; never markup
    severity: Severity = field(init=False)  # the code's own; only `ERROR` keeps a check from passing
    file: str | None = None  # and line: the learner's source, if it has a place there (line counts from 1)
    line: int | None = None
    case: str | None = None  # the name of the case it was seen in
    next_step: str | None = None  # what to do about it, one sentence
    # numbers for programs: `{"argument": "x_ptr", "program": [3, 0, 0], "element": 781, "count": 12}`
    details: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "severity", code_named(self.code).severity)

    @property
    def kind(self) -> Kind:
        """What it is about."""
        return code_named(self.code).kind

    def adding(self, text: str, line: int | None = None, next_step: str | None = None) -> Finding:
        """Return it with a sentence more, and where they are given with another line and next step."""
        line, next_step = self.line if line is None else line, self.next_step if next_step is None else next_step
        return dataclasses.replace(self, message=f"{self.message} {text}", line=line, next_step=next_step)

    def noting(self, details: dict[str, Any]) -> Finding:
        """Return it with details more."""
        return dataclasses.replace(self, details={**self.details, **details})


@dataclass(frozen=True)
class Mismatch:
    """Where and how an output differs from the golden result."""

    output: str  # its name
    wrong: int  # and total: how many elements are wrong, of how many
    total: int
    first: tuple[int, ...]  # index of the first wrong element
    expected: float  # and got: the two values there; whole numbers as such
    got: float
    where: str  # the pattern in words: "columns 768 to 780", "rows 4 and after"


@dataclass(frozen=True)
class CaseResult:
    """What one case gave."""

    name: str
    shape: tuple[int, ...]
    dtype: str  # empty if no tensor has a floating-point dtype
    verdict: Verdict
    why: str = ""
    layout: str = "contiguous"
    device: str = "cpu"
    # max_error, tolerance: in units of the output: the largest deviation relative to its own limit is
    # `max_error / tolerance`, and the case passes if that is at most 1
    max_error: float | None = None
    tolerance: float | None = None
    mismatch: Mismatch | None = None
    # the non-tensor arguments that differ between the cases
    values: dict[str, bool | int | float | str] = field(default_factory=dict)
    programs: int | None = None  # of all launches; `None` if unknown


@dataclass(frozen=True)
class CompileResult:
    """The compiler's result for one kernel and one target; sizes in bytes."""

    kernel: str
    target: str
    ok: bool
    registers: int | None = None
    spills: int | None = None
    shared_bytes: int | None = None
    num_warps: int | None = None
    num_stages: int | None = None
    # if not, only the front half of Triton's compiler ran; all of its kinds of operation then also occur in another
    # variant, which was compiled completely
    assembled: bool = True


@dataclass(frozen=True)
class Predicted:
    """Predicted speed on a GPU, present or not, by a model of what the kernels use of it: see docs/speed.md."""

    gpu: str  # as people say it: "H200"
    shape: tuple[int, ...]  # and dtype, unit: of the call that the puzzle is timed at, and of its rate
    dtype: str
    unit: str
    copy_gb_per_s: float  # of a large copy on that GPU
    microseconds: float | None = None  # and rate: of the call; `None` if `problem` says why there is no prediction
    rate: float | None = None
    share_of_copy: float | None = None  # and share_of_limit: of the rate, for GB/s
    share_of_limit: float | None = None
    yardstick: str = "traffic"  # and yardstick_rate: the reference for stars: traffic, or a measured library
    yardstick_rate: float | None = None
    share_of_yardstick: float | None = None  # of the rate
    tensor_tflop_per_s: float | None = None  # of that GPU's tensor cores, for TFLOP/s
    band: float = 0.0  # relative error of the rate, either way, that nine of ten kernels stay within
    limit: str = ""  # what limits the rate, a code
    why: Finding | None = None  # the limit as a note, with its line and next step; `None` for a copy's speed
    stars: int = 1  # stars that this rate would earn, including the one for being right
    stars_at: tuple[float, ...] = ()  # shares of the yardstick that earn two stars and three
    problem: str | None = None


@dataclass(frozen=True)
class Confinement:
    """What kept the file's host code, and its kernels, from the rest of the machine."""

    holds: tuple[str, ...] = ()  # what the system enforced: "Landlock 7", "a PID namespace"
    missing: tuple[str, ...] = ()  # protections that were missing, each with its reason

    def with_kernels(self, engine: Confinement) -> Confinement:
        """Return what protects both the host code's process and the engine's, and what is missing in either."""
        only = tuple(f"{reason}, around its kernels" for reason in engine.missing if reason not in self.missing)
        return Confinement(tuple(name for name in self.holds if name in engine.holds), self.missing + only)


@dataclass(frozen=True)
class PuzzleResult:
    """Everything that is known about one file after a check."""

    puzzle: int | None  # `None` for a function that belongs to no course
    slug: str  # or that function's name
    file: Submission
    verdict: Verdict
    device: str
    seed: int
    findings: tuple[Finding, ...] = ()
    cases: tuple[CaseResult, ...] = ()
    traffic: tuple[Traffic, ...] = ()
    lines: tuple[LineTraffic, ...] = ()
    compile: tuple[CompileResult, ...] = ()
    benchmark: Benchmark | None = None
    output: str = ""  # what the learner's code printed, capped
    seconds: float = 0.0
    stars: int = 0  # one for right, two and three for speed on a GPU
    confinement: Confinement | None = None  # where the file and its kernels were run
    states: RowStates | None = None  # the numbers of one row, if they were requested
    occupancy: GridOccupancy | None = None  # if the puzzle limits how many programs a GPU holds at once
    traffic_case: str | None = None  # the case that `traffic` and `lines` are of
    dram: DramReads | None = None  # if the puzzle limits DRAM reads behind an L2 cache
    predicted: Predicted | None = None  # speed on a GPU that need not be here

    @property
    def passed(self) -> bool:
        return self.verdict is Verdict.PASS

    @property
    def label(self) -> str:
        """Its name in reports: "p03 online_softmax"; for a function outside of any course the function's name."""
        return named(self.puzzle, self.slug)

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that keep it from passing."""
        return tuple(finding for finding in self.findings if finding.severity is Severity.ERROR)


@dataclass(frozen=True)
class Preliminary:
    """What is known of a file while it is still being checked.

    The verdict can only get worse: "pass" is not final here, and any other verdict never becomes a pass.
    """

    result: PuzzleResult  # as it would be if nothing more were found
    doing: str  # what is being done, in words: "compiling for sm_80 and sm_90"

    @property
    def right_so_far(self) -> bool:
        """Whether nothing was found until now that keeps the file from passing."""
        return self.result.passed


@dataclass(frozen=True)
class Report:
    """The result of one command: one entry per puzzle asked for."""

    tritonpuzzles: str
    environment: dict[str, Any]
    results: tuple[PuzzleResult, ...]

    @property
    def passed(self) -> bool:
        """Whether every puzzle asked for passed; an empty report did not."""
        return bool(self.results) and all(result.passed for result in self.results)

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(finding for result in self.results for finding in result.findings)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON-ready data (schema: `report.schema.json`)."""
        return {
            "version": REPORT_VERSION,
            "tritonpuzzles": self.tritonpuzzles,
            "environment": plain(self.environment),
            "results": [plain(result) for result in self.results],
        }


def named(number: int | None, slug: str) -> str:
    """Return `p03 online_softmax`; the name alone of what belongs to no course."""
    return slug if number is None else f"p{number:02d} {slug}"


def plain(value: Any) -> Any:
    """Turn dataclasses, enums and tuples into what `json` writes; NaN and infinities become strings."""
    if isinstance(value, Submission):
        return str(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value
