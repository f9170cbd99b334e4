"""Compile the launches of a check, and compare the compiler's answers with the interpreter's.

Every program goes through the compiler's front end, and a representative selection through the whole compiler.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from tritonpuzzles.compiler import Announce, Budget, Compiled, CompileOutcome, Launch, Target, compile_launches
from tritonpuzzles.compiler.answers import Answers, difference, joined
from tritonpuzzles.compiler.compile import code_of, first_of_each_kind
from tritonpuzzles.compiler.launch import described
from tritonpuzzles.compiler.outcome import Translation
from tritonpuzzles.compiler.source import file_of, first_line
from tritonpuzzles.engine.failures import said_by_compiler
from tritonpuzzles.engine.interpreter import LaunchTrace
from tritonpuzzles.engine.interpreter.arguments import number_of
from tritonpuzzles.engine.observation import whole_constants
from tritonpuzzles.insides import TensorDescriptor, mangle_type
from tritonpuzzles.results.check import plain
from tritonpuzzles.results.codes import Severity
from tritonpuzzles.results.inspect import KernelResources, OnTarget
from tritonpuzzles.wire.facts import CallFact
from tritonpuzzles.wire.job import MOST_VARIANTS
from tritonpuzzles.wire.reading import facts_told

MOST_INSPECTED = 24  # variants that are compiled and reported if resources were requested
ON_CHIP = ("shared-memory-exceeded", "tensor-memory-exceeded")  # an autotuner continues with the next configuration
# Sizes, in elements, at which LLVM and ptxas take seconds, and minutes if a single warp holds a long row.
WIDE, WIDE_FOR_A_WARP, MUCH_FOR_A_WARP = 1 << 15, 1 << 12, 1 << 19
Run = Callable[[], Sequence[LaunchTrace]]


@dataclass
class Variants:
    """Compiles launches, each program once."""

    launches: Sequence[Launch]  # of a check
    others: Sequence[Launch]  # of further configurations of its autotuners
    targets: Sequence[Target]
    cache: Path  # folder for compile results
    budget: Budget
    announce: Announce  # called with each launch before it is compiled
    interpreted: Interpretations  # the interpreter's answers in the same launches
    _said: set[tuple[Any, ...]] = field(default_factory=set)

    def inspected(self) -> Iterator[dict[str, Any]]:
        """Compile up to `MOST_INSPECTED` variants completely, and yield the resources of each as fields of a frame."""
        for compiled in islice(self._each(self.launches, resources=True), MOST_INSPECTED):
            yield {**self._told(compiled), "resources": plain(kernel_resources(compiled, self.targets[0]))}

    def compiled(self) -> Iterator[dict[str, Any]]:
        """Translate every program to TTIR, compile a selection of them completely, and yield fields of frames."""
        passed: list[Compiled] = []
        kinds = first_of_each_kind([*self.launches, *self.others])
        launches, unreached = kinds[:MOST_VARIANTS], kinds[MOST_VARIANTS:]
        if unreached:
            kernel = unreached[0].kernel
            file, line = file_of(kernel), first_line(kernel)
            fact = CallFact("not-compiled", described(unreached[0]), len(unreached), MOST_VARIANTS, file, line)
            yield {"results": [], "facts": facts_told([fact])}
        for each in self._each(launches, whole=False):
            half = self.interpreted.compared(each)
            if any(finding.severity is Severity.ERROR for finding in half.findings):
                yield self._told(half)
            else:
                passed.append(half)
        own = {id(launch) for launch in self.launches}
        chosen = telling([half for half in passed if id(half.launch) in own])
        for first in self._each([launch for half in chosen for launch in self._codes(half)]):
            yield self._told(first if fits(first) else self._fitting(first, passed))
        whole = {id(half) for half in chosen}
        rest = [half for half in passed if id(half) not in whole]
        yield {"results": plain([outcome.result for half in rest for outcome in half.outcomes]), "facts": []}

    def _each(self, launches: Sequence[Launch], **how: bool) -> Iterator[Compiled]:
        return compile_launches(launches, self.targets, self.cache, **how, budget=self.budget, announce=self.announce)

    def _codes(self, half: Compiled) -> list[Launch]:
        """Return a launch and, if it has tl.dot, the most aligned one: prefetched tiles take most on-chip memory."""
        if not any(found.multiplies for found in _translations(half)):
            return [half.launch]
        program = _program_of(half.launch)
        alike = [launch for launch in self.launches if _program_of(launch) == program]
        return [half.launch, max(alike, key=_multiples)]

    def _fitting(self, first: Compiled, passed: Sequence[Compiled]) -> Compiled:
        """Return the first configuration that fits the chip, as an autotuner leaves out those that do not."""
        others = {id(launch) for launch in self.others if _types(launch) == _types(first.launch)}
        alike = sorted((half for half in passed if id(half.launch) in others), key=_work)
        # A launch with prefetched tiles may be the one that does not fit: each is tried with this one's numbers, too.
        numbers = {name: one for name, one in first.launch.arguments.items() if name not in first.launch.constants}
        pairs = ([one, replace(one, arguments={**one.arguments, **numbers})] for one in (half.launch for half in alike))
        compiled = (list(self._each(pair)) for pair in pairs)
        return next((each[0] for each in compiled if each and all(map(fits, each))), first)

    def _told(self, compiled: Compiled) -> dict[str, Any]:
        """Return the results and facts of a compiled launch; a fault of several launches is reported once."""
        results = [outcome.result for outcome in compiled.outcomes if not outcome.skipped]
        told = []
        for one in compiled.findings:
            key = one.code, one.message, one.file, one.line
            if key not in self._said:
                told.append(said_by_compiler(one))
            self._said.add(key)
        return {"results": plain(results), "facts": facts_told(told)}


def fits(compiled: Compiled) -> bool:
    """Return whether every target has enough on-chip memory for a compiled launch."""
    return not any(finding.code in ON_CHIP for finding in compiled.findings)


def telling(translated: Sequence[Compiled]) -> list[Compiled]:
    """Select programs of each kernel that together contain every kind of operation in it, the least work first.

    Large programs are preferred: one that exceeds the on-chip memory is among them. A program that takes the compiler
    many seconds is selected only if it has an operation that no other has.
    """
    known: dict[object, set[str]] = {}
    chosen = []
    for half in sorted(translated, key=lambda half: (_is_slow(half), _work(half) if _is_slow(half) else -_work(half))):
        operations = frozenset[str]().union(*(found.operations for found in _translations(half)))
        seen = known.setdefault(_program_of(half.launch), set())
        if not operations <= seen:
            chosen.append(half)
            seen |= operations
    return sorted(chosen, key=lambda half: _work(half) / _warps(half.launch))


def _translations(half: Compiled) -> list[Translation]:
    return [outcome.translation for outcome in half.outcomes if outcome.translation is not None]


def _work(half: Compiled) -> int:
    return _translations(half)[0].elements


def _multiples(launch: Launch) -> int:
    """Return how many addresses and numbers of a launch are multiples of 16, by which Triton specialises."""
    values = launch.arguments.values()
    addresses = [value.data_ptr() for value in values if hasattr(value, "data_ptr")]
    return sum(number % 16 == 0 for number in (*addresses, *(value for value in values if type(value) is int)))


def _is_slow(half: Compiled) -> bool:
    """Return whether LLVM and ptxas take many seconds for a program."""
    found, warps = _translations(half)[0], _warps(half.launch)
    return (
        found.largest_tile > WIDE
        or found.largest_tile / warps > WIDE_FOR_A_WARP
        or found.elements / warps > MUCH_FOR_A_WARP
    )


def _warps(launch: Launch) -> int:
    return number_of("num_warps", launch.options, launch.arguments)


def _program_of(launch: Launch) -> object:
    """Return the kernel and its launch options other than `num_warps`: programs that differ only in warps are alike."""
    kernel = launch.kernel
    options = sorted((name, value) for name, value in launch.options.items() if name != "num_warps")
    return kernel.__name__, kernel.src, kernel.starting_line_number, tuple(options)


def _types(launch: Launch) -> object:
    """Return the kernel and the dtypes of its arguments."""
    return id(launch.kernel), tuple(map(_dtype, launch.arguments.values()))


def _dtype(value: Any) -> str:
    """Return the dtype of a tensor or of a descriptor's tensor, those of a tuple's items, or ""."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_dtype, value))})"
    return str(getattr(value.base if isinstance(value, TensorDescriptor) else value, "dtype", ""))


def kernel_resources(compiled: Compiled, first: Target) -> KernelResources:
    """Return the resources of one variant of a kernel on every target; its code's key is that for target `first`."""
    launch = compiled.launch
    return KernelResources(
        kernel=launch.kernel.__name__,
        dtypes=dtypes(launch),
        constants=whole_constants(launch.kernel, launch.arguments),
        targets=tuple(OnTarget(o.result.target, o.result.ok, o.resources) for o in compiled.outcomes if not o.skipped),
        code=code_of(launch, first),
    )


def dtypes(launch: Launch) -> tuple[str, ...]:
    """Return the dtypes of a launch's tensor arguments, each once: `("float32",)`."""
    found = (getattr(getattr(value, "base", value), "dtype", None) for value in launch.arguments.values())
    return tuple(dict.fromkeys(str(dtype).removeprefix("torch.") for dtype in found if dtype is not None))


class Interpretations:
    """The interpreter's answers, joined over launches that compile to the same code: their control flow may differ."""

    def __init__(self) -> None:
        self._known: dict[Any, list[Answers]] = defaultdict(list)
        self._later: dict[Any, tuple[Sequence[Launch], Run]] = {}

    def add(self, launches: Sequence[Launch], traces: Sequence[LaunchTrace]) -> None:
        """Keep the answers of launches that were run; `traces` are in the order of `launches` and may be fewer."""
        for launch, trace in zip(launches, traces, strict=False):  # fewer where one of them fails
            self._known[_variant(launch)].append(trace.answers)

    def later(self, launches: Sequence[Launch], run: Run) -> None:
        """Keep a function that runs a call of another process: needed for variants of which no launch is run here."""
        for launch in launches:
            self._later.setdefault(_variant(launch), (launches, run))

    def compared(self, compiled: Compiled) -> Compiled:
        """Return a compiled launch, with an error added if the interpreter ran a different program."""
        variant = _variant(compiled.launch)
        if variant not in self._known and variant in self._later:
            launches, run = self._later[variant]
            self.add(launches, run())
        known = joined(self._known[variant])
        return Compiled(compiled.launch, tuple(_compared(each, compiled.launch, known) for each in compiled.outcomes))


def _compared(outcome: CompileOutcome, launch: Launch, known: Answers) -> CompileOutcome:
    if outcome.answers is None:
        return outcome
    found = difference(launch.kernel, known, outcome.answers, outcome.result.target)
    return outcome if found is None else replace(outcome, findings=(*outcome.findings, found))


def _variant(launch: Launch) -> Any:
    """Return a key that is equal for launches that compile to the same code, alignment aside."""
    constants = launch.constants
    arguments = ((name, repr(value) if name in constants else _kind(value)) for name, value in launch.arguments.items())
    return id(launch.kernel), *arguments, *sorted((name, repr(value)) for name, value in launch.options.items())


def _kind(value: Any) -> str:
    """Return the type that the compiler gives an argument; 1 and None are constants to it."""
    try:
        return str(mangle_type(value, specialize=True))
    except (TypeError, OverflowError):  # not an argument that Triton accepts: it reports that itself
        return type(value).__name__
