"""A tensor without values: only shape, strides, dtype, device and identity; and the operations allowed on it.

Its storage is on the meta device, like that of PyTorch's own fake tensors. Access to values fails with a message.
A host function may use PyTorch's operations that allocate, fill, copy or view memory; all others count as work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from tritonpuzzles.wire.observed import spanned

GPU = torch.device("cuda", 0)
CPU = torch.device("cpu")
WINDOW = 44  # bits of the address window of one storage
UNINITIALISED = frozenset({"empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "empty_permuted"})
ZEROS = frozenset({"zeros", "zeros_like", "new_zeros", "zero_"})
ONES = frozenset({"ones", "ones_like", "new_ones"})
FULL: Mapping[str, int] = {"full": 1, "full_like": 1, "new_full": 2, "fill_": 1}  # position of the value
ALLOCATIONS = UNINITIALISED | ZEROS - {"zero_"} | ONES | FULL.keys() - {"fill_"}
FILLS = frozenset({"zero_", "fill_"})
COPIES = frozenset({"clone", "contiguous"})
VIEWS = frozenset(
    [
        *("view", "_unsafe_view", "reshape", "_reshape_alias", "as_strided", "alias", "detach", "lift_fresh"),
        *("t", "transpose", "permute", "mT", "movedim", "expand", "unsqueeze", "squeeze", "view_as_real"),
        *("slice", "select", "narrow", "split", "split_with_sizes", "unbind", "unfold", "diagonal"),
    ]
)
KNOWN = VIEWS | COPIES | FILLS | ALLOCATIONS


def _refusing(name: str, words: str) -> Any:
    """Return a method of a tensor that refuses access to values."""

    def refuse(tensor: Recorded, *args: Any, **kwargs: Any) -> Any:
        return tensor.recording.refuse(name, words)

    return refuse


class Recorded(Tensor):
    """A tensor of a host function that is being recorded."""

    meta: Tensor  # the meta tensor with the same shape and strides; its views share its storage
    place: torch.device  # the device that it reports
    recording: Any  # that it belongs to: a `recording.Recording`, which imports this module
    _is_param: bool  # for `isinstance(tensor, torch.nn.Parameter)`

    @staticmethod
    def __new__(cls, meta: Tensor, place: torch.device, recording: Any, requires_grad: bool = False) -> Recorded:
        """Wrap a meta tensor."""
        tensor = Tensor._make_wrapper_subclass(
            cls,
            meta.size(),
            strides=meta.stride(),
            storage_offset=meta.storage_offset(),
            dtype=meta.dtype,
            device=CPU,
            requires_grad=requires_grad,
        )
        tensor.meta, tensor.place, tensor.recording = meta, place, recording
        assert isinstance(tensor, Recorded)
        return tensor

    def __init__(self, *arguments: Any, **named: Any) -> None:
        """Do nothing: `__new__` has set everything."""

    __torch_function__ = torch._C._disabled_torch_function_impl  # type: ignore[assignment]

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]
        cls, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        found = next(item for item in _flat((args, kwargs)) if isinstance(item, Recorded))
        return found.recording.operation(function, args, kwargs or {})

    # Queries that a host function may make

    @property
    def device(self) -> torch.device:  # type: ignore[override]
        """The device that it reports."""
        return self.place

    @property
    def is_cuda(self) -> bool:  # type: ignore[override]
        """Whether that is a GPU."""
        return self.place.type == "cuda"

    @property
    def is_cpu(self) -> bool:  # type: ignore[override]
        """Whether that is the CPU."""
        return self.place.type == "cpu"

    def get_device(self) -> int:
        """Return the number of the GPU, -1 for the CPU."""
        return self.place.index if self.is_cuda else -1

    def data_ptr(self) -> int:
        """Return a fictitious address, with the alignment that the tensor's offset gives it."""
        start: int = (self.recording.number(self) + 1) << WINDOW
        return start + int(self.storage_offset()) * self.element_size() if self.numel() else 0

    def to(self, *args: Any, **kwargs: Any) -> Any:
        """Return the same tensor if it stays on its device; another dtype is PyTorch's work."""
        asked = kwargs.get("device", next((item for item in args if isinstance(item, (str, torch.device, int))), None))
        if asked is None:
            return super().to(*args, **kwargs)
        if torch.device(asked).type != self.place.type:
            return self.recording.refuse("to", f".to({asked})")
        left = [item for item in args if item is not asked]
        rest = {name: item for name, item in kwargs.items() if name in ("dtype", "memory_format", "copy")}
        return super().to(*left, **rest) if left or rest else self

    def cuda(self, *args: Any, **kwargs: Any) -> Any:
        """Return the same tensor if it is there."""
        return self if self.is_cuda else self.recording.refuse("cuda", ".cuda()")

    def as_subclass(self, cls: Any) -> Any:
        """Refuse: a subclass may answer as it likes."""
        return self.recording.subclassed(cls.__name__)

    # Refused queries

    numpy = _refusing("numpy", ".numpy()")
    __array__ = _refusing("numpy", "NumPy")
    tolist = _refusing("tolist", ".tolist()")
    item = _refusing("item", ".item()")
    __bool__ = _refusing("bool", "a condition on it")
    __int__ = _refusing("int", "int(...)")
    __float__ = _refusing("float", "float(...)")
    __index__ = _refusing("index", "a size or an index made of it")
    __dlpack__ = _refusing("dlpack", "DLPack")

    def cpu(self, *args: Any, **kwargs: Any) -> Any:
        """Return the same tensor if it is there."""
        return self if self.is_cpu else self.recording.refuse("cpu", ".cpu()")

    def __format__(self, specification: str) -> str:
        return repr(self)

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        return f"tensor of shape {tuple(self.shape)}, {self.dtype}, on {self.place}: a host function sees no numbers"


def _flat(value: Any) -> Iterator[Any]:
    """Yield the leaves of nested lists, tuples and dictionaries."""
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (list, tuple)):
        yield value
        return
    for item in value:
        yield from _flat(item)


def alike(meta: Tensor, dtype: torch.dtype | None, memory_format: torch.memory_format | None) -> Tensor:
    """Return a meta tensor like that of `torch.empty_like`: dense, its dimensions in the order of the strides.

    PyTorch's own function imports SymPy for meta tensors, which takes half a second.
    """
    shape, stride = tuple(meta.shape), meta.stride()
    order = list(range(meta.ndim))
    if memory_format in (None, torch.preserve_format) and 0 not in stride:
        order.sort(key=lambda axis: -stride[axis])
    dense, step = [0] * meta.ndim, 1
    for axis in reversed(order):
        dense[axis], step = step, step * max(1, shape[axis])
    return torch.empty_strided(shape, dense, dtype=dtype or meta.dtype, device="meta")


def filling(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Return the number that an operation fills memory with; `None` for one that does not fill."""
    if name in ZEROS:
        return 0
    if name in ONES:
        return 1
    if name in FULL:
        place = FULL[name]
        return kwargs["fill_value"] if "fill_value" in kwargs else kwargs.get("value", args[place:][0])
    return None


def mapped(function: Callable[[Any], Any], value: Any) -> Any:
    """Return nested lists, tuples and dictionaries with a function applied to their leaves."""
    if isinstance(value, dict):
        return {key: mapped(function, item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        items = [mapped(function, item) for item in value]
        return type(value)(items) if type(value) in (list, tuple) else tuple(items)
    return function(value)


def look_inside(meta: Tensor) -> None:
    """Raise PyTorch's RuntimeError for a view that exceeds its storage: it does not check meta tensors itself."""
    size = meta.element_size() * (int(meta.storage_offset()) + spanned(meta.shape, meta.stride()))
    if meta.numel() and size > (nbytes := meta.untyped_storage().nbytes()):
        form = f"sizes {list(meta.shape)}, strides {list(meta.stride())}, storage offset {meta.storage_offset()}"
        needed = f"itemsize {meta.element_size()} requiring a storage size of {size}"
        raise RuntimeError(f"setStorage: {form}, and {needed} are out of bounds for storage of size {nbytes}")


def number_in(item: Any) -> Any:
    """Return the value of a constant tensor made by the host function, as by `y[0] = 1`, or any other item itself."""
    constant = isinstance(item, Tensor) and not isinstance(item, Recorded) and item.ndim == 0
    return item.item() if constant else item


def tensors_in(value: Any) -> Iterator[Tensor]:
    """Yield the tensors in nested lists, tuples and dictionaries."""
    return (item for item in _flat(value) if isinstance(item, Tensor))


def written_by(function: Any, args: Sequence[Any], named: Mapping[str, Any]) -> list[Tensor]:
    """Return the arguments that a PyTorch operation writes to, according to its schema."""
    written = [
        args[number] if number < len(args) else named.get(argument.name)
        for number, argument in enumerate(function._schema.arguments)
        if argument.alias_info is not None and argument.alias_info.is_write
    ]
    return list(tensors_in(written))


def storage_identity(tensor: Tensor) -> int:
    """Return a number that identifies a tensor's storage during its lifetime."""
    return int(tensor.untyped_storage()._cdata)
