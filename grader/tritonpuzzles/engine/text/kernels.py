"""Build kernels, for the interpreter and the compiler, from their own text, without the rest of the file."""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tritonpuzzles.engine.text.check import Problem, problems
from tritonpuzzles.engine.text.define import TextError, check_signature, define, find, remember, seen
from tritonpuzzles.engine.text.language import ForbiddenError, guard_compiler, python_builtins
from tritonpuzzles.engine.text.names import made, named_object
from tritonpuzzles.wire.facts import Said
from tritonpuzzles.wire.kernels import KernelText, indices, reached

WHERE = "a kernel stands in the file itself, in a module of its folder, or in a package that is installed"


@dataclass(frozen=True)
class Refused:
    """A kernel that must not be interpreted."""

    fact: Said  # why
    function: Any  # for the compiler, whose message is better; `None` if it must not be compiled either


def build_kernels(texts: Mapping[str, str], kernels: Sequence[KernelText]) -> list[Any]:
    """Build every kernel of a table from the texts of the files, by the absolute path that the kernels name.

    Each is a `JITFunction` or `ConstexprFunction`, or `Refused` because of its own text or that of a function that it
    calls, in the order of the table.
    """
    return _Build(texts, kernels).results()


class _Build:
    """The state while one table is built."""

    def __init__(self, texts: Mapping[str, str], kernels: Sequence[KernelText]) -> None:
        self.kernels = kernels
        self.texts = {file: _lines(text) for file, text in texts.items()}
        self.problems: dict[int, Problem] = {}
        self.functions: dict[int, Any] = {}
        self.names: dict[int, dict[str, Any]] = {}

    def results(self) -> list[Any]:
        """Build all kernels, and return each or its refusal."""
        guard_compiler()
        for file in {kernel.file for kernel in self.kernels} & self.texts.keys():
            remember(file, self.texts[file])
        waiting = dict(enumerate(self.kernels))
        while ready := [index for index, kernel in waiting.items() if self._defaults_are_built(kernel)]:
            for index in ready:
                kernel = waiting.pop(index)
                try:
                    self._build(index, kernel)
                except (TextError, ForbiddenError) as error:
                    self._refuse(index, getattr(error, "line", None) or kernel.line, str(error))
        for index, kernel in waiting.items():
            self._refuse(index, kernel.line, "a default of it is a kernel that is defined by it")
        for index in self.functions:
            self._fill(index)
        return [self._result(index) for index in range(len(self.kernels))]

    def _defaults_are_built(self, kernel: KernelText) -> bool:
        defaults = [parameter.default for parameter in kernel.parameters if parameter.default is not None]
        return all(index in self.functions or index in self.problems for index in indices(defaults))

    def _refuse(self, index: int, line: int, cause: str) -> None:
        self.problems[index] = Problem(line, cause, unsafe=True)

    def _build(self, index: int, kernel: KernelText) -> None:
        if kernel.file not in self.texts:
            raise TextError(f"no text is read at {kernel.file}: {WHERE}")
        tree = copy.copy(find(self.texts[kernel.file], kernel.name, kernel.line))
        tree.decorator_list = []
        check_signature(kernel, tree)
        if self._has_problem(index, kernel, tree):
            return
        names = self.names[index] = {"__builtins__": python_builtins(), "__name__": f"text{index}"}
        given = {item.name: item.default for item in kernel.parameters if item.default is not None}
        defaults = {name: made(value, self.functions) for name, value in given.items()}
        function = define(kernel, tree, names, defaults)
        known = ast.dump(tree)
        for other in seen(function):
            if ast.dump(other) != known and self._has_problem(index, kernel, other):
                return
        self.functions[index] = function

    def _has_problem(self, index: int, kernel: KernelText, tree: ast.FunctionDef) -> bool:
        """Check a text, keep its first problem, and return whether this is unsafe."""
        found = problems(tree, kernel)
        if found:
            self.problems[index] = found[0]
        return bool(found) and found[0].unsafe

    def _fill(self, index: int) -> None:
        """Fill a function's globals after all functions are built."""
        kernel = self.kernels[index]
        try:
            self.names[index].update(
                {name: named_object(value, self.functions) for name, value in kernel.names.items()}
            )
        except ForbiddenError as error:
            self._refuse(index, kernel.line, str(error))

    def _result(self, index: int) -> Any:
        found = [(other, self.problems[other]) for other in reached(self.kernels, index) if other in self.problems]
        if not found:
            return self.functions[index]
        other, problem = min(found, key=lambda item: not item[1].unsafe)
        function = None if problem.unsafe else self.functions[index]
        return Refused(problem.fact(self.kernels[other]), function)


def _lines(text: str) -> str:
    """Return a text as Python reads it from a file: no byte order mark, every line ended by one character."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
