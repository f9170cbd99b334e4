"""What the judge hands to a worker: a folder with `job.json` and the inputs' storages as safetensors.

Shared by both sides and free of torch; it never holds an answer.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path

JOB_FILE = "job.json"
STORAGES_FILE = "inputs.safetensors"


@dataclass(frozen=True)
class JobInput:
    """One argument of the host function: a strided view into the storage called `key`, in elements.

    Attributes:
        row_stride: how far apart the worker puts the rows of a contiguous matrix that is too large to be sent with its
            gaps; `None` for what lies in memory as it comes.
    """

    name: str
    key: str
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int
    row_stride: int | None = None


@dataclass(frozen=True)
class JobCase:
    """One call of the host function.

    Attributes:
        name: for messages.
        inputs: in the order of the host function's arguments.
        max_output_bytes: larger outputs are described and not sent.
        after: index of an earlier case whose memory the inputs are put into.
    """

    name: str
    inputs: tuple[JobInput, ...]
    max_output_bytes: int
    after: int | None = None


@dataclass(frozen=True)
class JobBenchmark:
    """What to time, once the judge has found the results right.

    Attributes:
        case: index into the job's cases: the inputs to time on.
        baselines: name -> "module:function", called with the same inputs.
        arithmetic: whether a large matrix product is timed too.
    """

    case: int
    baselines: dict[str, str]
    arithmetic: bool = False


@dataclass(frozen=True)
class Job:
    """All that a worker is told.

    Attributes:
        file: the submission.
        host: the host function's name.
        call: the same for messages: "softmax(x)".
        device: "cpu" or "cuda".
        cases: to run, in order.
        targets: GPUs to compile for that need not be there: "sm_90".
        cache: folder for compile results, or nothing.
        resources: also tell what the compiled kernels use.
    """

    file: str
    host: str
    call: str
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
    return Job(**data, cases=cases, benchmark=JobBenchmark(**benchmark) if benchmark else None)
