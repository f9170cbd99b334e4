"""Lets a host function find a GPU: `torch.cuda` and Triton's driver answer for the one that the judge names.

No GPU is touched in this process, whether there is one or not.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace
from typing import Any
from unittest import mock

import torch

from tritonpuzzles.insides import GPUTarget, driver
from tritonpuzzles.recorder.tensors import GPU
from tritonpuzzles.wire.job import Device

WARP = 32


class _Nowhere:
    """Stands in for a stream, an event or a context: enters, waits and records nothing."""

    cuda_stream = 0
    device = GPU

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Take what such things are made of."""

    def __enter__(self) -> _Nowhere:
        return self

    def __exit__(self, *raised: object) -> None:
        return None

    def _nothing(self, *args: Any, **kwargs: Any) -> None:
        return None

    synchronize = record = wait_event = wait_stream = record_event = _nothing


class Stream(_Nowhere):
    """A stream, by its name in messages."""


class Event(_Nowhere):
    """An event, by its name in messages."""


@contextmanager
def present(device: Device) -> Iterator[None]:
    """Answer for a GPU inside a `with` block."""
    with ExitStack() as stack:
        for name, answer in _torch_answers(device).items():
            stack.enter_context(mock.patch.object(torch.cuda, name, answer))
        before = dict(vars(driver))
        stack.callback(vars(driver).update, before)
        driver.set_active(_driver(device))
        yield


def properties(device: Device) -> SimpleNamespace:
    """Return a GPU's properties under the names that PyTorch has for them."""
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

    return {
        "is_available": always(True),
        "is_initialized": always(True),
        "device_count": always(1),
        "current_device": always(0),
        "set_device": always(None),
        "synchronize": always(None),
        "empty_cache": always(None),
        "init": always(None),
        "_lazy_init": always(None),
        "is_bf16_supported": always(device.capability >= 80),
        "get_device_name": always(device.name),
        "get_device_capability": always(divmod(device.capability, 10)),
        "get_device_properties": always(properties(device)),
        "mem_get_info": always((device.memory_bytes, device.memory_bytes)),
        "current_stream": always(Stream()),
        "default_stream": always(Stream()),
        "device": _Nowhere,
        "device_of": _Nowhere,
        "stream": _Nowhere,
        "Stream": Stream,
        "Event": Event,
    }


def _driver(device: Device) -> SimpleNamespace:
    """Return what Triton's own driver would say."""
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
