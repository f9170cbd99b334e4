"""What a puzzle is: number, host function, cases, limits, hints, read from one TOML record and one hints file.

Knows nothing of torch, processes or screens: `list` and `hint` answer from here at once.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tritonpuzzles.curriculum.expressions import Expression
from tritonpuzzles.curriculum.speed import BenchmarkSpec, benchmark_spec, speed_problems

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DTYPES = ("float32", "float16", "bfloat16")
LAYOUTS = ("contiguous", "padded", "column_slice", "far_apart")
HINTS = 3


class RecordError(ValueError):
    """A record is not well formed; the message names the file and what to mend."""


@dataclass(frozen=True)
class Case:
    """One thing that a kernel must get right.

    Attributes:
        name: what a learner reads: "late maximum".
        why: which mistake it catches, one sentence.
        family: name of a function in `curriculum.families`.
        shape: one expression per dimension; drawn anew from the seed of each run.
        dtype: one of `DTYPES`.
        layout: `contiguous`, `padded` (a row stride larger than the row), `column_slice` (of a wider matrix) or
            `far_apart` (rows 2^30 elements apart, so that the third begins beyond 32 bits; on a GPU only).
        devices: where it runs: large shapes only on "cuda"; one for "picture" is drawn for `trace --plot` alone, where
            no other case has as few programs and tiles as one can tell apart.
        after: name of an earlier case whose shape and very memory this one gets, to find answers kept from a call.
        same_numbers: whether it also gets that case's numbers.
        gpu_gib: memory that the GPU must have; a smaller one leaves the case out.
        kept_for: why it is there although no wrong kernel of the corpus fails in it alone; for authors.
    """

    name: str
    why: str
    family: str
    shape: tuple[Expression, ...]
    dtype: str = "float32"
    layout: str = "contiguous"
    devices: tuple[str, ...] = ("cpu", "cuda")
    after: str | None = None
    same_numbers: bool = False
    gpu_gib: int = 0
    kept_for: str = ""


@dataclass(frozen=True)
class Limits:
    """The most that a solution may use; traffic in multiples of the tensor's size, `None` where nothing is asked.

    Attributes:
        loads, stores: host-function argument (or "output") -> expression over the dimensions.
        tile: elements of the largest block value.
        rows_per_program: the fewest rows that every program covers.
        scratch: elements of the largest tensor that the host function may allocate beside the output.
    """

    loads: dict[str, Expression] = field(default_factory=dict)
    stores: dict[str, Expression] = field(default_factory=dict)
    tile: Expression | None = None
    rows_per_program: int | None = None
    scratch: Expression | None = None


@dataclass(frozen=True)
class Puzzle:
    """One puzzle of a curriculum.

    Attributes:
        host: name of the function that the file defines.
        arguments: names of its tensor arguments, in order.
        dims: names of the dimensions of a case's shape, for the expressions.
        reference: "module:function" that computes the truth from float64 inputs.
        tolerance: name of a rule in `judge.tolerances`.
        hints: three, from nudge to almost code, in Markdown.
        mistakes_module: where the named mistakes are defined.
        mistakes: codes of those that apply here, the likeliest first.
        operations: that the definition needs, for the roofline; what a kernel does twice counts once.
    """

    number: int
    slug: str
    title: str
    idea: str
    host: str
    arguments: tuple[str, ...]
    dims: tuple[str, ...]
    reference: str
    tolerance: str
    limits: Limits
    cases: tuple[Case, ...]
    benchmark: BenchmarkSpec | None
    hints: tuple[str, ...]
    mistakes_module: str = ""
    mistakes: tuple[str, ...] = ()
    operations: Expression = ""

    @property
    def stem(self) -> str:
        """File name without its ending: `p03_online_softmax`."""
        return f"p{self.number:02d}_{self.slug}"


def load_puzzle(path: Path, hints: Path) -> Puzzle:
    """Read one record.

    Args:
        path: the TOML record, named after the puzzle: `p03_online_softmax.toml`.
        hints: the Markdown file with one `## ` section per hint.

    Raises:
        RecordError: with the file's name and what is missing or not understood.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        puzzle = _puzzle(data, read_hints(hints))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, TypeError, KeyError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise RecordError(f"{path.name}: {what}") from error
    for problem in problems(puzzle, path.stem):
        raise RecordError(f"{path.name}: {problem}")
    return puzzle


def read_hints(path: Path) -> tuple[str, ...]:
    """Return the sections of a hints file, one per `## ` heading, headings left out."""
    sections = re.split(r"^## .*$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return tuple(section.strip() for section in sections)


def problems(puzzle: Puzzle, stem: str) -> list[str]:
    """Return what is wrong with a record, as sentences; nothing for a good one."""
    found = []
    if puzzle.stem != stem:
        found.append(f"number and slug say {puzzle.stem}, the file is called {stem}")
    if len(puzzle.hints) != HINTS or not all(puzzle.hints):
        found.append(f"{len(puzzle.hints)} hints; a puzzle has {HINTS}, none empty")
    names = [case.name for case in puzzle.cases]
    if not names or len(set(names)) != len(names):
        found.append("cases need names, each used once")
    for index, case in enumerate(puzzle.cases):
        if case.after is not None and case.after not in names[:index]:
            found.append(f"case {case.name!r} comes after {case.after!r}, which is no earlier case")
        if len(case.shape) != len(puzzle.dims):
            found.append(f"case {case.name!r} has {len(case.shape)} dimensions, not {len(puzzle.dims)}")
        if case.dtype not in DTYPES:
            found.append(f"case {case.name!r}: dtype {case.dtype!r} is not one of {', '.join(DTYPES)}")
        if case.layout not in LAYOUTS:
            found.append(f"case {case.name!r}: layout {case.layout!r} is not one of {', '.join(LAYOUTS)}")
    if puzzle.benchmark is not None and puzzle.benchmark.case not in names:
        found.append(f"the benchmark names the case {puzzle.benchmark.case!r}, which is not there")
    if puzzle.benchmark is not None:
        found += speed_problems(puzzle.benchmark, puzzle.dims, puzzle.arguments)
    return found


def _puzzle(data: dict[str, Any], hints: tuple[str, ...]) -> Puzzle:
    benchmark = data.get("benchmark")
    return Puzzle(
        number=data["number"],
        slug=data["slug"],
        title=data["title"],
        idea=data["idea"],
        host=data["host"],
        arguments=tuple(data["arguments"]),
        dims=tuple(data["dims"]),
        reference=data["reference"],
        tolerance=data["tolerance"],
        limits=Limits(**data.get("limits", {})),
        cases=tuple(_case(case) for case in data["cases"]),
        benchmark=benchmark_spec(benchmark) if benchmark else None,
        hints=hints,
        mistakes_module=data.get("mistakes_module", ""),
        mistakes=tuple(data.get("mistakes", ())),
        operations=data.get("operations", ""),
    )


def _case(data: dict[str, Any]) -> Case:
    fields = dict(data)
    fields.update({key: tuple(data[key]) for key in ("shape", "devices") if key in data})
    return Case(**fields)
