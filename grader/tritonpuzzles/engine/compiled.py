"""What is compiled of the launches of a check, and whether the interpreter has run the same.

Every program is compiled by half, and those that tell of all to the end.
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
from tritonpuzzles.compiler.compile import code_of, first_of_each_kind, merged, translate_launches
from tritonpuzzles.compiler.launch import described
from tritonpuzzles.compiler.outcome import Translation
from tritonpuzzles.compiler.source import file_of, first_line
from tritonpuzzles.engine.failures import said_by_compiler
from tritonpuzzles.engine.interpreter import LaunchTrace
from tritonpuzzles.engine.interpreter.arguments import warps_of
from tritonpuzzles.engine.observation import whole_constants
from tritonpuzzles.insides import TensorDescriptor, mangle_type
from tritonpuzzles.results.check import plain
from tritonpuzzles.results.codes import Severity
from tritonpuzzles.results.inspect import KernelResources, OnTarget
from tritonpuzzles.wire.facts import CallFact
from tritonpuzzles.wire.job import MOST_VARIANTS
from tritonpuzzles.wire.reading import facts_told

MOST_INSPECTED = 24  # compiled and told of, where the compiler's figures are what was asked for
ON_CHIP = ("shared-memory-exceeded", "tensor-memory-exceeded")  # an autotuner goes on to the next configuration
# What LLVM and ptxas are slow with, in elements: seconds, and minutes where a single warp holds a long row.
WIDE, WIDE_FOR_A_WARP, MUCH_FOR_A_WARP = 1 << 15, 1 << 12, 1 << 19
Run = Callable[[], Sequence[LaunchTrace]]


@dataclass
class Variants:
    """Compiles launches, each program once.

    Attributes:
        launches: of a check.
        others: of further configurations of its autotuners.
        targets: GPUs that are compiled for.
        cache: folder for compile results.
        budget: the time that there is.
        announce: called with each launch before it is compiled.
        interpreted: what the interpreter has answered in the same launches.
    """

    launches: Sequence[Launch]
    others: Sequence[Launch]
    targets: Sequence[Target]
    cache: Path
    budget: Budget
    announce: Announce
    interpreted: Interpretations
    _said: set[tuple[Any, ...]] = field(default_factory=set)

    def inspected(self) -> Iterator[dict[str, Any]]:
        """Compile every variant to the end, up to `MOST_INSPECTED`, and yield what each takes, as fields of a frame."""
        for compiled in islice(self._whole(self.launches, resources=True), MOST_INSPECTED):
            yield {**self._told(compiled), "resources": plain(kernel_resources(compiled, self.targets[0]))}

    def compiled(self) -> Iterator[dict[str, Any]]:
        """Translate every program, compile those that tell of all to the end, and yield fields of a frame for each."""
        passed: list[Compiled] = []
        kinds = first_of_each_kind([*self.launches, *self.others])
        launches, unreached = kinds[:MOST_VARIANTS], kinds[MOST_VARIANTS:]
        if unreached:
            kernel = unreached[0].kernel
            file, line = file_of(kernel), first_line(kernel)
            fact = CallFact("not-compiled", described(unreached[0]), len(unreached), MOST_VARIANTS, file, line)
            yield {"results": [], "facts": facts_told([fact])}
        for each in translate_launches(launches, self.targets, self.cache, self.budget, self.announce):
            half = self.interpreted.compared(each)
            if any(finding.severity is Severity.ERROR for finding in half.findings):
                yield self._told(half)
            else:
                passed.append(half)
        own = {id(launch) for launch in self.launches}
        chosen = telling([half for half in passed if id(half.launch) in own])
        for first in self._whole([launch for half in chosen for launch in self._codes(half)]):
            yield self._told(first if fits(first) else self._fitting(first, passed))
        whole = {id(half) for half in chosen}
        rest = [half for half in passed if id(half) not in whole]
        yield {"results": plain([outcome.result for half in rest for outcome in half.outcomes]), "facts": []}

    def _whole(self, launches: Sequence[Launch], resources: bool = False) -> Iterator[Compiled]:
        return compile_launches(
            launches, self.targets, self.cache, resources=resources, budget=self.budget, announce=self.announce
        )

    def _codes(self, half: Compiled) -> list[Launch]:
        """Return a launch, and of products the one whose tiles are copied ahead, if any are: it takes most on chip."""
        if not any(found.multiplies for found in _translations(half)):
            return [half.launch]
        program = _program_of(half.launch)
        alike = [launch for launch in self.launches if _program_of(launch) == program]
        return [half.launch, max(alike, key=_multiples)]

    def _fitting(self, first: Compiled, passed: Sequence[Compiled]) -> Compiled:
        """Return the first configuration that fits the chip, as an autotuner leaves out those that do not."""
        others = {id(launch) for launch in self.others if _types(launch) == _types(first.launch)}
        alike = sorted((half for half in passed if id(half.launch) in others), key=_work)
        numbers = _plain_arguments(first.launch)  # it may be where tiles are copied ahead that too little is left
        compiled = (list(self._whole([half.launch, _given(half.launch, numbers)])) for half in alike)
        return next((each[0] for each in compiled if each and all(map(fits, each))), first)

    def _told(self, compiled: Compiled) -> dict[str, Any]:
        """Return what is told of a launch that was compiled; a fault that several have is told of once."""
        results = [outcome.result for outcome in compiled.outcomes if not outcome.skipped]
        told = []
        for one in compiled.findings:
            key = one.code, one.message, one.file, one.line
            if key not in self._said:
                told.append(said_by_compiler(one))
            self._said.add(key)
        return {"results": plain(results), "facts": facts_told(told)}


def fits(compiled: Compiled) -> bool:
    """Return whether every target has what a compiled launch needs on chip."""
    return not any(finding.code in ON_CHIP for finding in compiled.findings)


def telling(translated: Sequence[Compiled]) -> list[Compiled]:
    """Return programs of each kernel that have every kind of operation between them that any has, the least work first.

    The largest tell most: what does not fit the chip is one of them. Of those on which the compiler works for many
    seconds there are only such as have an operation that no other has.
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
    """Return how many addresses and numbers of a launch are multiples of 16, which Triton's compiler then knows."""
    values = launch.arguments.values()
    numbers = [value if type(value) is int else value.data_ptr() for value in values if _is_counted(value)]
    return sum(number % 16 == 0 for number in numbers)


def _is_counted(value: Any) -> bool:
    return type(value) is int or hasattr(value, "data_ptr")


def _is_slow(half: Compiled) -> bool:
    """Return whether LLVM and ptxas take many seconds for a program."""
    found, warps = _translations(half)[0], _warps(half.launch)
    return (
        found.largest_tile > WIDE
        or found.largest_tile / warps > WIDE_FOR_A_WARP
        or found.elements / warps > MUCH_FOR_A_WARP
    )


def _warps(launch: Launch) -> int:
    return warps_of(launch.options, launch.arguments)


def _program_of(launch: Launch) -> object:
    """Return the kernel, and the options that make other code of it; warps share the same."""
    kernel = launch.kernel
    options = sorted((name, value) for name, value in launch.options.items() if name != "num_warps")
    return kernel.__name__, kernel.src, kernel.starting_line_number, tuple(options)


def _plain_arguments(launch: Launch) -> dict[str, Any]:
    """Return the arguments of a launch that no configuration of an autotuner decides."""
    constants = launch.constants
    return {name: value for name, value in launch.arguments.items() if name not in constants}


def _given(launch: Launch, arguments: dict[str, Any]) -> Launch:
    return replace(launch, arguments={**launch.arguments, **arguments})


def _types(launch: Launch) -> object:
    """Return the kernel and the dtypes of its arguments."""
    return id(launch.kernel), tuple(map(_dtype, launch.arguments.values()))


def _dtype(value: Any) -> str:
    """Return what an argument holds: a tensor's dtype, that of a descriptor's tensor, those of a tuple's items."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_dtype, value))})"
    return str(getattr(value.base if isinstance(value, TensorDescriptor) else value, "dtype", ""))


def kernel_resources(compiled: Compiled, first: Target) -> KernelResources:
    """Return what one variant of a kernel uses on every target; its code is known by what it is for the first."""
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
    """The interpreter's answers, of all launches that compile to the same code together: each has its own way."""

    def __init__(self) -> None:
        self._known: dict[Any, list[Answers]] = defaultdict(list)
        self._later: dict[Any, tuple[Sequence[Launch], Run]] = {}

    def add(self, launches: Sequence[Launch], traces: Sequence[LaunchTrace]) -> None:
        """Keep the answers of launches that were run, the first of them first."""
        for launch, trace in zip(launches, traces, strict=False):  # fewer where one of them fails
            self._known[_variant(launch)].append(trace.answers)

    def later(self, launches: Sequence[Launch], run: Run) -> None:
        """Keep how a call is run that another process has run: needed for variants of which no launch is run here."""
        for launch in launches:
            self._later.setdefault(_variant(launch), (launches, run))

    def compared(self, compiled: Compiled) -> Compiled:
        """Return what was compiled, with an error where the interpreter has run another kernel."""
        variant = _variant(compiled.launch)
        if variant not in self._known and variant in self._later:
            launches, run = self._later[variant]
            self.add(launches, run())
        known = joined(self._known[variant])
        outcomes = tuple(_compared(outcome, compiled.launch, known) for outcome in compiled.outcomes)
        return Compiled(compiled.launch, outcomes, merged(outcomes))


def _compared(outcome: CompileOutcome, launch: Launch, known: Answers) -> CompileOutcome:
    if outcome.answers is None:
        return outcome
    found = difference(launch.kernel, known, outcome.answers, outcome.result.target)
    return outcome if found is None else replace(outcome, findings=(*outcome.findings, found))


def _variant(launch: Launch) -> Any:
    """Return what launches have in common that compile to the same code, alignment aside."""
    constants = launch.constants
    arguments = ((name, repr(value) if name in constants else _kind(value)) for name, value in launch.arguments.items())
    return id(launch.kernel), *arguments, *sorted((name, repr(value)) for name, value in launch.options.items())


def _kind(value: Any) -> str:
    """Return the type that the compiler gives an argument; 1 and None are constants to it."""
    try:
        return str(mangle_type(value, specialize=True))
    except (TypeError, OverflowError):  # it takes no such argument, and says so
        return type(value).__name__
