"""What the judge hands to a worker that times one file, or PyTorch alone, over sizes: `bench.json`, no tensors.

Shared by both sides. The worker draws its inputs itself (see `drawing`): a tensor of 2 GiB is not
sent through a file.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tritonpuzzles.wire.drawing import TensorSpec
from tritonpuzzles.wire.job import JobHost, Value, read_host

BENCH_FILE = "bench.json"


@dataclass(frozen=True)
class PointJob:
    """One size.

    Attributes:
        shape: of the call.
        tensors: what is drawn for it.
        seed: of the numbers that the kernel is timed on.
        check_seed: of those that replace them before the last timed call, whose output the judge looks at.
        copy_bytes: of a copy that is timed beside the baselines; nothing where none is asked for.
    """

    shape: tuple[int, ...]
    tensors: tuple[TensorSpec, ...]
    seed: int
    check_seed: int
    copy_bytes: int | None = None


@dataclass(frozen=True)
class BenchJob:
    """All that a worker is told.

    Attributes:
        file: the submission; with none, the baselines and copies are timed, in a process that has seen no submission.
        host: what is called, and how.
        values: arguments that are no tensors, by name.
        requires_grad: names of the tensors that autograd follows.
        family: that the inputs are drawn from, "module:function".
        folder: of the pack, for families and baselines of its own.
        dtype: of a large matrix product, where one is timed.
        points: in the order in which they will be asked for.
        baselines: name -> "module:function".
        arithmetic: whether a large matrix product is timed too.
    """

    file: str | None
    host: JobHost
    values: dict[str, Value]
    requires_grad: tuple[str, ...]
    family: str
    folder: str
    dtype: str
    points: tuple[PointJob, ...]
    baselines: dict[str, str] = field(default_factory=dict)
    arithmetic: bool = False


def write_bench_job(folder: Path, job: BenchJob) -> None:
    """Write `bench.json`."""
    (folder / BENCH_FILE).write_text(json.dumps(dataclasses.asdict(job)), encoding="utf-8")


def read_bench_job(folder: Path) -> BenchJob:
    """Read `bench.json`."""
    data = json.loads((folder / BENCH_FILE).read_text(encoding="utf-8"))
    points = tuple(_point(point) for point in data.pop("points"))
    host = read_host(data.pop("host"))
    return BenchJob(**{**data, "requires_grad": tuple(data["requires_grad"])}, host=host, points=points)


def _point(data: dict[str, Any]) -> PointJob:
    tensors = tuple(TensorSpec(**{**spec, "shape": tuple(spec["shape"])}) for spec in data["tensors"])
    return PointJob(**{**data, "shape": tuple(data["shape"]), "tensors": tensors})
