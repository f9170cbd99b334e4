"""Which GPU a roofline is of, and what was measured on it."""

from __future__ import annotations

from collections.abc import Sequence

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.workspace.state import Entries
from tritonpuzzles.hardware.gpus import GPUS, Gpu, gpu_named
from tritonpuzzles.results.inspect import Point

USUAL = "H200"  # where nothing else is known


def refuse_without_figures(items: Sequence[tuple[Puzzle, object]]) -> list[str]:
    """Return a sentence about each puzzle whose record does not place it under a roofline.

    Raises:
        FrontError: if that is all of them.
    """
    said = [_lacks(puzzle) for puzzle, _ in items if not (puzzle.operations and puzzle.benchmark)]
    if len(said) == len(items):
        raise FrontError(" ".join(said), "add both to the record: tritonpuzzles docs packs says what they hold")
    return said


def _lacks(puzzle: Puzzle) -> str:
    operations = "operations" if puzzle.operations == "" else f"operations but {puzzle.operations}"
    parts = [(operations, puzzle.operations), ("[benchmark]", puzzle.benchmark)]
    missing = " and no ".join(name for name, value in parts if not value)
    return f"Puzzle {puzzle.number}, {puzzle.slug}, has no point: its record has no {missing}."


def choose_gpu(asked: str | None, progress: Entries, here: str | None) -> tuple[Gpu, str | None]:
    """Return the GPU to draw, and why it is that one if nobody asked for it.

    Args:
        asked: its name, as the learner writes it.
        progress: where the learner's best rates and their GPUs stand.
        here: what the driver calls this machine's GPU.

    Raises:
        FrontError: if nothing is known of the GPU that was asked for.
    """
    if asked is not None:
        gpu = gpu_named(asked)
        if gpu is None:
            raise FrontError(f"No figures are known for the GPU {asked}.", f"--gpu with one of {', '.join(GPUS)}")
        return gpu, None
    devices = [entry.best.device for entry in progress.values() if entry.best]
    for device, why in [
        *((d, "your rates were measured on it") for d in devices),
        (here or "", "it is in this machine"),
    ]:
        gpu = gpu_named(device)
        if gpu is not None:
            return gpu, f"The {gpu.name}, as {why}; --gpu names another."
    unknown = f"No figures are known for {here}" if here else "No GPU here"
    return GPUS[USUAL], f"{unknown}: the roofline of the {USUAL}; --gpu names another."


def measured_on(gpu: Gpu, points: Sequence[Point], progress: Entries) -> dict[int, float]:
    """Return the learner's best rates on a GPU, as TFLOP/s by puzzle number."""
    found = {}
    for point in points:
        entry = progress.get(point.slug)
        best = entry.best if entry else None
        if best is not None and best.unit == point.unit and gpu_named(best.device) == gpu:
            found[point.puzzle] = point.tflop_per_s(best.rate)
    return found
