"""What recorder and engine are told of a puzzle and its cases."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.judge.drawn import DrawnCase, Layout
from tritonpuzzles.judge.resolve import resolve
from tritonpuzzles.judge.sample import sampled_bytes
from tritonpuzzles.wire.job import Device, JobBenchmark, JobCase, JobHost, JobInput

HEADROOM_BYTES = 1 << 20


def host_of(puzzle: Puzzle) -> JobHost:
    """Return what a worker is told of the host function."""
    return JobHost(
        name=puzzle.host,
        arguments=tuple(argument.name for argument in puzzle.arguments),
        outputs=tuple(output.name for output in puzzle.compared),
        gradients=tuple(gradient.name for gradient in puzzle.gradients),
    )


def job_cases(cases: Sequence[DrawnCase], gpus: Sequence[Device | None]) -> tuple[JobCase, ...]:
    """Return what is told of the calls; their numbers travel apart, see `storages`.

    Args:
        cases: drawn for this run.
        gpus: for each the one that its launches are held against, if any.
    """
    names = [drawn.name for drawn in cases]
    return tuple(_job_case(index, drawn, names, gpus[index]) for index, drawn in enumerate(cases))


def _job_case(index: int, drawn: DrawnCase, names: Sequence[str], gpu: Device | None) -> JobCase:
    case = drawn.case
    inputs = tuple(job_input(name, f"{index}.{name}", layout) for name, layout in drawn.sent.items())
    after = names.index(case.after) if case.after in names else None
    return JobCase(
        drawn.name,
        inputs,
        output_bytes(drawn),
        drawn.values,
        after,
        drawn.phantom,
        drawn.drawing,
        gpu,
        case.cached,
        tuple(output.name for output in drawn.outputs),
        drawn.against,
        case.between,
    )


def job_benchmark(puzzle: Puzzle, case: int | None) -> JobBenchmark | None:
    """Return what is told of the timing of a case, by its index; nothing where none is timed."""
    if case is None or puzzle.benchmark is None:
        return None
    baselines = dict(resolve(puzzle).baselines)
    return JobBenchmark(case, baselines, not puzzle.benchmark.memory_bound, str(puzzle.folder))


def storages(cases: Sequence[DrawnCase]) -> dict[str, Tensor]:
    """Return the inputs' memory of all cases, by key."""
    return {
        f"{index}.{name}": layout.storage
        for index, drawn in enumerate(cases)
        if not (drawn.phantom or drawn.drawing)
        for name, layout in drawn.sent.items()
    }


def job_input(name: str, key: str, layout: Layout) -> JobInput:
    """Return what recorder and engine are told of a tensor; both lay out rows that are far apart by themselves."""
    storage_bytes, stride = layout.storage.numel() * layout.storage.element_size(), layout.stride
    if layout.far_stride is not None:
        stride = (layout.far_stride, 1) if stride[-1] == 1 else (1, layout.far_stride)
        reach = 1 + sum((size - 1) * step for size, step in zip(layout.shape, stride, strict=True))
        storage_bytes = reach * layout.storage.element_size()
    return JobInput(
        name=name,
        key=key,
        dtype=str(layout.storage.dtype).removeprefix("torch."),
        storage_bytes=storage_bytes,
        shape=layout.shape,
        stride=stride,
        offset=layout.offset,
        far_stride=layout.far_stride,
        requires_grad=layout.requires_grad,
    )


def output_bytes(drawn: DrawnCase) -> int:
    """Return how many bytes of outputs a case sends at most: as many as the right ones have, where all are sent."""
    return 0 if drawn.phantom or drawn.drawing else sum(output.nbytes for output in drawn.outputs)


def max_payload_bytes(cases: Sequence[DrawnCase]) -> int:
    """Return the largest frame that an honest worker sends.

    A case's outputs, once more with exact products, and twice with its programs in other orders.
    """
    whole = max((output_bytes(drawn) for drawn in cases), default=0)
    some = max((sampled_bytes(drawn) for drawn in cases if drawn.drawing), default=0)
    return max(4 * whole, some) + HEADROOM_BYTES
