"""Turn events into findings: one per code, argument and line, as a plain sentence with numbers and a next step."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tritonpuzzles.engine.interpreter.flow import Step
from tritonpuzzles.engine.interpreter.note import STORED_TWICE, Note
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.cover import BY_PROGRAM, LAUNCHED
from tritonpuzzles.results.words import plural


def word(note: Note) -> Finding:
    """Return the finding of a note."""
    message, next_step = _WORDS[note.code](note)
    event = note.event
    details: dict[str, Any] = {
        "argument": note.argument,
        "kernel": note.kernel,
        "program": list(note.program_ids(event.program)),
        "element": event.element,
        "count": event.count,
    }
    if event.other is not None:
        details["other_program"] = list(note.program_ids(event.other))
    if note.stored:
        details["stored"] = note.stored
    wrap = event.wrap  # is where it is to be mended
    file, line = (note.file, note.line or None) if wrap is None else (wrap.file, wrap.line)
    if note.from_program is not None and note.code in STORED_TWICE:
        details[BY_PROGRAM] = note.from_program.line
    if note.clue is not None:
        details[LAUNCHED] = note.clue.is_certain
        details |= {"programs": math.prod(note.grid)} if note.clue.of_grid else {}
        line = note.clue.at_line or line
    return Finding(note.code, message, file=file, line=line, next_step=next_step, details=details)


def _lanes(count: int) -> str:
    return f"{count:,} lane" if count == 1 else f"{count:,} lanes"


def _outside(verb: str, function: str) -> Callable[[Note], tuple[str, str]]:
    def sentence(note: Note) -> tuple[str, str]:
        first = f"{_lanes(note.event.count)}, first by program {note.program()}"
        if note.region is None:
            return (
                f"An address that belongs to no tensor argument is {verb}: {first} (line {note.line}).",
                "Build every pointer from a tensor argument of the kernel.",
            )
        name, place = note.argument, f"at element {note.event.element} (line {note.line})"
        if note.in_gap:
            shape, strides = tuple(note.region.tensor.shape), tuple(note.region.tensor.stride())
            view = f"its {shape} view with strides {strides}"
            step = "Mask the columns at the end of the row, and step from row to row by the row stride."
            step = _mask_step(note, "where a row ends") if note.mask else step
            return _with_clue(note, f"{name} is {verb} in the gaps of {view}: {first} {place}.", step)
        end = f"past the rows and columns of {name}" if note.region.tensor.ndim > 1 else f"where {name} ends"
        step = f"Pass mask= to {function}: false {end}. Or correct the offsets."
        step = _mask_step(note, end) if note.mask else step
        if note.event.element is not None and note.event.element < 0:
            made = note.from_program
            of = "the offsets" if made is None else f"{made.name} of line {made.line}"
            step = f"Work out {of} for program {note.program()} by hand: they begin before {name} does."
        behind = _row_behind(note)
        if behind and not note.whole and note.mask:
            step = f"Where does a loop over rows end, at which row does a program begin? Mask the rows of {name}, too."
        text = f"{name} is {verb} outside its {plural(note.elements, 'element')}: {first} {place}.{behind}"
        return _with_clue(note, text, step)

    return sentence


def _row_behind(note: Note) -> str:
    """Say in which row the first element would lie, where whole rows behind the last are told of."""
    assert note.region is not None
    tensor, element = note.region.tensor, note.event.element
    if element is None or tensor.ndim != 2 or tensor.stride(1) != 1 or tensor.shape[0] < 2 or tensor.stride(0) < 1:
        return ""
    if not tensor.numel():
        return ""
    if note.event.count % tensor.shape[1]:  # columns behind the last row's, perhaps
        return ""
    rows, row = tensor.shape[0], element // tensor.stride(0)
    return f" That is row {row:,}, and the last is {rows - 1:,}." if row >= rows else ""


def _with_clue(note: Note, text: str, step: str) -> tuple[str, str]:
    return (f"{text} {note.clue.said}", note.clue.advice) if note.clue else (text, step)


def _mask_step(note: Note, where: str) -> str:
    if note.whole:
        many = f"{note.mask}, which keeps as many lanes on as {note.argument} has elements: they point elsewhere"
        return f"Compare the offsets with {many}.{_rows_step(note)} Does {note.mask} count what they count?"
    moved = f" {_moved(note.moved)}." if note.moved else ""
    made = f" of line {note.mask_line}" if note.mask_line else ""
    return f"Correct the offsets, or {note.mask}{made}, which keeps these lanes on: it must be false {where}.{moved}"


def _rows_step(note: Note) -> str:
    assert note.region is not None
    turns = " Do they begin anew before each loop, and move on by one iteration's step?" if note.loops else ""
    if note.moved is not None:
        turns = f" {_moved(note.moved)}: is that one iteration's step?"
    rows = f" Do they step from row to row by the row stride of {note.argument}?{turns}"
    return rows if note.region.tensor.ndim > 1 else ""


def _moved(step: Step) -> str:
    by = f" by {step.text}" if step.text else ""
    return f"Line {step.line} moves {step.name} on{by} in each iteration"


def _by_program(note: Note) -> str:
    """Say where the address of a store comes to depend on the program's number."""
    if note.from_program is None and note.moved is not None:
        return f"check what offsets begin with. {_moved(note.moved)}: is that where this program's next elements are?"
    if note.from_program is None:
        return "check how offsets depend on tl.program_id."
    return f"check how {note.from_program.name}, in line {note.from_program.line}, depends on tl.program_id."


def _elements(note: Note) -> str:
    """Say how many elements are stored to; where each is counted several times, that there are some."""
    count = note.event.count
    return plural(count, "element") if count <= note.elements else "elements"


def _written_twice(note: Note) -> tuple[str, str]:
    event = note.event
    if event.other is None:
        return _with_clue(
            note,
            f"One store writes {plural(event.count, 'element')} of {note.argument} more than once: first element "
            f"{event.element}, by program {note.program()} (line {note.line}).",
            "Give every lane of the store its own address.",
        )
    return _with_clue(
        note,
        f"Several programs store the same value to {_elements(note)} of {note.argument}: first element "
        f"{event.element}, by programs {note.program(event.other)} and {note.program()} (line {note.line}).",
        f"Let every element be stored by one program: {_by_program(note)}",
    )


def _race_write(note: Note) -> tuple[str, str]:
    event, other = note.event, "" if note.event.other is None else f"programs {note.program(note.event.other)} and "
    return _with_clue(
        note,
        f"Different programs store different values to {_elements(note)} of {note.argument}: first element "
        f"{event.element}, by {other}{note.program()} (line {note.line}); on a GPU either may win.",
        "Let every element be stored by one program, or combine the values with tl.atomic_add.",
    )


def _race_read(note: Note) -> tuple[str, str]:
    event = note.event
    known = event.other is not None and event.other != event.program
    other = f"program {note.program(event.other)}" if known else "another program"
    return (
        f"Program {note.program()} reads element {event.element} of {note.argument}, which {other} stores in the same "
        f"launch: {event.count:,} such accesses (line {note.line}); programs run in no particular order.",
        "Let a program read only what it has written itself, use an atomic, or launch a second kernel.",
    )


def _uninitialised(note: Note) -> tuple[str, str]:
    return (
        f"{note.argument} is read before anything was written there: {_lanes(note.event.count)}, first by program "
        f"{note.program()} at element {note.event.element} (line {note.line}).",
        "Allocate it with torch.zeros, or do not read what no program has stored.",
    )


def _undefined(note: Note) -> tuple[str, str]:
    event = note.event
    effect = (
        f"{event.count:,} stored elements of {note.stored} depend on them, first element {event.element} "
        f"by program {note.program()}"
        if note.stored
        else "the kernel's control flow depends on them"
    )
    return (
        f"Masked-off lanes of the load from {note.argument} have no defined value (line {note.line}): {effect}.",
        "Pass other= to tl.load, a value that changes no result: -inf for a maximum, 0 for a sum or tl.dot.",
    )


def _overflow(note: Note) -> tuple[str, str]:
    first = f"{_lanes(note.event.count)}, first in program {note.program()} (line {note.line})"
    offset, wrap = f"offset into {note.argument or 'a tensor'}", note.event.wrap
    assert wrap is not None  # what is entered with every such event
    numbers = f"{wrap.left:,} {wrap.symbol} {wrap.right:,} is {wrap.result:,}, and int32 ends at 2,147,483,647"
    if note.wrapped is None:
        said = f"The {offset} wraps around in line {wrap.line}: {numbers}: {first}."
        return said, f"Convert one of the two to 64 bits before they meet in line {wrap.line}: not what comes of them."
    said = f"{note.wrapped.as_written} wraps around: {numbers}. So does the {offset}: {first}."
    return said, _widen(note.wrapped.in_64_bits, note.wrapped.symbol)


def _widen(expression: str, symbol: str = "*") -> str:
    verb = {"+": "adding", "-": "subtracting"}.get(symbol, "multiplying")
    return f"Convert to 64 bits before {verb}: {expression}."


_WORDS: dict[str, Callable[[Note], tuple[str, str]]] = {
    "out-of-bounds-load": _outside("read", "tl.load"),
    "out-of-bounds-store": _outside("written", "tl.store"),
    "out-of-bounds-atomic": _outside("updated", "the atomic operation"),
    "written-twice": _written_twice,
    "race-write-write": _race_write,
    "race-read-write": _race_read,
    "uninitialised-read": _uninitialised,
    "undefined-lane": _undefined,
    "int32-overflow": _overflow,
}
