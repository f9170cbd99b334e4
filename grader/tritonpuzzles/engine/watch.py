"""Find faults of a call on the GPU by guard zones, marks in fresh memory, copies of its inputs, and repeated runs.

Every tensor lies in the middle of a storage that has guard zones of `GUARD_BYTES` on either side: so a stray store is
detected, and a stray load reads NaN. A store further away hits other tensors or unmapped memory, which the driver
reports. Fresh memory is filled with a mark, so that no gap looks right: a NaN that no arithmetic gives; NVIDIA's is
0x7FFF and 0x7FFFFFFF, PyTorch's 0x7E00 and 0x7FC00000. In repeated runs, a race between programs sometimes gives other
bits, and a stray load does if the guard zones hold other bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import torch
from torch import Tensor

from tritonpuzzles.engine.memory import ALL_ONES, bytes_of, whole_storage
from tritonpuzzles.results.where import Region
from tritonpuzzles.wire.facts import CallFact

GUARD_BYTES = 1 << 20  # a multiple of every alignment that Triton uses
LARGE_BYTES = 256 << 20  # of a storage; the gaps of a larger one are checked before it is copied
PIECE_BYTES = 64 << 20  # compared at once, to limit temporary memory
BITS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
REPEATS = 5
MAX_BYTES = 256 << 20  # of outputs: calls with larger ones run once
OTHER_BYTE = 0x44  # repeated: 4.27 in float16, 785 in float32 and in bfloat16
WORD = 0xFFFD - 0x10000  # of 16 bits, repeated: a quiet NaN in every floating dtype of 16, 32 and 64 bits
BYTE = 0x7B  # repeated: large and finite in every dtype that has no NaN


def reserve(elements: int, dtype: torch.dtype, device: str) -> Tensor:
    """Return fresh memory with guard zones around it, (elements,)."""
    guard = GUARD_BYTES // dtype.itemsize
    whole = torch.empty(elements + 2 * guard, dtype=dtype, device=device)
    for zone in zones(whole):
        zone.fill_(ALL_ONES)
    return whole[guard : guard + elements]


def zones(tensor: Tensor) -> tuple[Tensor, Tensor]:
    """Return the zones before and after a guarded tensor, as bytes."""
    whole = whole_storage(tensor)
    return whole[:GUARD_BYTES], whole[whole.numel() - GUARD_BYTES :]


def stray_stores(tensors: Iterable[tuple[str, Tensor]], is_fresh: bool) -> list[CallFact]:
    """Return a fact for each guard zone that was written to; `is_fresh`: the host function allocated the tensors."""
    found = []
    for name, tensor in tensors:
        before, after = zones(tensor)
        for sign, zone in ((-1, before.flip(0)), (1, after)):
            touched = torch.nonzero(zone != ALL_ONES)
            if touched.numel():
                nearest = int(touched[0]) // tensor.element_size() + 1
                found.append(CallFact("out-of-bounds-store", name, sign * nearest, is_fresh=is_fresh))
    return found


class Kept:
    """A copy of an input's whole storage, its gaps included.

    If a large storage has gaps of all ones, only the elements are copied: rows 2^30 elements apart take 4 GiB once, not
    twice.
    """

    def __init__(self, tensor: Tensor, large: int = LARGE_BYTES) -> None:
        self._tensor = tensor
        self._elements_alone = tensor.untyped_storage().nbytes() > large and self._changed_gaps() == 0
        self._before = bits(tensor).clone() if self._elements_alone else whole_storage(tensor).clone()

    def changed_bytes(self) -> int:
        """Return how many bytes have changed."""
        if not self._elements_alone:
            return _different(whole_storage(self._tensor), self._before)
        return _different(bytes_of(bits(self._tensor)), bytes_of(self._before)) + self._changed_gaps()

    def _changed_gaps(self) -> int:
        """Return how many bytes between and around the elements are not all ones."""
        elements = bits(self._tensor)
        now = elements.clone()
        elements.fill_(-1 if elements.dtype.is_signed else ALL_ONES)
        try:
            return sum(
                int((piece != ALL_ONES).sum()) for piece in torch.split(whole_storage(self._tensor), PIECE_BYTES)
            )
        finally:
            elements.copy_(now)


def bits(tensor: Tensor) -> Tensor:
    """Return a tensor's elements as whole numbers of their size, in place."""
    return tensor.view(BITS[tensor.element_size()])


def _different(now: Tensor, before: Tensor) -> int:
    if torch.equal(now, before):
        return 0
    pairs = zip(torch.split(now, PIECE_BYTES), torch.split(before, PIECE_BYTES), strict=True)
    return sum(int((one != other).sum()) for one, other in pairs)


def kept(inputs: Mapping[str, Tensor], but: Collection[str] = ()) -> dict[str, Kept]:
    """Return a copy of each input's storage, `but` some; an input without memory cannot change."""
    return {name: Kept(tensor) for name, tensor in inputs.items() if not (tensor.is_meta or name in but)}


def changed_inputs(before: Mapping[str, Kept]) -> list[CallFact]:
    """Return a fact for each input that was written to."""
    changed = ((name, one.changed_bytes()) for name, one in before.items())
    return [CallFact("input-modified", name, count) for name, count in changed if count]


def are_worth_repeating(outputs: Sequence[Tensor]) -> bool:
    """Return whether outputs are small enough to be computed repeatedly."""
    return sum(output.numel() * output.element_size() for output in outputs) <= MAX_BYTES


def differing_runs(run: Callable[[], Sequence[Tensor]], outputs: Sequence[Tensor]) -> list[CallFact]:
    """Return a fact if any repeated run gives other bits than these outputs of the first run."""
    first = [output.clone() for output in outputs]
    for number in range(2, REPEATS + 1):
        again = run()
        for before, after in zip(first, again, strict=False):
            changed = different(before, after)
            if changed.numel():
                index = tuple(changed[0].tolist())
                return [CallFact("race", count=len(changed), of=REPEATS, run=number, first=index)]
    return []


def different(before: Tensor, after: Tensor) -> Tensor:
    """Return the indices of the elements whose bits differ, (count, ndim)."""
    if before.shape != after.shape or before.dtype != after.dtype:
        return torch.zeros(1, before.ndim, dtype=torch.int64)
    width = BITS[before.element_size()]
    return torch.nonzero(before.contiguous().view(width) != after.contiguous().view(width))


def dependences(
    run: Callable[[], Sequence[Tensor]], inputs: Mapping[str, Tensor], outputs: Sequence[Tensor]
) -> list[CallFact]:
    """Return a fact for each input if the result depends on the memory around it.

    A load outside an input whose value is unused is not detected. `outputs` are from a run with the usual guard zones,
    of a kernel that is known to be deterministic.
    """
    first = [output.clone() for output in outputs]
    found = []
    for name, tensor in inputs.items():
        again = _with_other_zones(run, tensor)
        changed = sum(len(different(before, after)) for before, after in zip(first, again, strict=False))
        if changed:
            found.append(CallFact("out-of-bounds-load", name, changed))
    return found


def _with_other_zones(run: Callable[[], Sequence[Tensor]], tensor: Tensor) -> Sequence[Tensor]:
    """Return the outputs of a run in which the zones around one tensor hold other bytes."""
    around = zones(tensor)
    for zone in around:
        zone.fill_(OTHER_BYTE)
    try:
        return run()
    finally:
        for zone in around:
            zone.fill_(ALL_ONES)


def poison(tensor: Tensor) -> Tensor:
    """Fill fresh memory with the mark, or with a large number in dtypes that have no NaN; return it."""
    if not _can_be_marked(tensor):
        return tensor.fill_(int.from_bytes(bytes([BYTE] * tensor.element_size()), "little"))
    words = torch.full((tensor.element_size() // 2,), WORD, dtype=torch.int16, device=tensor.device)
    return tensor.copy_(words.view(tensor.dtype)[0])


def unwritten(tensor: Tensor) -> Tensor:
    """Return the mask of the elements that still hold the mark; all false for dtypes that cannot."""
    if not _can_be_marked(tensor) or not tensor.numel():
        return torch.zeros(tensor.shape, dtype=torch.bool, device=tensor.device)
    words = bytes_of(tensor).view(torch.int16).reshape(tensor.numel(), -1)
    return (words == WORD).all(dim=1).reshape(tensor.shape)


def unmarked(outputs: Sequence[Tensor]) -> list[CallFact]:
    """Return a fact for each output, whose memory was marked, that has elements without a store."""
    found = []
    for output in outputs:
        if bool((missing := unwritten(output)).any()):
            mask = missing.cpu().numpy()
            found.append(CallFact("unwritten-elements", count=int(mask.sum()), of=mask.size, where=Region.of(mask)))
    return found


def _can_be_marked(tensor: Tensor) -> bool:
    return tensor.is_floating_point() and tensor.element_size() >= 2
