"""What of a launch explains that elements are stored more than once."""

from __future__ import annotations

from tritonpuzzles.judge.wording.clue import Clue
from tritonpuzzles.judge.wording.launches import Launch
from tritonpuzzles.source.spelling import asked_axes
from tritonpuzzles.wire.facts import Tensor

AXES = 3


def overlaps(tensor: Tensor) -> Clue | None:
    """Return that rows or columns of what is stored to are one, as those of an expanded tensor are."""
    shape, strides = tensor.shape, tuple(tensor.strides)
    if not any(size > 1 and stride == 0 for size, stride in zip(shape, strides, strict=True)):
        return None
    text = f"{tensor.name} is a {shape} view with strides {strides}: where a stride is 0, elements share their place."
    return Clue(text, "Allocate it with torch.empty(shape): it needs a place for each element.")


def idle_axis(launch: Launch) -> Clue | None:
    """Return the axis of a grid along which no program asks for its number, though there are several."""
    asked = asked_axes(launch.function)
    idle = [axis for axis in range(AXES) if launch.grid[axis] > 1 and asked and axis not in asked]
    if not idle:
        return None
    axis, count = idle[0], launch.grid[idle[0]]
    text = f"The grid has {count:,} programs along axis {axis}, and none asks for tl.program_id({axis})."
    step = f"Launch a grid without that axis, or let tl.program_id({axis}) decide what a program does."
    return Clue(text, step, launch.line, of_grid=True)
