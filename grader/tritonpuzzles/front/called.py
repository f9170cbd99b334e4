"""What a tensor is called where kernels have one parameter for several."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Protocol

from tritonpuzzles.front.text import one_line


class Moved(Protocol):
    """Bytes of a tensor that a parameter of a kernel stands for.

    Attributes:
        argument: the parameter.
        tensor: the host function's name for it, where it has one.
    """

    @property
    def argument(self) -> str: ...
    @property
    def tensor(self) -> str | None: ...


def shared_names(rows: Iterable[Moved]) -> frozenset[str]:
    """Return the parameters that stand for several of the host function's tensors, in different launches."""
    tensors: dict[str, set[str | None]] = {}
    for row in rows:
        tensors.setdefault(row.argument, set()).add(row.tensor)
    return frozenset(name for name, found in tensors.items() if len(found) > 1)


def called(row: Moved, shared: Container[str] = ()) -> str:
    """Return a kernel's name for a tensor, with the host function's where it stands for several: `x_ptr (a)`."""
    name = one_line(row.argument)
    return f"{name} ({one_line(row.tensor)})" if row.tensor and row.argument in shared else name
