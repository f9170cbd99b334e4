"""Which of a submission's launches are different programs, and which of these are worth compiling whole."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from triton.tools.tensor_descriptor import TensorDescriptor

from tritonpuzzles.compiler import Launch

USUAL_WARPS = 4  # Triton's own choice
MOST_COMPILED = 1 << 15  # of any size in a launch: compilers are slow with wider tiles and longer unrolled loops


def distinct(launches: Sequence[Launch]) -> list[Launch]:
    """Return one launch for each kernel, its types and constants: what else differs is known when it runs.

    A number that is 1 is a constant, too: Triton makes it one.
    """
    return list({(*kind_of(launch), *_fixed(launch)): launch for launch in reversed(launches)}.values())[::-1]


def _fixed(launch: Launch) -> Iterator[str]:
    constants = {parameter.name for parameter in launch.kernel.params if parameter.is_constexpr}
    for name, value in launch.arguments.items():
        if name in constants or value is None or type(value) is bool or (type(value) is int and value == 1):
            yield f"{name}={value!r}"
    yield repr(sorted(launch.options.items()))


def telling(launches: Mapping[str, Sequence[Launch]]) -> list[Launch]:
    """Return the launches worth compiling whole, the cheapest first: of each program the one with the largest tiles.

    Of each kernel the smallest as well. Where a program is launched with ordinary sizes too, rows of tens of thousands
    of elements are left out: ptxas works for up to a minute on a tile that holds one, and says the same.

    Args:
        launches: by their structure, which is another one for other types, and for another branch that constants take.
    """
    largest: list[Launch] = []
    smallest: dict[int, Launch] = {}
    for alike in launches.values():
        ordinary = [launch for launch in alike if _extent(launch) <= MOST_COMPILED] or alike
        largest.append(max(ordinary, key=_constants))
        for launch in ordinary:
            kernel = id(launch.kernel)
            smallest[kernel] = min(smallest.get(kernel, launch), launch, key=_constants)
    chosen = {id(launch): launch for launch in (*largest, *smallest.values())}
    return sorted(chosen.values(), key=cost)


def kind_of(launch: Launch) -> tuple[int, tuple[str, ...]]:
    """Return the kernel and the dtypes of its arguments.

    The kernel by its id: hashing one has Triton read it, which fails where it calls a Python function.
    """
    return id(launch.kernel), tuple(map(_dtype, launch.arguments.values()))


def cost(launch: Launch) -> float:
    """Return what grows with the time that ptxas needs: elements for each warp."""
    warps = launch.options.get("num_warps", launch.arguments.get("num_warps"))
    return _constants(launch) / (warps if isinstance(warps, int) and warps > 0 else USUAL_WARPS)


def _dtype(value: Any) -> str:
    """Return what an argument holds: a tensor's dtype, that of a descriptor's tensor, those of a tuple's items."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_dtype, value))})"
    return str(getattr(value.base if isinstance(value, TensorDescriptor) else value, "dtype", type(value).__name__))


def _constants(launch: Launch) -> int:
    """Return the product of a launch's constexpr sizes, which grows with its tiles."""
    names = {parameter.name for parameter in launch.kernel.params if parameter.is_constexpr}
    return math.prod(value for name, value in _numbers(launch) if name in names and value > 0)


def _extent(launch: Launch) -> int:
    """Return the largest whole number among a launch's arguments: sizes, strides and tiles."""
    return max((value for _, value in _numbers(launch)), default=0)


def _numbers(launch: Launch) -> Iterator[tuple[str, int]]:
    return ((name, value) for name, value in launch.arguments.items() if type(value) is int)
