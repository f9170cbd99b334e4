"""Interpret the arguments, the grid and the options of a launch as Triton does. Does not import torch or triton.

Triton has more options: files that replace compiled code, libraries, options of ptxas. Their contents would not be
checked, so the list here is short: only numbers and truth values.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

Option = int | bool
GRID_LIMITS = (2**31 - 1, 65_535, 65_535)  # programs along x, y and z
NUMBERS = {"num_warps": (1, 1024), "num_stages": (0, 64), "num_ctas": (1, 64), "maxnreg": (1, 1024)}
REGISTERS, MOST_REGISTERS = 65_536, 255  # of a block and of a thread, on every NVIDIA GPU of this course
FLAGS = ("enable_fp_fusion", "launch_cooperative_grid", "launch_pdl")
TAKEN = (*NUMBERS, *FLAGS)
NOT_TAKEN = "unsupported-operation"  # code of the finding on an option that Triton has and the grader does not support


class LaunchError(ValueError):
    """A launch that Triton would refuse; the message is a sentence without the kernel's name.

    Attributes:
        code: of the finding.
        next_step: what to do, if there is one remedy.
        sizes: what is passed and wrong, with its value.
    """

    code = "kernel-error"

    def __init__(
        self, message: str, code: str = code, next_step: str | None = None, sizes: Mapping[str, int] | None = None
    ) -> None:
        super().__init__(message)
        self.code, self.next_step, self.sizes = code, next_step, sizes or {}


def read_option(name: str, value: Any) -> Option:
    """Return an option's value; raises LaunchError, with a clause, if the option or the value is not supported."""
    if name in FLAGS:
        if type(value) is bool or (type(value) is int and value in (0, 1)):
            return bool(value)
        raise LaunchError(f"{name} is {_shown(value)}, and may be True or False")
    if name not in NUMBERS:
        raise LaunchError(f"it has the option {name[:60]}; {', '.join(TAKEN)} are taken")
    least, most = NUMBERS[name]
    if type(value) is not int or not least <= value <= most:
        is_few = isinstance(value, int) and value < least
        bound = f"{least} or more, as with max({least}, ...)" if is_few else f"a whole number of {most:,} or less"
        text = f"{name} is {_shown(value)}, and may be a whole number from {least} to {most:,}"
        sizes = {name: value} if type(value) is int else None
        raise LaunchError(text, next_step=f"Let {name} be {bound}.", sizes=sizes)
    return value


def read_options(options: dict[str, Any]) -> dict[str, Option]:
    """Return a launch's options; raises as `read_option` does."""
    return {name: read_option(name, value) for name, value in options.items()}


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


def options_of(options: dict[str, Any], known: Collection[str]) -> dict[str, Option]:
    """Return launch options with their checked values; an option that is None counts as left out.

    `known` has the names of all options of Triton. Raises LaunchError for one that is not among them, for one that is
    not supported here, and for a value out of range.
    """
    found: dict[str, Option] = {}
    for name, value in options.items():
        plain = _plain(value)
        if name not in known:
            raise LaunchError(f"{name} is neither a parameter of the kernel nor a launch option.")
        try:
            if plain is not None:
                found[name] = read_option(name, plain)
        except LaunchError as error:
            if name in TAKEN:
                raise LaunchError(f"In this launch {error}.", LaunchError.code, error.next_step, error.sizes) from error
            text = f"The launch is not one that this course takes: {error}."
            step = "Leave it out: the grader compiles and runs the text of the kernel, and nothing beside it."
            raise LaunchError(text, NOT_TAKEN, step) from error
    return found


def check_parameters(names: Collection[str], known: Collection[str]) -> None:
    """Raise LaunchError for a parameter that Triton would treat as an option that is not supported here."""
    for name in names:
        if name in known and name not in TAKEN:
            text = f"Triton takes the parameter {name} for its option of that name."
            raise LaunchError(text, NOT_TAKEN, f"Give the parameter another name than {name}.")


def check_registers(arguments: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Raise LaunchError if `maxnreg` allows the threads of a block more registers than it has: such a launch may fail.

    A kernel's parameter with the name of an option also sets the option.
    """
    given = {"num_warps": 4, "maxnreg": 0, **arguments, **options}
    threads, each = (_plain(given[name]) or 0 for name in ("num_warps", "maxnreg"))
    threads *= 32
    if threads * min(each, MOST_REGISTERS) > REGISTERS:
        all_told = f"{threads:,} threads with {each:,} registers each (maxnreg) need {threads * each:,}"
        step = f"Let maxnreg be {REGISTERS // threads} or less, or leave it out."
        raise LaunchError(f"{all_told}, and a block has {REGISTERS:,}.", "out-of-resources", step, {"maxnreg": each})


def _plain(value: Any) -> Any:
    """Return the value of a constexpr, and an integer of another library as Python's int."""
    value = getattr(value, "value", value)
    return value if isinstance(value, bool) or not hasattr(value, "__index__") else int(value)


def bind(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the parameters by name, defaults included, and the options; a missing or doubled one is a TypeError."""
    names = set(function.signature.parameters)
    options = {name: value for name, value in kwargs.items() if name not in names}
    bound = function.signature.bind(*args, **{name: value for name, value in kwargs.items() if name in names})
    bound.apply_defaults()
    return dict(bound.arguments), options


def launch_grid(grid: Any, bound: dict[str, Any]) -> tuple[int, int, int]:
    """Return the grid as three numbers.

    Raises LaunchError if it is not a tuple of one to three whole numbers, or exceeds a GPU's limits, which the
    interpreter does not have.
    """
    sizes = grid(bound) if callable(grid) else grid
    if not isinstance(sizes, (tuple, list)) or not 1 <= len(sizes) <= 3:
        raise LaunchError(f"The grid must be a tuple of 1 to 3 sizes, such as (n,); it is {sizes!r}.")
    found = []
    for axis, size in enumerate(sizes):
        size, limit = getattr(size, "value", size), GRID_LIMITS[axis]
        if isinstance(size, float) or not hasattr(size, "__index__"):
            raise LaunchError(f"Size {axis} of the grid is {size!r}, not a whole number: use triton.cdiv.")
        if int(size) < 0:
            raise LaunchError(f"Size {axis} of the grid is {int(size):,}; a GPU takes 0 to {limit:,}.")
        if int(size) > limit:
            text = f"Axis {axis} of a grid takes at most {limit:,} programs; this launch asks for {int(size):,}."
            less = "Give each program more of the work: a loop in the kernel, a smaller grid."
            other = f"Put the rows on axis 0, which takes {GRID_LIMITS[0]:,} programs."
            raise LaunchError(text, "grid-too-large", other if axis else less)
        found.append(int(size))
    x, y, z = [*found, 1, 1][:3]
    return x, y, z
