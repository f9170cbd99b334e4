"""The calls that a function is verified with: what a user gives for each, as tensors and the way they are passed.

Also functions that are named as "file.py:swiglu": the function under test is never imported here, a reference is.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from tritonpuzzles.decoding.marks import nearest
from tritonpuzzles.judge.workers.job import seen_device
from tritonpuzzles.recorder.stand_ins import present
from tritonpuzzles.results.words import article
from tritonpuzzles.wire.authored import UnknownNameError, described
from tritonpuzzles.wire.authored import named as module_function
from tritonpuzzles.wire.given import Described, Describing, NotDescribedError
from tritonpuzzles.wire.job import Value
from tritonpuzzles.wire.program import ITEM_SIZES

MADE = (torch.float32, torch.float16, torch.bfloat16)  # dtypes that a user's function of cases is called with


class VerifyError(ValueError):
    """What was asked for does not make sense; the message is one sentence for the user."""


@dataclass(frozen=True)
class GivenCall:
    """One call of a function."""

    name: str  # its name in reports
    tensors: Mapping[str, Tensor]  # by name, in order; each with the strides that it has
    values: Mapping[str, Value]  # arguments that are numbers, truth values or texts, by name
    described: Described  # how the arguments are put together
    why: str = ""  # the purpose of the call, one sentence; empty for the user's own calls
    kind: str = ""  # the kind of variation that made it: "sizes", "dtypes"; empty for the user's own calls
    after: str | None = None  # name of the call whose memory it shares, with other numbers in it
    same_numbers: bool = False  # whether it also has that call's numbers
    layout: str = "contiguous"  # the memory layout of its tensors, if it was changed
    far: bool = False  # whether the rows of its matrices are so far apart that 32-bit offsets do not reach the last one

    @property
    def dtype(self) -> torch.dtype:
        """The dtype of the call: that of its first tensor of floating point, else float32."""
        floating = (tensor.dtype for tensor in self.tensors.values() if tensor.is_floating_point())
        return next(floating, torch.float32)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the call: that of its first tensor."""
        return next((tuple(tensor.shape) for tensor in self.tensors.values()), ())

    @property
    def is_phantom(self) -> bool:
        """Whether it is too large for memory: its tensors have none."""
        return any(tensor.is_meta for tensor in self.tensors.values())


@dataclass(frozen=True)
class Parameters:
    """The parameters of a function, as far as they are known."""

    positional: tuple[str, ...] = ()  # names of those that may be passed by place, in order
    known: tuple[str, ...] | None = None  # all names; `None` if it takes any keyword, or if they are unknown

    @classmethod
    def of(cls, function: Callable[..., Any]) -> Parameters:
        """Return the parameters of a function; unknown if it has no readable signature."""
        try:
            found = inspect.signature(function).parameters.values()
        except (TypeError, ValueError):
            return cls()
        by_place = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        takes_all = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in found)
        positional = tuple(one.name for one in found if one.kind in by_place)
        return cls(positional, None if takes_all else tuple(one.name for one in found))

    def bound(self, function: str, case: Any) -> tuple[list[tuple[str, Any]], dict[str, Any]]:
        """Return the arguments of a case, those by place with their names, and those by keyword.

        Raises VerifyError if it is neither a dict nor a sequence, or names an unknown parameter.
        """
        if isinstance(case, Tensor):
            case = (case,)
        if isinstance(case, (list, tuple)):
            names = [*self.positional, *(f"argument {number}" for number in range(len(self.positional), len(case)))]
            return list(zip(names, case, strict=False)), {}
        if not isinstance(case, Mapping):
            raise VerifyError(
                f"A case is {article(type(case).__name__)}; a dict of arguments by name, or a tuple, is expected."
            )
        for name in case:
            if self.known is not None and name not in self.known:
                raise VerifyError(f"{function} has no parameter {name!r}.{nearest(str(name), self.known)}")
        rest, first = dict(case), []
        for name in self.positional:  # by place, so that a reference may call them otherwise
            if name not in rest:
                break
            first.append((name, rest.pop(name)))
        return first, rest


@dataclass(frozen=True)
class Callee:
    """What is called, for descriptions and messages."""

    name: str  # of the function
    parameters: Parameters = field(default_factory=Parameters)  # of it
    objects: list[Any] | None = None  # collects arguments that stay in this process, if it calls the function

    def call(self, case: Any, name: str) -> GivenCall:
        """Return a case as a call.

        Raises VerifyError if the function cannot be called with it, or for a tensor of an unsupported kind.
        """
        args, named = self.parameters.bound(self.name, case)
        describing = Describing(self.objects)
        try:
            described = describing.call(args, named)
        except NotDescribedError as error:
            raise VerifyError(f"The argument {error}.") from error
        for argument, tensor in describing.tensors.items():
            _check(argument, tensor)
        tensors = {argument: tensor.detach().cpu() for argument, tensor in describing.tensors.items()}
        return GivenCall(name, tensors, describing.values, described)


def _check(name: str, tensor: Tensor) -> None:
    dtype = str(tensor.dtype).removeprefix("torch.")
    if tensor.is_meta:
        raise VerifyError(f"{name} is on the device meta, and has no numbers: give a tensor that has some.")
    if tensor.layout != torch.strided or tensor.is_quantized or dtype not in ITEM_SIZES:
        kind = dtype if tensor.layout == torch.strided else str(tensor.layout).removeprefix("torch.")
        raise VerifyError(
            f"{name} is a tensor of the kind {kind}, which no case can have: dense ones of {', '.join(ITEM_SIZES)} can."
        )


def given_calls(callee: Callee, cases: Any, seed: int) -> list[GivenCall]:
    """Return the calls that a user gave: a list of cases, one case, or a function of seed and dtype that makes them.

    Raises VerifyError if there are none, or one of them cannot be called.
    """
    if callable(cases):
        return [call for dtype in MADE for call in _made(callee, cases, seed, dtype)]
    listed = cases if isinstance(cases, list) else [cases]
    if not listed:
        raise VerifyError("There are no cases: give at least one, such as cases=[dict(x=torch.randn(5, 700))].")
    return [callee.call(case, _name("your case", number, len(listed))) for number, case in enumerate(listed)]


def _made(callee: Callee, cases: Callable[..., Any], seed: int, dtype: torch.dtype) -> list[GivenCall]:
    """Return the calls that a user's function makes: one, or several in a list."""
    try:
        made = cases(seed, dtype)
    except Exception as error:
        said = f"The cases raise {described(error, None)}"
        raise VerifyError(f"{said}: a function of a seed and a dtype is expected, cases(seed, dtype).") from error
    several = made if isinstance(made, list) and all(isinstance(one, (Mapping, tuple)) for one in made) else [made]
    name = str(dtype).removeprefix("torch.")
    return [callee.call(case, _name(name, number, len(several))) for number, case in enumerate(several)]


def _name(name: str, number: int, count: int) -> str:
    return name if count == 1 else f"{name} {number + 1}"


def split(name: str) -> tuple[Path, str]:
    """Return the file and the function of "file.py:swiglu".

    Raises VerifyError if it is not of that form, or there is no such file.
    """
    file, colon, function = name.rpartition(":")
    if not colon or not function.isidentifier():
        raise VerifyError(f"{name!r} is not of the form FILE:FUNCTION, such as kernels.py:swiglu.")
    path = Path(file)
    if not path.is_file():
        raise VerifyError(f"There is no file {file}.")
    return path.absolute(), function


def parameters(path: Path, function: str) -> Parameters:
    """Return the parameters of a function, read from the text of its file, which is not run.

    Raises VerifyError if the file lacks such a function. If the file cannot be parsed, the parameters are unknown.
    """
    try:
        tree = ast.parse(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, SyntaxError):
        return Parameters()  # the process that imports it reports the error
    found = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    if function not in found:
        if not {function, "*"}.isdisjoint(name for node in ast.walk(tree) for name in _named(node)):
            return Parameters()
        raise VerifyError(f"{path.name} defines no function {function!r}.{nearest(function, found)}")
    arguments = found[function].args
    by_place = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
    known = None if arguments.kwarg is not None else (*by_place, *(one.arg for one in arguments.kwonlyargs))
    return Parameters(tuple(by_place), known)


def _named(node: ast.AST) -> list[str]:
    """Return the names that an assignment or an import gives."""
    if isinstance(node, ast.ImportFrom):
        return [alias.asname or alias.name for alias in node.names]
    targets = node.targets if isinstance(node, ast.Assign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def imported(name: str) -> Callable[..., Any]:
    """Import a file that is trusted, that of a reference for one, and return its function.

    If importing it fails without a GPU, it is imported again with a GPU that appears to be present. Raises VerifyError
    if it cannot be imported.
    """
    path, function = split(name)
    asked = f"{path.stem}:{function}"
    try:
        try:
            return module_function(asked, path.parent)
        except UnknownNameError:
            with present(seen_device("cpu", ())):
                return module_function(asked, path.parent)
    except SystemExit as error:
        raise VerifyError(f"{name}: importing it ends the program (SystemExit: {error}).") from error
    except UnknownNameError as error:
        step = nearest(error.wanted, error.known) if error.known else f" Put {function} into a file of its own."
        raise VerifyError(f"{name}: {str(error).rstrip('.')}.{step}") from error
