"""Resolve the names in a puzzle's record, before grading: families, reference, tolerances, baselines, mistakes.

A bare name is one of the grader's own; "module:function" is any other, from the pack's folder or installed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tritonpuzzles.curriculum import baselines, references
from tritonpuzzles.curriculum.call import Call
from tritonpuzzles.curriculum.expressions import ExpressionError
from tritonpuzzles.curriculum.families import FAMILIES
from tritonpuzzles.curriculum.mistakes import Mistake, Mistakes
from tritonpuzzles.curriculum.quantities import Walk, walks
from tritonpuzzles.curriculum.record import Task
from tritonpuzzles.curriculum.tables import RecordError
from tritonpuzzles.decoding.marks import nearest
from tritonpuzzles.hardware.gpus import TARGETS
from tritonpuzzles.hardware.l2 import L2S, example_of
from tritonpuzzles.judge.drawn import DrawnCase
from tritonpuzzles.judge.options import NOTHING, Own
from tritonpuzzles.judge.tolerances import RULES, Rule, Tolerance
from tritonpuzzles.wire.authored import AuthorError, UnknownNameError, called, kind, module_named, named, own_module

OWN_MISTAKES = "tritonpuzzles.curriculum.mistakes"


@contextmanager
def authored(task: Task, place: str) -> Iterator[None]:
    """Add a place such as "case 'late maximum'" to errors in an author's functions and expressions within the block.

    Raises RecordError in place of `AuthorError` and `ExpressionError`.
    """
    try:
        yield
    except (AuthorError, ExpressionError) as error:
        raise RecordError(f"{task.place}, {place}: {error}") from error


def of_shape(shape: Sequence[int]) -> str:
    """Return the place in a record that stands for a timed shape."""
    return f"[benchmark.bench], shape {'x'.join(map(str, shape))}"


def _public(module: Any) -> dict[str, Callable[..., Any]]:
    """Return the functions that a module defines for others."""
    functions = {name: value for name, value in vars(module).items() if callable(value) and not name.startswith("_")}
    return {name: value for name, value in functions.items() if value.__module__ == module.__name__}


LIBRARIES: dict[str, Mapping[str, Callable[..., Any]]] = {  # the grader's own functions, by kind of name
    "family": FAMILIES,
    "reference": _public(references),
    "tolerance": RULES,
    "walk": _public(walks),
    "baseline": _public(baselines),
}


@dataclass(frozen=True)
class Resolved:
    """The objects that a puzzle's names resolve to."""

    reference: Callable[..., Any]  # computes the truth of a forward call
    families: Mapping[str, str]  # name in the record -> "module:function", importable in judge and worker
    tolerances: tuple[Rule, ...]  # one per output
    baselines: Mapping[str, str]  # name in the report -> "module:function"
    mistakes: tuple[Mistake, ...]  # the likeliest first
    walk: Callable[..., Walk] | None  # makes the walk of a call's arguments; `None` if the record names none


def resolve(task: Task) -> Resolved:
    """Return the objects that the names in a record resolve to.

    Raises RecordError for the first name that does not resolve, and suggests the nearest known name.
    """
    finder = Finder(task)
    finder.check_gpus()
    finder.check_hidden()
    wanted = [case.family for case in task.cases]
    wanted += [argument.family for argument in task.tensors if argument.family is not None]
    timed = task.benchmark.baselines if task.benchmark is not None else ()
    return Resolved(
        reference=finder.function("reference", task.reference),
        families={name: finder.dotted("family", name) for name in dict.fromkeys(wanted)},
        tolerances=tuple(finder.function("tolerance", output.tolerance) for output in task.compared),
        baselines={base.name: finder.dotted("baseline", base.function) for base in timed},
        mistakes=finder.mistakes(),
        walk=finder.function("walk", task.walk) if task.walk else None,
    )


def own_of(task: Task, device: str) -> Own:
    """Return the parts of a pack that an engine needs: on a GPU it draws large inputs itself and times baselines."""
    if device != "cuda":
        return NOTHING
    found = resolve(task)
    modules = {dotted.partition(":")[0] for dotted in (*found.families.values(), *found.baselines.values())}
    own = sorted(module for module in modules if own_module(module, task.folder) is not None)
    return Own(tuple(own), task.folder) if own else NOTHING


def tolerances_of(task: Task, drawn: DrawnCase) -> tuple[Tolerance, ...]:
    """Return how far each output of a case may be from the truth; raises as `tolerance_of` does."""
    return tuple(tolerance_of(task, drawn, number) for number in range(len(drawn.outputs)))


def tolerance_of(task: Task, drawn: DrawnCase, number: int) -> Tolerance:
    """Return how far one output of a case, given by its index, may be from the truth.

    Raises RecordError if its rule raises, or returns something else than a `Tolerance`.
    """
    with authored(task, f"case {drawn.name!r}"):
        known = zip(task.compared, resolve(task).tolerances, strict=True)
        rules = {output.tolerance: rule for output, rule in known}
        name = Call(task, drawn.case).compared[number].tolerance
        found = called(f"the tolerance {name}", task.folder, rules[name], drawn, number)
        if not isinstance(found, Tolerance):
            raise AuthorError(f"the tolerance {name} returns {kind(found)}; a judge.tolerances.Tolerance is expected")
        return found


@dataclass(frozen=True)
class Finder:
    """Resolves the names of one record."""

    task: Task

    def function(self, key: str, name: str) -> Callable[..., Any]:
        """Return the function that a name refers to, in the library of its kind or as "module:function".

        Raises RecordError if there is none.
        """
        library = {**LIBRARIES[key], **self.task.given}
        if name in library:
            return library[name]
        if ":" not in name:
            raise self._error(f"{key}: there is no {name!r}.{nearest(name, library)}")
        try:
            return named(name, self.task.folder)
        except UnknownNameError as error:
            near = nearest(error.wanted, error.known) if error.wanted else ""
            raise self._error(f"{key} {name!r}: {error}{near and '.'}{near}") from error

    def dotted(self, key: str, name: str) -> str:
        """Return a name as "module:function"; raises as `function` does."""
        found = self.function(key, name)
        return f"{found.__module__}:{found.__name__}" if name in LIBRARIES[key] else name

    def check_gpus(self) -> None:
        """Raise RecordError if a case names an unknown GPU."""
        for case in self.task.cases:
            if case.gpu and example_of(case.gpu) is None:
                known = (*(name for name in TARGETS if example_of(name)), *L2S)
                raise self._error(f"case {case.name!r}: there is no GPU {case.gpu!r}.{nearest(case.gpu, known)}")

    def check_hidden(self) -> None:
        """Raise RecordError if a hidden case, which is in another file, names an unknown family."""
        for case in (case for case in self.task.cases if case.hidden):
            try:
                self.dotted("family", case.family)
            except RecordError as error:
                raise RecordError(f"hidden case {case.name!r}: {str(error).partition(': ')[2]}") from error

    def mistakes(self) -> tuple[Mistake, ...]:
        """Return the mistakes that the record lists."""
        if not self.task.mistakes:
            return ()
        module = self.task.mistakes_module
        try:
            # a bare name is the pack's own module, else the grader's
            own = "." in module or (self.task.folder / f"{module}.py").is_file()
            holder = module_named(module if own else f"{OWN_MISTAKES}.{module}", self.task.folder)
        except UnknownNameError as error:
            raise self._error(f"mistakes_module {module!r}: {error}") from error
        known = getattr(holder, "MISTAKES", None)
        if not isinstance(known, Mistakes):
            raise self._error(f"mistakes_module {module!r} has no MISTAKES = Mistakes()")
        for code in self.task.mistakes:
            if code not in known.by_code:
                raise self._error(f"mistakes: there is no {code!r}.{nearest(code, known.by_code)}")
            self._check_lines(known.by_code[code])
        return tuple(known.by_code[code] for code in self.task.mistakes)

    def _check_lines(self, mistake: Mistake) -> None:
        for line in mistake.lines:
            try:
                re.compile(line)
            except re.error as error:
                what = f"mistake {mistake.code!r}: its line {line!r} is no regular expression: {error}"
                raise self._error(what) from error

    def _error(self, what: str) -> RecordError:
        return RecordError(f"{self.task.place}: {what}")
