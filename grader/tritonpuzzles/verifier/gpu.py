"""A fake GPU in CPU memory: what `device="cuda"`, `.cuda()`, `x.is_cuda` and the like do while it is active.

Each tensor is marked as being on the CPU or the GPU, and results inherit the mark; a transfer makes a copy.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from tritonpuzzles.insides import do_bench
from tritonpuzzles.recorder.stand_ins import RUN_ON_GPU
from tritonpuzzles.recorder.tensors import CPU, GPU, UNINITIALISED, tensors_in, written_by
from tritonpuzzles.verifier.places import is_on_gpu, leave_empty, note_written, place, put, storage_of

Written = Callable[[Tensor], None]
_CUDA = "cuda"
# Operators implemented in Python for the GPU, each with its library, which must still be alive.
_IMPLEMENTATIONS: dict[str, tuple[weakref.ref[Any], Callable[..., Any]]] = {}


def _is_gpu(device: Any) -> bool:
    if isinstance(device, torch.device):
        return device.type == _CUDA
    return (isinstance(device, str) and device.startswith(_CUDA)) or type(device) is int


def _on_cpu(item: Any) -> Any:
    return CPU if isinstance(item, torch.device) and item.type == _CUDA else item


class Memory(TorchDispatchMode):
    """Runs every operation on the CPU, marks where its results are, and reports each tensor that it has written."""

    def __init__(self, written: Written) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._written = written

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Keep PyTorch from importing its compiler just to disable it for this class."""
        return False

    def __torch_dispatch__(
        self, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if any(not issubclass(kind, torch.nn.Parameter) and kind is not Tensor for kind in types):
            return NotImplemented  # a subclass's own operations are dispatched here again
        named = dict(kwargs or {})
        given = [*tensors_in(args), *tensors_in(named)]
        asked = named.get("device")
        on_gpu = any(map(is_on_gpu, given)) if asked is None else _is_gpu(asked)
        if on_gpu and (own := _implementation(function.name())) is not None:
            with self:
                return own(*args, **named)
        result = function(*map(_on_cpu, args), **{name: _on_cpu(item) for name, item in named.items()})
        changed = written_by(function, args, named) if function._schema.is_mutable else []
        for tensor in changed:
            note_written(tensor)
            self._written(tensor)
        if on_gpu:
            if function.overloadpacket.__name__ != "copy_":  # only autograd's `copy_` takes tensors of both devices
                for tensor in changed:
                    put(tensor, True)
            kept = {id(storage_of(tensor)) for tensor in changed}
            for tensor in tensors_in(result):
                if id(storage_of(tensor)) not in kept:
                    put(tensor, True)
            if function.overloadpacket.__name__ in UNINITIALISED:
                leave_empty(result)
        return result


def _implementation(name: str) -> Callable[..., Any] | None:
    library, function = _IMPLEMENTATIONS.get(name, (lambda: None, None))
    return function if getattr(library(), "m", None) is not None else None


# What Python code asks tensors and PyTorch


def _to(plain: Any) -> Callable[..., Any]:
    def to(tensor: Tensor, *args: Any, **named: Any) -> Any:
        """Copy a tensor if it changes its device."""
        other = args[0] if args else named.get("other")
        if isinstance(other, Tensor):
            rest = {name: item for name, item in named.items() if name != "other"}
            return to(tensor, place(other), other.dtype, *args[1:], **rest)
        device = named.pop("device", None)
        if args and (isinstance(args[0], (str, torch.device)) or type(args[0]) is int or args[0] is None):
            device, args = args[0], args[1:]
        if device is not None and torch.device(device).type not in (_CUDA, "cpu"):
            return plain(tensor, device, *args, **named)
        if device is None or _is_gpu(device) == is_on_gpu(tensor):
            return plain(tensor, *args, **named) if args or named else tensor
        dtype = next((item for item in args if isinstance(item, torch.dtype)), named.pop("dtype", None))
        layout = {"memory_format": named["memory_format"]} if "memory_format" in named else {}
        moved = plain(tensor, dtype or tensor.dtype, copy=True, **layout)
        put(moved, _is_gpu(device))
        return moved

    return to


def _made(plain: Any) -> Callable[..., Any]:
    """Return the replacement of a function that makes a tensor from data."""

    def make(*args: Any, device: Any = None, **named: Any) -> Any:
        if device is None:
            source = args[0] if args else named.get("data")
            kept = isinstance(source, Tensor) and is_on_gpu(source)
            device = GPU if kept else place(torch.empty(0))  # heeds the device of a `with` block
        source = args[0] if args and isinstance(args[0], Tensor) else None
        if source is not None and plain in (_AS_TENSOR, _AS_ARRAY):
            return source.to(device, *([named["dtype"]] if named.get("dtype") is not None else []))
        with torch._C.DisableTorchFunction():
            result = plain(*args, **named, device=CPU)
        put(result, _is_gpu(device))
        return result

    return make


_AS_TENSOR, _AS_ARRAY = torch.as_tensor, torch.asarray


class _Generator(torch.Generator):
    """A generator of random numbers, of the CPU's."""

    def __new__(cls, device: Any = None) -> Any:
        return super().__new__(cls, CPU)  # type: ignore[call-arg]


class _Philox:
    """The part of the GPU's default generator that a library uses: a seed and an offset, which the library advances."""

    def __init__(self) -> None:
        self._state = torch.tensor([0, 0])

    def get_state(self) -> Tensor:
        """Return both, as bytes."""
        return self._state.clone().view(torch.uint8)

    def set_state(self, state: Tensor) -> None:
        """Take both, as bytes."""
        self._state = state.clone().view(torch.int64)

    def manual_seed(self, seed: int) -> _Philox:
        """Set the seed, and the offset to 0."""
        self._state = torch.tensor([seed, 0])
        return self

    def initial_seed(self) -> int:
        """Return the seed."""
        return int(self._state[0])


def _implement(plain: Any) -> Callable[..., Any]:
    def impl(library: Any, op_name: Any, fn: Any, dispatch_key: str = "", **options: Any) -> Any:
        """Keep what is implemented in Python for the GPU."""
        name = op_name if isinstance(op_name, str) else op_name.name()
        name = name if "::" in name else f"{library.ns}::{name}"
        own = library.ns == "aten" and str(getattr(fn, "__module__", "")).partition(".")[0] == "torch"
        key = dispatch_key or library.dispatch_key
        if key in RUN_ON_GPU and callable(fn) and not own and (key == "CUDA" or name not in _IMPLEMENTATIONS):
            _IMPLEMENTATIONS[name] = weakref.ref(library), fn
        return plain(library, op_name, fn, dispatch_key, **options)

    return impl


def _clone(plain: Any) -> Callable[..., Any]:
    def clone(storage: Any) -> Any:
        """Copy a storage, as `copy.deepcopy` does, with its device mark."""
        copied = plain(storage)
        vars(copied).update(vars(storage))
        return copied

    return clone


def _with_cpu(plain: Any) -> Callable[..., Any]:
    """Return the replacement of a function that takes a device type."""

    def call(*args: Any, **named: Any) -> Any:
        args = tuple("cpu" if item == _CUDA else item for item in args)
        return plain(*args, **{name: "cpu" if item == _CUDA else item for name, item in named.items()})

    return call


def _autocast(plain: Any) -> Callable[..., Any]:
    """Return the replacement of `autocast.__init__`; on a GPU the default dtype is float16."""

    def make(self: Any, device_type: str, dtype: Any = None, *args: Any, **named: Any) -> None:
        if device_type == _CUDA:
            device_type, dtype = "cpu", dtype or torch.float16
        plain(self, device_type, dtype, *args, **named)

    return make


def _not_timed(function: Callable[[], Any], *args: Any, quantiles: Any = None, **named: Any) -> Any:
    """Run the function of `do_bench` once: all take the same time, so that a tuner chooses its first configuration."""
    function()
    return 1.0 if quantiles is None else [1.0] * len(quantiles)


def _not_compiled(model: Any = None, **options: Any) -> Any:
    """Leave what `torch.compile` would compile as it is."""
    return (lambda function: function) if model is None else model


def _always(value: Any) -> Callable[..., Any]:
    return lambda *args, **named: value


def _patches() -> Iterator[tuple[Any, str, Any]]:
    plain = torch._C.TensorBase.device
    yield Tensor, "device", property(lambda one: place(one) if plain.__get__(one).type == "cpu" else plain.__get__(one))
    yield Tensor, "is_cuda", property(is_on_gpu)
    yield Tensor, "is_cpu", property(lambda one: plain.__get__(one).type == "cpu" and not is_on_gpu(one))
    yield Tensor, "get_device", lambda one: 0 if is_on_gpu(one) else -1
    yield Tensor, "to", _to(Tensor.to)
    yield Tensor, "cuda", lambda one, device=None, non_blocking=False, **layout: one.to(GPU, **layout)
    yield Tensor, "cpu", lambda one, **layout: one.to(CPU, **layout)
    yield Tensor, "pin_memory", lambda one, device=None: one
    yield Tensor, "is_pinned", _always(False)
    yield Tensor, "record_stream", _always(None)
    yield Tensor, "new_tensor", lambda one, data, **named: torch.tensor(data, **{"device": place(one), **named})
    yield torch.UntypedStorage, "clone", _clone(torch.UntypedStorage.clone)
    for name in ("tensor", "as_tensor", "asarray"):
        yield torch, name, _made(getattr(torch, name))
    yield torch, "Generator", _Generator
    yield torch, "compile", _not_compiled
    for name in ("is_autocast_enabled", "get_autocast_dtype", "set_autocast_enabled", "set_autocast_dtype"):
        yield torch, name, _with_cpu(getattr(torch, name))
    yield torch.autocast, "__init__", _autocast(torch.autocast.__init__)
    yield sys.modules[do_bench.__module__], "do_bench", _not_timed
    yield torch.library.Library, "impl", _implement(torch.library.Library.impl)
    yield torch.version, "cuda", "12.8"
    yield torch.backends.cuda, "is_built", _always(True)
    yield torch.cuda, "get_rng_state", _always(torch.get_rng_state())
    yield torch.cuda, "set_rng_state", _always(None)
    for name in ("manual_seed", "manual_seed_all", "reset_peak_memory_stats", "ipc_collect"):
        yield torch.cuda, name, _always(None)
    for name in ("memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved"):
        yield torch.cuda, name, _always(0)
    yield torch.cuda, "default_generators", (_Philox(),)
    yield torch.cuda, "is_current_stream_capturing", _always(False)


@contextmanager
def standing_in(written: Written) -> Iterator[None]:
    """Take the CPU's memory for a GPU's inside a `with` block."""
    with ExitStack() as stack:
        for owner, name, value in _patches():
            stack.enter_context(mock.patch.object(owner, name, value))
        stack.enter_context(Memory(written))
        yield
