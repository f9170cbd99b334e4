"""Stand-ins for parts of PyTorch and Triton while a host function is recorded.

A simulated GPU, whether there is a real one or not; operators that a file defines for `torch.compile`, whose bodies
are recorded directly; and modes that pass every operation to the recording.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import update_wrapper
from types import SimpleNamespace
from typing import Any
from unittest import mock

import torch
from torch._library import triton as wrapped
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from tritonpuzzles.insides import GPUTarget, driver
from tritonpuzzles.recorder.recording import Recording
from tritonpuzzles.recorder.tensors import GPU
from tritonpuzzles.wire.job import Device

WARP = 32
LIBRARY: Any = torch.library.Library
RUN_ON_GPU = ("", "CUDA", "CompositeExplicitAutograd", "CompositeImplicitAutograd")
NO_GRADIENT = "register_autograd is not recorded here: write a torch.autograd.Function around the operator"
NO_STREAM = "in a stream of its own a kernel neither waits for the inputs nor is waited for"


class _Nowhere:
    """Stands in for a stream, an event or a context: enters, waits and records nothing."""

    cuda_stream = 0
    device = GPU

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Accept any arguments."""

    def __enter__(self) -> _Nowhere:
        return self

    def __exit__(self, *raised: object) -> None:
        return None

    def _nothing(self, *args: Any, **kwargs: Any) -> None:
        return None

    synchronize = record = wait_event = wait_stream = record_event = _nothing


class Stream(_Nowhere):
    """A stand-in for a stream, with its class name in messages."""


class OwnStream(Stream):
    """A stream that a file creates: refused, with a NotImplementedError."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(NO_STREAM)


class Event(_Nowhere):
    """A stand-in for an event, with its class name in messages."""


@contextmanager
def present(device: Device) -> Iterator[None]:
    """Make PyTorch and Triton report this GPU inside a `with` block."""
    with ExitStack() as stack:
        for name, answer in _torch_answers(device).items():
            stack.enter_context(mock.patch.object(torch.cuda, name, answer))
        stack.callback(vars(driver).update, dict(vars(driver)))
        driver.set_active(_driver(device))
        yield


def properties(device: Device) -> SimpleNamespace:
    """Return a GPU's properties under PyTorch's names."""
    return SimpleNamespace(
        name=device.name,
        major=device.capability // 10,
        minor=device.capability % 10,
        multi_processor_count=device.multiprocessors,
        total_memory=device.memory_bytes,
        L2_cache_size=device.l2_bytes,
        warp_size=WARP,
        max_threads_per_multi_processor=device.threads_per_multiprocessor,
        regs_per_multiprocessor=device.registers_per_multiprocessor,
        shared_memory_per_block=48 << 10,
        shared_memory_per_block_optin=device.shared_bytes_per_block,
        shared_memory_per_multiprocessor=device.shared_bytes_per_multiprocessor,
        is_integrated=0,
        is_multi_gpu_board=0,
    )


def _torch_answers(device: Device) -> dict[str, Any]:
    def always(value: Any) -> Any:
        return lambda *args, **kwargs: value

    return {  # each a separate function: PyTorch's compiler reports an error if it finds one twice
        **{name: always(True) for name in ("is_available", "is_initialized")},
        "device_count": always(1),
        "current_device": always(0),
        **{name: always(None) for name in ("set_device", "synchronize", "empty_cache", "init", "_lazy_init")},
        "is_bf16_supported": always(device.capability >= 80),
        "get_device_name": always(device.name),
        "get_device_capability": always(divmod(device.capability, 10)),
        "get_device_properties": always(properties(device)),
        "is_current_stream_capturing": always(False),
        "mem_get_info": always((device.memory_bytes, device.memory_bytes)),
        "current_stream": always(Stream()),
        "default_stream": always(Stream()),
        **dict.fromkeys(("device", "device_of", "stream"), _Nowhere),
        "Stream": Stream,
        "Event": Event,
    }


def _driver(device: Device) -> SimpleNamespace:
    """Return a stand-in for Triton's driver of this GPU."""
    told = {
        "max_shared_mem": device.shared_bytes_per_block,
        "max_num_regs": device.registers_per_multiprocessor,
        "multiprocessor_count": device.multiprocessors,
        "warpSize": WARP,
        "sm_clock_rate": 1_980_000,
        "mem_clock_rate": 3_201_000,
        "mem_bus_width": 6144,
    }
    return SimpleNamespace(
        get_current_device=lambda: 0,
        set_current_device=lambda number: None,
        get_current_stream=lambda number=0: 0,
        get_active_torch_device=lambda: GPU,
        get_device_interface=lambda: torch.cuda,
        get_device_capability=lambda number=0: divmod(device.capability, 10),
        get_current_target=lambda: GPUTarget("cuda", device.capability, WARP),
        utils=SimpleNamespace(get_device_properties=lambda number=0: dict(told)),
    )


class Operator:
    """An operator that the file defines from a function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        update_wrapper(self, function)

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Call the function itself."""
        return self._function(*args, **named)

    def _registered(self, function: Callable[..., Any] | None = None, **options: Any) -> Any:
        """Ignore a function that only `torch.compile` would call."""
        return self._registered if function is None else function

    register_fake = register_vmap = _registered

    @property
    def default(self) -> Operator:
        """The only overload: `torch.ops.mine.softmax.default`."""
        return self

    def register_kernel(self, devices: Any, function: Callable[..., Any] | None = None) -> Any:
        """Accept the function for a device; the one for the GPU replaces the operator's function."""

        def register(body: Callable[..., Any]) -> Callable[..., Any]:
            if devices is None or "cuda" in (devices if isinstance(devices, (list, tuple)) else [devices]):
                self._function = body
            return body

        return register if function is None else register(function)

    def register_autograd(self, *args: Any, **options: Any) -> None:
        """Refuse a gradient formula with a NotImplementedError."""
        raise NotImplementedError(NO_GRADIENT)


def standing_in(define: Callable[..., Any]) -> Callable[..., Any]:
    """Return a stand-in for `torch.library.triton_op` or `custom_op`, which decorate or wrap.

    PyTorch's own modules, which may be imported at any time, still define real operators.
    """

    def operator(name: str, function: Callable[..., Any] | None = None, **options: Any) -> Any:
        def made(body: Callable[..., Any]) -> Any:
            own = str(getattr(body, "__module__", "")).partition(".")[0] == "torch"
            return define(name, body, **options) if own else _announced(name, Operator(body))

        return made if function is None else made(function)

    return operator


def _announced(name: str, operator: Operator) -> Operator:
    """Make an operator available in `torch.ops`, for code that registers it first and calls it elsewhere."""
    space, _, short = name.partition("::")
    found = getattr(torch.ops, space)
    if short.isidentifier() and isinstance(getattr(found, short, operator), Operator):  # PyTorch's own stay
        setattr(found, short, operator)
    return operator


class Library:
    """Stands in for `torch.library.Library`: its operators call the file's implementations for the GPU.

    PyTorch's own modules get a real library.
    """

    def __new__(cls, *args: Any, **named: Any) -> Any:
        """Return a real library for PyTorch's own modules, a stand-in for others."""
        caller = str(sys._getframe(1).f_globals.get("__name__", ""))
        return LIBRARY(*args, **named) if caller.partition(".")[0] == "torch" else super().__new__(cls)

    def __init__(self, ns: str, kind: str = "", dispatch_key: str = "") -> None:
        self.ns, self._key = ns, dispatch_key

    def define(self, schema: str, *args: Any, **options: Any) -> str:
        """Return the name of an operator; its arguments are those of its implementation."""
        return schema.partition("(")[0]

    def impl(self, op_name: Any, fn: Callable[..., Any], dispatch_key: str = "", **options: Any) -> None:
        """Accept an implementation, if it is for the GPU or for every device."""
        if (dispatch_key or self._key) in RUN_ON_GPU:
            _announced(f"{self.ns}::{str(op_name).rpartition('::')[2]}", Operator(fn))

    def _register_fake(self, op_name: str, fn: Any = None, **options: Any) -> Any:
        """Ignore a function that only `torch.compile` would call."""
        return fn


def one_stream() -> AbstractContextManager[object]:
    """Refuse other streams than the current one inside a `with` block."""
    return mock.patch.object(torch.cuda, "Stream", OwnStream)


@contextmanager
def unwrapped() -> Iterator[None]:
    """Call operators and wrapped kernels directly inside a `with` block."""
    with ExitStack() as stack:
        for name in ("triton_op", "custom_op"):
            stack.enter_context(mock.patch.object(torch.library, name, standing_in(getattr(torch.library, name))))
        stack.enter_context(mock.patch.object(torch.library, "Library", Library))
        stack.enter_context(wrapped.set_wrap_triton_enabled(False))
        yield


class Operations(TorchDispatchMode):
    """Passes every operation to the recording, including those without a tensor argument, such as `torch.empty`."""

    def __init__(self, recording: Recording) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._recording = recording

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Prevent an import of PyTorch's compiler, which takes a second or more and would only exclude this class."""
        return False

    def __torch_dispatch__(
        self, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        return self._recording.operation(function, args, kwargs or {})


class _Devices(TorchFunctionMode):
    """Notes the device that an operation names, and replaces it by the CPU, which every PyTorch build has."""

    def __init__(self, recording: Recording) -> None:
        super().__init__()
        self._recording = recording

    def __torch_function__(
        self, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        named = dict(kwargs or {})
        if function is torch.device or named.get("device") is None:
            return function(*args, **named)
        before, self._recording.asked = self._recording.asked, torch.device(named["device"])
        try:
            return function(*args, **{**named, "device": "cpu"})
        finally:
            self._recording.asked = before


@contextmanager
def recorded(recording: Recording) -> Iterator[None]:
    """Pass every operation of PyTorch inside a `with` block to a recording."""
    with one_stream(), _Devices(recording), Operations(recording):
        yield
