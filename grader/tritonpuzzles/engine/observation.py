"""The observation of one run of a recorded call: launches, traffic, memory, results; and its fields in a frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

from tritonpuzzles.engine.memory import bytes_of
from tritonpuzzles.engine.program import elements
from tritonpuzzles.results.check import plain
from tritonpuzzles.results.traffic import CacheTraffic, LineTraffic
from tritonpuzzles.wire.facts import Fact
from tritonpuzzles.wire.observed import HostCopy, LaunchSummary, TensorTraffic
from tritonpuzzles.wire.program import Allocate, Other
from tritonpuzzles.wire.reading import facts_told


def whole_numbers(kernel: Any, arguments: Mapping[str, Any]) -> dict[str, int]:
    """Return the whole-number arguments of a launch that are not constexprs, by name: `{"n_cols": 781}`."""
    names = [parameter.name for parameter in kernel.params if not parameter.is_constexpr]
    return {name: value for name in names if type(value := arguments.get(name)) is int}


def whole_constants(kernel: Any, arguments: Mapping[str, Any]) -> dict[str, int]:
    """Return the whole-number constexprs of a launch by name: `{"BLOCK_SIZE": 1024}`."""
    names = [parameter.name for parameter in kernel.params if parameter.is_constexpr]
    values = {name: getattr(arguments.get(name), "value", arguments.get(name)) for name in names}
    return {name: value for name, value in values.items() if type(value) is int}


@dataclass
class Observation:
    """The worker's report on one case, without the outputs' bytes."""

    results: Sequence[Tensor | Other]  # the returned tensors, and descriptions of other returned values
    facts: list[Fact] = field(default_factory=list)
    traffic: list[TensorTraffic] = field(default_factory=list)
    lines: list[LineTraffic] = field(default_factory=list)
    launches: list[LaunchSummary] = field(default_factory=list)
    stored: bool = False  # whether any kernel stored anything; on the GPU, whether outputs or memory elsewhere changed
    scratch: Sequence[Allocate] = ()  # allocations that were not returned
    copies: list[HostCopy] = field(default_factory=list)  # of inputs, by the host function: input and line
    exact: Sequence[Tensor | Other] = ()  # results without rounding to TF32, if float32 products were rounded
    cache: CacheTraffic | None = None  # DRAM traffic behind the L2 cache of the call's GPU, if requested
    orders: Sequence[OtherOrder] = ()  # of its programs, if atomic operations may make the order matter


@dataclass(frozen=True)
class OtherOrder:
    """The results of a call whose programs run in another order, or twice."""

    way: str  # "last first" or "shuffled"; "tuned" if an autotuner has run the launch before, on the same memory
    file: str  # file and line where a program first depends on others' atomics; for "tuned", of the launch
    line: int
    results: Sequence[Tensor | Other]


def observed(observation: Observation) -> dict[str, Any]:
    """Return an observation as fields of a frame."""
    names = ("traffic", "lines", "launches", "stored", "copies", "cache")
    return {
        "facts": facts_told(observation.facts),
        "scratch": [elements(made) for made in observation.scratch],
        "scratch_bytes": sum(made.nbytes for made in observation.scratch),
        **{name: plain(getattr(observation, name)) for name in names},
    }


def describe_all(results: Sequence[Tensor | Other], max_bytes: int) -> tuple[list[dict[str, Any]], bytes]:
    """Return the descriptions of results and their bytes, one after the other."""
    described = [describe_output(item, max_bytes) for item in results]
    return [header for header, _ in described], b"".join(data for _, data in described)


def describe_orders(orders: Sequence[OtherOrder], max_bytes: int) -> tuple[list[dict[str, Any]], bytes]:
    """Return descriptions of the results of other orders, and their bytes, one after the other."""
    described = [(order, *describe_all(order.results, max_bytes)) for order in orders]
    headers = [
        {"way": order.way, "file": order.file, "line": order.line, "outputs": outputs}
        for order, outputs, _ in described
    ]
    return headers, b"".join(data for *_, data in described)


def describe_output(output: Tensor | Other, max_bytes: int) -> tuple[dict[str, Any], bytes]:
    """Return an output's description and its bytes, row by row; no bytes for a non-tensor or one too large."""
    if isinstance(output, Other):
        return {"type": output.type, "shape": [], "dtype": "", "contiguous": True, "device": "", "nbytes": 0}, b""
    header = {
        "type": "Tensor",
        "shape": list(output.shape),
        "dtype": str(output.dtype).removeprefix("torch."),
        "contiguous": output.is_contiguous(),
        "device": "cpu" if output.is_meta else str(output.device),  # a phantom stands for a tensor on the case's device
    }
    if output.numel() * output.element_size() > max_bytes:
        return {**header, "nbytes": 0}, b""
    data = bytes_of(output.cpu()).numpy().tobytes()
    return {**header, "nbytes": len(data)}, data
