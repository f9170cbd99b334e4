"""What a worker tells of the bytes that a call moved, tensor by tensor and line by line."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from tritonpuzzles.judge.evidence.fields import SENT, count, text
from tritonpuzzles.results.traffic import INPUT, OUTPUT, SCRATCH, LineTraffic, Traffic


def traffic_of(data: dict[str, Any], sizes: Mapping[str, int], outputs: Collection[str]) -> Traffic:
    """Read one tensor's bytes; multiples rest on the sizes that the judge knows, and for scratch on the worker's.

    What an atomic operation moves counts: of an input, which nobody may change, as read, and elsewhere as written.
    """
    tensor, told = text(data["tensor"]), count(data["tensor_bytes"])
    size = sizes.get(tensor, told)
    role = OUTPUT if tensor in outputs else INPUT if tensor in sizes else SCRATCH
    loaded, stored, atomic = (count(data[f"{kind}_bytes"]) for kind in ("loaded", "stored", "atomic"))
    read, written = (loaded + atomic, stored) if role == INPUT else (loaded, stored + atomic)
    return Traffic(
        argument=text(data["argument"]),
        loaded_bytes=loaded,
        stored_bytes=stored,
        loaded_times=read / size if size else 0.0,
        stored_times=written / size if size else 0.0,
        atomic_bytes=atomic,
        tensor=tensor,
        role=role,
    )


def line_of(data: dict[str, Any]) -> LineTraffic:
    """Read what one line moved of one tensor."""
    return SENT.read(LineTraffic, data)
