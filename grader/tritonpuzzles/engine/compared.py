"""Compare what the interpreter has run with what is compiled, by what static code was answered in each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from tritonpuzzles.compiler import Compiled, CompileOutcome, Launch
from tritonpuzzles.compiler.answers import Answers, difference, joined
from tritonpuzzles.compiler.compile import merged
from tritonpuzzles.engine.interpreter import LaunchTrace
from tritonpuzzles.insides import mangle_type

Run = Callable[[], Sequence[LaunchTrace]]


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
    constants = {parameter.name for parameter in launch.kernel.params if parameter.is_constexpr}
    arguments = ((name, repr(value) if name in constants else _kind(value)) for name, value in launch.arguments.items())
    return id(launch.kernel), *arguments, *sorted((name, repr(value)) for name, value in launch.options.items())


def _kind(value: Any) -> str:
    """Return the type that the compiler gives an argument; 1 and None are constants to it."""
    try:
        return str(mangle_type(value, specialize=True))
    except (TypeError, OverflowError):  # it takes no such argument, and says so
        return type(value).__name__
