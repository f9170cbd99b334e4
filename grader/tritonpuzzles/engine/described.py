"""What a call did as fields of a frame, and what came back: descriptions, and the bytes that go with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from tritonpuzzles.engine.observation import Observation, OtherOrder
from tritonpuzzles.results.check import plain
from tritonpuzzles.wire.program import Other
from tritonpuzzles.wire.reading import facts_told


def observed(observation: Observation) -> dict[str, Any]:
    """Return an observation as fields of a frame."""
    return {
        "facts": facts_told(observation.facts),
        "traffic": plain(observation.traffic),
        "lines": plain(observation.lines),
        "launches": plain(observation.launches),
        "stored": observation.stored,
        "scratch": observation.scratch,
        "scratch_bytes": observation.scratch_bytes,
        "copies": plain(observation.copies),
        "cache": None if observation.cache is None else plain(observation.cache),
    }


def describe_all(results: Sequence[Tensor | Other], max_bytes: int) -> tuple[list[dict[str, Any]], bytes]:
    """Return the descriptions of results and their bytes, one after the other."""
    described = [describe_output(item, max_bytes) for item in results]
    return [header for header, _ in described], b"".join(data for _, data in described)


def describe_orders(orders: Sequence[OtherOrder], max_bytes: int) -> tuple[list[dict[str, Any]], bytes]:
    """Return the descriptions of what other orders give, and their results' bytes, one after the other."""
    described = [(order, *describe_all(order.results, max_bytes)) for order in orders]
    headers = [
        {"way": order.way, "file": order.file, "line": order.line, "outputs": outputs}
        for order, outputs, _ in described
    ]
    return headers, b"".join(data for *_, data in described)


def describe_output(output: Tensor | Other, max_bytes: int) -> tuple[dict[str, Any], bytes]:
    """Return an output's description and its bytes, row by row; no bytes for what no judge would accept."""
    if isinstance(output, Other):
        return {"type": output.type, "shape": [], "dtype": "", "device": "", "nbytes": 0}, b""
    header = {
        "type": "Tensor",
        "shape": list(output.shape),
        "dtype": str(output.dtype).removeprefix("torch."),
        "device": "cpu" if output.is_meta else str(output.device),  # a phantom stands for a tensor of the case's device
    }
    if output.numel() * output.element_size() > max_bytes:
        return {**header, "nbytes": 0}, b""
    data = output.cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
    return {**header, "nbytes": len(data)}, data
