"""Read a puzzle from its record (TOML) and its hints (Markdown). What is not understood is refused, with its place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, TypeVar

from tritonpuzzles.curriculum.coherence import LEDGER_NAMES, check_expressions, problems
from tritonpuzzles.curriculum.limits import bench_problems, speed_problems
from tritonpuzzles.curriculum.record import CALLS, HINTS, Argument, Case, Kind, Name, OutputSpec, Puzzle
from tritonpuzzles.curriculum.tables import RECORDS, RecordError, read_toml, refused
from tritonpuzzles.decoding.marks import DecodeError, Length, OneOf, UnknownWordError, nearest

MOST_CHOICES = 1000  # of an argument that is not a tensor
DEVICES = ("cpu", "cuda", "picture")
VALUES: dict[str, Any] = {"scalar": int | float, "bool": bool, "string": str}  # of arguments that are not tensors
T = TypeVar("T")
RESULT = "y"  # the default name of a result
AFTER = re.compile(r"^<!-- after: (.+) -->$", re.MULTILINE)  # codes of findings, in a hints file


@dataclass(frozen=True)
class _Plain:
    """An argument that is not a tensor; its permitted values depend on its kind."""

    name: Name
    kind: Kind
    value: Any = None
    choices: Any = None


@dataclass(frozen=True)
class _Result:
    """A result of the host function in a backward call: it has the shape and dtype of its gradient."""

    tolerance: str
    name: Name = RESULT


@dataclass(frozen=True)
class _Beside:
    """Parts of a record that a puzzle stores in another form."""

    call: Annotated[str, OneOf(CALLS)] = "forward"
    results: tuple[_Result, ...] = ()


def load_puzzle(path: Path, hints: Path, folder: Path | None = None) -> Puzzle:
    """Read one record.

    The hints file has one `## ` section per hint, and before them answers to findings. The pack is by default the
    folder above the record's. The record is named after the puzzle: `p03_online_softmax.toml`. Raises RecordError with
    the file's name and what is missing or not understood.
    """
    data = read_toml(path)
    before, *after = _sections(hints)
    sections = tuple(section.strip() for section in after)
    if len(sections) != HINTS or not all(sections):
        empty = f", {sections.count('')} of them empty" if "" in sections else ""
        raise RecordError(f"{hints.name}: {len(sections)} hints under headings '## '{empty}; a puzzle has {HINTS}")
    return puzzle_of(
        data, path.name, hints=sections, answers=_answers(before, hints.name), folder=folder or path.parent.parent
    )


def puzzle_of(data: dict[str, Any], file: str, **given: Any) -> Puzzle:
    """Return the puzzle that a record describes.

    `given` are fields of a puzzle that come from elsewhere: hints, answers, folder. Raises RecordError with the file's
    name, and the place of what is missing or not understood.
    """
    try:
        puzzle = _puzzle(data, **given)
        _check_names(puzzle)
        check_expressions(puzzle)
    except DecodeError as error:
        raise refused(file, data, error) from error
    for problem in problems(puzzle, file.removesuffix(".toml")):
        raise RecordError(f"{file}: {problem}")
    return puzzle


def with_hidden_cases(puzzle: Puzzle, cases: list[dict[str, Any]], file: str) -> Puzzle:
    """Return a puzzle with further cases, in the form of a record's, that are hidden from students.

    Raises RecordError with the file's name, and the place of what is not understood or does not fit the puzzle.
    """
    data = {"cases": [*({"name": case.name} for case in puzzle.cases), *cases]}
    try:
        found = [_read(Case, case, "cases", len(puzzle.cases) + n) for n, case in enumerate(cases)]
        longer = replace(puzzle, cases=(*puzzle.cases, *(replace(case, hidden=True) for case in found)))
        _check_names(longer)
        check_expressions(longer)
    except DecodeError as error:
        raise refused(f"{file}, {puzzle.slug}", data, error) from error
    for problem in problems(longer, puzzle.stem):
        raise RecordError(f"{file}, {puzzle.slug}: {problem}")
    return longer


def _answers(before: str, file: str) -> dict[str, str]:
    """Return the answers before the sections of a hints file, by the code of the finding that each answers.

    Each answer starts with a line `<!-- after: code, another-code -->`. Raises RecordError if one is empty, or a code
    has two.
    """
    _, *parts = AFTER.split(before)
    found: dict[str, str] = {}
    for codes, text in zip(parts[::2], parts[1::2], strict=True):
        for code in (code.strip() for code in codes.split(",")):
            if code in found or not text.strip():
                raise RecordError(f"{file}: {code!r} has {'two answers' if code in found else 'an empty answer'}")
            found[code] = text.strip()
    return found


def _sections(path: Path) -> list[str]:
    """Return the texts before, between and after the headings of a hints file."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(f"{path.name}: the hints cannot be read: {error}") from error
    return re.split(r"^## .*$", text, flags=re.MULTILINE)


def _puzzle(data: dict[str, Any], **given: Any) -> Puzzle:
    """Return the puzzle of a record, before its names and expressions are checked.

    Raises DecodeError with the place of what is missing or not understood.
    """
    beside = RECORDS.read(_Beside, {key: data[key] for key in ("call", "results") if key in data})
    record = {"dims": [], "limits": {}, **{key: data[key] for key in data if key not in ("call", "results")}}
    if "arguments" in record:
        items = _read(list[dict[str, Any]], record.pop("arguments"), "arguments")
        given["arguments"] = tuple(_argument(item, "arguments", n) for n, item in enumerate(items))
    rows: Any = []
    match record.get("benchmark"):
        case None:
            given["benchmark"] = None
        case {"bench": {"rows": rows, **bench}, **others}:
            record["benchmark"] = {**others, "bench": bench}
    puzzle = RECORDS.read(Puzzle, record, **given)
    if (beside.call == "backward") != bool(puzzle.gradients):
        raise DecodeError("a backward call needs [[gradients]], one for each result, and a forward call has none")
    puzzle = replace(puzzle, results=_results(beside.results, puzzle.gradients))
    return _with_rows(puzzle, rows)


def _read(hint: type[T], data: Any, *place: str | int, **given: Any) -> T:
    """Decode a part of a record separately; errors get its place in the record."""
    try:
        return RECORDS.read(hint, data, **given)
    except DecodeError as error:
        error.place = (*place, *error.place)
        raise


def _argument(item: dict[str, Any], *place: str | int) -> Argument:
    """Return an argument; one that is not a tensor has a `value` or `choices`, and none of a tensor's keys."""
    values: Any = VALUES.get(str(item.get("kind")))
    if values is None:
        return _read(Argument, item, *place, choices=())
    plain, given = _read(_Plain, item, *place), [key for key in ("value", "choices") if key in item]
    if len(given) != 1:
        raise DecodeError("'choices' stands beside 'value'" if given else "'choices' is missing", place)
    key = given[0]
    hint: Any = values if key == "value" else Annotated[tuple[values, ...], Length(MOST_CHOICES, 1)]
    found = _read(hint, item[key], *place, key)
    return Argument(plain.name, plain.kind, choices=(found,) if key == "value" else found)


def _results(found: Sequence[_Result], gradients: Sequence[Argument]) -> tuple[OutputSpec, ...]:
    """Return the results of a backward call's host function: each has the shape and dtype of its gradient."""
    if len(found) != len(gradients):
        asked = f"{len(found)} [[results]] and {len(gradients)} [[gradients]]"
        raise DecodeError(f"{asked}: a backward call has as many of both, in the same order, and a forward call none")
    pairs = zip(found, gradients, strict=True)
    return tuple(OutputSpec(result.name, result.tolerance, like.shape, like.dtype) for result, like in pairs)


def _with_rows(puzzle: Puzzle, data: Any) -> Puzzle:
    """Return a puzzle with its bench's `rows`: a list of names, for all outputs and axis 0, or a table per output."""
    if puzzle.benchmark is None or puzzle.benchmark.bench is None:
        return puzzle
    place, outputs = ("benchmark", "bench", "rows"), [output.name for output in puzzle.compared]
    if isinstance(data, dict):
        _refuse_others(data, outputs, *place)
        found = {output: _read(dict[str, int], data.get(output, {}), *place, output) for output in outputs}
        for output, axes in found.items():
            _refuse_others(axes, [tensor.name for tensor in puzzle.tensors], *place, output)
    else:
        found = {output: dict.fromkeys(_read(tuple[str, ...], data, *place), 0) for output in outputs}
    bench = replace(puzzle.benchmark.bench, rows=found)
    return replace(puzzle, benchmark=replace(puzzle.benchmark, bench=bench))


def _refuse_others(found: dict[str, Any], known: Sequence[str], *place: str | int) -> None:
    for name in found:
        if name not in known:
            raise DecodeError(f"there is no key {name!r} here.{nearest(name, known)}", place)


def _check_names(puzzle: Puzzle) -> None:
    """Refuse names in a record that do not exist; raises DecodeError with the place of the first such name."""
    tensors = [tensor.name for tensor in puzzle.tensors]
    _refuse_shared_names(puzzle)
    for name in puzzle.dims:
        if puzzle.dims.count(name) > 1:
            raise DecodeError(f"dims names {name!r} twice: each dimension of a case has a name of its own")
        if name in LEDGER_NAMES:
            raise DecodeError(f"dims: {name!r} has a meaning of its own in limits; take another name")
    for n, case in enumerate(puzzle.cases):
        if len(case.shape) != len(puzzle.dims):
            sizes = f"'shape' has {len(case.shape)} of {len(puzzle.dims)} sizes: {', '.join(puzzle.dims)}"
            raise DecodeError(sizes, ("cases", n))
        for device in case.devices:
            if device not in DEVICES:
                raise DecodeError(f"there is no device {device!r}.{nearest(device, DEVICES)}", ("cases", n))
        _refuse_others(case.layouts, tensors, "cases", n, "layouts")
        _check_values(puzzle, case.values, "cases", n, "values")
        _check_values(puzzle, case.between, "cases", n, "between")
    if puzzle.pairs is not None:
        for name in (puzzle.pairs.rows, puzzle.pairs.columns):
            if name not in tensors:
                raise DecodeError(f"there is no tensor {name!r}.{nearest(name, tensors)}", ("pairs",))
    _check_speed(puzzle)


def _check_values(puzzle: Puzzle, values: dict[str, Any], *place: str | int) -> None:
    kinds = {argument.name: argument.kind for argument in puzzle.arguments if not argument.is_tensor}
    _refuse_others(values, list(kinds), *place)
    for name, value in values.items():
        _read(VALUES[kinds[name]], value, *place, name)


def _check_speed(puzzle: Puzzle) -> None:
    if puzzle.benchmark is None:
        return
    for problem in speed_problems(puzzle.benchmark):
        raise DecodeError(problem, ("benchmark",))
    bench = puzzle.benchmark.bench
    if bench is not None:
        if bench.axis not in puzzle.dims:
            what = f"{bench.axis!r} is not known.{nearest(bench.axis, puzzle.dims)}"
            raise UnknownWordError(what, ("benchmark", "bench", "axis"))
        axes = {one.name: len(puzzle.dims if one.shape is None else one.shape) for one in puzzle.tensors}
        for problem in bench_problems(bench, puzzle.dims, axes):
            raise DecodeError(problem, ("benchmark", "bench"))


def _refuse_shared_names(puzzle: Puzzle) -> None:
    """Refuse a name that two tensors or values share: limits and reports refer to them by name."""
    taken: dict[str, str] = {}
    for noun, made in (("argument", puzzle.arguments), ("gradient", puzzle.gradients), ("output", puzzle.compared)):
        for item in made:
            if item.name in taken:
                other = f"a second {noun}" if taken[item.name] == noun else f"{taken[item.name]} and {noun}"
                raise DecodeError(f"{item.name!r} names {other}: limits and reports need a name for each")
            taken[item.name] = noun
