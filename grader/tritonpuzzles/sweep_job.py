"""What the judge hands to a worker that times one file, or PyTorch alone, over sizes: `sweep.json`, no tensors.

Shared by both sides and free of torch. The worker draws its inputs itself (see `drawing`): a tensor of 2 GiB is not
sent through a file.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from pathlib import Path

SWEEP_FILE = "sweep.json"


@dataclass(frozen=True)
class PointJob:
    """One size.

    Attributes:
        shape: of every input.
        seed: of the numbers that the kernel is timed on.
        check_seed: of those that replace them before the last timed call, whose output the judge looks at.
        copy_bytes: of a copy that is timed beside the baselines; nothing where none is asked for.
    """

    shape: tuple[int, ...]
    seed: int
    check_seed: int
    copy_bytes: int | None = None


@dataclass(frozen=True)
class SweepJob:
    """All that a worker is told.

    Attributes:
        file: the submission; with none, the baselines and copies are timed, in a process that has seen no submission.
        host, arguments: the host function, and the names of its arguments.
        family: that the inputs are drawn from, "module:function".
        dtype: of the inputs.
        points: in the order in which they will be asked for.
        baselines: name -> "module:function".
        arithmetic: whether a large matrix product is timed too.
    """

    file: str | None
    host: str
    arguments: tuple[str, ...]
    family: str
    dtype: str
    points: tuple[PointJob, ...]
    baselines: dict[str, str] = field(default_factory=dict)
    arithmetic: bool = False

    @property
    def call(self) -> str:
        """The host function as messages name it: "softmax(x)"."""
        return f"{self.host}({', '.join(self.arguments)})"


def write_sweep_job(folder: Path, job: SweepJob) -> None:
    """Write `sweep.json`."""
    (folder / SWEEP_FILE).write_text(json.dumps(dataclasses.asdict(job)), encoding="utf-8")


def read_sweep_job(folder: Path) -> SweepJob:
    """Read `sweep.json`."""
    data = json.loads((folder / SWEEP_FILE).read_text(encoding="utf-8"))
    points = tuple(PointJob(**{**point, "shape": tuple(point["shape"])}) for point in data.pop("points"))
    return SweepJob(**{**data, "arguments": tuple(data["arguments"])}, points=points)
