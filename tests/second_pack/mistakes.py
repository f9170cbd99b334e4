"""Named mistakes of this pack's puzzles: what a kernel that makes one would compute, in float32.

rms_norm: (x) -> (y, scale), eps in `tile.values`. gather_rows: (table, index) -> y. swish, backwards: (x, dy) -> dx,
or (dx, y).
NaN stands for what was never written; a lane that lies outside of its tensor loads 0 in the CPU engine.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Mistakes, Tile

MISTAKES = Mistakes()
Tensors = tuple[Tensor, ...]
LOAD, STORE, SUM, ROOT, DIVISION = r"tl\.load\(", r"tl\.store\(", r"tl\.sum\(", r"sqrt\(", r"[^/]/[^/]"


# RMS norm.


def _scaled(x: Tensor, scale: Tensor) -> tuple[Tensor, Tensor]:
    """Return y and scale; scale: (n_rows,)."""
    return x * scale[:, None], scale


def _eps(tile: Tile) -> float:
    return float(tile.values["eps"])


def _mean_square(x: Tensor) -> Tensor:
    return x.square().mean(dim=1)


@MISTAKES.add(
    "eps-forgotten",
    "eps is not added. In a row of very small numbers it is most of the sum, and a row of zeros becomes 0 / 0.",
    "Add eps to the mean square, under the root.",
    ROOT,
)
def eps_forgotten(inputs: Tensors, tile: Tile) -> Tensors:
    """1 / sqrt(mean(x^2))."""
    (x,) = inputs
    return _scaled(x, 1 / _mean_square(x).sqrt())


@MISTAKES.add(
    "eps-outside-the-root",
    "eps is added to the root, not under it. There it counts for much less: sqrt(1e-6) is 1e-3.",
    "Write 1 / sqrt(mean_square + eps).",
    ROOT,
)
def eps_outside_the_root(inputs: Tensors, tile: Tile) -> Tensors:
    """1 / (sqrt(mean(x^2)) + eps)."""
    (x,) = inputs
    return _scaled(x, 1 / (_mean_square(x).sqrt() + _eps(tile)))


@MISTAKES.also("eps-outside-the-root")
def eps_added_to_the_scale(inputs: Tensors, tile: Tile) -> Tensors:
    """1 / sqrt(mean(x^2)) + eps."""
    (x,) = inputs
    return _scaled(x, 1 / _mean_square(x).sqrt() + _eps(tile))


@MISTAKES.add(
    "eps-fixed",
    "eps is a number in the kernel, whatever the caller asks for.",
    "Use the parameter eps, which the host function passes on.",
    ROOT,
)
def eps_fixed_at_1e_6(inputs: Tensors, tile: Tile) -> Tensors:
    """1 / sqrt(mean(x^2) + 1e-6)."""
    (x,) = inputs
    return _scaled(x, 1 / (_mean_square(x) + 1e-6).sqrt())


@MISTAKES.also("eps-fixed")
def eps_fixed_at_1e_5(inputs: Tensors, tile: Tile) -> Tensors:
    """1 / sqrt(mean(x^2) + 1e-5)."""
    (x,) = inputs
    return _scaled(x, 1 / (_mean_square(x) + 1e-5).sqrt())


@MISTAKES.add(
    "mean-over-the-tile",
    "The sum of the squares is divided by the lanes of the tile, also by those past the end of the row.",
    "Divide by n_cols, not by BLOCK_SIZE.",
    DIVISION,
)
def mean_over_the_tile(inputs: Tensors, tile: Tile) -> Tensors:
    """sum(x^2) / BLOCK_SIZE in place of the mean."""
    (x,) = inputs
    return _scaled(x, 1 / (x.square().sum(dim=1) / tile.cols + _eps(tile)).sqrt())


@MISTAKES.add(
    "not-averaged",
    "The sum of the squares is not divided by the number of columns: the row's length goes into the result.",
    "Divide the sum by n_cols before you add eps.",
    SUM,
)
def not_averaged(inputs: Tensors, tile: Tile) -> Tensors:
    """1 / sqrt(sum(x^2) + eps)."""
    (x,) = inputs
    return _scaled(x, 1 / (x.square().sum(dim=1) + _eps(tile)).sqrt())


@MISTAKES.add(
    "mean-subtracted",
    "The row's mean is subtracted first, as in layer norm. RMS norm subtracts nothing.",
    "Square x itself.",
    r"x\s*-\s*",
)
def layer_norm(inputs: Tensors, tile: Tile) -> Tensors:
    """Layer norm without weights."""
    (x,) = inputs
    centred = x - x.mean(dim=1, keepdim=True)
    return _scaled(centred, 1 / (_mean_square(centred) + _eps(tile)).sqrt())


@MISTAKES.also("mean-subtracted")
def over_the_standard_deviation(inputs: Tensors, tile: Tile) -> Tensors:
    """x / sqrt(variance + eps)."""
    (x,) = inputs
    return _scaled(x, 1 / (x.var(dim=1, correction=0) + _eps(tile)).sqrt())


@MISTAKES.add(
    "root-forgotten",
    "The row is divided by its mean square: the root is missing.",
    "Take tl.sqrt of the mean square plus eps, or tl.rsqrt and multiply.",
    DIVISION,
)
def root_forgotten(inputs: Tensors, tile: Tile) -> Tensors:
    """1 / (mean(x^2) + eps)."""
    (x,) = inputs
    return _scaled(x, 1 / (_mean_square(x) + _eps(tile)))


@MISTAKES.add(
    "scale-upside-down",
    "scale holds the root mean square itself. The factor by which the row is multiplied is asked for: 1 over it.",
    "Store 1 / sqrt(mean_square + eps) in scale.",
    STORE,
)
def scale_upside_down(inputs: Tensors, tile: Tile) -> Tensors:
    """The right y, and sqrt(mean(x^2) + eps)."""
    (x,) = inputs
    root = (_mean_square(x) + _eps(tile)).sqrt()
    return x / root[:, None], root


@MISTAKES.also("scale-upside-down")
def multiplied_by_the_root(inputs: Tensors, tile: Tile) -> Tensors:
    """The root for both: the row is multiplied where it must be divided."""
    (x,) = inputs
    return _scaled(x, (_mean_square(x) + _eps(tile)).sqrt())


@MISTAKES.add(
    "squared-after-the-mean",
    "The mean is taken first and squared then. Positive and negative numbers cancel in it.",
    "Square every element, then sum.",
    SUM,
)
def squared_after_the_mean(inputs: Tensors, tile: Tile) -> Tensors:
    """1 / sqrt(mean(x)^2 + eps)."""
    (x,) = inputs
    return _scaled(x, 1 / (x.mean(dim=1).square() + _eps(tile)).sqrt())


@MISTAKES.add(
    "not-scaled",
    "y is x itself: the factor is stored and never used.",
    "Store x * scale in y.",
    STORE,
)
def not_scaled(inputs: Tensors, tile: Tile) -> Tensors:
    """X for y, and the right scale."""
    (x,) = inputs
    return x.clone(), 1 / (_mean_square(x) + _eps(tile)).sqrt()


@MISTAKES.add(
    "last-column-left-out",
    "The mean misses the last column.",
    "Use the same mask, cols < n_cols, for the sum as for the store.",
    SUM,
)
def last_column_left_out(inputs: Tensors, tile: Tile) -> Tensors:
    """sum(x[:-1]^2) / n_cols."""
    (x,) = inputs
    return _scaled(x, 1 / (x[:, :-1].square().sum(dim=1) / x.shape[1] + _eps(tile)).sqrt())


@MISTAKES.add(
    "masked-lanes-as-one",
    "The lanes past the end of the row hold 1 and enter the sum of the squares.",
    "Load with other=0.0, which adds nothing to a sum of squares.",
    LOAD,
)
def masked_lanes_as_one(inputs: Tensors, tile: Tile) -> Tensors:
    """(sum(x^2) + lanes past the end) / n_cols."""
    (x,) = inputs
    past = -x.shape[1] % max(1, tile.cols)
    return _scaled(x, 1 / ((x.square().sum(dim=1) + past) / x.shape[1] + _eps(tile)).sqrt())


@MISTAKES.add(
    "one-scale-for-all",
    "All rows get the same factor. Each must be normalised by itself.",
    "Sum the squares of this program's row only: its offsets are row * x_row_stride + cols.",
    LOAD,
)
def scale_of_the_first_row(inputs: Tensors, tile: Tile) -> Tensors:
    """The first row's factor for every row."""
    (x,) = inputs
    return _scaled(x, (1 / (_mean_square(x) + _eps(tile)).sqrt())[:1].expand(x.shape[0]))


@MISTAKES.also("one-scale-for-all")
def scale_of_the_whole_matrix(inputs: Tensors, tile: Tile) -> Tensors:
    """1 over the root mean square of the whole matrix."""
    (x,) = inputs
    return _scaled(x, (1 / (x.square().mean() + _eps(tile)).sqrt()).expand(x.shape[0]))


# Gather.


def _rows(table: Tensor, index: Tensor) -> Tensor:
    """Return the rows that index names, zeros for those that there are not."""
    inside = (index >= 0) & (index < table.shape[0])
    rows = torch.zeros(len(index), table.shape[1])
    rows[inside] = table[index[inside]]
    return rows


@MISTAKES.add(
    "index-ignored",
    "Row i of y is row i of the table: the index is never used.",
    "Load index_ptr + pick first; what comes back is the row to read.",
    LOAD,
)
def index_ignored(inputs: Tensors, tile: Tile) -> Tensor:
    """The table's own rows, in order."""
    table, index = inputs
    return _rows(table, torch.arange(len(index)))


@MISTAKES.add(
    "scattered",
    "The index is used for the store: row i of the table goes to row index[i] of y. That is a scatter.",
    "Read from row index[pick] and write to row pick.",
    STORE,
)
def scattered(inputs: Tensors, tile: Tile) -> Tensor:
    """Row i of the table at place index[i]; the last one to come stays."""
    table, index = inputs
    y = torch.full((len(index), table.shape[1]), torch.nan)
    rows = _rows(table, torch.arange(len(index)))
    for pick, place in enumerate(index.tolist()):
        if place < len(y):
            y[place] = rows[pick]
    return y


@MISTAKES.add(
    "one-row-off",
    "Every pick is the neighbour of the row that the index names. Rows are counted from 0.",
    "Use the index as it is: row * table_row_stride.",
    LOAD,
)
def one_row_up(inputs: Tensors, tile: Tile) -> Tensor:
    """Row index - 1."""
    table, index = inputs
    return _rows(table, index - 1)


@MISTAKES.also("one-row-off")
def one_row_down(inputs: Tensors, tile: Tile) -> Tensor:
    """Row index + 1."""
    table, index = inputs
    return _rows(table, index + 1)


@MISTAKES.add(
    "order-reversed",
    "The rows are right and stand in y the other way round.",
    "Pick tl.program_id(0) goes to row tl.program_id(0) of y.",
    r"program_id",
)
def order_reversed(inputs: Tensors, tile: Tile) -> Tensor:
    """The last pick first."""
    table, index = inputs
    return table[index].flip(0)


@MISTAKES.add(
    "one-pick-for-all",
    "Every row of y is the first pick: the index is read at its start and not at the pick's own place.",
    "Load index_ptr + tl.program_id(0).",
    LOAD,
)
def one_pick_for_all(inputs: Tensors, tile: Tile) -> Tensor:
    """Row index[0], every time."""
    table, index = inputs
    return table[index[:1]].expand(len(index), -1) if len(index) else table[index]


@MISTAKES.add(
    "row-stride-forgotten",
    "The index counts rows, and the kernel takes it for elements: it reads n_cols elements from element index[i] on.",
    "Multiply the row number by table_row_stride.",
    LOAD,
)
def row_stride_forgotten(inputs: Tensors, tile: Tile) -> Tensor:
    """Elements index .. index + n_cols of the table's memory."""
    table, index = inputs
    flat, n_cols = table.reshape(-1), table.shape[1]
    places = index[:, None] + torch.arange(n_cols)
    return torch.where(places < flat.numel(), flat[places.clamp_max(max(0, flat.numel() - 1))], 0.0)


@MISTAKES.add(
    "first-tile-repeated",
    "Every tile of y holds the row's first columns: the load does not move on with the loop.",
    "Add the loop's start to the columns of the load and of the store alike.",
    LOAD,
)
def first_tile_repeated(inputs: Tensors, tile: Tile) -> Tensor:
    """Column c holds column c % BLOCK_SIZE."""
    table, index = inputs
    return table[index][:, torch.arange(table.shape[1]) % max(1, tile.cols)]


# Swish, backwards.


def _backward(code: str, says: str, next_step: str) -> Callable[[Callable[[Tensor, Tensor], Tensor]], None]:
    """Register what a backward kernel computes of x and dy."""

    def register(formula: Callable[[Tensor, Tensor], Tensor]) -> None:
        MISTAKES.add(code, says, next_step, r"\bdx\s*=|\bs(igmoid)?\s*=|tl\.store\(")(
            lambda inputs, tile: formula(*inputs)
        )

    return register


@_backward(
    "product-rule-first-term",
    "dx is dy * sigmoid(x): x is treated as a constant factor's other half. The product rule has a second term.",
    "Add x * s * (1 - s) to s before you multiply by dy.",
)
def first_term(x: Tensor, dy: Tensor) -> Tensor:
    """Dy s."""
    return dy * torch.sigmoid(x)


@_backward(
    "product-rule-second-term",
    "dx is dy * x * s * (1 - s): the term that comes from the factor x is missing.",
    "Add s to x * s * (1 - s) before you multiply by dy.",
)
def second_term(x: Tensor, dy: Tensor) -> Tensor:
    """Dy x s (1 - s)."""
    s = torch.sigmoid(x)
    return dy * x * s * (1 - s)


@_backward(
    "sigmoid-differentiated",
    "dx is dy * s * (1 - s): that is the derivative of the sigmoid alone, without the factor x.",
    "Differentiate x * sigmoid(x), a product.",
)
def sigmoid_differentiated(x: Tensor, dy: Tensor) -> Tensor:
    """Dy s (1 - s)."""
    s = torch.sigmoid(x)
    return dy * s * (1 - s)


@_backward(
    "gradient-forgotten",
    "dx is the derivative itself: dy, the gradient that arrives from behind, is not in it.",
    "Multiply by dy: that is the chain rule.",
)
def gradient_forgotten(x: Tensor, dy: Tensor) -> Tensor:
    """S + x s (1 - s)."""
    s = torch.sigmoid(x)
    return s + x * s * (1 - s)


@_backward(
    "sign-of-the-second-term",
    "The second term of the product rule has the wrong sign: the derivative of the sigmoid is +s * (1 - s).",
    "dx = dy * (s + x * s * (1 - s)).",
)
def sign_of_the_second_term(x: Tensor, dy: Tensor) -> Tensor:
    """Dy (s - x s (1 - s))."""
    s = torch.sigmoid(x)
    return dy * (s - x * s * (1 - s))


@_backward(
    "forward-again",
    "dx is dy * x * sigmoid(x): the backward kernel computes the function where its derivative is asked for.",
    "dx = dy * (s + x * s * (1 - s)).",
)
def forward_again(x: Tensor, dy: Tensor) -> Tensor:
    """Dy x s."""
    return dy * x * torch.sigmoid(x)


@_backward(
    "output-taken-for-input",
    "The derivative is taken at y in place of x: the result was saved, and the input is needed.",
    "ctx.save_for_backward(x), not y.",
)
def output_taken_for_input(x: Tensor, dy: Tensor) -> Tensor:
    """The right formula at y = x s."""
    y = x * torch.sigmoid(x)
    s = torch.sigmoid(y)
    return dy * (s + y * s * (1 - s))


@_backward(
    "exp-overflows",
    "The sigmoid is computed as exp(x) / (1 + exp(x)). Above 88.7 that is inf / inf in float32.",
    "Write 1 / (1 + tl.exp(-x)), or tl.sigmoid(x): an exp that overflows there gives 0.",
)
def exp_overflows(x: Tensor, dy: Tensor) -> Tensor:
    """The right formula with a sigmoid that overflows."""
    s = torch.exp(x) / (1 + torch.exp(x))
    return dy * (s + x * s * (1 - s))


@MISTAKES.also("exp-overflows")
def exp_overflows_both_ways(inputs: Tensors, tile: Tile) -> Tensors:
    """The gradient with that sigmoid, and y with it."""
    x, dy = inputs
    s = torch.exp(x) / (1 + torch.exp(x))
    return dy * (s + x * s * (1 - s)), x * s
