"""What a recorder says of the kernels that were launched, beside their text: parameters, options, names.

Free of torch and triton. `read_kernels` believes nothing: one unknown key, one number too large, and it raises.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tritonpuzzles.wire.fields import (
    WireError,
    read_count,
    read_flag,
    read_identifier,
    read_list,
    read_object,
    read_text,
    short,
)
from tritonpuzzles.wire.values import Constexpr, Items, KernelAt, Module, Value, read_names, read_value, value_to_json

MAX_KERNELS = 256
MAX_FILES = 64  # that they stand in
MAX_PARAMETERS = 256
MAX_LINE = 1 << 20
MAX_PATH = 4096
KERNEL, CONSTEXPR_FUNCTION = "kernel", "constexpr-function"
_ANNOTATION = re.compile(r"[\w.*\[\], |]{0,200}")
_PARAMETER_KEYS = ("name", "annotation", "default", "specialized", "aligned")
_KERNEL_KEYS = ("file", "name", "line", "kind", "parameters", "noinline", "debug", "names")


@dataclass(frozen=True)
class Parameter:
    """One parameter, in the order of the `def`.

    Attributes:
        annotation: as Triton reads it: "constexpr", "i64", "*fp32"; empty where there is none.
        default: what it stands for if it is left out; `None` where it must be given.
        specialized, aligned: whether the compiler may look at its value, and at what that is divisible by.
    """

    name: str
    annotation: str = ""
    default: Value | None = None
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

    file: str
    name: str
    line: int
    kind: str = KERNEL
    parameters: tuple[Parameter, ...] = ()
    noinline: bool = False
    debug: bool = False
    names: Mapping[str, Value] = field(default_factory=dict)

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

    Args:
        data: a list of what `KernelText.to_json` returns, from JSON.

    Raises:
        WireError: for anything else, and for a kernel that names another one that is not in the table.
    """
    kernels = tuple(read_kernel(item) for item in read_list(data, "the table of kernels", MAX_KERNELS))
    for kernel in kernels:
        defaults = [parameter.default for parameter in kernel.parameters if parameter.default is not None]
        for index in indices([*kernel.names.values(), *defaults]):
            if index >= len(kernels):
                raise WireError(f"{kernel.name} uses kernel {index} of a table of {len(kernels)}")
    return kernels


def indices(values: list[Value]) -> Iterator[int]:
    """Yield the index of every kernel inside values."""
    waiting = list(values)
    while waiting:
        match waiting.pop():
            case KernelAt(index):
                yield index
            case Items(items):
                waiting += items
            case Constexpr(inner):
                waiting.append(inner)
            case Module(_, attributes):
                waiting += attributes.values()
            case _:
                pass


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


def read_kernel(data: Any) -> KernelText:
    """Read one kernel of a table; raises WireError for what `KernelText.to_json` does not return."""
    fields = read_object(data, "a kernel", _KERNEL_KEYS)
    if fields["kind"] not in (KERNEL, CONSTEXPR_FUNCTION):
        raise WireError(f"{short(fields['kind'])} is no kind of kernel")
    parameters = tuple(_parameter(item) for item in read_list(fields["parameters"], "the parameters", MAX_PARAMETERS))
    if len({parameter.name for parameter in parameters}) < len(parameters):
        raise WireError(f"{short(fields['name'])} has two parameters of one name")
    line = read_count(fields["line"], "the line of a kernel", MAX_LINE)
    if not line:
        raise WireError("the line of a kernel is 0, and lines count from 1")
    return KernelText(
        file=_path(fields["file"]),
        name=read_identifier(fields["name"]),
        line=line,
        kind=fields["kind"],
        parameters=parameters,
        noinline=read_flag(fields["noinline"], "noinline"),
        debug=read_flag(fields["debug"], "debug"),
        names=read_names(fields["names"]),
    )


def _path(data: Any) -> str:
    path = read_text(data, MAX_PATH)
    if not path.startswith("/") or "\0" in path:
        raise WireError(f"{short(path)} is no absolute path")
    return path


def read_annotation(data: Any) -> str:
    """Return what Triton makes of an annotation: "constexpr", "*fp32"; raises WireError for anything else."""
    annotation = read_text(data)
    if not _ANNOTATION.fullmatch(annotation):
        raise WireError(f"{short(annotation)} is no annotation of a parameter")
    return annotation


def _parameter(data: Any) -> Parameter:
    fields = read_object(data, "a parameter", _PARAMETER_KEYS)
    default = fields["default"]
    if default is not None:
        if len(read_list(default, "a default", 1)) != 1:
            raise WireError("a default is an empty list")
        default = read_value(default[0])
    return Parameter(
        read_identifier(fields["name"]),
        read_annotation(fields["annotation"]),
        default,
        read_flag(fields["specialized"], "specialized"),
        read_flag(fields["aligned"], "aligned"),
    )
