"""What of a launch explains that its kernel leaves a matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tritonpuzzles.engine.interpreter.ledger import Event
from tritonpuzzles.results.words import plural

if TYPE_CHECKING:
    from tritonpuzzles.engine.interpreter.launch import Launch
    from tritonpuzzles.engine.interpreter.regions import Region

MANY = 8  # rows: with fewer, a program has their number by chance


def clue_of(launch: Launch, event: Event, region: Region) -> tuple[str, str] | None:
    """Say what of a launch explains that it leaves a matrix, and what to do: programs behind its rows, or no stride."""
    tensor, programs = region.tensor, launch.grid[0]
    if tensor.dim() != 2 or event.element is None:
        return None
    rows, stride = tensor.shape[0], tensor.stride(0)
    first = launch.grid[1:] == (1, 1) and event.program == rows < programs and rows >= MANY
    if first and stride and event.element // stride == rows:
        text = f"Program {rows:,} is the first without a row: {programs:,} are launched for {plural(rows, 'row')}."
        return text, "Launch one program per row, or leave those out that have none."
    stem = region.name.removesuffix("_ptr")
    wrong = [
        (name, value)
        for name, value in launch.bound.items()
        if type(value) is int and name.startswith(stem) and "stride" in name and value not in tensor.stride()
    ]
    if rows > 1 and stem and len(wrong) == 1:
        name, value = wrong[0]
        text = f"{name} is {value:,} in the launch, and the rows of {region.name} are {stride:,} elements apart."
        return text, f"Pass the stride of {region.name} as {name}."
    numbers = {value for value in launch.bound.values() if type(value) is int}
    if rows > 1 and numbers and stride not in numbers:
        text = f"No argument of the launch is the row stride of {region.name}, {stride:,}."
        return text, f"Pass that stride to the kernel, and step from row to row of {region.name} by it."
    return None
