"""What wrong vector additions compute. x, y: (n_elements,) float32; a tile is `tile.cols` neighbouring elements."""

from __future__ import annotations

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Mistakes, Tile

MISTAKES = Mistakes()
ARANGE = r"tl\.arange\("
LOAD = r"tl\.load\("
PROGRAM = r"program_id\("
STORE = r"tl\.store\("
UNWRITTEN = torch.nan


@MISTAKES.add(
    "first-tile-only",
    "Only the first tile is loaded or stored, by every program: its offsets do not begin at tl.program_id(0) * "
    "BLOCK_SIZE, or there is one program alone.",
    "Begin the offsets at tl.program_id(0) * BLOCK_SIZE, in the loads and in the store; launch a program per tile.",
    ARANGE,
)
def first_tile_alone(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Loads and stores the first tile, in every program."""
    return _only(_total(inputs), _elements(inputs) < tile.cols)


@MISTAKES.also("first-tile-only")
def first_tile_loaded(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Loads the first tile in every program, and stores it where the program's own belongs."""
    return _total(inputs)[_elements(inputs) % tile.cols]


@MISTAKES.also("first-tile-only")
def first_tile_stored(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Loads the program's own tile, and stores it over the first: in each lane the last program's stays."""
    z, last = torch.full_like(inputs[0], UNWRITTEN), _total(inputs)
    for part in torch.split(last, tile.cols):
        z[: len(part)] = part
    return z


@MISTAKES.add(
    "program-id-not-scaled",
    "The offsets begin at the program's number itself: program 1 starts one element behind program 0, in the midst of "
    "its tile, and the far end of the vector is left to nobody.",
    "Programs are BLOCK_SIZE elements apart: tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE).",
    PROGRAM,
)
def program_id_not_scaled(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """offsets = pid + arange."""
    programs = -(-len(inputs[0]) // tile.cols)
    return _only(_total(inputs), _elements(inputs) < programs - 1 + tile.cols)


@MISTAKES.add(
    "arange-missing",
    "Each program takes a single element, and not a tile of BLOCK_SIZE: its offset is one number.",
    "Add tl.arange(0, BLOCK_SIZE) to where the tile begins: one offset for each lane.",
    PROGRAM,
)
def first_element_of_each_tile(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """offsets = pid * BLOCK_SIZE."""
    return _only(_total(inputs), _elements(inputs) % tile.cols == 0)


@MISTAKES.also("arange-missing")
def one_element_per_program(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """offsets = pid."""
    return _only(_total(inputs), _elements(inputs) < -(-len(inputs[0]) // tile.cols))


@MISTAKES.also("arange-missing")
def first_element_in_every_lane(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Loads one element, and stores it in every lane of the tile."""
    return _total(inputs)[_elements(inputs) // tile.cols * tile.cols]


@MISTAKES.add(
    "tail-skipped",
    "The last, partial tile is left out: only whole tiles are written.",
    "Launch triton.cdiv(n_elements, BLOCK_SIZE) programs, rounded up, and mask with offsets < n_elements.",
    STORE,
)
def tail_skipped(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """n_elements // BLOCK_SIZE programs, or a mask that a partial tile does not pass."""
    return _only(_total(inputs), _elements(inputs) < len(inputs[0]) // tile.cols * tile.cols)


@MISTAKES.add(
    "values-shifted",
    "Every value stands one element beside its place.",
    "Load and store at the same offsets; elements are counted from 0.",
    LOAD,
)
def one_element_ahead(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """z[i] is the sum of the elements i + 1; behind the last lies 0."""
    total = _total(inputs)
    return torch.cat([total[1:], torch.zeros_like(total[:1])])


@MISTAKES.also("values-shifted")
def one_element_behind(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """z[i] is the sum of the elements i - 1; before the first lies 0."""
    total = _total(inputs)
    return torch.cat([torch.zeros_like(total[:1]), total[:-1]])


@MISTAKES.add(
    "offsets-missing",
    "The first element is added over and over: tl.load(x_ptr) is element 0, in every program and every lane.",
    "Load at x_ptr + offsets and y_ptr + offsets: a pointer for each lane.",
    LOAD,
)
def first_elements(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """x[0] + y[0]."""
    return _total(inputs)[torch.zeros_like(_elements(inputs))]


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
    return (x[:1] + _elements(inputs)) + (y[:1] + _elements(inputs))


@MISTAKES.also("offsets-added-to-values")
def offsets_added_to_x(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """(x[0] + offsets) + y."""
    x, y = inputs
    return (x[:1] + _elements(inputs)) + y


@MISTAKES.also("offsets-added-to-values")
def offsets_added_to_y(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """x + (y[0] + offsets)."""
    x, y = inputs
    return x + (y[:1] + _elements(inputs))


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
    total = _total(inputs)
    return torch.cat([part.sum().expand(len(part)) for part in torch.split(total, tile.cols)])


@MISTAKES.add(
    "low-precision",
    "A step between load and store is computed in 16 bits. That keeps two or three digits of the seven of float32.",
    "Add in the dtype that was loaded; the store casts by itself.",
    r"tl\.b?float16",
)
def sum_in_fp16(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The sum in float16."""
    return _total(inputs).half().float()


@MISTAKES.also("low-precision")
def sum_in_bf16(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The sum in bfloat16."""
    return _total(inputs).bfloat16().float()


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


def _total(inputs: tuple[Tensor, ...]) -> Tensor:
    """Return what is right."""
    x, y = inputs
    return x + y


def _elements(inputs: tuple[Tensor, ...]) -> Tensor:
    """Return the number of each element."""
    return torch.arange(len(inputs[0]))


def _only(z: Tensor, written: Tensor) -> Tensor:
    """Return z where it is written."""
    return torch.where(written, z, UNWRITTEN)
