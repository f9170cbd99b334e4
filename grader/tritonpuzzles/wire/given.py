"""Describe a call with more than plain tensors as arguments, in JSON, and rebuild its arguments.

These are lists, tuples and dicts of tensors, `None`, dtypes, keywords. What cannot be sent, such as a function or an
object of the caller, stays in its process and is referred to by number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

PLAIN = (bool, int, float, str)
Described = dict[str, Any]


class NotDescribedError(TypeError):
    """A value that cannot be sent to another process; the message says which."""


class Describing:
    """Describes the arguments of one call.

    Args:
        objects: collects what is neither a tensor nor JSON, for a call in this process; `None` to refuse it.

    Attributes:
        tensors: by name, in the order of the arguments: "x", "weights[0]".
        values: numbers, truth values and texts that are top-level arguments, by name.
    """

    def __init__(self, objects: list[Any] | None = None) -> None:
        self._objects = objects
        self.tensors: dict[str, Tensor] = {}
        self.values: dict[str, bool | int | float | str] = {}

    def call(self, args: Sequence[tuple[str, Any]], named: Mapping[str, Any]) -> Described:
        """Return the description of a call: positional arguments, each with its name for messages, and named ones.

        Raises NotDescribedError for a value that cannot be sent.
        """
        return {
            "args": [self._argument(name, value) for name, value in args],
            "named": {name: self._argument(name, value) for name, value in named.items()},
        }

    def _argument(self, name: str, value: Any) -> Any:
        if type(value) not in PLAIN:
            return self._value(name, value)
        self.values[name] = value
        return {"value": name}

    def _value(self, name: str, value: Any) -> Any:
        if isinstance(value, Tensor):
            self.tensors[name] = value
            return {"tensor": name}
        if isinstance(value, torch.dtype):
            return {"dtype": str(value).removeprefix("torch.")}
        if isinstance(value, torch.device):
            return {"device": value.type}
        if value is None or type(value) in PLAIN:
            return value
        if type(value) in (list, tuple):
            items = [self._value(f"{name}[{number}]", item) for number, item in enumerate(value)]
            return {type(value).__name__: items}
        if type(value) is dict and all(type(key) is str for key in value):
            return {"dict": {key: self._value(f"{name}[{key!r}]", item) for key, item in value.items()}}
        if self._objects is not None:
            self._objects.append(value)
            return {"object": len(self._objects) - 1}
        raise NotDescribedError(
            f"{name} is of the type {type(value).__name__}, which cannot be sent to the process that calls the file: "
            "numbers, strings, dtypes, None, tensors, and lists, tuples and dicts of them can"
        )


@dataclass(frozen=True)
class Given:
    """The tensors, values and objects that a description refers to."""

    tensors: Mapping[str, Any]
    values: Mapping[str, Any]
    objects: Sequence[Any] = ()

    def call(self, function: Callable[..., Any], described: Described) -> Any:
        """Call a function with the described arguments; its exceptions pass through."""
        args = [self._made(item) for item in described["args"]]
        return function(*args, **{name: self._made(item) for name, item in described["named"].items()})

    def _made(self, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        ((kind, inner),) = value.items()
        match kind:
            case "tensor":
                return self.tensors[inner]
            case "value":
                return self.values[inner]
            case "dtype":
                return getattr(torch, inner)
            case "device":
                device = next((tensor.device for tensor in self.tensors.values()), torch.device("cpu"))
                return device if inner == "cuda" else torch.device(inner)
            case "list":
                return [self._made(item) for item in inner]
            case "tuple":
                return tuple(self._made(item) for item in inner)
            case "dict":
                return {key: self._made(item) for key, item in inner.items()}
            case _:
                return self.objects[inner]


def flat(returned: Any) -> tuple[Any, ...]:
    """Flatten a returned value: return the leaves of lists, tuples and dicts in order, without `None`."""
    if returned is None:
        return ()
    if not isinstance(returned, (list, tuple, dict)):
        return (returned,)
    items = returned.values() if isinstance(returned, dict) else returned
    return tuple(inner for item in items for inner in flat(item))
