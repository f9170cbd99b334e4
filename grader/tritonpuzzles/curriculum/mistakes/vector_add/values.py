"""Mistakes of what is loaded, computed and stored. x, y: (n_elements,) float32."""

from __future__ import annotations

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Tile
from tritonpuzzles.curriculum.mistakes.vector_add.common import LOAD, MISTAKES, STORE, elements, total


@MISTAKES.add(
    "values-shifted",
    "Every value stands one element beside its place.",
    "Load and store at the same offsets; elements are counted from 0.",
    LOAD,
)
def one_element_ahead(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """z[i] is the sum of the elements i + 1; behind the last lies 0."""
    z = total(inputs)
    return torch.cat([z[1:], torch.zeros_like(z[:1])])


@MISTAKES.also("values-shifted")
def one_element_behind(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """z[i] is the sum of the elements i - 1; before the first lies 0."""
    z = total(inputs)
    return torch.cat([torch.zeros_like(z[:1]), z[:-1]])


@MISTAKES.add(
    "offsets-missing",
    "The first element is added over and over: tl.load(x_ptr) is element 0, in every program and every lane.",
    "Load at x_ptr + offsets and y_ptr + offsets: a pointer for each lane.",
    LOAD,
)
def first_elements(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """x[0] + y[0]."""
    return total(inputs)[torch.zeros_like(elements(inputs))]


@MISTAKES.also("offsets-missing")
def first_element_of_x(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """x[0] + y."""
    x, y = inputs
    return x[:1] + y


@MISTAKES.also("offsets-missing")
def first_element_of_y(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """x + y[0]."""
    x, y = inputs
    return x + y[:1]


@MISTAKES.add(
    "offsets-added-to-values",
    "Offsets are added to numbers, and not to pointers: tl.load(x_ptr) + offsets is element 0 of x plus 0, 1, 2 ...",
    "Add them inside of the brackets: tl.load(x_ptr + offsets, mask=mask).",
    LOAD,
)
def offsets_added_to_both(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """(x[0] + offsets) + (y[0] + offsets)."""
    x, y = inputs
    return (x[:1] + elements(inputs)) + (y[:1] + elements(inputs))


@MISTAKES.also("offsets-added-to-values")
def offsets_added_to_x(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """(x[0] + offsets) + y."""
    x, y = inputs
    return (x[:1] + elements(inputs)) + y


@MISTAKES.also("offsets-added-to-values")
def offsets_added_to_y(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """x + (y[0] + offsets)."""
    x, y = inputs
    return x + (y[:1] + elements(inputs))


@MISTAKES.add(
    "operand-left-out",
    "The result is x alone, or y alone: the other one is not added.",
    "Load both, and store x + y.",
    STORE,
)
def x_alone(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """x."""
    return inputs[0]


@MISTAKES.also("operand-left-out")
def y_alone(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """y."""
    return inputs[1]


@MISTAKES.add(
    "operand-taken-twice",
    "One vector is added to itself: the result is 2 x, or 2 y.",
    "Load x from x_ptr and y from y_ptr.",
    r"^\s*(?:y\w*\s*=\s*tl\.load\(\s*x|x\w*\s*=\s*tl\.load\(\s*y)",
    r"\b(\w+)\s*\+\s*\1\b",
    LOAD,
)
def x_twice(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """x + x."""
    return inputs[0] + inputs[0]


@MISTAKES.also("operand-taken-twice")
def y_twice(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """y + y."""
    return inputs[1] + inputs[1]


@MISTAKES.add(
    "wrong-operation",
    "Another operation than the sum is stored: the difference, the product, the quotient, the larger or the smaller.",
    "Store x + y.",
    STORE,
)
def difference(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """x - y."""
    x, y = inputs
    return x - y


@MISTAKES.also("wrong-operation")
def reversed_difference(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """y - x."""
    x, y = inputs
    return y - x


@MISTAKES.also("wrong-operation")
def product(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """x * y."""
    x, y = inputs
    return x * y


@MISTAKES.also("wrong-operation")
def quotient(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """x / y."""
    x, y = inputs
    return x / y


@MISTAKES.also("wrong-operation")
def larger(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """tl.maximum(x, y), which takes a number before a NaN."""
    return torch.fmax(*inputs)


@MISTAKES.also("wrong-operation")
def smaller(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """tl.minimum(x, y), which takes a number before a NaN."""
    return torch.fmin(*inputs)


@MISTAKES.add(
    "sum-of-the-tile",
    "Every element of a tile gets the sum of the whole tile: tl.sum makes one number of all lanes.",
    "Store x + y, which adds lane by lane.",
    r"tl\.sum\(",
)
def sum_of_the_tile(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """tl.sum(x + y), or tl.sum(x) + tl.sum(y), with masked lanes as 0."""
    return torch.cat([part.sum().expand(len(part)) for part in torch.split(total(inputs), tile.cols)])


@MISTAKES.add(
    "low-precision",
    "A step between load and store is computed in 16 bits. That keeps two or three digits of the seven of float32.",
    "Add in the dtype that was loaded; the store casts by itself.",
    r"tl\.b?float16",
)
def sum_in_fp16(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The sum in float16."""
    return total(inputs).half().float()


@MISTAKES.also("low-precision")
def sum_in_bf16(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The sum in bfloat16."""
    return total(inputs).bfloat16().float()


@MISTAKES.also("low-precision")
def loaded_as_fp16(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """x and y in float16."""
    x, y = inputs
    return (x.half().float() + y.half().float()).half().float()


@MISTAKES.also("low-precision")
def loaded_as_bf16(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """x and y in bfloat16."""
    x, y = inputs
    return (x.bfloat16().float() + y.bfloat16().float()).bfloat16().float()
