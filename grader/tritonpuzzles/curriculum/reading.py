"""Read a puzzle from its record (TOML) and its hints (Markdown). What is not understood is refused, with its place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from tritonpuzzles.curriculum.coherence import problems
from tritonpuzzles.curriculum.expressions import Expression, Multiple
from tritonpuzzles.curriculum.pictured import read_matrix, read_pairs
from tritonpuzzles.curriculum.record import (
    CALLS,
    CASE_DTYPE,
    DTYPES,
    FIXED_DTYPES,
    HINTS,
    KINDS,
    LAYOUTS,
    Argument,
    AtOnce,
    Bound,
    Case,
    Limits,
    OutputSpec,
    Puzzle,
    Value,
)
from tritonpuzzles.curriculum.speed import read_speed
from tritonpuzzles.curriculum.tables import RecordError, Table, nearest, read_toml

DEVICES = ("cpu", "cuda", "picture")
VALUE_TYPES: dict[str, tuple[type, ...]] = {"scalar": (int, float), "bool": (bool,), "string": (str,)}
BOUNDS = (
    "tile", "programs_at_most", "programs_at_least", "launches", "bytes", "dram_reads", "scratch", "scratch_bytes",
    "copies",
)  # fmt: skip
# In limits, beside the dimensions and the kernels' constexprs.
LEDGER_NAMES = ("itemsize", "largest_tile", "gradients", "passes")
RESULT = "y"  # the name of a result that the record gives none
NAME = re.compile(r"[a-z_][a-z0-9_]*")
AFTER = re.compile(r"^<!-- after: (.+) -->$", re.MULTILINE)  # codes of findings, in a hints file


def load_puzzle(path: Path, hints: Path, folder: Path | None = None) -> Puzzle:
    """Read one record.

    Args:
        path: the TOML record, named after the puzzle: `p03_online_softmax.toml`.
        hints: the Markdown file with one `## ` section per hint, and before them answers to findings.
        folder: of the pack; the one above the record's by default.

    Raises:
        RecordError: with the file's name and what is missing or not understood.
    """
    table = read_toml(path)
    sections = read_hints(hints)
    if len(sections) != HINTS or not all(sections):
        empty = f", {sections.count('')} of them empty" if "" in sections else ""
        raise RecordError(f"{hints.name}: {len(sections)} hints under headings '## '{empty}; a puzzle has {HINTS}")
    puzzle = _puzzle(table, sections, read_answers(hints), folder or path.parent.parent)
    for problem in problems(puzzle, path.stem):
        raise RecordError(f"{path.name}: {problem}")
    return puzzle


def read_hints(path: Path) -> tuple[str, ...]:
    """Return the sections of a hints file, one per `## ` heading, headings left out.

    Raises:
        RecordError: if it cannot be read.
    """
    return tuple(section.strip() for section in _sections(path)[1:])


def read_answers(path: Path) -> dict[str, str]:
    """Return what stands before the sections of a hints file, by the code of the finding that it answers.

    Each answer begins with a line `<!-- after: code, another-code -->`.

    Raises:
        RecordError: if it cannot be read, is empty, or a code has two.
    """
    _, *parts = AFTER.split(_sections(path)[0])
    found: dict[str, str] = {}
    for codes, text in zip(parts[::2], parts[1::2], strict=True):
        for code in (code.strip() for code in codes.split(",")):
            if code in found or not text.strip():
                raise RecordError(f"{path.name}: {code!r} has {'two answers' if code in found else 'an empty answer'}")
            found[code] = text.strip()
    return found


def _sections(path: Path) -> list[str]:
    """Return what stands before, between and after the headings of a hints file."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(f"{path.name}: the hints cannot be read: {error}") from error
    return re.split(r"^## .*$", text, flags=re.MULTILINE)


def _puzzle(table: Table, hints: tuple[str, ...], answers: dict[str, str], folder: Path) -> Puzzle:
    dims = _dims(table)
    items = table.tables("arguments", "argument", needed=True)
    sizes = (*dims, *_flags(items))
    arguments = tuple(_argument(item, sizes) for item in items)
    backward = table.one_of("call", CALLS, "forward") == "backward"
    gradients = tuple(_argument(item, sizes) for item in table.tables("gradients", "gradient"))
    outputs = tuple(_output(item, sizes) for item in table.tables("outputs", "output", needed=True))
    if backward != bool(gradients):
        raise table.error("a backward call needs [[gradients]], one for each result, and a forward call has none")
    results = _results(table, gradients)
    _refuse_shared_names(table, arguments, gradients, (*outputs, *results))
    drawn = [argument for argument in (*arguments, *gradients) if argument.is_tensor]
    axes = {argument.name: len(dims if argument.shape is None else argument.shape) for argument in drawn}
    tensors, produced = tuple(axes), [output.name for output in (*outputs, *results)]
    found = Puzzle(
        number=table.need("number", int),
        slug=table.need("slug", str),
        title=table.need("title", str),
        idea=table.need("idea", str),
        host=table.need("host", str),
        arguments=arguments,
        outputs=outputs,
        gradients=gradients,
        results=results,
        dims=dims,
        reference=table.need("reference", str),
        limits=_limits(table.table("limits"), dims, (*tensors, *produced)),
        cases=tuple(_case(item, dims, arguments, tensors) for item in table.tables("cases", "case", needed=True)),
        benchmark=read_speed(table.table("benchmark"), dims, axes, produced),
        hints=hints,
        answers=answers,
        mistakes_module=table.get("mistakes_module", str, "") or "",
        mistakes=table.texts("mistakes"),
        walk=table.get("walk", str, "") or "",
        quantities=table.texts("quantities"),
        taught={name: str(step) for name, step in table.table("taught").rest().items()},
        operations=table.expression("operations", dims) if table.has("operations") else "",
        operations_in_words=table.get("operations_in_words", str, "") or "",
        pairs=read_pairs(table.table("pairs"), tensors),
        folder=folder,
    )
    table.done()
    return found


def _dims(table: Table) -> tuple[str, ...]:
    """Return the names of the dimensions."""
    found = table.texts("dims")
    for name in found:
        if found.count(name) > 1:
            raise table.error(f"dims names {name!r} twice: each dimension of a case has a name of its own")
        if name in LEDGER_NAMES:
            raise table.error(f"dims: {name!r} has a meaning of its own in limits; take another name")
    return found


def _flags(arguments: Sequence[Table]) -> tuple[str, ...]:
    """Return the names of the arguments that are truth values: shapes may depend on them."""
    return tuple(str(item.seen("name")) for item in arguments if item.seen("kind") == "bool")


def _refuse_shared_names(
    table: Table, arguments: Sequence[Argument], gradients: Sequence[Argument], outputs: Sequence[OutputSpec]
) -> None:
    """Refuse a name that two tensors or values have: limits and reports know them by it."""
    taken: dict[str, str] = {}
    for noun, made in (("argument", arguments), ("gradient", gradients), ("output", outputs)):
        for item in made:
            if item.name in taken:
                other = f"a second {noun}" if taken[item.name] == noun else f"{taken[item.name]} and {noun}"
                raise table.error(f"{item.name!r} names {other}: limits and reports need a name for each")
            taken[item.name] = noun


def _argument(table: Table, dims: tuple[str, ...]) -> Argument:
    kind = table.one_of("kind", KINDS, "tensor")
    name = _name(table)
    if kind != "tensor":
        found = Argument(name, kind, choices=_choices(table, kind))
    else:
        found = Argument(
            name,
            shape=_shape(table, dims),
            dtype=table.one_of("dtype", (CASE_DTYPE, *FIXED_DTYPES), CASE_DTYPE),
            layout=table.one_of("layout", LAYOUTS, "") if table.has("layout") else None,
            family=table.get("family", str),
            requires_grad=bool(table.get("requires_grad", bool, False)),
            picture=read_matrix(table.table("picture"), dims),
        )
    table.done()
    return found


def _choices(table: Table, kind: str) -> tuple[Value, ...]:
    """Return what an argument that is no tensor may be: `value`, or one of `choices`."""
    types = VALUE_TYPES[kind]
    if table.has("value"):
        return (table.any_of("value", types),)
    found = tuple(table.need("choices", list))
    wrong = [item for item in found if type(item) not in types]
    if wrong or not found:
        raise table.error(f"'choices' is {list(found)!r}; a list of values of the kind {kind!r} is expected")
    return found


def _output(table: Table, dims: tuple[str, ...]) -> OutputSpec:
    found = OutputSpec(
        name=_name(table),
        tolerance=table.need("tolerance", str),
        shape=_shape(table, dims),
        dtype=table.one_of("dtype", (CASE_DTYPE, *FIXED_DTYPES), CASE_DTYPE),
        picture=read_matrix(table.table("picture"), dims),
    )
    table.done()
    return found


def _results(table: Table, gradients: tuple[Argument, ...]) -> tuple[OutputSpec, ...]:
    """Return what the host function of a backward call returns: each result is like the gradient that it gets."""
    items = table.tables("results", "result")
    if len(items) != len(gradients):
        asked = f"{len(items)} [[results]] and {len(gradients)} [[gradients]]"
        raise table.error(f"{asked}: a backward call has as many of both, in the same order, and a forward call none")
    return tuple(_result(item, gradient) for item, gradient in zip(items, gradients, strict=True))


def _result(table: Table, gradient: Argument) -> OutputSpec:
    name = _name(table, RESULT)
    found = OutputSpec(name, table.need("tolerance", str), gradient.shape, gradient.dtype)
    table.done()
    return found


def _name(table: Table, default: str | None = None) -> str:
    name = table.need("name", str) if default is None else str(table.get("name", str, default))
    if not NAME.fullmatch(name) or name == "scratch":
        raise table.error(f"{name!r} is no name: lower-case letters, digits and _, and not 'scratch'")
    return name


def _case(table: Table, dims: tuple[str, ...], arguments: tuple[Argument, ...], tensors: tuple[str, ...]) -> Case:
    devices = table.texts("devices", ("cpu", "cuda"))
    for device in devices:
        if device not in DEVICES:
            raise table.error(f"there is no device {device!r}.{nearest(device, DEVICES)}")
    shape = tuple(table.expressions("shape", (), draws=True))
    if len(shape) != len(dims):
        raise table.error(f"'shape' has {len(shape)} of {len(dims)} sizes: {', '.join(dims)}")
    found = Case(
        name=table.need("name", str),
        why=table.need("why", str),
        family=table.need("family", str),
        shape=shape,
        dtype=table.one_of("dtype", DTYPES, "float32"),
        layout=table.one_of("layout", LAYOUTS, "contiguous"),
        layouts=_layouts(table.table("layouts"), tensors),
        values=_values(table.table("values"), arguments),
        devices=devices,
        after=table.get("after", str),
        same_numbers=bool(table.get("same_numbers", bool, False)),
        gpu_gib=table.get("gpu_gib", int, 0) or 0,
        phantom=bool(table.get("phantom", bool, False)),
        gpu=table.get("gpu", str, "") or "",
        cached=bool(table.get("cached", bool, False)),
        gradients_of=table.texts("gradients_of") if table.has("gradients_of") else None,
        passes=table.need("passes", int) if table.has("passes") else 1,
        graded=bool(table.get("graded", bool, False)),
        between=_values(table.table("between"), arguments),
        kept_for=table.get("kept_for", str, "") or "",
    )
    table.done()
    return found


def _layouts(table: Table, tensors: tuple[str, ...]) -> dict[str, str]:
    """Return a case's own layouts of single tensors."""
    found = {name: table.one_of(name, LAYOUTS) for name in tensors if table.has(name)}
    table.done()
    return found


def _values(table: Table, arguments: tuple[Argument, ...]) -> dict[str, Value]:
    """Return a case's own values of arguments that are no tensors."""
    found: dict[str, Value] = {}
    for argument in arguments:
        if not argument.is_tensor and table.has(argument.name):
            found[argument.name] = table.any_of(argument.name, VALUE_TYPES[argument.kind])
    table.done()
    return found


def _limits(table: Table, dims: tuple[str, ...], names: tuple[str, ...]) -> Limits:
    loads, stores = (_multiples(table.table(key), dims, names) for key in ("loads", "stores"))
    bounds = {key: _bound(table, key, dims) for key in BOUNDS}
    at_once = _at_once(table, dims)
    step = table.get("loads_next_step", str, "") or ""
    table.done()
    return Limits(loads=loads, stores=stores, loads_next_step=step, at_once=at_once, **bounds)


def _at_once(table: Table, dims: tuple[str, ...]) -> AtOnce | None:
    if not table.has("at_once"):
        return None
    inner = table.table("at_once")
    found = AtOnce(inner.expression("work", dims), inner.need("called", str))
    inner.done()
    return found


def _multiples(table: Table, dims: tuple[str, ...], names: tuple[str, ...]) -> dict[str, Multiple]:
    found: dict[str, Multiple] = {}
    for name, expression in table.rest().items():
        if name not in names:
            raise table.error(f"there is no tensor {name!r}.{nearest(name, names)}")
        found[name] = table.multiple(name, expression, (*dims, *LEDGER_NAMES))
    return found


def _bound(table: Table, key: str, dims: tuple[str, ...]) -> Bound | None:
    """Return a limit: an expression alone, or a table with the words for it."""
    if not table.has(key):
        return None
    value = table.any_of(key, (int, str, dict))
    inner = Table(value if isinstance(value, dict) else {"limit": value}, f"{table.place}, {key}")
    limit = inner.expression("limit", (*dims, *LEDGER_NAMES), constexprs=True)
    found = Bound(limit, inner.get("says", str, "") or "", inner.get("next_step", str, "") or "")
    inner.done()
    return found


def _shape(table: Table, dims: tuple[str, ...]) -> tuple[Expression, ...] | None:
    return tuple(table.expressions("shape", dims)) if table.has("shape") else None
