"""Fresh memory is filled with a mark, so that no gap looks right, and what is left of it on the GPU is seen.

The mark is a NaN that no arithmetic gives: NVIDIA's is 0x7FFF and 0x7FFFFFFF, PyTorch's 0x7E00 and 0x7FC00000.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from tritonpuzzles.results.where import Region
from tritonpuzzles.wire.facts import CallFact

WORD = 0xFFFD - 0x10000  # of 16 bits, repeated: a quiet NaN in every floating dtype of 16, 32 and 64 bits
BYTE = 0x7B  # repeated: large and finite in every dtype that has no NaN


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
    words = tensor.contiguous().reshape(-1).view(torch.int16).reshape(tensor.numel(), -1)
    return (words == WORD).all(dim=1).reshape(tensor.shape)


def unmarked(outputs: Sequence[Tensor]) -> list[CallFact]:
    """Return a fact for each output, whose memory had been marked, with elements that nothing was stored to."""
    found = []
    for output in outputs:
        if bool((missing := unwritten(output)).any()):
            mask = missing.cpu().numpy()
            found.append(CallFact("unwritten-elements", count=int(mask.sum()), of=mask.size, where=Region.of(mask)))
    return found


def _can_be_marked(tensor: Tensor) -> bool:
    return tensor.is_floating_point() and tensor.element_size() >= 2
