"""Read programs and facts from recorder and engine. Nothing is trusted.

A view must lie in its storage, and a storage must exist before its use; each field of a fact must have its type and be
in range. Otherwise the data is refused. Does not import torch or triton.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, get_args

from tritonpuzzles.decoding.decoder import Decoder
from tritonpuzzles.decoding.marks import Between, DecodeError, Length, short
from tritonpuzzles.results.check import plain
from tritonpuzzles.results.codes import CODES
from tritonpuzzles.wire.facts import Fact
from tritonpuzzles.wire.fields import MAX_TEXT, RECORDED
from tritonpuzzles.wire.observed import spanned
from tritonpuzzles.wire.program import (
    ITEM_SIZES,
    VERSION,
    Add,
    Allocate,
    Argument,
    Choose,
    Copy,
    Descriptor,
    Fill,
    Launch,
    Program,
    Several,
    Step,
    View,
    views,
)

MAX_STORAGES = 4_096
MOST_FACTS = 256  # of a case: some for each line of its kernels
MOST_ITEMS = 4_096  # of a list in a fact
MOST = 1 << 64
SEEN = Decoder(MAX_TEXT, MOST_ITEMS, Between(-MOST, MOST), whole=True)
KINDS: Mapping[str, type] = {kind.__name__: kind for kind in get_args(Fact)}


def read_program(data: Any, sizes: Sequence[int], kernels: int, backward: bool = False) -> Program:
    """Read what `Program.to_json` writes.

    `sizes` are bytes of the inputs' storages; `backward` says that autograd may add gradients. Raises DecodeError for
    anything else.
    """
    if not isinstance(data, dict) or data.get("version") != VERSION:
        raise DecodeError(f"a program came that is not of version {VERSION}")
    program = RECORDED.read(Program, {key: data[key] for key in data if key != "version"})
    reader = ProgramReader(sizes, kernels, backward)
    for step in program.steps:
        reader.follow(step)
    for result in program.results:
        if isinstance(result, View):
            reader.check([result])
    return program


class Written:
    """The memory that kernels may have written so far: storages passed to launches, without inputs and their copies."""

    def __init__(self, inputs: int) -> None:
        self._given = set(range(inputs))
        self._storages: set[int] = set()

    def __contains__(self, view: View) -> bool:
        return view.storage in self._storages or 0 in view.shape

    def take(self, step: Step) -> None:
        """Process one step; steps come in order."""
        match step:
            case Copy(source, target) if source.storage in self._given:
                self._given.add(target.storage)
            case Add(target=target):
                self._storages.add(target.storage)
            case Launch(arguments=arguments):
                self._storages |= {view.storage for view in views(arguments.values())} - self._given
            case Choose(choices):
                for inner in (inner for choice in choices for inner in choice):
                    self.take(inner)


class ProgramReader:
    """Checks a program step by step; tracks the storages so far, and which of them kernels may have written.

    Its arguments are those of `read_program`; its methods raise DecodeError.
    """

    def __init__(self, sizes: Sequence[int], kernels: int, backward: bool) -> None:
        self._sizes = list(sizes)
        self._kernels, self._backward = kernels, backward
        self._written = Written(len(sizes))

    def input(self, nbytes: int) -> None:
        """Add one more input's storage, before the first step."""
        self._sizes.append(nbytes)
        self._written = Written(len(self._sizes))

    def step(self, data: Any) -> Step:
        """Read the next step."""
        step: Step = RECORDED.read(Step, data)
        self.follow(step)
        return step

    def follow(self, step: Step) -> None:
        """Check the next, decoded step: everything it refers to must exist, and its action must be allowed."""
        match step:
            case Allocate(nbytes):
                self._sizes.append(nbytes)
                if len(self._sizes) > MAX_STORAGES:
                    raise DecodeError(f"there are more than {MAX_STORAGES:,} tensors")
            case Fill(target):
                self.check([target])
            case Copy(source, target):
                self.check([source, target])
                _check_alike(source, target)
            case Add(left, right, target):
                self.check([left, right, target])
                _check_alike(left, target)
                _check_alike(right, target)
                if not self._backward:
                    raise DecodeError("a sum stands in a call that has no backward pass")
                if left not in self._written or right not in self._written:
                    raise DecodeError("a sum is of memory that no kernel wrote")
            case Launch(kernel, arguments):
                if kernel >= self._kernels:
                    raise DecodeError(f"a launch is of kernel {kernel:,}, and there are {self._kernels:,}")
                _check_arguments(arguments.values())
                self.check(views(arguments.values()))
            case Choose(choices):
                for inner in (inner for choice in choices for inner in choice):
                    self.follow(inner)
        self._written.take(step)

    def check(self, found: Iterable[View]) -> None:
        """Refuse views that do not lie in their storages."""
        for view in found:
            if view.storage >= len(self._sizes):
                raise DecodeError(f"a view is of storage {view.storage:,}, and there are {len(self._sizes):,}")
            if len(view.shape) != len(view.stride):
                raise DecodeError(f"a view has {len(view.shape)} sizes and {len(view.stride)} strides")
            end = (view.offset + spanned(view.shape, view.stride)) * ITEM_SIZES[view.dtype]
            size = self._sizes[view.storage]
            if all(view.shape) and end > size:
                raise DecodeError(f"a view ends at byte {end:,} of a storage of {size:,} bytes")


def _check_arguments(arguments: Iterable[Argument]) -> None:
    for argument in arguments:
        match argument:
            case Several(items, names):
                if names is not None and not len(set(names)) == len(names) == len(items):
                    raise DecodeError("a named tuple does not have one name for each item")
                _check_arguments(items)
            case Descriptor(_, shape, strides, block) if not len(shape) == len(strides) == len(block):
                raise DecodeError("a descriptor's shape, strides and block have not the same number of dimensions")


def _check_alike(source: View, target: View) -> None:
    if source.shape != target.shape or source.dtype != target.dtype:
        raise DecodeError("a copy goes to a view of another shape or dtype")
    if source.storage == target.storage:
        raise DecodeError("a copy goes to its own storage")


def fact_told(fact: Fact) -> dict[str, Any]:
    """Return a fact as JSON-ready data."""
    return {"fact": type(fact).__name__, **plain(fact)}


def facts_told(facts: Sequence[Fact]) -> list[dict[str, Any]]:
    """Return facts as JSON-ready data, only as many as the reader accepts."""
    return [fact_told(fact) for fact in facts[:MOST_FACTS]]


def read_facts(data: Any) -> list[Fact]:
    """Read a list of facts; raises ValueError for one that is too long, and as `read_fact` does."""
    return [read_fact(item) for item in SEEN.read(Annotated[list[Any], Length(MOST_FACTS)], data)]


def read_fact(data: Any) -> Fact:
    """Read one fact; raises ValueError if it is none, or contradicts itself."""
    if not isinstance(data, dict) or not isinstance(data.get("fact"), str) or data["fact"] not in KINDS:
        raise DecodeError(f"is {short(data)}; a fact is expected")
    found: Fact = SEEN.read(KINDS[data["fact"]], {name: value for name, value in data.items() if name != "fact"})
    if found.code not in CODES:
        raise DecodeError(f"there is no finding {short(found.code)}")
    return found
