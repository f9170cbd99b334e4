"""What the judge hands to a worker: a folder with `job.json` and the inputs' storages as safetensors.

Shared by both sides and free of torch; it never holds an answer.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

JOB_FILE = "job.json"
STORAGES_FILE = "inputs.safetensors"

Value = bool | int | float | str


@dataclass(frozen=True)
class JobInput:
    """One tensor of a call: a strided view into the storage called `key`, in elements.

    Attributes:
        row_stride: how far apart the worker puts the rows of a contiguous matrix that is too large to be sent with its
            gaps; `None` for what lies in memory as it comes.
        requires_grad: whether autograd follows it.
    """

    name: str
    key: str
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int
    row_stride: int | None = None
    requires_grad: bool = False


@dataclass(frozen=True)
class JobCase:
    """One call of the host function.

    Attributes:
        name: for messages.
        inputs: its tensors, and of a backward call the gradients behind them.
        values: arguments that are no tensors, by name.
        max_output_bytes: larger outputs are described and not sent.
        after: index of an earlier case whose memory the inputs are put into.
    """

    name: str
    inputs: tuple[JobInput, ...]
    max_output_bytes: int
    values: dict[str, Value] = field(default_factory=dict)
    after: int | None = None


@dataclass(frozen=True)
class JobHost:
    """The host function, and how it is called.

    Attributes:
        name: of the function.
        arguments: names, in the order of the call.
        outputs: names of what comes back, in order.
        gradients: names of the inputs that the results are differentiated against; none for a forward call.
    """

    name: str
    arguments: tuple[str, ...]
    outputs: tuple[str, ...]
    gradients: tuple[str, ...] = ()

    @property
    def call(self) -> str:
        """The same for messages: "softmax(x)"."""
        return f"{self.name}({', '.join(self.arguments)})"


@dataclass(frozen=True)
class JobBenchmark:
    """What to time, once the judge has found the results right.

    Attributes:
        case: index into the job's cases: the inputs to time on.
        baselines: name -> "module:function", called with the same arguments.
        arithmetic: whether a large matrix product is timed too.
        folder: of the pack, for baselines of its own.
    """

    case: int
    baselines: dict[str, str]
    arithmetic: bool = False
    folder: str | None = None


@dataclass(frozen=True)
class Job:
    """All that a worker is told.

    Attributes:
        file: the submission.
        host: what is called, and how.
        device: "cpu" or "cuda".
        cases: to run, in order.
        targets: GPUs to compile for that need not be there: "sm_90".
        cache: folder for compile results, or nothing.
        resources: also tell what the compiled kernels use.
    """

    file: str
    host: JobHost
    device: str
    cases: tuple[JobCase, ...]
    targets: tuple[str, ...] = ()
    cache: str | None = None
    benchmark: JobBenchmark | None = None
    resources: bool = False


def write_job(folder: Path, job: Job) -> None:
    """Write `job.json`."""
    (folder / JOB_FILE).write_text(json.dumps(dataclasses.asdict(job)), encoding="utf-8")


def read_job(folder: Path) -> Job:
    """Read `job.json`."""
    data = json.loads((folder / JOB_FILE).read_text(encoding="utf-8"))
    cases = tuple(
        JobCase(**{**case, "inputs": tuple(JobInput(**item) for item in case["inputs"])}) for case in data.pop("cases")
    )
    benchmark = data.pop("benchmark")
    host = read_host(data.pop("host"))
    return Job(**data, host=host, cases=cases, benchmark=JobBenchmark(**benchmark) if benchmark else None)


def read_host(data: dict[str, Any]) -> JobHost:
    """Read what `dataclasses.asdict` and JSON make of a host function."""
    return JobHost(data["name"], *(tuple(data[name]) for name in ("arguments", "outputs", "gradients")))
