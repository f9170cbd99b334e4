"""What a recorder says of the kernels that were launched, beside their text: parameters, options, names.

Free of torch and triton. `read_kernels` believes nothing: one unknown key, one number too large, and it raises.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from tritonpuzzles.decoding.marks import As, Between, Checked, DecodeError, Length, OneOf, short
from tritonpuzzles.wire.fields import MAX_LINE, RECORDED, Name
from tritonpuzzles.wire.values import Constexpr, Items, KernelAt, Module, Names, Value, value_to_json

MAX_KERNELS = 256
MAX_FILES = 64  # that they stand in
MAX_PARAMETERS = 256
MAX_PATH = 4096
KERNEL, CONSTEXPR_FUNCTION = "kernel", "constexpr-function"
_ANNOTATION = re.compile(r"[\w.*\[\], |]{0,200}")
_PARAMETER_KEYS = ("name", "annotation", "default", "specialized", "aligned")


def _annotation(text: str) -> str:
    if not _ANNOTATION.fullmatch(text):
        raise ValueError(f"{short(text)} is no annotation of a parameter")
    return text


def _path(path: str) -> str:
    if not path.startswith("/") or "\0" in path:
        raise ValueError(f"{short(path)} is no absolute path")
    return path


def _first(found: tuple[Value] | None) -> Value | None:
    return None if found is None else found[0]


def _distinct(parameters: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
    if len({parameter.name for parameter in parameters}) < len(parameters):
        raise ValueError("two parameters have one name")
    return parameters


Annotation = Annotated[str, Checked(_annotation)]


@dataclass(frozen=True)
class Parameter:
    """One parameter, in the order of the `def`.

    Attributes:
        annotation: as Triton reads it: "constexpr", "i64", "*fp32"; empty where there is none.
        default: what it stands for if it is left out; `None` where it must be given.
        specialized, aligned: whether the compiler may look at its value, and at what that is divisible by.
    """

    name: Name
    annotation: Annotation = ""
    default: Annotated[Value | None, As(tuple[Value] | None), Checked(_first)] = None
    specialized: bool = True
    aligned: bool = True


@dataclass(frozen=True)
class KernelText:
    """One kernel: where its text stands, and what the text alone does not say.

    Attributes:
        file: absolute path, as the process that imported it sees it.
        name: of the function.
        line: of its `def`, from 1.
        kind: `KERNEL`, or `CONSTEXPR_FUNCTION` for what `@triton.constexpr_function` decorates.
        names: what each name of its body that is not its own stands for.
    """

    file: Annotated[str, Length(MAX_PATH), Checked(_path)]
    name: Name
    line: Annotated[int, Between(1, MAX_LINE)]
    kind: Annotated[str, OneOf((KERNEL, CONSTEXPR_FUNCTION))] = KERNEL
    parameters: Annotated[tuple[Parameter, ...], Length(MAX_PARAMETERS), Checked(_distinct)] = ()
    noinline: bool = False
    debug: bool = False
    names: Annotated[Mapping[str, Value], As(Names)] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return JSON-ready data for `read_kernels`."""
        plain = {key: getattr(self, key) for key in ("file", "name", "line", "kind", "noinline", "debug")}
        names = {name: value_to_json(value) for name, value in self.names.items()}
        return {**plain, "parameters": [_parameter_to_json(item) for item in self.parameters], "names": names}


def _parameter_to_json(parameter: Parameter) -> dict[str, Any]:
    default = None if parameter.default is None else [value_to_json(parameter.default)]
    return {**{key: getattr(parameter, key) for key in _PARAMETER_KEYS}, "default": default}


def read_kernels(data: Any) -> tuple[KernelText, ...]:
    """Read a table of kernels.

    Raises:
        DecodeError: for anything else, and for a kernel that names another one that is not in the table.
    """
    kernels: tuple[KernelText, ...] = RECORDED.read(Annotated[tuple[KernelText, ...], Length(MAX_KERNELS)], data)
    for kernel in kernels:
        defaults = [parameter.default for parameter in kernel.parameters if parameter.default is not None]
        for index in indices([*kernel.names.values(), *defaults]):
            if index >= len(kernels):
                raise DecodeError(f"{kernel.name} uses kernel {index} of a table of {len(kernels)}")
    return kernels


def inside(values: Iterable[Value]) -> Iterator[Value]:
    """Yield values, and all that they hold."""
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        yield value
        match value:
            case Items(items):
                waiting += items
            case Constexpr(inner):
                waiting.append(inner)
            case Module(_, attributes):
                waiting += attributes.values()


def indices(values: Iterable[Value]) -> Iterator[int]:
    """Return the index of every kernel inside values."""
    return (value.index for value in inside(values) if isinstance(value, KernelAt))


def reached(kernels: Sequence[KernelText], first: int) -> list[int]:
    """Return the index of a kernel and of all that it calls or has for a default, itself first."""
    found: dict[int, None] = {}
    waiting = [first]
    while waiting:
        index = waiting.pop(0)
        if index not in found:
            found[index] = None
            kernel = kernels[index]
            defaults = [parameter.default for parameter in kernel.parameters if parameter.default is not None]
            waiting += indices([*kernel.names.values(), *defaults])
    return list(found)
