"""Guard zones on the GPU: memory of ours around every tensor, so that a stray store is seen and a stray load is NaN.

A tensor lies in the middle of a storage that is larger than it by `GUARD_BYTES` on either side. A store further away
than that hits other tensors or nothing, and is the driver's to find.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

from tritonpuzzles.engine.memory import ALL_ONES
from tritonpuzzles.wire.facts import CallFact

GUARD_BYTES = 1 << 20  # a multiple of every alignment that Triton asks for


def guarded(storage: Tensor, device: str) -> Tensor:
    """Return a flat copy of a storage, on a device, with guard zones around it.

    Args:
        storage: (n,) any dtype.
        device: where the copy lies.
    """
    middle = reserve(storage.numel(), storage.dtype, torch.device(device))
    return middle.copy_(storage)


def reserve(elements: int, dtype: torch.dtype, device: torch.device) -> Tensor:
    """Return fresh memory with guard zones around it, (elements,)."""
    guard = GUARD_BYTES // dtype.itemsize
    whole = torch.empty(elements + 2 * guard, dtype=dtype, device=device)
    for zone in zones(whole):
        zone.fill_(ALL_ONES)
    return whole[guard : guard + elements]


def zones(tensor: Tensor) -> tuple[Tensor, Tensor]:
    """Return the zones before and after a guarded tensor, as bytes."""
    whole = torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(tensor.untyped_storage())
    return whole[:GUARD_BYTES], whole[whole.numel() - GUARD_BYTES :]


def stray_stores(tensors: Iterable[tuple[str, Tensor]], is_fresh: bool) -> list[CallFact]:
    """Return a fact for each zone that was written to.

    Args:
        tensors: guarded tensors by their names.
        is_fresh: whether the host function has allocated them.
    """
    found = []
    for name, tensor in tensors:
        before, after = zones(tensor)
        for sign, zone in ((-1, before.flip(0)), (1, after)):
            touched = torch.nonzero(zone != ALL_ONES)
            if touched.numel():
                nearest = int(touched[0]) // tensor.element_size() + 1
                found.append(CallFact("out-of-bounds-store", name, sign * nearest, is_fresh=is_fresh))
    return found
