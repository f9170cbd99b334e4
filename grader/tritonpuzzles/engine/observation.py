"""What one recorded call did when it was run: launches, traffic, memory, results; and that as fields of a frame."""

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
    """Return the whole numbers of a launch that are no constexprs, by name: `{"n_cols": 781}`."""
    names = [parameter.name for parameter in kernel.params if not parameter.is_constexpr]
    return {name: value for name in names if type(value := arguments.get(name)) is int}


def whole_constants(kernel: Any, arguments: Mapping[str, Any]) -> dict[str, int]:
    """Return the whole-number constexprs of a launch by name: `{"BLOCK_SIZE": 1024}`."""
    names = [parameter.name for parameter in kernel.params if parameter.is_constexpr]
    values = {name: getattr(arguments.get(name), "value", arguments.get(name)) for name in names}
    return {name: value for name, value in values.items() if type(value) is int}


@dataclass
class Observation:
    """What the worker tells of one case, beside the outputs' bytes.

    Attributes:
        results: what came back: tensors, and descriptions of what is none.
        stored: whether any kernel stored anything; on the GPU, whether an output holds anything.
        scratch: what was allocated and not returned.
        copies: of the inputs, that the host function made: whose, and in which line.
        exact: where float32 products were cut to TF32, the results of a run that cuts none.
        cache: what DRAM moves behind the L2 cache of the call's GPU, where that is asked for.
        orders: what other orders of its programs give, where atomic operations may make the order matter.
    """

    results: Sequence[Tensor | Other]
    facts: list[Fact] = field(default_factory=list)
    traffic: list[TensorTraffic] = field(default_factory=list)
    lines: list[LineTraffic] = field(default_factory=list)
    launches: list[LaunchSummary] = field(default_factory=list)
    stored: bool = False
    scratch: Sequence[Allocate] = ()
    copies: list[HostCopy] = field(default_factory=list)
    exact: Sequence[Tensor | Other] = ()
    cache: CacheTraffic | None = None
    orders: Sequence[OtherOrder] = ()


@dataclass(frozen=True)
class OtherOrder:
    """What a call gives when its programs run in another order, or twice.

    Attributes:
        way: "last first" or "shuffled"; "tuned" where an autotuner has run the launch before, on the same memory.
        file, line: where a program first sees what others have done by atomics; of the launch.
    """

    way: str
    file: str
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
    data = bytes_of(output.cpu()).numpy().tobytes()
    return {**header, "nbytes": len(data)}, data
