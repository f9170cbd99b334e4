"""What of an address the mask beside it does not bound, as the kernel's own text tells."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from typing import Any

from tritonpuzzles.source.flow import Flow
from tritonpuzzles.source.functions import Function, language_calls, names_in
from tritonpuzzles.source.spelling import in_loop
from tritonpuzzles.source.steps import mask_steps, steps_to


def unbounded(function: Function, line: int, access: str, numbers: Mapping[str, Any], shape: Collection[int]) -> str:
    """Return the only name in an address that holds a range and that the mask says nothing of; else nothing.

    Args:
        function: the kernel.
        line: of the access in its file, which has a mask.
        access: "load" or "store".
        numbers: what the launch passes, by name.
        shape: of the tensor: a range of just so many elements needs no mask.
    """
    ranges = ranges_of(function)
    in_address = _reached([step.added for step in steps_to(function, line, access)], ranges)
    masks = [step.added for step in mask_steps(function, line, access)]
    in_mask = _reached(masks, ranges)
    named = [added for known in ranges.values() for added in known]
    unnamed = [mask for mask in masks if _has_range(mask) and ast.dump(mask) not in map(ast.dump, named)]
    if not masks or unnamed or in_mask - in_address:
        return ""  # the mask may bound it by another name
    open_ones = {name for name in in_address - in_mask if not any(_fits(one, numbers, shape) for one in ranges[name])}
    return open_ones.pop() if len(open_ones) == 1 else ""


def is_fixed_mask(function: Function, line: int, access: str) -> bool:
    """Return whether the mask of an access in a loop is the same in every iteration, by what its names are assigned."""
    steps = mask_steps(function, line, access)
    changing = Flow(function).changing(line)
    return in_loop(function, line) and bool(steps) and not changing & names_in(*(step.added for step in steps))


def ranges_of(function: Function) -> dict[str, list[ast.expr]]:
    """Return what is assigned to the names that hold a range, by its own text."""
    found: dict[str, list[ast.expr]] = {}
    for step in Flow(function).steps:
        if _has_range(step.added):
            found.setdefault(step.name, []).append(step.added)
    return found


def _reached(parts: Collection[ast.expr], ranges: Collection[str]) -> set[str]:
    return names_in(*parts) & set(ranges)


def _has_range(part: ast.expr) -> bool:
    return bool(language_calls(ast.walk(part), "arange"))


def _fits(part: ast.expr, numbers: Mapping[str, Any], shape: Collection[int]) -> bool:
    """Return whether a range wraps around, or is as long as the tensor along an axis."""
    if any(isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) for node in ast.walk(part)):
        return True
    if not (isinstance(part, ast.Call) and language_calls([part], "arange") and part.args):
        return False
    end = part.args[-1]
    size = numbers.get(end.id) if isinstance(end, ast.Name) else getattr(end, "value", None)
    return size in shape
