"""Build the messages to recorder and engine: a puzzle's host, its cases, the GPU that it sees, the kernels' texts.

The judge reads these texts itself and does not trust a recorder for them. It has more rights than a recorder, so it
opens only what that may read, and follows no links. An autotuner's other configurations run on some cases only: the
most telling ones are chosen here.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from tritonpuzzles.curriculum.record import Task
from tritonpuzzles.hardware.gpus import DEFAULT_TARGETS, TARGETS
from tritonpuzzles.hardware.l2 import L2, example_of, l2_named, l2_told
from tritonpuzzles.judge.drawn import DrawnCase, Layout
from tritonpuzzles.judge.evidence.fields import SENT
from tritonpuzzles.judge.resolve import resolve
from tritonpuzzles.judge.truth import sampled_bytes
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.sandbox import read_regular
from tritonpuzzles.sandbox.landlock import Access, around
from tritonpuzzles.wire.job import Device, JobBenchmark, JobCase, JobHost, JobInput
from tritonpuzzles.wire.kernels import MAX_FILES
from tritonpuzzles.wire.observed import spanned

MAX_BYTES = 1 << 20
HEADROOM_BYTES = 1 << 20
WHOLE = 64  # sizes that are multiples of it count as whole tiles
TELLING_ELEMENTS = 1 << 19  # of an output: larger cases do not run again for each configuration


def bounds(file: Path) -> dict[str, list[str]]:
    """Return what the process that imports a file may read, and which part of that it may not.

    The file's folder is readable for imports, except hidden files: keys, progress, settings.
    """
    folder = file.absolute().parent
    hidden: list[Path] = []
    with contextlib.suppress(OSError):
        hidden = [path for path in folder.iterdir() if path.name.startswith(".")]
    readable = [folder, Path(os.path.realpath(file))]
    return {"readable": sorted(map(str, readable)), "secrets": sorted(map(str, hidden))}


def readable_in(folder: Path, file: Submission, task: Task) -> Submission:
    """Return a file with the path at which a worker opens it: a copy to be made, if ptxas cannot read its name."""
    opened = file.opened
    if (opened.name.isascii() and '"' not in str(opened)) or not opened.is_file():
        return file
    return replace(file, opened=folder / f"{task.stem}.py")


def granted(confined: Mapping[str, Any], file: Path, folder: Path) -> list[Path]:
    """Return the files and folders that a recorder may read Python files from, its own folder included.

    Before the import it reported where its Python is installed, and which grader files are closed to it. Raises
    ValueError, TypeError or KeyError if that report is not of the expected form.
    """
    own = bounds(file)
    python, walled = (SENT.read(list[str], confined[name]) for name in ("python", "walled"))
    grants = around(map(Path, [*python, *own["readable"], str(folder)]), list(map(Path, [*own["secrets"], *walled])))
    return [grant.path for grant in grants if Access.READ_FILE in grant.access]


class Texts:
    """Reads each file once: later changes are not graded.

    Grants are real paths of files and whole folders; `known` maps paths to texts.
    """

    def __init__(self, grants: Sequence[Path]) -> None:
        self._grants = frozenset(grants)
        self.known: dict[str, str] = {}
        self._asked: set[str] = set()

    def of(self, paths: Sequence[str]) -> dict[str, str]:
        """Return the texts of Python files by path; omit what is no file, not granted, too large or not UTF-8.

        Raises ValueError for more than `MAX_FILES` files, which no honest submission's kernels need.
        """
        for path in sorted(set(paths) - self._asked):
            if len(self._asked) >= MAX_FILES:
                raise ValueError(f"kernels of more than {MAX_FILES} files were reported")
            self._asked.add(path)
            found = self._text(path)
            if found is not None:
                self.known[path] = found
        return {path: self.known[path] for path in paths if path in self.known}

    def _text(self, path: str) -> str | None:
        try:
            real = Path(os.path.realpath(path))
            if self._grants.isdisjoint((real, *real.parents)):
                return None
            return read_regular(real, MAX_BYTES, follow=False).decode("utf-8-sig")
        except (OSError, ValueError):
            return None


def seen_device(device: str, targets: tuple[str, ...]) -> Device:
    """Return the GPU that a host function sees: for "cuda" the machine's own, else the first NVIDIA target's."""
    if device == "cuda":
        return _own_gpu()
    known = [name for name in (*targets, *DEFAULT_TARGETS) if example_of(name) is not None]
    return example(known[0])


def example(name: str) -> Device:
    """Return a GPU, or the example of a target, by the data sheets; the name must be one that records may use."""
    cache = example_of(name)
    assert cache is not None, name
    found = TARGETS[cache.target]
    return Device(
        name=f"NVIDIA {cache.gpu}",
        capability=int(found.arch),
        multiprocessors=cache.multiprocessors,
        shared_bytes_per_block=found.shared_bytes_per_block,
        shared_bytes_per_multiprocessor=found.shared_bytes_per_sm,
        registers_per_multiprocessor=found.registers_per_sm,
        threads_per_multiprocessor=found.max_warps_per_sm * found.warp_size,
        memory_bytes=cache.memory_bytes,
        l2_bytes=cache.nbytes,
    )


def own_l2() -> L2:
    """Return the L2 cache of the machine's own GPU: by its data sheet, else as its driver reports it."""
    own = _own_gpu()
    told = l2_told(own.name, own.capability, own.l2_bytes, own.multiprocessors, own.threads_per_multiprocessor)
    return l2_named(own.name) or told


def _own_gpu() -> Device:
    said = torch.cuda.get_device_properties(0)
    capability = f"sm_{said.major}{said.minor}"
    limits = TARGETS.get(capability, TARGETS["sm_90"])
    return Device(
        name=said.name,
        capability=10 * said.major + said.minor,
        multiprocessors=said.multi_processor_count,
        shared_bytes_per_block=int(getattr(said, "shared_memory_per_block_optin", limits.shared_bytes_per_block)),
        shared_bytes_per_multiprocessor=int(
            getattr(said, "shared_memory_per_multiprocessor", limits.shared_bytes_per_sm)
        ),
        registers_per_multiprocessor=int(getattr(said, "regs_per_multiprocessor", limits.registers_per_sm)),
        threads_per_multiprocessor=int(said.max_threads_per_multi_processor),
        memory_bytes=int(said.total_memory),
        l2_bytes=int(said.L2_cache_size),
    )


def host_of(task: Task) -> JobHost:
    """Return the description of the host function for a worker."""
    arguments = tuple(argument.name for argument in task.arguments)
    outputs = tuple(output.name for output in task.compared)
    gradients = tuple(gradient.name for gradient in task.gradients)
    return JobHost(task.host, arguments, outputs, gradients, task.mutates, task.computes, task.fills)


def job_cases(cases: Sequence[DrawnCase], gpus: Sequence[Device | None], held: bool = False) -> tuple[JobCase, ...]:
    """Return the descriptions of the calls; their numbers are sent separately, see `storages`.

    `gpus` are the GPUs that the host function sees, `None` for the usual one; `held`: launches are compared with them.
    """
    names = [drawn.name for drawn in cases]
    return tuple(
        JobCase(
            name=drawn.name,
            inputs=tuple(job_input(name, f"{index}.{name}", layout) for name, layout in drawn.sent.items()),
            max_output_bytes=output_bytes(drawn),
            values=drawn.values,
            after=names.index(drawn.case.after) if drawn.case.after in names else None,
            phantom=drawn.phantom,
            drawing=drawn.drawing,
            gpu=gpu,
            held=held or drawn.case.cached,
            cached=drawn.case.cached,
            outputs=tuple(output.name for output in drawn.outputs),
            gradients=drawn.against,
            between=drawn.case.between,
            given=drawn.given,
            noted=drawn.noted,
        )
        for index, (drawn, gpu) in enumerate(zip(cases, gpus, strict=True))
    )


def job_benchmark(task: Task, case: int | None, yardsticks: bool) -> JobBenchmark | None:
    """Return the description of a case's timing, with or without yardsticks; `None` if no case is timed."""
    if case is None or task.benchmark is None:
        return None
    baselines = dict(resolve(task).baselines)
    return JobBenchmark(case, baselines, yardsticks, not task.benchmark.memory_bound, str(task.folder))


def storages(cases: Sequence[DrawnCase]) -> dict[str, Tensor]:
    """Return the storages of all cases' inputs, by key."""
    return {
        f"{index}.{name}": layout.storage
        for index, drawn in enumerate(cases)
        if not (drawn.phantom or drawn.drawing)
        for name, layout in drawn.sent.items()
    }


def job_input(name: str, key: str, layout: Layout) -> JobInput:
    """Return a tensor's description for recorder and engine; they spread rows that are far apart themselves."""
    storage_bytes, stride = layout.storage.numel() * layout.storage.element_size(), layout.stride
    if layout.far_stride is not None:
        stride = (layout.far_stride, 1) if stride[-1] == 1 else (1, layout.far_stride)
        storage_bytes = spanned(layout.shape, stride) * layout.storage.element_size()
    dtype, shape, offset = str(layout.storage.dtype).removeprefix("torch."), layout.shape, layout.offset
    return JobInput(name, key, dtype, storage_bytes, shape, stride, offset, layout.far_stride, layout.requires_grad)


def output_bytes(drawn: DrawnCase) -> int:
    """Return how many bytes of outputs a case may send: those of the right outputs, or 0 if they are not sent whole."""
    return 0 if drawn.phantom or drawn.drawing else sum(output.nbytes for output in drawn.outputs)


def max_payload_bytes(cases: Sequence[DrawnCase]) -> int:
    """Return the largest payload that an honest worker sends.

    A case's outputs are sent once, again with exact products, twice for other program orders, and once after tuning.
    """
    whole = max((output_bytes(drawn) for drawn in cases), default=0)
    some = max((sampled_bytes(drawn) for drawn in cases if drawn.drawing), default=0)
    return max(5 * whole, some) + HEADROOM_BYTES


def telling_cases(cases: Sequence[DrawnCase]) -> set[int]:
    """Return the indices of the cases in which an autotuner's configurations differ most.

    These are the longest case along each axis, the largest one of whole tiles, where a configuration has no excuse to
    read too often, and the first with each choice of the other arguments, such as an activation; and the smallest of
    each other dtype and kind of strides, since a configuration may take one stride to be 1.

    Large outputs, empty cases, second calls, phantoms, and tensors with rows far apart are left out.
    """
    fit = [
        index
        for index, drawn in enumerate(cases)
        if not (drawn.is_empty or drawn.case.after or drawn.phantom or drawn.far_apart)
        and sum(prod(output.shape) for output in drawn.outputs) <= TELLING_ELEMENTS
    ]
    axes = range(max((len(cases[index].shape) for index in fit), default=0))
    whole = [index for index in fit if _fits_tiles(cases[index].shape)]
    long = ([index for index in fit if axis < len(cases[index].shape)] for axis in axes)
    longest = {max(able, key=lambda index: cases[index].shape[axis]) for axis, able in enumerate(long)}
    largest = {max(whole, key=lambda index: prod(cases[index].shape))} if whole else set()
    chosen = {str(cases[index].values): index for index in reversed(fit)}
    told = longest | largest | set(chosen.values())
    for kind in (_strides, lambda drawn: drawn.case.dtype):
        found = {kind(cases[index]): index for index in sorted(fit, key=lambda index: -prod(cases[index].shape))}
        known = {kind(cases[index]) for index in told}
        told |= {index for name, index in found.items() if name not in known}
    return told


def _strides(drawn: DrawnCase) -> str:
    """Return which tensors have elements side by side, and whether all are without gaps."""
    side_by_side = [layout.stride[-1:] == (1,) for layout in drawn.inputs]
    return f"{side_by_side} {all(side_by_side) and drawn.case.layout == 'contiguous' and not drawn.case.layouts}"


def _fits_tiles(shape: Sequence[int]) -> bool:
    """Return whether every size of at least one tile is a multiple of the tile."""
    large = [size for size in shape if size >= WHOLE]
    return bool(large) and all(size % WHOLE == 0 for size in large)
