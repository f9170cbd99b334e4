"""The tensors of calls that stand in text, drawn from a seed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from tritonpuzzles.verifier.calls import VerifyError
from tritonpuzzles.verifier.written import Call, DtypeText, TensorText, Written


def drawn_calls(calls: Sequence[Call], seed: int) -> list[dict[str, Any]]:
    """Return calls with their arguments; the same for the same seed.

    Raises:
        VerifyError: if a tensor is to hold what its dtype cannot.
    """
    return [
        {name: _drawn(name, value, random.Random(f"{seed}/{number}/{name}")) for name, value in call.items()}
        for number, call in enumerate(calls)
    ]


def _drawn(name: str, value: Written, rng: random.Random) -> Any:
    if isinstance(value, DtypeText):
        return getattr(torch, value.name)
    return _tensor(name, value, rng) if isinstance(value, TensorText) else value


def _tensor(name: str, asked: TensorText, rng: random.Random) -> Tensor:
    dtype: torch.dtype = getattr(torch, asked.dtype)
    generator = torch.Generator().manual_seed(rng.getrandbits(63))
    count = torch.Size(asked.shape).numel()
    if isinstance(asked.fill, tuple):
        return _within(name, asked.fill, dtype, count, generator).reshape(asked.shape)
    made = {
        "randn": lambda: torch.randn(count, generator=generator, dtype=torch.float64),
        "zeros": lambda: torch.zeros(count),
        "ones": lambda: torch.ones(count),
        "arange": lambda: torch.arange(count),
    }[asked.fill]()
    return made.to(dtype).reshape(asked.shape)


def _within(
    name: str, bounds: tuple[float, float], dtype: torch.dtype, count: int, generator: torch.Generator
) -> Tensor:
    """Return numbers between two, both included; whole ones where the dtype has no others."""
    low, high = bounds
    if dtype.is_floating_point:
        return (low + (high - low) * torch.rand(count, generator=generator, dtype=torch.float64)).to(dtype)
    least, most = (0, 1) if dtype == torch.bool else (torch.iinfo(dtype).min, torch.iinfo(dtype).max)
    if low < least or high > most:
        raise VerifyError(f"{name} cannot hold {low:.0f} to {high:.0f}: {dtype} ends at {least} and {most}.")
    return torch.randint(int(low), int(high) + 1, (count,), generator=generator).to(dtype)
