"""Put into words what is wrong with the accesses to one argument at one line: a sentence with numbers, a next step."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, get_args

from tritonpuzzles.judge.wording.clue import Clue, counts_one, idle_axis, overlaps
from tritonpuzzles.judge.wording.clues import clue_of
from tritonpuzzles.judge.wording.launches import Known, Launch
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.cover import ACCESSED, BY_PROGRAM, LAUNCHED, PASSED, PROGRAMS
from tritonpuzzles.results.words import plural
from tritonpuzzles.source.functions import Step
from tritonpuzzles.source.spelling import Widening, mask_at, widening_at
from tritonpuzzles.source.steps import Address, made_in
from tritonpuzzles.wire.facts import BadAccess, Outside, StoredTwice

STORED_TWICE, OUTSIDE = get_args(StoredTwice), get_args(Outside)


class Note:
    """One fact.

    Attributes:
        argument: the tensor; `None` for an address outside of all tensors.
        name: its name in the kernel.
        address: of the access; without parts if the fact does not say whether it is a load or a store.
    """

    def __init__(self, fact: BadAccess, launch: Launch) -> None:
        self.fact, self.launch, self.name, self.line = fact, launch, fact.argument, fact.line
        self.argument = launch.tensor(fact.argument)
        access = "store" if fact.code in STORED_TWICE else fact.code.rpartition("-")[2]
        self.address = Address(launch.function, fact.line, access)

    @cached_property
    def mask(self) -> str:
        """The operation's mask, as in the kernel's text or in words; "" if it has none."""
        return mask_at(self.launch.function, self.line) if self.fact.masked else ""

    @cached_property
    def clue(self) -> Clue | None:
        """The clue in the launch or in the text that explains the access."""
        if self.argument is None:
            return None
        if self.fact.code in STORED_TWICE:
            return overlaps(self.argument) or counts_one(self.launch) or idle_axis(self.launch)
        outside = self.fact.code in OUTSIDE
        return clue_of(self.launch, self.fact, self.argument, self.address) if outside else None

    @cached_property
    def wrapped(self) -> Widening | None:
        """The operation of the kernel that wraps around, if one does and only one can be meant."""
        if (wrap := self.fact.wrap) is None:
            return None
        return widening_at(self.launch.function, wrap.line, wrap.symbol, self.launch.bound, wrap.right)

    @cached_property
    def from_program(self) -> Step | None:
        """The part of the address that is computed from the program id."""
        return self.address.from_program if self.fact.code in (*STORED_TWICE, *OUTSIDE) else None

    @property
    def whole(self) -> bool:
        """Whether the mask enables as many lanes as the argument has elements: in all, or in each program."""
        if not self.mask or self.argument is None or self.fact.code not in OUTSIDE:
            return False
        elements = self.argument.elements
        return self.fact.lanes in (elements, elements * self.launch.programs)

    def program(self, linear: int | None = None) -> str:
        """Return a program's id as a learner writes it: `3`, or `(3, 0, 1)` in a grid of more dimensions."""
        return self.launch.program_text(self.fact.program if linear is None else linear)


def access_finding(fact: BadAccess, known: Known) -> Finding:
    """Return the finding of a bad access."""
    note = Note(fact, known.launch(fact.launch))
    message, next_step = _WORDS[fact.code](note)
    details: dict[str, Any] = {"argument": fact.argument, "kernel": fact.launch.kernel}
    details |= {"program": list(note.launch.program_ids(fact.program)), "element": fact.element, "count": fact.count}
    if fact.other is not None:
        details["other_program"] = list(note.launch.program_ids(fact.other))
    if fact.stored:
        details["stored"] = fact.stored
    wrap, made = fact.wrap, note.wrapped.made if note.wrapped else None
    file, line = (fact.file, fact.line or None) if wrap is None else (wrap.file, made.line if made else wrap.line)
    if note.from_program is not None and fact.code in STORED_TWICE:
        details[BY_PROGRAM] = note.from_program.line
    if note.clue is not None:
        details[LAUNCHED] = note.clue.is_certain
        details |= {PROGRAMS: note.launch.programs} if note.clue.of_grid else {}
        details |= {PASSED: note.clue.parameter} if note.clue.parameter else {}
        if note.clue.at_line is not None:
            details[ACCESSED], line = fact.line, note.clue.at_line
    return Finding(fact.code, message, file=file, line=line, next_step=next_step, details=details)


def _outside(verb: str, function: str) -> Callable[[Note], tuple[str, str]]:
    def sentence(note: Note) -> tuple[str, str]:
        element, tensor = note.fact.element, note.argument
        first = f"{plural(note.fact.count, 'lane')}, first by program {note.program()}"
        if tensor is None:
            text = f"An address that belongs to no tensor argument is {verb}: {first} (line {note.line})."
            return text, "Build every pointer from a tensor argument of the kernel."
        name, place = note.name, f"at element {element} (line {note.line})"
        if element is not None and 0 <= element < tensor.extent:
            view = f"its {tensor.shape} view with strides {tensor.strides}"
            step = "Mask the columns at the end of the row, and step from row to row by the row stride."
            step = _mask_step(note, "where a row ends") if note.mask else step
            return _with_clue(note, f"{name} is {verb} in the gaps of {view}: {first} {place}.", step)
        behind = _row_behind(note)
        end = f"past the rows and columns of {name}" if len(tensor.shape) > 1 else f"where {name} ends"
        if behind and not note.whole and note.mask:
            looped = "Check where a loop over rows ends, and at which row a program starts. "
            step = f"{looped if note.launch.function.loops else ''}Mask the rows of {name}, too."
        elif element is not None and element < 0:
            made = note.from_program
            of = "the offsets" if made is None else f"{made.name} of line {made.line}"
            step = f"Work out {of} for program {note.program()} by hand: they start before {name} does."
            step += f" Or let {note.mask} be false there." if note.mask else ""
        elif note.mask:
            step = _mask_step(note, end)
        else:
            step = f"Pass mask= to {function}: false {end}. Or correct the offsets."
        text = f"{name} is {verb} outside its {plural(tensor.elements, 'element')}: {first} {place}.{behind}"
        return _with_clue(note, text, step)

    return sentence


def _row_behind(note: Note) -> str:
    """Return the row of the first element, if whole rows after the last are accessed; else ""."""
    assert note.argument is not None
    tensor, element = note.argument, note.fact.element
    if element is None or len(tensor.shape) != 2 or not tensor.elements or tensor.shape[0] < 2:
        return ""
    rest = note.fact.count % tensor.shape[1]  # columns after the last row's, perhaps
    if tensor.strides[1] != 1 or tensor.strides[0] < 1 or rest:
        return ""
    rows, row = tensor.shape[0], element // tensor.strides[0]
    return f" That is row {row:,}, and the last is {rows - 1:,}." if row >= rows else ""


def _with_clue(note: Note, text: str, step: str) -> tuple[str, str]:
    return (f"{text} {note.clue.said}", note.clue.advice) if note.clue else (text, step)


def _mask_step(note: Note, where: str) -> str:
    if note.whole:
        many = f"{note.mask}: it keeps as many lanes on as {note.name} has elements, but they point elsewhere"
        return f"Compare the offsets with {many}.{_rows_step(note)} Check that {note.mask} tests the same indices."
    moved = f" {_moved(note.address.moved)}." if note.address.moved else ""
    line = made_in(note.launch.function, note.line, note.mask)
    made = f" of line {line}" if line else ""
    return f"Correct the offsets, or {note.mask}{made}, which keeps these lanes on: it must be false {where}.{moved}"


def _rows_step(note: Note) -> str:
    assert note.argument is not None
    turns = ""
    if note.address.moved is not None:
        turns = f" {_moved(note.address.moved)}: check that this is one iteration's step."
    elif note.launch.function.loops:
        turns = " Check that they are set again before each loop, and move by one iteration's step."
    rows = f" Check that they step from row to row by the row stride of {note.name}.{turns}"
    return rows if len(note.argument.shape) > 1 else ""


def _moved(step: Step) -> str:
    by = f" by {step.text}" if step.text else ""
    return f"Line {step.line} moves {step.name}{by} in each iteration"


def _by_program(note: Note) -> str:
    """Return advice on where a store's address depends on the program id."""
    if note.from_program is not None:
        return f"check how {note.from_program.name}, in line {note.from_program.line}, depends on tl.program_id."
    if (moved := note.address.moved) is not None:
        return f"check where the offsets start. {_moved(moved)}: this program's next elements must be there."
    return "check how the offsets depend on tl.program_id."


def _elements(note: Note) -> str:
    """Return how many elements are stored to; without a number if some are counted several times."""
    count = note.fact.count
    known = note.argument is not None and count <= note.argument.elements
    return plural(count, "element") if known else "elements"


def _written_twice(note: Note) -> tuple[str, str]:
    fact = note.fact
    text = f"One store writes {plural(fact.count, 'element')} of {note.name} more than once"
    by, step = f"program {note.program()}", "Give every lane of the store its own address."
    if fact.other is not None:
        text = f"Several programs store the same value to {_elements(note)} of {note.name}"
        by = f"programs {note.program(fact.other)} and {note.program()}"
        step = f"Let every element be stored by one program: {_by_program(note)}"
    return _with_clue(note, f"{text}: first element {fact.element}, by {by} (line {note.line}).", step)


def _race_write(note: Note) -> tuple[str, str]:
    fact, who, by = note.fact, "Lanes of one store", f"program {note.program()}"
    if fact.other is not None:
        who, by = "Different programs", f"programs {note.program(fact.other)} and {note.program()}"
    text = (
        f"{who} store different values to {_elements(note)} of {note.name}: first element "
        f"{fact.element}, by {by} (line {note.line}); on a GPU either value may remain."
    )
    return _with_clue(
        note, text, "Let every element be stored by one program, or combine the values with tl.atomic_add."
    )


def _race_read(note: Note) -> tuple[str, str]:
    fact = note.fact
    known = fact.other is not None and fact.other != fact.program
    other = f"program {note.program(fact.other)}" if known else "another program"
    return (
        f"Program {note.program()} reads element {fact.element} of {note.name}, which {other} stores in the same "
        f"launch: {plural(fact.count, 'element')} (line {note.line}); programs run in no particular order.",
        "Let the host function or an earlier launch write it, or each program read only its own; or use only atomics.",
    )


def _race_of_threads(note: Note) -> tuple[str, str]:
    fact, what = note.fact, f"{plural(note.fact.count, 'element')} of {note.name}"
    text, why = f"Other threads of the same program have just stored {what} here", "warps do not wait"
    if fact.other == fact.program:  # as the engine notes it of a load
        text = f"A loop loads elements of {note.name} that the same program stores in it"
        why = "it is pipelined and loads them before"
    where = f"first element {fact.element}, in program {note.program()} (line {note.line})"
    step = "Keep the values in a variable, or call tl.debug_barrier() after the store, with num_ctas=1."
    return f"{text}: {where}; {why}.", step


def _uninitialised(note: Note) -> tuple[str, str]:
    return (
        f"{note.name} is read before anything was written there: {plural(note.fact.count, 'lane')}, first by program "
        f"{note.program()} at element {note.fact.element} (line {note.line}).",
        "Allocate it with torch.zeros, or do not read what no program has stored.",
    )


def _undefined(note: Note) -> tuple[str, str]:
    return (
        f"Masked-off lanes of the load from {note.name} have no defined value (line {note.line}): {_effect(note)}.",
        "Pass other= to tl.load, a value that changes no result: -inf for a maximum, 0 for a sum or tl.dot.",
    )


def _undefined_result(what: str, step: str) -> Callable[[Note], tuple[str, str]]:
    text = f"Integers are {what}, and such lanes have no defined value (line {{}}): {{}}."
    also = "or store nothing that depends on these lanes."
    return lambda note: (text.format(note.line, _effect(note)), f"{step}, {also}")


def _effect(note: Note) -> str:
    fact = note.fact
    if not fact.stored:
        return "the kernel's control flow depends on them"
    first = f"first element {fact.element} by program {note.program()}"
    return f"{fact.count:,} stored elements of {fact.stored} depend on them, {first}"


def _overflow(note: Note) -> tuple[str, str]:
    first = f"{plural(note.fact.count, 'lane')}, first in program {note.program()} (line {note.line})"
    offset, wrap = f"offset into {note.name or 'a tensor'}", note.fact.wrap
    assert wrap is not None  # every such event has one
    numbers = f"{wrap.left:,} {wrap.symbol} {wrap.right:,} is {wrap.result:,}, and int32 ends at 2,147,483,647"
    wrapped = note.wrapped
    if wrapped is None:
        said = f"The {offset} wraps around in line {wrap.line}: {numbers}: {first}."
        return said, f"Convert one of the two to 64 bits before line {wrap.line}: converting the result is too late."
    said = f"{wrapped.as_written} wraps around: {numbers}. So does the {offset}: {first}."
    if (made := wrapped.made) is not None:
        step = f"Convert {made.name} to 64 bits where it is made, with .to(tl.int64): several products need it."
        return f"{said} That is line {wrap.line}; {made.name} has 32 bits from line {made.line} on.", step
    verb = {"+": "adding", "-": "subtracting"}.get(wrapped.symbol, "multiplying")
    return said, f"Convert to 64 bits before {verb}: {wrapped.in_64_bits}."


_SHIFT = "Shift 32-bit integers by 0 to 31 bits and 64-bit ones by 0 to 63"
_WORDS: dict[str, Callable[[Note], tuple[str, str]]] = {
    "out-of-bounds-load": _outside("read", "tl.load"),
    "out-of-bounds-store": _outside("written", "tl.store"),
    "out-of-bounds-atomic": _outside("updated", "the atomic operation"),
    "written-twice": _written_twice,
    "race-write-write": _race_write,
    "race-read-write": _race_read,
    "race-in-program": _race_of_threads,
    "uninitialised-read": _uninitialised,
    "undefined-lane": _undefined,
    "division-by-zero": _undefined_result("divided by zero", "Make the divisor at least 1, for instance by tl.maximum"),
    "undefined-shift": _undefined_result("shifted by all their bits or more, or by less than 0", _SHIFT),
    "int32-overflow": _overflow,
}
