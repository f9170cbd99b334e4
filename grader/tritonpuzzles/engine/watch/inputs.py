"""Whether a call leaves its inputs as they were."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import torch
from torch import Tensor

from tritonpuzzles.engine.memory import ALL_ONES, whole_storage
from tritonpuzzles.wire.facts import CallFact

LARGE_BYTES = 256 << 20  # of a storage that is worth a closer look before it is copied
PIECE_BYTES = 64 << 20
BITS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


class Kept:
    """What an input's whole storage held, its gaps included.

    Of a large storage with gaps that are all ones, the elements alone are copied: rows 2^30 elements apart take 4 GiB
    once, and not twice.

    Args:
        tensor: the input.
        large: bytes from which on its storage counts as large.
    """

    def __init__(self, tensor: Tensor, large: int = LARGE_BYTES) -> None:
        self._tensor = tensor
        self._elements_alone = tensor.untyped_storage().nbytes() > large and self._changed_gaps() == 0
        self._before = bits(tensor).clone() if self._elements_alone else whole_storage(tensor).clone()

    def changed_bytes(self) -> int:
        """Return how many bytes hold something else now."""
        if not self._elements_alone:
            return _different(whole_storage(self._tensor), self._before)
        return _different(_bytes(bits(self._tensor)), _bytes(self._before)) + self._changed_gaps()

    def _changed_gaps(self) -> int:
        """Return how many bytes between and around the elements are not all ones."""
        elements = bits(self._tensor)
        now = elements.clone()
        elements.fill_(-1 if elements.dtype.is_signed else ALL_ONES)
        try:
            return sum(int((piece != ALL_ONES).sum()) for piece in pieces(whole_storage(self._tensor)))
        finally:
            elements.copy_(now)


def bits(tensor: Tensor) -> Tensor:
    """Return a tensor's elements as whole numbers of their size, in place."""
    return tensor.view(BITS[tensor.element_size()])


def pieces(data: Tensor) -> Iterator[Tensor]:
    """Yield flat bytes in pieces that leave room for what is computed of them."""
    yield from torch.split(data, PIECE_BYTES)


def _bytes(tensor: Tensor) -> Tensor:
    return tensor.contiguous().reshape(-1).view(torch.uint8)


def _different(now: Tensor, before: Tensor) -> int:
    if torch.equal(now, before):
        return 0
    return sum(int((one != other).sum()) for one, other in zip(pieces(now), pieces(before), strict=True))


def kept(inputs: Mapping[str, Tensor], but: Collection[str] = ()) -> dict[str, Kept]:
    """Return what the storage of each input holds, `but` some; one without memory cannot change."""
    return {name: Kept(tensor) for name, tensor in inputs.items() if not (tensor.is_meta or name in but)}


def changed_inputs(before: Mapping[str, Kept]) -> list[CallFact]:
    """Return a fact for each input that was written to."""
    changed = ((name, one.changed_bytes()) for name, one in before.items())
    return [CallFact("input-modified", name, count) for name, count in changed if count]
