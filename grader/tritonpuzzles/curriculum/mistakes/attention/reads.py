"""Mistakes in what is read: the operands, and which keys and values the loop takes."""

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes.attention.machine import MISTAKES, attention
from tritonpuzzles.curriculum.mistakes.lines import DOT, EXP, KEYS, LOAD, LOOP, VALUES


def one_apart(every: Tensor, cols: int) -> Tensor:
    """Return tiles that begin at keys 0, 1, 2, ..., as many as are needed to cover the sequence."""
    return torch.cat([every[start : start + cols] for start in range(-(-len(every) // cols))])


MISTAKES.add(
    "operands-swapped",
    "q and k are swapped: every key attends to the queries.",
    "Compute s = q k^T, with one row for each query.",
    DOT,
    by=attention(given=lambda q, k, v: (k, q, v), whole=True),
)
MISTAKES.add(
    "queries-for-keys",
    "The scores are q q^T: the rows of q are used in place of those of k.",
    "Load k from k_ptr, with the row stride of k.",
    *(KEYS, DOT),
    by=attention(given=lambda q, k, v: (q, q, v), whole=True),
)
MISTAKES.add(
    "keys-and-values-swapped",
    "Keys and values are exchanged: the scores are q v^T, and the weights multiply the keys.",
    "Pass k and v in the order of the kernel's parameters, and load each from its own pointer.",
    *(KEYS, LOAD),
    by=attention(given=lambda q, k, v: (q, v, k), whole=True),
)
MISTAKES.add(
    "values-shifted",
    "The weights multiply the wrong rows: v is read one row before or after its key, or k is read in place of v.",
    "Load v with the same key offsets as k, from v_ptr.",
    *(VALUES, LOAD),
    by=[
        attention(given=lambda q, k, v: (q, k, k), whole=True),
        attention(values=lambda every, cols: every + 1, whole=True),
        attention(values=lambda every, cols: (every - 1) % (len(every) + 1), whole=True),
    ],
)
MISTAKES.add(
    "masked-lanes-as-inf",
    "The lanes past the end of the sequence are infinite: scores of +inf give inf - inf, and values of inf with weight "
    "0 give 0 * inf; both are NaN.",
    'Mask the scores with -float("inf"), with the minus sign, and load v with other=0.0.',
    *(r"tl\.where\(.*,\s*float\(", rf"{VALUES}.*inf", VALUES),
    by=attention(padding=torch.inf, whole=True),
)
MISTAKES.add(
    "last-block-skipped",
    "The last, partial block of keys is left out: the loop runs over whole blocks only.",
    "Round the number of blocks up: {all_blocks}, and mask the last one.",
    *(r"^\s*(for|while)\b.*//", LOOP),
    by=attention(keys=lambda every, cols: every[: len(every) // cols * cols], whole=True),
)
MISTAKES.add(
    "last-key-skipped",
    "The last key is left out.",
    "Mask with {keys} < {n}, not {keys} < {n} - 1.",
    r"<\s*n\b",
    by=attention(keys=lambda every, cols: every[:-1], whole=True),
)
MISTAKES.add(
    "first-block-only",
    "Only the first block of keys, or of values, is ever read: every iteration reads it again, or there is only one "
    "iteration.",
    "Move in every iteration, up to {n}: {keys} = {start} + tl.arange(0, {BLOCK_N}), or add {BLOCK_N} rows to the "
    "pointers.",
    LOOP,
    by=[
        attention(keys=lambda every, cols: every[:cols], whole=True),
        # range(0, cdiv(n, BLOCK_N), BLOCK_N): one iteration, except for long sequences
        attention(keys=lambda every, cols: every[: -(-len(every) // cols**2) * cols], whole=True),
        attention(keys=lambda every, cols: every % cols, whole=True),
        attention(keys=lambda every, cols: every % cols, values=lambda every, cols: every, whole=True),
        attention(values=lambda every, cols: every % cols, whole=True),
    ],
    still=True,
)
MISTAKES.add(
    "last-block-only",
    "Only the last block of keys counts: {m} is never set to {m_new}, so that exp({m} - {m_new}) is 0 in every "
    "iteration, or {l} and {acc} are overwritten.",
    "End each iteration with {m} = {m_new}; add to {l} and {acc}.",
    EXP,
    by=attention(keys=lambda every, cols: every[(len(every) - 1) // cols * cols :], whole=True),
)
MISTAKES.add(
    "tiles-overlap",
    "Each iteration moves by one key or by half a tile, not by a tile: keys count several times, and a loop that "
    "counts its iterations does not reach the end of the sequence.",
    "Move by a tile: range(0, {n}, {BLOCK_N}), or {keys} = iteration * {BLOCK_N} + tl.arange(0, {BLOCK_N}).",
    *(r"^\s*for\b.*range\(.*//\s*2", r"^\s*for\b.*range\(.*cdiv", LOOP),
    by=[
        attention(keys=one_apart, whole=True),
        # by half a tile: all keys after the first half count twice
        attention(keys=lambda every, cols: torch.cat([every, every[max(1, cols // 2) :]]), whole=True),
    ],
    moving=True,
)
MISTAKES.add(
    "every-other-tile",
    "Every other tile of keys is left out: the step of the loop is two tiles.",
    "Move by one tile in every iteration: use the number of keys in a tile as the step of the range.",
    LOOP,
    by=attention(keys=lambda every, cols: every[every // cols % 2 == 0], whole=True),
)
