"""Watch what PyTorch does inside the host function: it may allocate, reshape, compute sizes and launch.

A dispatch mode, not a search through the text: it sees every operation, whoever calls it and under whatever name.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from tritonpuzzles.engine.tensors import storage_key
from tritonpuzzles.engine.watch.unwritten import poison
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.trace import HostOperation

UNINITIALISED = frozenset({"empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "empty_permuted"})
INITIALISED = frozenset(
    {"zeros", "zeros_like", "new_zeros", "ones", "ones_like", "new_ones", "full", "full_like", "new_full"}
)
COPIES = frozenset({"clone", "contiguous"})
FILLS = frozenset({"zero_", "fill_"})
VIEWS = frozenset(
    [
        "view",
        "_unsafe_view",
        "reshape",
        "_reshape_alias",
        "t",
        "transpose",
        "permute",
        "mT",
        "expand",
        "slice",
        "select",
        "unsqueeze",
        "squeeze",
        "as_strided",
        "detach",
        "alias",
        "narrow",
        "split",
        "split_with_sizes",
        "unbind",
        "unfold",
        "view_as_real",
        "diagonal",
        "movedim",
        "lift_fresh",
        "is_pinned",
    ]
)


class HostGuard(TorchDispatchMode):
    """Record the memory that the host function allocates and the operations that it may not do.

    Args:
        inputs: the host function's arguments by name.
        path: the submission, for line numbers.
        on_uninitialised: called with each tensor that nothing has been written to.
        on_filled: called with each of those that the host function then fills.
        place: returns the memory that a fresh tensor gets in its stead.
    """

    def __init__(
        self,
        inputs: Mapping[str, Tensor],
        path: Path,
        on_uninitialised: Callable[[Tensor], None] = lambda _: None,
        on_filled: Callable[[Tensor], None] = lambda _: None,
        place: Callable[[Tensor], Tensor] = lambda fresh: fresh,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._path = str(path)
        self._on_uninitialised, self._on_filled, self._place = on_uninitialised, on_filled, place
        self._forbidden: Counter[tuple[str, int | None]] = Counter()
        self.origins: dict[int, str] = {storage_key(tensor): name for name, tensor in inputs.items()}
        self.placed: list[Tensor] = []  # what nothing had been written to
        self.allocated: dict[int, Tensor] = {}  # kept alive, so that no address is used twice
        self.copied_bytes: Counter[str] = Counter()
        self._launched: set[int] = set()
        self._late: Counter[tuple[str, int | None]] = Counter()
        self._calls: Counter[str] = Counter()
        self._bytes: Counter[str] = Counter()

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Keep PyTorch from importing its compiler, a second or more, only to keep that away from this class."""
        return False

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        name = func.overloadpacket.__name__
        result = func(*args, **(kwargs or {}))
        self._count(name, result)
        if name in UNINITIALISED:
            result = self._place(result)
            self._allocate(poison(result))
            self.placed.append(result)
            self._on_uninitialised(result)
        elif name in INITIALISED:
            self._allocate(result)
        elif name in COPIES:
            self._copy(args[0], result)
        elif name in FILLS and storage_key(args[0]) in self._launched:
            self._late[name, self._line()] += 1
        elif name in FILLS and storage_key(args[0]) in self.allocated:
            self._on_filled(args[0])
        elif name not in VIEWS:
            self._forbidden[name, self._line()] += 1
        return result

    def note_launch(self, values: Iterable[Any]) -> None:
        """Note that a kernel was launched on these arguments: what it wrote is not the host function's to change."""
        self._launched.update(storage_key(value) for value in values if isinstance(value, Tensor))

    def _count(self, name: str, result: Any) -> None:
        if name not in VIEWS:
            self._calls[name] += 1
            self._bytes[name] += result.numel() * result.element_size() if isinstance(result, Tensor) else 0

    @property
    def operations(self) -> list[HostOperation]:
        """What the host function asked of PyTorch, views left out, with the bytes of the results."""
        return [HostOperation(name, calls, self._bytes[name]) for name, calls in self._calls.items()]

    def _allocate(self, tensor: Tensor) -> None:
        self.allocated[storage_key(tensor)] = tensor

    def _copy(self, source: Tensor, result: Tensor) -> None:
        self._allocate(result)
        origin = self.origins.get(storage_key(source))
        if origin is not None:
            self.origins[storage_key(result)] = origin
            self.copied_bytes[origin] += source.numel() * source.element_size()

    def _line(self) -> int | None:
        frame = sys._getframe(2)
        while frame is not None and frame.f_code.co_filename != self._path:
            frame = frame.f_back  # type: ignore[assignment]
        return frame.f_lineno if frame is not None else None

    def knows(self, storage: int) -> bool:
        """Return whether a storage is an input's, or was allocated by an operation that is allowed."""
        return storage in self.origins or storage in self.allocated

    def findings(self, call: str) -> list[Finding]:
        """Return one finding per forbidden operation and line."""
        late = [
            Finding(
                "host-wrote-output",
                f"{call} writes with torch's {name}{times(count)} to memory that a kernel was launched on before.",
                file=self._path,
                line=line,
                next_step="Let the kernel write the result, all of it.",
            )
            for (name, line), count in self._late.items()
        ]
        return late + [
            Finding(
                "torch-compute",
                f"{call} runs torch's {name}{times(count)}: the host function may only allocate, reshape, compute "
                "sizes and launch.",
                file=self._path,
                line=line,
                next_step=f"Do the work of {name} in the kernel.",
                details={"operation": name, "count": count},
            )
            for (name, line), count in self._forbidden.items()
        ]


def times(count: int) -> str:
    """Return " 3 times" for 3 and nothing for 1."""
    return f" {count} times" if count > 1 else ""
