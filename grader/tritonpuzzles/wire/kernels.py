"""A recorder's description of the launched kernels, without their source text: parameters, options, names.

Does not import torch or triton. `read_kernels` trusts nothing: it raises for an unknown key or a number out of range.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from tritonpuzzles.decoding.marks import As, Between, Checked, DecodeError, Length, OneOf
from tritonpuzzles.wire.fields import MAX_LINE, RECORDED, Name, matching
from tritonpuzzles.wire.values import Constexpr, Items, KernelAt, Module, Names, Value, value_to_json

MAX_KERNELS = 256
MAX_FILES = 64  # that contain them
MAX_PARAMETERS = 256
MAX_PATH = 4096
KERNEL, CONSTEXPR_FUNCTION = "kernel", "constexpr-function"


def _first(found: tuple[Value] | None) -> Value | None:
    return None if found is None else found[0]


def _distinct(parameters: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
    if len({parameter.name for parameter in parameters}) < len(parameters):
        raise ValueError("two parameters have one name")
    return parameters


Annotation = Annotated[str, matching(r"[\w.*\[\], |]{0,200}", "annotation of a parameter")]


@dataclass(frozen=True)
class Parameter:
    """One parameter, in the order of the `def`."""

    name: Name
    annotation: Annotation = ""  # as Triton reads it: "constexpr", "i64", "*fp32"; empty if there is none
    # its value if it is left out; `None` if it is required
    default: Annotated[Value | None, As(tuple[Value] | None), Checked(_first)] = None
    # specialized, aligned: whether the compiler may specialise on its value, and on its divisibility
    specialized: bool = True
    aligned: bool = True


@dataclass(frozen=True)
class KernelText:
    """One kernel: the place of its source text, and what the text alone does not contain."""

    # absolute path, as the process that imported it sees it
    file: Annotated[str, Length(MAX_PATH), matching(r"/[^\0]*", "absolute path")]
    name: Name  # of the function
    line: Annotated[int, Between(1, MAX_LINE)]  # of its `def`, from 1
    # `KERNEL`, or `CONSTEXPR_FUNCTION` for what `@triton.constexpr_function` decorates
    kind: Annotated[str, OneOf((KERNEL, CONSTEXPR_FUNCTION))] = KERNEL
    parameters: Annotated[tuple[Parameter, ...], Length(MAX_PARAMETERS), Checked(_distinct)] = ()
    noinline: bool = False
    debug: bool = False
    # the value of each name in its body that is not its own
    names: Annotated[Mapping[str, Value], As(Names)] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return JSON-ready data for `read_kernels`."""
        names = {name: value_to_json(value) for name, value in self.names.items()}
        parameters: list[dict[str, Any]] = []
        for item in self.parameters:
            default = None if item.default is None else [value_to_json(item.default)]
            parameters.append({**vars(item), "default": default})
        return {**vars(self), "parameters": parameters, "names": names}

    def used(self) -> Iterator[int]:
        """Yield the index of every kernel among the values of its names and defaults."""
        defaults = [parameter.default for parameter in self.parameters if parameter.default is not None]
        return indices([*self.names.values(), *defaults])


def read_kernels(data: Any) -> tuple[KernelText, ...]:
    """Read a table of kernels.

    Raises DecodeError for other data, and for a kernel that refers to one that is not in the table.
    """
    kernels: tuple[KernelText, ...] = RECORDED.read(Annotated[tuple[KernelText, ...], Length(MAX_KERNELS)], data)
    for kernel in kernels:
        for index in kernel.used():
            if index >= len(kernels):
                raise DecodeError(f"{kernel.name} uses kernel {index} of a table of {len(kernels)}")
    return kernels


def inside(values: Iterable[Value]) -> Iterator[Value]:
    """Yield values, and all values inside them."""
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
    """Return the indices of a kernel and of all kernels that it uses, directly or not, itself first."""
    found: dict[int, None] = {}
    waiting = [first]
    while waiting:
        index = waiting.pop(0)
        if index not in found:
            found[index] = None
            waiting += kernels[index].used()
    return list(found)
