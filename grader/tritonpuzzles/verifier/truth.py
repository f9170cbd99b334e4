"""What a function must return: its reference, asked in float64 with the same arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from tritonpuzzles.wire.authored import AuthorError, kind
from tritonpuzzles.wire.authored import described as worded
from tritonpuzzles.wire.given import Described, Given, flat

OUT = "out"


@dataclass(frozen=True)
class Reference:
    """A function in PyTorch that says what is right.

    Attributes:
        function: called as the function under test is, on copies of the arguments.
        mutates: names of the arguments that the function under test changes. A reference that changes them, too, says
            so what they hold then; one that does not returns that after its results.
        objects: arguments that stay in this process.
    """

    function: Callable[..., Any]
    mutates: tuple[str, ...] = ()
    objects: Sequence[Any] = ()

    def __call__(
        self, given: Described, tensors: Mapping[str, Tensor], values: Mapping[str, Any]
    ) -> tuple[Tensor, ...]:
        """Return the outputs, in order, and after them what the changed arguments hold; what it raises goes through.

        Raises:
            TypeError: if it returns anything but tensors, or too few of them.
        """
        copies = {name: tensor.clone() for name, tensor in tensors.items()}
        returned = flat(Given(copies, values, self.objects).call(self.function, given))
        for value in returned:
            if not isinstance(value, Tensor):
                raise TypeError(f"the reference returns {kind(value)}; tensors are expected")
        changed = [copies[name] for name in self.mutates]
        if any(tensor._version for tensor in changed):
            returned = (*(value for value in returned if all(value is not one for one in changed)), *changed)
        return tuple(value.detach() for value in returned)

    def exact(self, given: Described, tensors: Mapping[str, Tensor], values: Mapping[str, Any]) -> tuple[Tensor, ...]:
        """Return the outputs in float64.

        Raises:
            AuthorError: with what the reference raises.
        """
        wide = {name: tensor.double() if tensor.is_floating_point() else tensor for name, tensor in tensors.items()}
        try:
            return self(given, wide, values)
        except Exception as error:
            raise AuthorError(f"the reference raises {worded(error, None)}") from error

    def dtypes(
        self, given: Described, tensors: Mapping[str, Tensor], values: Mapping[str, Any], exact: Sequence[Tensor]
    ) -> tuple[torch.dtype, ...]:
        """Return the dtype of each output: as the reference has it for the arguments as they are.

        PyTorch computes little in 8 bits: there an output that has one dtype whatever the arguments' is has that, and
        any other the first argument's.
        """
        try:
            return tuple(output.dtype for output in self(given, tensors, values))
        except Exception:
            own = next((tensor.dtype for tensor in tensors.values() if tensor.is_floating_point()), torch.float32)
            single = {
                name: tensor.float() if tensor.is_floating_point() else tensor for name, tensor in tensors.items()
            }
            try:
                other = [output.dtype for output in self(given, single, values)]
            except Exception:
                other = [torch.float32 for _ in exact]
            pairs = zip(exact, other, strict=True)
            return tuple(
                output.dtype if output.dtype == seen and seen != torch.float64 else own for output, seen in pairs
            )


def names_of(count: int, mutates: Sequence[str]) -> tuple[str, ...]:
    """Return by which names outputs are spoken of: "out", or "out[0]" of several, and the changed arguments' own."""
    returned = count - len(mutates)
    own = (OUT,) if returned == 1 else tuple(f"{OUT}[{number}]" for number in range(returned))
    return (*own, *mutates)
